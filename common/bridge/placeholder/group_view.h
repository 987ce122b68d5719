/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is known of a group of bridged pods and its job, and what group_decide()
 * decides by that. Pure. Any thread: a view and a decision are the caller's.
 */
#ifndef SLURMK8S_BRIDGE_PLACEHOLDER_GROUP_VIEW_H
#define SLURMK8S_BRIDGE_PLACEHOLDER_GROUP_VIEW_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "bridge/placeholder/placeholder_state.h"
#include "objects/bridged_pod.h"

/* How long a state that may be a moment's gap is waited out, in ms. */
#define BRIDGE_SHORT_MS 30000  /* a gang has too few pods */
#define BRIDGE_ORPHAN_MS 60000 /* pods run, and Slurm has no job for them */
/*
 * How long a job whose start slurmctld has lost may take to start again where
 * its pods run, in ms; the pods are deleted after that.
 */
#define BRIDGE_FORGOTTEN_MS 60000
/*
 * How long after the bridge has begun running pods without a job are taken for
 * pods whose job slurmctld has lost, in ms.
 */
#define BRIDGE_EARLY_MS 30000
/*
 * How long a job is submitted again and again for running pods though Slurm
 * refuses it, or does not have their nodes, in ms: as a rule both pass.
 */
#define BRIDGE_JOBLESS_MS 300000
/* How long, and how often, the cause of a failed launch is looked for, in ms */
#define BRIDGE_LAUNCH_MS 60000
#define BRIDGE_LAUNCH_STEP_MS 1000
/* When waiting pods are told why their job waits, in ms, and what is new */
#define BRIDGE_NOTE_FIRST_MS 1000  /* age of the job: it may start at once */
#define BRIDGE_NOTE_REASON_MS 5000 /* since the last words: a new reason */
#define BRIDGE_NOTE_START_MS 30000 /* since the last words: a new start */
#define BRIDGE_NOTE_SHIFT_S 60	   /* least change of the start, in s */
/* How often a group is looked at that waits for something, in ms */
#define BRIDGE_BINDING_MS 1000	     /* for the answer to a binding */
#define BRIDGE_OVERCOMMITTED_MS 1000 /* for room on its nodes */
#define BRIDGE_LEAVING_MS 10000	     /* for leaving pods, whose node may fail */
/*
 * A node where an earlier pod is so much longer than KillWait is kept: it takes
 * no new jobs; after as much again a job that started there is given back.
 */
#define BRIDGE_KEPT_MS 60000
/* How long a job runs of which it is not known how many pods it needs, in ms */
#define BRIDGE_UNKNOWN_MS 180000
#define BRIDGE_WORDS_MAX 256

/*
 * The pods of the group; each is counted once, by group_view_count(), but for
 * `labelled` and what follows it.
 */
