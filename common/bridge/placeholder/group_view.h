/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is known of a group of bridged pods and its job, by which
 * group_decide() says what is to be done, and what that says.
 */
#ifndef SLURMK8S_BRIDGE_PLACEHOLDER_GROUP_VIEW_H
#define SLURMK8S_BRIDGE_PLACEHOLDER_GROUP_VIEW_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "bridge/placeholder/placeholder_state.h"
#include "objects/bridged_pod.h"

/* How long what may be a moment's gap is given, in ms. */
#define BRIDGE_SHORT_MS 30000  /* a gang with too few pods */
#define BRIDGE_ORPHAN_MS 60000 /* running pods, and no job of theirs */
/* Slurm has forgotten that a job had started: until it has again. */
#define BRIDGE_FORGOTTEN_MS 60000
/* What Slurm may have forgotten shows so soon after the bridge began. */
#define BRIDGE_EARLY_MS 30000
/*
 * For so long running pods may get a job though Slurm refuses it, or does not
 * have their nodes: as a rule it does not do so for ever.
 */
#define BRIDGE_JOBLESS_MS 300000
/* For so long it is looked why Slurm could not launch a job, so often. */
#define BRIDGE_LAUNCH_MS 60000
#define BRIDGE_LAUNCH_STEP_MS 1000
/* How often a waiting pod is told something new, in ms. */
#define BRIDGE_NOTE_FIRST_MS 1000    /* it may start at once */
#define BRIDGE_NOTE_REASON_MS 5000   /* another reason */
#define BRIDGE_NOTE_START_MS 30000   /* another expected start */
#define BRIDGE_NOTE_SHIFT_S 60	     /* that differs by so much */
#define BRIDGE_BINDING_MS 1000	     /* how often a binding is looked after */
#define BRIDGE_OVERCOMMITTED_MS 1000 /* how often room is looked for */
#define BRIDGE_LEAVING_MS 10000 /* how often if leaving pods' nodes answer */
/*
 * A node where an earlier pod is so much longer than KillWait is kept: it takes
 * no new jobs; after as much again a job that started there is given back.
 */
#define BRIDGE_KEPT_MS 60000
/* A job runs for so long of which it is not known how many pods it needs. */
#define BRIDGE_UNKNOWN_MS 180000
#define BRIDGE_WORDS_MAX 256

/*
 * The pods of the group; each is counted once, by group_view_count(), but for
 * `labelled` and what follows it.
 */
struct group_counts {
	uint32_t gated;	  /* not bound, not to be placed yet */
	uint32_t waiting; /* not bound */
	/*
	 * What is bound counts only if a job of ours bound it (job_id of
	 * struct bridged_pod): what others bound, or say that we did, is
	 * theirs.
	 */
	uint32_t live;	    /* bound, and may run */
	uint32_t leaving;   /* bound, being deleted, and may run */
	uint32_t succeeded; /* nothing runs any more */
	uint32_t failed;
	uint32_t labelled; /* of `waiting`: with this job's id */
	/*
	 * Of `waiting`: its last job's binding is under way, and may succeed
	 * yet. The caller counts these.
	 */
	uint32_t binding;
	/*
	 * Of `waiting`: can never be placed, as it is, and is not on its way to
	 * a node. The caller counts these.
	 */
	uint32_t refused;
	/*
	 * Of `waiting`: this job's binding is under way. The caller counts
	 * these.
	 */
	uint32_t going;
	uint32_t by_earlier_job; /* of `live`: bound by another job than this */
	uint32_t left;	   /* of `leaving`: bound by another job than this */
	uint32_t foreign;  /* bound by others, and may run */
	uint32_t disowned; /* of `foreign`: and still says that we did */
	/* Of `live`: where an earlier binding has put it (see struct
	 * bridged_pod). */
	uint32_t elsewhere;
	/*
	 * Of `live`: not on a node that the job has now: it was put back and
	 * has started elsewhere. The caller counts these; 0 while it does not
	 * know the job's nodes.
	 */
	uint32_t misplaced;
	/*
	 * Of `live`: was resized, and all that run on its node ask for more
	 * than the job has there. The caller counts these.
	 */
	uint32_t grown;
	/*
	 * Of `live`: was bound by the job of another group: somebody has moved
	 * it here, by a label; such a one is not `by_earlier_job`. And those of
	 * `leaving` that have more than KillWait. The caller counts these.
	 */
	uint32_t moved;
	uint32_t ours;	  /* of `moved`: surely bound by this Slurm cluster */
	uint32_t attempt; /* the latest, of a JobSet's pods */
	uint32_t done;	  /* of it: succeeded, by whatever job */
	int exit_code;	  /* of the pod that failed first, or 0 */
	uint32_t grace_s; /* the longest of `live` */
	/*
	 * The longest of `leaving`, as whoever deleted them gave it. More than
	 * KillWait is too long once the job does not have the CPUs any more.
	 */
	uint32_t leaving_s;
	/*
	 * Of `leaving`: is not where the job is, which was put back, or its
	 * group has no job that runs and its node is not ready, or is kept by
	 * such a pod (kept_nodes_look()): nothing waits for it, as it may never
	 * end. The caller counts these.
	 */
	uint32_t away;
	uint32_t lingering; /* of `away`: has too long to end */
	int64_t failed_ms;  /* epoch: when that was, if exit_code is not 0 */
};

