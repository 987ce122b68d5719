/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Groups of pods, their jobs as Slurm has them, and the queue in which they are
 * looked at. The bridge's thread only. */
#ifndef SLURMK8S_BRIDGE_PLACEHOLDER_PLACEHOLDER_H
#define SLURMK8S_BRIDGE_PLACEHOLDER_PLACEHOLDER_H

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "base/hash.h"
#include "base/str.h"
#include "bridge/intake/namespace_entry.h"
#include "bridge/jobspec/job_spec.h"
#include "bridge/placeholder/group_view.h"
#include "bridge/placeholder/queue_entry.h"
#include "bridge/placeholder/quota.h"
#include "bridge/placeholder/submit_backoff.h"
#include "bridge/requests/bridge_requests.h"
#include "bridge/requests/workload_log.h"
#include "cluster/claims.h"
#include "cluster/disruption.h"
#include "external/external_nodes.h"
#include "slurm/ctl.h"
#include "slurm/ctl_placeholder.h"
#include "slurm/ctl_placeholder_list.h"
#include "syntax/hostlist.h"

#define BRIDGE_FRESH_MAX 64 /* jobs submitted in one pass */

/* A job's identity, which does not change but for `wish` and `pods`. */
struct known_placeholder {
	UT_hash_handle hh;
	int failed;
	unsigned int load;
	uint32_t job_id, pods, nodes, cpus;
	uint32_t sum; /* of its text */
	bool again;   /* see struct job_identity */
	bool made;    /* by this engine */
	bool listed;  /* a list has had it with its text: then it was that of */
	uint32_t user;	/* this user, */
	int64_t submit; /* since then */
	bool lost;	/* it has had another text from the first: it goes */
	size_t exclude; /* bytes of its ExcNodeList while it waits; else 0 */
	/* NULL: it was made for our schedulerName, or does not say for which */
	char *other;
	char wish[JOB_OPTIONS_DIGEST_MAX];
	char uid[WORKLOAD_UID_MAX];
	char key[]; /* of the group; "": it is none of ours */
};

/* A Kubernetes node with pods whose job does not run any more. */
struct occupied_node {
	UT_hash_handle hh;
	int failed;
	char name[];
};

/*
 * --- What the bridge knows, in parts: each is written by the files that its
 * comment names. Times are monotonic, in ms; 0: never.
 */

/* Which groups are looked at, and in which order. queue_order.c */
struct queue_turns {
	struct queue_turn *by_ns, *first, *last;
	int64_t at;
	size_t n_touched;
};

/* Jobs that wait are told other nodes. update_turn.c */
struct update_turns {
	struct queue_entry *waiting; /* for it, see job_updates.c, */
	struct queue_entry *turn;    /* and who has it; or NULL */
	int64_t rest_until;	     /* no update before */
};

/* How old is what we see? view_age.c */
struct bridge_view {
	int64_t old_at;			      /* it is too old since */
	int64_t late_told_at, unseen_told_at; /* of the link, of bound pods */
	bool old;			      /* see stale_decide.h */
};

/* May we act? bridge.c, just_begun.c, standby.c */
struct bridge_active {
	int64_t since;	   /* a group was looked at by jobs that are known */
	int64_t unseen_at; /* then it is told that not all is in view yet */
	unsigned int swept_list; /* as of this list of pods; 0: none */
	bool on;		 /* we may, and know what there is */
	bool unsorted; /* pods of jobs may be in groups they are apart from */
};

/* The placeholder jobs as Slurm has them. placeholders.c, job_end.c, and
 * placeholders_expire() */
struct placeholders {
	struct ctl_placeholders *list; /* the last one */
	struct known_placeholder *identities;
	int64_t loaded_at, load_took, load_before, states_at, states_took;
	int64_t reasons_at;  /* all jobs were asked for, for their reasons */
	int64_t hurry_until; /* jobs were submitted: they may start */
	size_t n_active;     /* jobs that have not ended */
	size_t n_fresh;
	uint32_t fresh[BRIDGE_FRESH_MAX];
	unsigned int load;
	unsigned int lists; /* answers to that, also that nothing has changed */
	unsigned int held_asked; /* single jobs asked for, in this step */
	bool known, stale;
	bool no_states; /* this Slurm has no such RPC */
	bool freed;	/* one has ended: others may start */
};