struct group_counts {
	uint32_t gated;	  /* not bound, with schedulingGates */
	uint32_t waiting; /* not bound, to be placed */
	/*
	 * What is bound counts only if a job of ours bound it (job_id of
	 * struct bridged_pod): what others bound, or say that we did, is
	 * theirs.
	 */
	uint32_t live;	    /* bound, and may run */
	uint32_t leaving;   /* bound, being deleted, and may run */
	uint32_t succeeded; /* nothing runs any more */
	uint32_t failed;
	uint32_t labelled; /* waiting pods whose label has this job's id */
	/*
	 * Waiting pods whose binding by the group's last job is under way, and
	 * may succeed yet. The caller counts them.
	 */
	uint32_t binding;
	/*
	 * Waiting pods that can never be placed as they are, and are not on
	 * their way to a node. The caller counts them.
	 */
	uint32_t refused;
	/*
	 * Waiting pods whose binding by this job is under way. The caller
	 * counts them.
	 */
	uint32_t going;
	uint32_t by_earlier_job; /* live pods bound by an earlier job */
	uint32_t left;		 /* leaving pods bound by an earlier job */
	uint32_t foreign;	 /* pods that others bound, and that may run */
	/* pods of `foreign` whose conditions still say that we bound them */
	uint32_t disowned;
	/* live pods on another node than the last binding named (see struct
	 * bridged_pod) */
	uint32_t elsewhere;
	/*
	 * Live pods that are not on a node that the job has now: it was put
	 * back and has started elsewhere. The caller counts them; 0 while it
	 * does not know the job's nodes.
	 */
	uint32_t misplaced;
	/*
	 * Live pods that were resized, where all pods on their node ask for
	 * more than the job has there. The caller counts them.
	 */
	uint32_t grown;
	/*
	 * Live pods that the job of another group has bound, as somebody has
	 * moved them here by a label (by_earlier_job does not have them), and
	 * leaving ones of this kind that have more than KillWait to end. The
	 * caller counts them.
	 */
	uint32_t moved;
	uint32_t ours; /* pods of `moved` surely bound by this Slurm cluster */
	uint32_t attempt; /* latest restart attempt of a JobSet's pods */
	uint32_t done;	  /* pods of `attempt` that succeeded, by any job */
	int exit_code;	  /* exit code of the pod that failed first; else 0 */
	uint32_t grace_s; /* longest time that a live pod has to end, in s */
	/*
	 * Longest time that a leaving pod has to end, in s, as whoever deleted
	 * it gave it. More than KillWait is too long once the job does not have
	 * the CPUs any more.
	 */
	uint32_t leaving_s;
	/*
	 * Leaving pods for which nothing waits, as they may never end: they are
	 * not on the nodes of the job, which was put back; or the group has no
	 * job that runs, and their node is not ready, or is kept by such a pod
	 * (kept_nodes_look()). The caller counts them.
	 */
	uint32_t away;
	uint32_t lingering; /* pods of `away` with more than KillWait to end */
	int64_t failed_ms;  /* epoch: end of the pod that exit_code is of */
};

/* What the waiting pods were last told. */
struct pods_told {
	const char *reason; /* why the job waits; NULL: nothing was told */
	int64_t start_s;    /* expected start, epoch; 0: not known */
	int64_t age_ms;	    /* how long ago they were told */
	bool others;	    /* the pods that wait now are other ones */
};

/* A group's job as Slurm has it and its pods as Kubernetes has them. Texts are
 * borrowed. */
struct group_view {
	enum placeholder_state job;
	enum placeholder_end end;
	uint32_t job_id;   /* the group's job or its last one; 0: it had none */
	uint32_t made_for; /* pods that the job's identity says it is for */
	bool requeued;	   /* the job went back into the queue after a start */
	/* the bridge cancels the job, or has, so that its pods get another one:
	 * its identity says so */
	bool by_us;
	/* the job was made for pods of another schedulerName, which are not in
	 * view */
	bool other_scheduler;
	/*
	 * The bridge has just begun (BRIDGE_EARLY_MS), or Slurm has not taken a
	 * job for its running pods yet (BRIDGE_JOBLESS_MS).
	 */
	bool early;
	/*
	 * Slurm could not launch the job, and holds it. `twice`: slurmctld had
	 * given the job's id twice, as it was killed before it had saved the
	 * first job. Otherwise it is rather a Prolog that fails, as it would
	 * for the next job.
	 */
	bool not_launched;
	bool twice;
	bool pinned; /* the job may start on its running pods' nodes only */
	/* the job names a node that Slurm has deleted, and cannot be changed */
	bool no_node;
	int64_t state_ms;   /* age of `job`, as far as this engine saw it */
	const char *reason; /* why the job waits, in Slurm's words */
	int64_t start_s;    /* expected start of the job, epoch; 0: not known */
	uint32_t kill_wait_s;
	bool taken; /* somebody else has bound a pod that the job was to have */
	bool bound; /* bindings by the job were asked for: some may be unseen */

	/* another job of the group that waits or runs, and is not the one to
	 * keep (placeholder_to_keep()); 0: there is none */
	uint32_t duplicate;
	uint32_t duplicate_bound; /* pods that run by `duplicate` */
	/* `duplicate` was made for a former object, and somebody holds it */
	bool duplicate_held;