/* What the waiting pods were last told. */
struct pods_told {
	const char *reason; /* NULL: nothing */
	int64_t start_s;    /* epoch; 0: not known */
	int64_t age_ms;
	bool others; /* those that wait now are not the same pods */
};

/* Both sides. Borrowed. */
struct group_view {
	enum placeholder_state job;
	enum placeholder_end end;
	uint32_t job_id;
	uint32_t made_for; /* pods; from its identity */
	bool requeued;	   /* it was running before */
	bool by_us; /* we cancel it, or have, to begin anew: the job says so */
	/* It was made for pods of another schedulerName, which are not in view
	 */
	bool other_scheduler;
	/*
	 * The bridge has just begun (BRIDGE_EARLY_MS), or Slurm has not taken a
	 * job for its running pods yet (BRIDGE_JOBLESS_MS).
	 */
	bool early;
	/*
	 * Slurm could not launch it, and holds it. `twice`: slurmctld had given
	 * its id twice, as it was killed before it had saved the first one.
	 * Else it is rather a Prolog that fails, as it would for the next job.
	 */
	bool not_launched;
	bool twice;
	bool pinned; /* it may start on its pods' nodes only */
	/* It names a node that Slurm has deleted: it cannot be changed */
	bool no_node;
	int64_t state_ms;   /* how long it is so, as far as we saw */
	const char *reason; /* why it waits, in Slurm's words */
	int64_t start_s;    /* epoch: expected; 0: not known */
	uint32_t kill_wait_s;
	bool taken; /* somebody else has bound a pod that it was to have */
	bool bound; /* pods were to be bound by it: some may be, unseen */

	uint32_t duplicate;	  /* another one that waits or runs:
				   * placeholder_to_keep()
				   */
	uint32_t duplicate_bound; /* pods that run by that one */
	bool duplicate_held; /* it is of a former object, and somebody holds it
			      */

	bool pods_known; /* all pods of the namespace are in view */
	bool outside;	 /* pods of this namespace may not enter */
	struct group_counts pods;
	const char *refusal; /* why it cannot be submitted; NULL: it can */
	const char *not_yet; /* why it, or `members`, is not known; NULL */
	/* For `not_yet` it is not known whether live pods have lost their job
	 */
	bool loss_unclear;
	uint32_t members; /* pods before it may start; 0: not known */
	bool gang;
	bool changed; /* the job was made by other options or nodes */
	bool anew;    /* `changed`, by other options */
	/* If it is `changed` by other nodes: its turn to be told has not come
	 */
	bool update_waits;
	bool holds;	    /* a new job would be held, too, by its user */
	bool room;	    /* earlier pods are gone from the job's nodes */
	int64_t kept_ms;    /* its nodes are kept, for so long */
	int64_t unknown_ms; /* what it needs is not known, for so long */
	bool overcommitted; /* pods that are not ours have taken its room */
	int64_t overcommitted_ms,
		overcommitted_max_ms; /* for so long; and at most */
	/* Slurm's nodes are others now, and another size would be of more use
	 */
	bool resized;
	int64_t resized_ms, resized_max_ms; /* for so long; and at most */
	int64_t short_ms; /* since when there are fewer than `members` */
	struct pods_told noted;
};

enum group_action {
	GROUP_KEEP,	/* all is as it should be */
	GROUP_WAIT,	/* for what the words say, which pods are told */
	GROUP_REFUSE,	/* the pods are told why, if they were not */
	GROUP_SUBMIT,	/* one job for all waiting pods */
	GROUP_UPDATE,	/* other nodes fit now: the job is told */
	GROUP_NOTE,	/* tell waiting pods `reason` and `start_s` */
	GROUP_BIND,	/* `n` waiting pods */
	GROUP_PIN,	/* the job is to start on its pods' nodes only; if it is
			    held they are told, and it stays so */
	GROUP_ADOPT,	/* live pods are to have the job's id */
	GROUP_COMPLETE, /* the job, with `exit_code` */
	GROUP_CANCEL,	/* `job_id` */
	GROUP_DELETE_PODS, /* the live ones; see the flags below */
};

struct group_decision {
	enum group_action action;
	const char *row; /* of the table, static */
	char words[BRIDGE_WORDS_MAX];
	uint32_t job_id; /* that it is about, or 0 */
	uint32_t n;
	int exit_code;
	uint32_t grace_s;    /* the most that a deleted pod gets to end */
	bool misplaced_only; /* delete no other live ones */
	bool grown_only;     /* delete no live ones but those of `grown` */
	bool ours_only;	  /* none that another Slurm cluster may have bound */
	bool look;	  /* only if a look at each says that it is there */
	bool waiting_too; /* delete those that wait with the job's id, too */
	/* Delete leaving ones again that have more than this, in s; 0: none. */
	uint32_t leaving_over_s;
	int64_t again_ms; /* look again then, even if nothing changes; 0 */
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
