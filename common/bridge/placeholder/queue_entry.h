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

/* When a group is looked at. queue_order.c, queue.c */
struct queue_look {
	struct queue_entry *next_touched; /* the next of its namespace */
	int64_t again_at; /* the next look, even if nothing changes; 0: none */
	bool touched;	  /* the group is to be looked at */
};

/* A group's job, as Slurm last said. placeholders.c, job_end.c, and below */
struct placeholder_job {
	char *reason;	  /* why the job waits; or NULL */
	int64_t state_at; /* begin of `state`, or when it was seen first */
	int64_t start_s;  /* start, or expected start, epoch; 0: not known */
	enum placeholder_state state;
	enum placeholder_end end;
	uint32_t id; /* 0: the group has had no job yet */
	uint32_t made_for, made_nodes, made_cpus; /* see struct job_identity */
	uint32_t duplicate; /* another job of the group, to go; 0: none */
	unsigned int load; /* last list with a job of the group: b->jobs.load */
	char options_digest[JOB_OPTIONS_DIGEST_MAX];
	char uid[WORKLOAD_UID_MAX]; /* the object that the job was made for */
	bool requeued; /* the job went back into the queue after a start */
	bool by_us;    /* we have cancelled the job, or will: job_identity.h */
	bool other_scheduler; /* made for another schedulerName */
};

/* The nodes that a group's job has got. placeholders.c, allocation.c */
struct placeholder_nodes {
	char *names;		   /* a hostlist; NULL: not known */
	struct ctl_layout *layout; /* while pods are to be bound; or NULL */
	struct placed_share has;   /* share of the node, if `names` is one */
	int64_t others_at;	   /* when the job may have changed nodes */
	int64_t robbed_at;	   /* since when `robbed` is known */
	uint32_t robbed; /* the job of which slurmctld has lost nodes; 0 */
};

/*
 * Whether the bridge has just begun, for a group. just_begun.c, basic_groups.c,
 * and below
 */
struct group_early {
	/*
	 * When the bridge has begun for this group; 0: when it has for all. It
	 * is later if at first it was not known whose the namespace is
	 * (`unclaimed`), or whether the group's pods have lost their job
	 * (`loss_unclear`), and if the job has started while its pods ran.
	 */
	int64_t own_at;
	/*
	 * Since when pods run for which Slurm takes no job, or whose job was
	 * cancelled as it had started on other nodes.
	 */
	int64_t jobless_at;
	/* the group was there when the bridge began, and had no look since */
	bool begins;
	bool undecided; /* what its pods belong to is not known yet */
	bool unclaimed;
	bool loss_unclear;
};

/* Since when a group lacks something. lasting.c, bridge.c, view_age.c */
struct group_since {
	int64_t short_at;	  /* fewer pods than start together */
	int64_t overcommitted_at; /* others have taken its nodes' room */
	int64_t resize_at;	  /* a new job would be of another size */
	int64_t kept_at;	  /* earlier pods keep its job's nodes */
	int64_t unknown_at;	  /* what its running job needs is unknown */
};

/* What was seen of a group's pods. observe.c, placeholders.c, standby.c */
struct group_sight {
	/* the group was looked at since the bridge began and its job got these
	 * nodes, so it is known whether its pods are elsewhere */
	bool looked;
	bool seen; /* pods of the group were in view of this engine */
};

/* Where a group's pods are. misplaced_pods.c, observe.c, lost_pods.c */
struct group_whereabouts {
	/* some pods are on nodes that the job does not have, or were moved here
	 * from another group */
	bool misplaced;
	/* lost_pods.c counts its job as one without pods in view, or as one
	 * that has them again */
	bool lost, found;
};

/* The last action, and the jobs of actions that are done once a job. apply.c,
 * and below */
struct group_did {
	int64_t acted_until; /* no second action of kind `acted` before */
	enum group_action acted;
	/* the job that was pinned to the nodes where its pods run; 0: none */
	uint32_t pinned;
	/* the job whose number its pods have been given; 0: none */
	uint32_t adopted;
};

/* Bindings of a group's pods. bind.c, bind_conflict.c, and below */
struct group_bindings {
	uint64_t sum;	    /* the pods that were last bound, and their job */
	int64_t until;	    /* no second try of `sum` before */
	uint32_t job;	    /* the job of the last bindings; 0: none yet */
	unsigned int tries; /* how often `sum` was tried again, in a row */
	uint32_t taken;	    /* job of which others have bound a pod; 0: none */
	bool refused;	    /* one of the last bindings was refused */
	char *denied;	    /* words of a refusal that will not pass; or NULL */
	int64_t denied_at;  /* first of such refusals in a row; 0: none */
};

/* Jobs that ended with no pod bound. placeholders.c, bind.c */
struct group_vain {
	uint32_t job;	/* the last such job */
	unsigned int n; /* number of such jobs in a row */
};