/* Jobs for another schedulerName. other_scheduler.c */
struct strange_jobs {
	size_t n;	   /* as many were told */
	unsigned int load; /* the list whose jobs were counted */
};

/* Of jobs' pods. lost_pods.c */
struct lost_pods {
	struct disruption disruption;
	unsigned int list; /* as of this list of pods; 0: none */
};

/* What namespaces may have of the queue. quota.c, submit_backoff.c */
struct submit_limits {
	struct quota *caps;
	struct submit_backoff *backoffs;
	uint32_t rounds; /* of all of these */
};

/* Is a node drained for a job's id given twice? launch_failure.c */
struct launch_failures {
	int64_t read_at; /* that of nodes for which it was found out */
	bool twice;
};

/* node_room.c, bridge.c */
struct occupied_nodes {
	struct occupied_node *nodes;
	bool known; /* in this pass */
};

/* overcommit.c, bridge.c */
struct overcommits {
	struct overcommit *crowd;    /* what our pods hold of nodes; by name */
	struct overcommit_way *ways; /* and which are on their way */
	uint64_t asked;
	bool known; /* in this pass */
};

/* bridge.c, queue.c, group_log.c */
struct bridge {
	const struct config *config;
	const struct bridge_config *bridge; /* of it */
	const struct cluster_config *cluster;
	struct cluster *link;
	struct pod_groups *seen; /* these are the link's */
	struct inventory *hosts;
	struct owners *objects;
	struct bridge_requests *work;
	struct freshness *ages;
	struct claims *claims;
	const char *bound_by; /* as pods say it that we bind; theirs */
	pthread_t thread;
	atomic_bool stop;
	atomic_int owners;
	int waker;
	/* As slurm.conf says: KillWait; MaxJobCount, 0: not known; MinJobAge */
	uint32_t kill_wait_s, max_jobs, min_job_age_s;

	struct queue_entry *queue; /* all, by key */
	int64_t due_at;		   /* the first look.again_at; 0: none */
	struct queue_turns turns;
	struct update_turns updates;
	struct bridge_view view;
	struct bridge_active active;
	int64_t busy_at;    /* something was looked at last */
	int64_t parts_at;   /* partitions were looked at */
	uint64_t parts_for; /* by these nodes, see struct external_nodes */
	bool more;	    /* the last step has left something */
	struct placeholders jobs;
	struct workload_logs *says; /* what is in the log */
	struct external_nodes external;
	struct job_specs specs;
	struct namespace_sources whose; /* namespaces are */
	struct strange_jobs strange;
	struct lost_pods lost;
	struct submit_limits limits;
	struct launch_failures launches;
	struct occupied_nodes occupied;
	struct overcommits overcommit;
};

/* What was seen of a group, and what is to be done: see group_observe(). */
struct group_observation {
	struct group_view view;
	struct group_decision plan;
	struct job_spec order; /* if `view.refusal` and `not_yet` are NULL */
	char refusal[512], not_yet[256];
	bool blind; /* `not_yet`, as we do not see enough: it may be there */
	bool slow;  /* which nodes fit could not be found in time */
	/* Its namespace has too many of what: told by such an Event. NULL */
	const char *too_many;
	uint32_t twin_bound;
};

/* Which pods they are, in any order: the sum of these. */
static inline uint32_t pod_sum(const char *uid)
{
	return str_hash(STR_HASH, uid, strlen(uid));
}

/* --- queue.c */