	bool pods_known; /* all pods of the namespace are in view */
	bool outside;	 /* pods of this namespace may not enter */
	struct group_counts pods;
	const char *refusal; /* why no job can be submitted; NULL: one can */
	/* why a job, or `members`, is not known yet; NULL: both are */
	const char *not_yet;
	/* `not_yet` hides whether live pods have lost their job */
	bool loss_unclear;
	uint32_t members; /* pods that start together; 0: not known */
	bool gang;
	bool changed; /* the job was made by other options or nodes */
	bool anew;    /* the job was made by other options */
	/* the job's turn to be told other nodes (`changed`) has not come */
	bool update_waits;
	bool holds;	    /* a new job would be held, too, by its user */
	bool room;	    /* earlier pods are gone from the job's nodes */
	int64_t kept_ms;    /* how long earlier pods have kept its nodes */
	int64_t unknown_ms; /* how long what a running job needs is unknown */
	bool overcommitted; /* pods that are not ours have taken its room */
	/* age of `overcommitted`, and at which age the job is cancelled */
	int64_t overcommitted_ms, overcommitted_max_ms;
	/* the job waits, and as Slurm's nodes are now another size would be of
	 * more use */
	bool resized;
	/* age of `resized`, and at which age the job is made anew */
	int64_t resized_ms, resized_max_ms;
	int64_t short_ms; /* how long there are fewer pods than `members` */
	struct pods_told noted;
};

enum group_action {
	GROUP_KEEP,   /* do nothing */
	GROUP_WAIT,   /* tell waiting pods the words: what is waited for */
	GROUP_REFUSE, /* tell waiting pods why they get no job */
	GROUP_SUBMIT, /* submit one job for all waiting pods */
	GROUP_UPDATE, /* tell the job, which waits, that other nodes fit now */
	GROUP_NOTE,   /* tell waiting pods `reason` and `start_s` */
	GROUP_BIND,   /* bind `n` waiting pods */
	/* have the job start on its pods' nodes only; a job that is held stays
	 * so, and its pods are told */
	GROUP_PIN,
	GROUP_ADOPT,	   /* give live pods the job's id */
	GROUP_COMPLETE,	   /* end the job, with `exit_code` */
	GROUP_CANCEL,	   /* cancel the job `job_id` */
	GROUP_DELETE_PODS, /* delete live pods, as the flags below say */
};

/*
 * True if Slurm has taken away the room of pods that are deleted by this view:
 * their job was preempted, has lost a node, or went back into the queue.
 */
static inline bool group_view_is_disruption(const struct group_view *v)
{
	if (v->end == PLACEHOLDER_NOT_ENDED)
		return v->job == PLACEHOLDER_COMPLETING ||
		       placeholder_waits(v->job);
	return v->end == PLACEHOLDER_PREEMPTED ||
	       v->end == PLACEHOLDER_NODE_FAIL;
}

struct group_decision {
	enum group_action action;
	const char *row; /* name of the row of the table; static */
	char words[BRIDGE_WORDS_MAX];
	uint32_t job_id; /* the job that the action is about; 0: none */
	uint32_t n;	 /* number of pods to submit a job for, or to bind */
	int exit_code;
	uint32_t grace_s;    /* most that a deleted pod gets to end, in s */
	bool misplaced_only; /* delete only misplaced or moved pods */
	bool grown_only;     /* delete only live pods of `grown` */
	bool ours_only;	     /* delete only pods that we have surely bound */
	bool look; /* delete a pod only if a read of it says it is there */
	bool waiting_too; /* delete waiting pods with the job's id, too */
	/* delete leaving pods anew that have more than this to end, in s; 0:
	 * none */
	uint32_t leaving_over_s;
	/* when the group is looked at again, in ms from now, even if nothing
	 * changes; 0: only when something does */
	int64_t again_ms;
};

/* Make the plan that nothing is done after all. */
static inline void group_decision_keep(struct group_decision *plan)
{
	plan->action = GROUP_KEEP;
}

/* Make the plan that what was to be done waits, and its words say why. */
static inline void group_decision_wait(struct group_decision *plan,
				       const char *words)
{
	plan->action = GROUP_WAIT;
	str_copy(plan->words, words, sizeof(plan->words));
}

/* Have the group looked at again in `ms`, whatever is done. */
static inline void group_decision_again(struct group_decision *plan, int64_t ms)
{
	plan->again_ms = ms;
}

#endif