/* Jobs that Slurm could not launch. launch_failure.c, placeholders.c */
struct group_launch {
	unsigned int n_twice; /* the group's jobs with an id given twice */
	bool twice;	      /* the id of its present job was given twice */
};

/* What Slurm refuses, and when it is asked again. refused.c, placeholders.c,
 * apply.c */
struct group_refusal {
	char *words;	       /* Slurm's; or NULL */
	int64_t submit_at;     /* no submission before */
	unsigned int failures; /* submissions that failed in a row */
	unsigned int in_vain;  /* jobs given back in a row */
	/*
	 * b->jobs.lists + 1 as it was when an answer to a submission was lost,
	 * though Slurm may have the job; 0: no answer is missing.
	 */
	unsigned int unsure;
	char options_digest[JOB_OPTIONS_DIGEST_MAX]; /* what was refused */
};

/* What a group's namespace may have of the queue. quota.c */
struct group_quota {
	/* when the group's turn comes to submit, among the groups of its
	 * namespace; 0: it waits for none */
	int64_t slot_at;
	/* most jobs and pods that the namespace may have, and the pods of the
	 * job to submit */
	uint32_t jobs, pods, need;
	size_t names; /* bytes of the ExcNodeList of the job to submit */
	bool capped;  /* the group waits until its namespace has less */
	bool event;   /* pods were told by an Event that it waits */
};

/* Waiting while Slurm's queue is full. submit_backoff.c */
struct group_backoff {
	uint32_t by;	/* key.sum of the backoff that holds it up; 0: none */
	uint32_t round; /* the last round of a backoff in which it might try */
};

/* Deletions of a group's pods. pod_deletion.c, apply.c */
struct group_deletion {
	int64_t again_at;   /* no deletion before */
	int64_t told_at;    /* when `told_sum` was logged */
	unsigned int tries; /* failed rounds of deletions in a row */
	uint32_t told_sum;  /* sum of the words and pods last logged */
};

/* How a group's waiting job is told other nodes. update_turn.c, job_updates.c,
 * placeholders.c */
struct group_update {
	struct queue_entry *prev, *next; /* while it waits for its turn */
	int64_t at;			 /* no update of the job before */
	/* since when Slurm answers updates of the job `no_node` with "no such
	 * node" */
	int64_t no_node_at;
	uint32_t no_node;  /* 0: no job is answered so */
	unsigned int anew; /* external_creations.anew at the last update */
	/* updates_version() at which Slurm lacked a node that the job names; 0:
	 * it lacked none */
	uint64_t lacks;
	bool waits;
};

/* Pods that others have bound are told so. disown.c, bind_conflict.c */
struct group_disowned {
	int64_t at;	    /* no note before */
	unsigned int tries; /* rounds of notes in a row */
};

/* The last row of the plan, and since when it is the plan's. bridge.c */
struct group_row {
	const char *name;
	int64_t at;
};

/* How a group is counted for metrics. bridge/reconcile/tally.c */
struct group_tally {
	enum metrics_group state;
	int64_t since; /* begin of `state`; 0: not counted yet */
	uint32_t pods[METRICS_POD_STATES];
};

/* What waiting pods of a group were last told. conditions.c, apply.c */
struct reported {
	uint32_t sum;	 /* sum of the words and pods; 0: nothing was told */
	uint32_t words;	 /* hash of the words */
	uint32_t pods;	 /* sum of the pods, see pod_sum() */
	int64_t at;	 /* when they were told */
	char *reason;	 /* why the job waits; or NULL */
	int64_t start_s; /* expected start of the job, epoch; 0: not known */
	/* when pods are told once more, as one was not; 0: all were */
	int64_t again_at;
	unsigned int failed; /* failed rounds of notes in a row */
};

/* What a group's PodGroup says. conditions.c */
struct group_scheduled {
	int64_t at;   /* the PodGroup is not written before */
	uint32_t job; /* the job that it says has started; 0: none */
	/* number of the words that pods are told: group_pod.told of a pod that
	 * has them */
	uint32_t round;
};

/* A group of pods, by its key. queue.c, apply.c */
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

/*
 * How long bindings are refused until the job is given back, in ms: an API
 * server that starts refuses for a moment, too.
 */
#define BRIDGE_DENIED_MS 60000

/*
 * True if the API server has refused the group's bindings for BRIDGE_DENIED_MS
 * in a way that will not pass.
 */
static inline bool queue_entry_is_denied(const struct queue_entry *q)
{
	return q->bound.denied &&
	       clock_ms() - q->bound.denied_at >= BRIDGE_DENIED_MS;
}

/* True if the group's pods are to be told once more, though nothing is new. */
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

/* Set since when the group lacks something: to a former value, or to all 0. */
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