/* NULL: out of memory. */
struct queue_entry *queue_entry_get(struct bridge *b, const char *key);
struct queue_entry *queue_entry_find(struct bridge *b, const char *key);
/*
 * Touches all groups that have changed by now, of whichever namespaces and
 * however many: a change of one Job may be one of thousands of groups, and who
 * came after them is not to wait for their looks, so whose turn it is says
 * queue_order.c alone. What changes meanwhile is left for the next call, or
 * there might be no end. Takes some microseconds a group, and the lock of
 * `seen` for a few hundred of them at once.
 */
void queue_touch_changed(struct bridge *b);
void queue_entry_later(struct bridge *b, struct queue_entry *q, int64_t ms);
/* Those whose time has come are touched. */
void queue_entry_touch_due(struct bridge *b);
/* It has neither pods nor a job. (It is not touched.) */
void queue_entry_forget(struct bridge *b, struct queue_entry *q);
/* It is freed, at the end. */
void queue_entry_drop(struct bridge *b, struct queue_entry *q);
static inline bool job_is_active(const struct queue_entry *q)
{
	return q->job.state >= PLACEHOLDER_PENDING &&
	       q->job.state <= PLACEHOLDER_COMPLETING;
}

/* It has nodes, and may have pods there. NULL: it does not. */
static inline bool job_runs(const struct queue_entry *q)
{
	return q && (q->job.state == PLACEHOLDER_RUNNING ||
		     q->job.state == PLACEHOLDER_SUSPENDED ||
		     q->job.state == PLACEHOLDER_STARTING);
}

/* Its only node is known by name, and what it has there. */
static inline bool job_has_one_node(const struct queue_entry *q)
{
	return q->nodes.names && !q->nodes.names[strcspn(q->nodes.names, "[,")];
}

/* --- queue_order.c: which groups are looked at, and in which order */

void queue_entry_touch(struct bridge *b, struct queue_entry *q);
/* The next one; NULL: none. After its look queue_turn_end() is called. */
struct queue_entry *queue_turn_begin(struct bridge *b);
void queue_turn_end(struct bridge *b);
void queue_turns_free(struct bridge *b);

/* --- placeholders.c: the placeholders as Slurm has them */

/* What is due. Touches what has changed. */
void placeholders_refresh(struct bridge *b);
int64_t placeholders_next(const struct bridge *b); /* when; monotonic */

/* Whose job is it? NULL: of no group that is known. */
struct queue_entry *placeholders_queued_of(struct bridge *b, uint32_t job_id);

/* Those that were just submitted may run already. */
void placeholders_look_at_fresh(struct bridge *b);

/* Something of them is known to have changed: they are listed anew soon. */
static inline void placeholders_expire(struct bridge *b)
{
	b->jobs.stale = true;
}

/* A step begins, in which a number of single jobs may be asked for. */
static inline void placeholders_step_begins(struct bridge *b)
{
	b->jobs.held_asked = 0;
}

/* All of them, as if none were known. */
void placeholders_reload(struct bridge *b);
/*
 * Others may start on nodes that have become free. (Slurm looks by itself when
 * a slurmd says that they are. External nodes have none: it would be a minute.)
 */
void placeholders_look_for_room(struct bridge *b);
void placeholders_submitted(struct bridge *b, struct queue_entry *q,
			    uint32_t job_id, const struct job_identity *id);
/* That one is held is known, with Slurm's reason, before the list has it. */
void placeholders_held(struct bridge *b, struct queue_entry *q,
		       const char *reason);
void placeholders_free(struct bridge *b);

/* --- overwritten_comment.c: jobs of ours with another AdminComment */

/*
 * A known one has another one by now: is it still ours? Sets `lost` of one that
 * is to be cancelled for that. Tells of one that goes on.
 */
bool overwritten_is_ours(struct known_placeholder *k, const struct placed *p);
/*
 * The plan comes to this row: do its pods run by a job that Slurm has, and that
 * is none of ours any more?
 */
void overwritten_tell(struct bridge *b, const struct queue_entry *q,
		      const char *row);

/* --- group_log.c */

