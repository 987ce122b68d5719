/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A group of pods and its job. It consists of parts, each of which is written
 * by the files that its comment names, and read by all. The bridge's thread
 * only; times are monotonic, in ms, and 0 stands for never.
 */
#ifndef SLURMK8S_BRIDGE_PLACEHOLDER_QUEUE_ENTRY_H
#define SLURMK8S_BRIDGE_PLACEHOLDER_QUEUE_ENTRY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/str.h"
#include "bridge/jobspec/job_options.h"
#include "bridge/placeholder/group_view.h"
#include "bridge/placeholder/placeholder_state.h"
#include "metrics/metrics.h"
#include "objects/workload.h"
#include "slurm/ctl_placeholder_list.h"

/* When it is looked at. queue_order.c, queue.c */
struct queue_look {
	struct queue_entry *next_touched;
	int64_t again_at; /* nothing need have changed */
	bool touched;	  /* it is to be looked at */
};

/* The job, as Slurm last said. placeholders.c, job_end.c, and below */
struct placeholder_job {
	char *reason;	  /* why it waits; or NULL */
	int64_t state_at; /* it has this state since */
	int64_t start_s;
	enum placeholder_state state;
	enum placeholder_end end;
	uint32_t id;
	uint32_t made_for, made_nodes, made_cpus; /* see struct job_identity */
	uint32_t duplicate;
	unsigned int load; /* the last list of jobs that had one of its */
	char options_digest[JOB_OPTIONS_DIGEST_MAX];
	char uid[WORKLOAD_UID_MAX]; /* of whom it was made for */
	bool requeued;
	bool by_us; /* we have cancelled it, or are to: see job_identity.h */
	bool other_scheduler; /* made for another schedulerName:
				 other_scheduler.c */
};

/* What the job has got. placeholders.c, allocation.c */
struct placeholder_nodes {
	char *names;		   /* or NULL */
	struct ctl_layout *layout; /* while pods are to be bound; or NULL */
	struct placed_share has;   /* of `names`, if that is one */
	int64_t others_at;	   /* it may have had others */
	int64_t robbed_at;	   /* since when `robbed` is known */
	uint32_t robbed; /* this job: slurmctld has lost nodes of it; 0 */
};

/*
 * Whether the bridge has just begun, for it. just_begun.c, basic_groups.c, and
 * below
 */
struct group_early {
	/*
	 * Whose its namespace is was not known at first (`unclaimed`), nor
	 * whether its pods have lost their job (`loss_unclear`), but both are
	 * since; or its job has started while its pods ran. The bridge has
	 * begun then, for it. 0: when it has for all
	 */
	int64_t own_at;
	/*
	 * Its pods run, and Slurm takes no job for them, or theirs was to go
	 * as it is elsewhere, since.
	 */
	int64_t jobless_at;
	/* It was there when the bridge began, and has had no look since. */
	bool begins;
	bool undecided; /* what its pods belong to is not known yet */
	bool unclaimed;
	bool loss_unclear;
};

/* Since when it lacks something. lasting.c, bridge.c, view_age.c */
struct group_since {
	int64_t short_at;	  /* pods */
	int64_t overcommitted_at; /* room that others have taken */
	int64_t resize_at;	  /* another size of its job */
	int64_t kept_at;	  /* nodes that no earlier pod keeps */
	int64_t unknown_at;	  /* how many pods its job needs, which runs */
};

/* What has been seen of its pods. observe.c, placeholders.c, standby.c */
struct group_sight {
	bool looked; /* since the bridge began, and its job got these nodes: so
			it is known whether its pods are elsewhere */
	bool seen;   /* pods of it were in view of this engine */
};

/* Where its pods are. misplaced_pods.c, observe.c, lost_pods.c */
struct group_whereabouts {
	bool misplaced;	  /* some are on nodes that it had before, or moved */
	bool lost, found; /* its pods, in b->lost: lost_pods.c */
};

/* The last action, and those that are done once a job. apply.c, and below */
struct group_did {
	int64_t acted_until; /* it takes its time until then */
	enum group_action acted;
	/* the job that was pinned to the nodes where its pods run; 0: none */
	uint32_t pinned;
	/* the job whose number its pods have been given; 0: none */
	uint32_t adopted;
};

/* Its pods' bindings. bind.c, bind_conflict.c, and below */
struct group_bindings {
	uint64_t sum;	    /* the pods that were last bound, and their job */
	int64_t until;	    /* not the same ones again */
	uint32_t job;	    /* by which pods were to be bound last; 0 */
	unsigned int tries; /* of the same pods, in a row */
	uint32_t taken; /* this job: somebody else has bound a pod of its; 0 */
	bool refused;	/* one of them was */
	char *denied;	/* for good, as long as nothing changes; or NULL */
	int64_t denied_at; /* monotonic: the first time in a row; 0 */
};

/* Jobs that ended with no pod bound. placeholders.c, bind.c */
struct group_vain {
	uint32_t job;	/* the last one that was counted */
	unsigned int n; /* in a row */
};

/* Jobs that Slurm could not launch. launch_failure.c, placeholders.c */
struct group_launch {
	unsigned int n_twice; /* jobs of its with such an id */
	bool twice;	      /* this one: its id was given twice */
};

/* What Slurm refuses, and when it is asked again. refused.c, placeholders.c,
 * apply.c */
struct group_refusal {
	char *words;	       /* Slurm's; or NULL */
	int64_t submit_at;     /* not before */
	unsigned int failures; /* of submissions in a row */
	unsigned int in_vain;  /* jobs given back in a row */
	/*
	 * An answer may have been lost, and not the job: b->jobs.lists + 1 as
	 * it was then; 0: none is missing.
	 */
	unsigned int unsure;
	char options_digest[JOB_OPTIONS_DIGEST_MAX]; /* what it was refused */
};

/* What its namespace may have of the queue. quota.c */
struct group_quota {
	int64_t slot_at; /* its turn among its namespace's */
	uint32_t jobs, pods, need;
	size_t names; /* bytes of the ExcNodeList that it is to have */
	bool capped;  /* its namespace has as much as it may: these */
	bool event;   /* it waits for its turn, and its pods say so, too */
};

/* submit_backoff.c */
struct group_backoff {
	uint32_t by;	/* this brake of its namespace; 0: by none */
	uint32_t round; /* in this round of it, it may try */
};

/* Deletions of its pods. pod_deletion.c, apply.c */
struct group_deletion {
	int64_t again_at;   /* not before */
	int64_t told_at;    /* of what was said of these, and when */
	unsigned int tries; /* in vain, in a row */
	uint32_t told_sum;
};

/* Its job, which waits, is told other nodes. update_turn.c, job_updates.c,
 * placeholders.c */
struct group_update {
	struct queue_entry *prev, *next; /* while it waits for its turn */
	int64_t at;			 /* of this job, not before */
	/* This job: Slurm has no such node, as an update was answered, since */
	int64_t no_node_at;
	uint32_t no_node;
	unsigned int anew; /* external_creations, when it was told last */
	/* It names a node that Slurm had not at this updates_version(); 0 */
	uint64_t lacks;
	bool waits;
};

/* Pods that others have bound are told so. disown.c, bind_conflict.c */
struct group_disowned {
	int64_t at;	    /* not before */
	unsigned int tries; /* in a row */
};

/* The row of the plan, the last one, and since when. bridge.c */
struct group_row {
	const char *name;
	int64_t at;
};

/* What is counted of it. bridge/reconcile/tally.c */
struct group_tally {
	enum metrics_group state;
	int64_t since; /* it is so */
	uint32_t pods[METRICS_POD_STATES];
};

/* What waiting pods of a group were last told. conditions.c, apply.c */
struct reported {
	uint32_t sum;	 /* of the words and pods, 0: nothing */
	uint32_t words;	 /* of the words */
	uint32_t pods;	 /* of the pods, see pod_sum() */
	int64_t at;	 /* monotonic */
	char *reason;	 /* why the job waits; or NULL */
	int64_t start_s; /* and until when */
	/* One was not told: once more, from then on; monotonic; 0 */
	int64_t again_at;
	unsigned int failed; /* so often, in a row */
};