/* See log_workload(). */
void group_log(struct bridge *b, enum log_level level,
	       const struct workload *of, const char *words);

/* --- view_age.c */

/*
 * Is what we see of Kubernetes new enough to act by? Sets b->view.old, and
 * tells when it begins and when it is over.
 */
bool view_check_age(struct bridge *b);

/* The link's thread does what we ask for: does it come round? We do. */
void heartbeat(struct bridge *b);

/*
 * Pods of that job were bound, as the API server said, and are not seen on
 * their nodes: all are listed anew.
 */
void view_bindings_unseen(struct bridge *b, uint32_t job_id, size_t pods);

/* --- other_scheduler.c */

/*
 * Jobs that were made for another schedulerName than k8s.yaml has: told when
 * there are some, and when there is none any more.
 */
void strange_look(struct bridge *b);

/*
 * For inventory_node_taken(): Slurm counts what that job's pods use, whose name
 * is another one, as what the job has. `b` is a struct bridge.
 */
bool strange_has_nodes(void *b, uint32_t job_id);

/* --- basic_groups.c; under the lock of `seen` */

/*
 * Before jobs are read at a start: who of a group may have a job for itself is
 * in the queue then, so that it counts also when that job has ended.
 */
void basic_expect_jobs(struct bridge *b);
/* Jobs are known, of former engines too: their pods are what these say. */
void basic_by_jobs(struct bridge *b);
/* A group: its object says what its pods are. */
void basic_by_object(struct bridge *b, struct queue_entry *q,
		     struct pod_group *g);

/* --- refused.c */

/* Slurm, or what it gave, cannot be used: not again for a while. */
void group_refused(struct bridge *b, struct queue_entry *q,
		   const struct group_observation *j, const char *words);

/* --- allocation.c */

/*
 * Ask Slurm for the nodes of a running job, if more must be known of them.
 * Without the lock.
 */
void allocation_load(struct bridge *b, struct queue_entry *q);

/* Their names in Slurm, as far as known: no RPC. -EAGAIN: not yet. */
int allocation_nodes(const struct queue_entry *q, struct hostlist *out);

/* --- update_turn.c */

/* May it be told now? If not it waits behind those that do. */
bool updates_turn(struct bridge *b, struct queue_entry *q, int64_t now);
/* One was told, since `begin` (monotonic ms). */
void updates_pace(struct bridge *b, int64_t begin);
/* Whose turn it is by now, or NULL: it is to be looked at, out of the order of
 * queue_order.c, before updates_end(). Cheap. */
struct queue_entry *updates_begin(struct bridge *b);
void updates_end(struct bridge *b);
/* Do some wait for their turn? */
static inline bool updates_wait(const struct bridge *b)
{
	return b->updates.waiting || b->updates.turn;
}
/* When that is to be called; monotonic, or INT64_MAX. */
int64_t updates_next(const struct bridge *b);
/* It does not wait for its turn any more, as it is dropped. */
void updates_leave(struct bridge *b, struct queue_entry *q);

/* --- job_end.c: how our jobs end; without the lock */

/* As the plan says. */
void end_job(struct bridge *b, struct queue_entry *q,
	     const struct group_observation *j);
/*
 * It goes, and its waiting pods get another one: that is written into the job
 * first, so that it holds after a restart, too. Words and -EAGAIN: not yet.
 * -EBUSY: somebody holds it, which the last list did not have yet; so it stays,
 * and its next look goes by that. Up to three RPCs.
 */
int end_to_begin_anew(struct bridge *b, struct queue_entry *q, struct err *err);

/* --- replace.c; without the lock */

/* It goes, and its waiting pods get another one; or later. The log says why. */
void end_and_replace(struct bridge *b, struct queue_entry *q, const char *why);

/* --- launch_failure.c */

/*
 * Was its job not launched, and is held by Slurm for that? Then what of it is
 * known is told to its plan, and the next one is not submitted at once.
 */
void see_launch(struct bridge *b, struct queue_entry *q, struct group_view *v);

#endif