/* What its PodGroup says. conditions.c */
struct group_scheduled {
	int64_t at;	/* it is not told before */
	uint32_t job;	/* this one: it says that it runs; 0 */
	uint32_t round; /* of words: who has them is not told again */
};

/* By the group's key. queue.c, apply.c */
struct queue_entry {
	UT_hash_handle hh;
	int failed;
	struct queue_look look;
	struct placeholder_job job;
	struct placeholder_nodes nodes;
	struct group_early early;
	struct group_since since;
	struct group_sight sight;
	struct group_whereabouts whereabouts;
	struct group_did did;
	struct group_bindings bound;
	struct group_vain vain;
	struct group_launch launch;
	struct group_refusal refused;
	struct group_quota quota;
	struct group_backoff backoff;
	struct group_deletion deletion;
	struct group_update update;
	struct group_disowned disowned;
	struct group_row row;
	struct group_tally tally;
	struct reported told;
	struct group_scheduled scheduled;
	char key[];
};

/* An API server that starts refuses for a moment, too. */
#define BRIDGE_DENIED_MS 60000

/* True if the API server has refused its bindings for good, for so long. */
static inline bool queue_entry_is_denied(const struct queue_entry *q)
{
	return q->bound.denied &&
	       clock_ms() - q->bound.denied_at >= BRIDGE_DENIED_MS;
}

/* True if some of its pods are to be told once more, though nothing is new. */
static inline bool queue_entry_tells_again(const struct queue_entry *q)
{
	return q->told.at < q->told.again_at && clock_ms() >= q->told.again_at;
}

/* Note that the group has had no job so far. */
static inline void queue_entry_has_no_job(struct queue_entry *q)
{
	q->job.state = PLACEHOLDER_NONE;
	q->job.state_at = clock_ms();
}

/* Have the time of the job's state count from now on. */
static inline void queue_entry_job_anew(struct queue_entry *q)
{
	q->job.state_at = clock_ms();
}

/*
 * Note that Slurm has taken an update: the job is as one that was made by this
 * digest, which is copied.
 */
static inline void queue_entry_job_told(struct queue_entry *q,
					const char *digest)
{
	str_copy(q->job.options_digest, digest, sizeof(q->job.options_digest));
}

/* Note that the last action is over: it may be done again at once. */
static inline void queue_entry_act_again(struct queue_entry *q)
{
	q->did.acted_until = 0;
}

/*
 * Note that bindings were taken back, or dropped: they may be sent again at
 * once.
 */
static inline void queue_entry_bind_again(struct queue_entry *q)
{
	q->bound.until = 0;
}

/* Note since when the group has lacked something: as it was, or nothing. */
static inline void queue_entry_lacks(struct queue_entry *q,
				     const struct group_since *since)
{
	q->since = *since;
}

/* Note that for this group the bridge begins with its next look. */
static inline void queue_entry_begins(struct queue_entry *q)
{
	q->early.begins = true;
}

/* Note that for this group the bridge has begun at `at`. */
static inline void queue_entry_begun_at(struct queue_entry *q, int64_t at)
{
	q->early.own_at = at;
}

/*
 * Note whether it cannot be seen (`loss_unclear`) if the group's pods have lost
 * their job. When it can, at last, the bridge has begun now, for this group.
 */
static inline void queue_entry_loss_unclear(struct queue_entry *q,
					    bool loss_unclear)
{
	if (q->early.loss_unclear && !loss_unclear)
		queue_entry_begun_at(q, clock_ms());
	q->early.loss_unclear = loss_unclear;
}

/* Note that the group's pods run, and there is no job for them since now. */
static inline void queue_entry_loses_job(struct queue_entry *q)
{
	q->early.jobless_at = clock_ms();
}

/*
 * Note that the group's pods run, and there is no job for them: since now,
 * unless that was noted before.
 */
static inline void queue_entry_lacks_job(struct queue_entry *q)
{
	if (!q->early.jobless_at)
		queue_entry_loses_job(q);
}

/* Note that the group's pods, which ran without a job, have got one. */
static inline void queue_entry_gets_job(struct queue_entry *q)
{
	q->early.jobless_at = 0;
}

#endif
