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

/* A job's identity, which does not change but for `options_digest` and `pods`.
 */
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
	char options_digest[JOB_OPTIONS_DIGEST_MAX];
	char uid[WORKLOAD_UID_MAX];
	char key[]; /* of the group; "": it is none of ours */
};

#define OCCUPIED_POD_MAX 320 /* both names, "/", NUL */

/* A Kubernetes node with pods whose job does not run any more. */
struct occupied_node {
	UT_hash_handle hh;
	int failed;
	int64_t since;		    /* its oldest such pod: it is so since */
	char pod[OCCUPIED_POD_MAX]; /* that one: "namespace/name" */
	int64_t unread_since; /* one that cannot be read is there; 0: none */
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

/* How old the view of Kubernetes is. view_age.c */
struct bridge_view {
	int64_t old_at;			      /* it is too old since */
	int64_t late_told_at, unseen_told_at; /* of the link, of bound pods */
	bool old;			      /* see stale_decide.h */
};

/* Whether we may act, and since when. bridge.c, just_begun.c, standby.c */
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
struct other_scheduler_jobs {
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

/*
 * Whether a node is drained for a job's id that was given twice.
 * launch_failure.c
 */
struct launch_failures {
	int64_t read_at; /* that of nodes for which it was found out */
	bool twice;
};

/* node_room.c, bridge.c */
struct occupied_nodes {
	struct occupied_node *nodes;
	bool known;	 /* in this pass */
	int64_t kept_at; /* kept_nodes_look() has nothing to do before */
};

/* overcommit.c, bridge.c */
struct overcommits {
	struct overcommit *nodes;    /* what our pods hold of nodes; by name */
	struct overcommit_way *ways; /* and which are on their way */
	uint64_t asked;
	bool known; /* in this pass */
};

/* When groups are counted for metrics. bridge/reconcile/tally.c */
struct bridge_tally {
	int64_t at; /* not before */
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
	struct other_scheduler_jobs other_scheduler;
	struct lost_pods lost;
	struct submit_limits limits;
	struct launch_failures launches;
	struct occupied_nodes occupied;
	struct overcommits overcommit;
	struct bridge_tally tally;
};

/* What was seen of a group, and what is to be done: see group_observe(). */
struct group_observation {
	struct group_view view;
	struct group_decision plan;
	struct job_spec order; /* if `view.refusal` and `not_yet` are NULL */
	char refusal[512], not_yet[512];
	/* `not_yet`, as we do not see enough: it may be there */
	bool partly_seen;
	bool slow; /* which nodes fit could not be found in time */
	/*
	 * What its namespace has too many of: the reason of an Event; or NULL
	 */
	const char *too_many;
	bool limited; /* it has no job, for a limit of its namespace or user */
	uint32_t duplicate_bound;
};

/*
 * A number for a pod; the sum of these stands for which pods they are, in any
 * order.
 */
static inline uint32_t pod_sum(const char *uid)
{
	return str_hash(STR_HASH, uid, strlen(uid));
}

/* --- queue.c */

/*
 * The entry of this key, which is made, without a job, if there is none. It
 * belongs to the queue. NULL: out of memory.
 */
struct queue_entry *queue_entry_get(struct bridge *b, const char *key);

/* The entry of this key. NULL: there is none. */
struct queue_entry *queue_entry_find(struct bridge *b, const char *key);

/*
 * The entry of the group that the pod with this UID is of. NULL: there is none.
 * Without a lock; takes that of `seen`.
 */
struct queue_entry *queue_entry_of_pod(struct bridge *b, const char *uid);

/*
 * Touch all groups that have changed by now, of whichever namespaces and
 * however many: a change of one Job may be one of thousands of groups, and who
 * came after them is not to wait for their looks, so whose turn it is says
 * queue_order.c alone. What changes meanwhile is left for the next call, or
 * there might be no end. Takes some microseconds a group, and the lock of
 * `seen` for a few hundred of them at once.
 */
void queue_touch_changed(struct bridge *b);

/* Have the group touched in `ms` at the latest, even if nothing changes. */
void queue_entry_later(struct bridge *b, struct queue_entry *q, int64_t ms);

/*
 * Touch the groups for which queue_entry_later() was called and whose time has
 * come. Walks the queue only then.
 */
void queue_entry_touch_due(struct bridge *b);

/*
 * Free the entry of a group that has neither pods nor a job, and is not
 * touched; those behind it move up (quota_leave()).
 */
void queue_entry_forget(struct bridge *b, struct queue_entry *q);

/* Free an entry when all end, or for queue_entry_forget(). */
void queue_entry_drop(struct bridge *b, struct queue_entry *q);

/* True if the group has a job that waits, runs or completes. */
static inline bool job_is_active(const struct queue_entry *q)
{
	return q->job.state >= PLACEHOLDER_PENDING &&
	       q->job.state <= PLACEHOLDER_COMPLETING;
}

/* True if the group's job has nodes, and may have pods there. q NULL: false. */
static inline bool job_runs(const struct queue_entry *q)
{
	return q && (q->job.state == PLACEHOLDER_RUNNING ||
		     q->job.state == PLACEHOLDER_SUSPENDED ||
		     q->job.state == PLACEHOLDER_STARTING);
}

/*
 * True if the job has one node, of which the name is known, and what it has
 * there.
 */
static inline bool job_has_one_node(const struct queue_entry *q)
{
	return q->nodes.names && !q->nodes.names[strcspn(q->nodes.names, "[,")];
}

/* --- queue_order.c: which groups are looked at, and in which order */

/*
 * Have the group looked at, behind the others of its namespace that are to be;
 * once, however often it is touched. Without memory it is touched a second
 * later.
 */
void queue_entry_touch(struct bridge *b, struct queue_entry *q);

/*
 * Take the group that is to be looked at next, which is touched no more. After
 * its look, which may free it, queue_turn_end() is called. NULL: there is none.
 */
struct queue_entry *queue_turn_begin(struct bridge *b);

/* End a look: the time since queue_turn_begin() counts for its namespace. */
void queue_turn_end(struct bridge *b);

/* Free whose turn it is, when no group is touched, or at the end. */
void queue_turns_free(struct bridge *b);

/* --- placeholders.c: the placeholders as Slurm has them */

/*
 * Ask slurmctld for what is due: for the states of our active jobs, a small
 * RPC; for all jobs, an RPC that makes slurmctld send all of them, and one more
 * for each job that is cancelled as its AdminComment is lost. Touches groups of
 * which something has changed.
 */
void placeholders_refresh(struct bridge *b);

/* When placeholders_refresh() has something to do (monotonic, ms). */
int64_t placeholders_next(const struct bridge *b);

/* The group whose job this is. NULL: it is of no group that is known. */
struct queue_entry *placeholders_queued_of(struct bridge *b, uint32_t job_id);

/*
 * Look at the jobs that were just submitted, which may run already. Slurm's
 * scheduler is woken (ctl_schedule()), and a small RPC asks for their states,
 * one more for those of all jobs with nodes if one has started. All jobs are
 * listed if that fails, or if many have started.
 */
void placeholders_look_at_fresh(struct bridge *b);

/* Note that something of the jobs has changed: all are listed anew soon. */
static inline void placeholders_expire(struct bridge *b)
{
	b->jobs.stale = true;
}

/*
 * Note that a step begins, in which a number of single jobs may be asked for.
 */
static inline void placeholders_step_begins(struct bridge *b)
{
	b->jobs.held_asked = 0;
}

/*
 * List all jobs, as if no list were known. RPCs as of placeholders_refresh().
 */
void placeholders_reload(struct bridge *b);

/*
 * Wake Slurm's scheduler (ctl_schedule()) if one of our jobs has ended: others
 * may start on its nodes. Slurm looks by itself when a slurmd says that they
 * are free; external nodes have none, and it would be a minute.
 */
void placeholders_look_for_room(struct bridge *b);

/*
 * Note that Slurm has taken this job, which was made by `id`: it is the group's
 * job from now on, and waits. Without memory it is when jobs are listed. No
 * RPC.
 */
void placeholders_submitted(struct bridge *b, struct queue_entry *q,
			    uint32_t job_id, const struct job_identity *id);

/*
 * Note that the group's job is held, with Slurm's reason, before the list has
 * it.
 */
void placeholders_held(struct bridge *b, struct queue_entry *q,
		       const char *reason);

/* Free what is known of jobs, at the end. */
void placeholders_free(struct bridge *b);

/* --- overwritten_comment.c: jobs of ours with another AdminComment */

/*
 * True if a job of ours that has another AdminComment by now is still ours:
 * Slurm has not given its number to another job. Sets `lost` of one that no
 * list has had with ours, which is to be cancelled for that. The log tells of
 * one that goes on.
 */
bool overwritten_is_ours(struct known_placeholder *k, const struct placed *p);

/*
 * When the plan has come to a row for pods without a job: log an error if they
 * run by a job that Slurm has, and that is none of ours any more. Takes the
 * lock of `seen`. No RPC.
 */
void overwritten_tell(struct bridge *b, const struct queue_entry *q,
		      const char *row);

/* --- group_log.c */

/* Log words about a workload, as log_workload() does. */
void group_log(struct bridge *b, enum log_level level,
	       const struct workload *of, const char *words);

/* --- view_age.c */

/*
 * True if what we see of Kubernetes is new enough to act by. Sets b->view.old;
 * the log says when it becomes old and when that is over, and then all groups
 * are touched.
 */
bool view_check_age(struct bridge *b);

/*
 * Note that the bridge's thread comes round, and log an error if the link's
 * thread, which does what we ask for, does not.
 */
void heartbeat(struct bridge *b);

/*
 * Have all bridged pods listed anew: so many pods of that job were bound, as
 * the API server said, and are not seen on their nodes. The log says so, once a
 * minute.
 */
void view_bindings_unseen(struct bridge *b, uint32_t job_id, size_t pods);

/* --- other_scheduler.c */

/*
 * Log an error when there are more jobs that were made for another
 * schedulerName than k8s.yaml has, and tell when there is none any more. Walks
 * the queue once for each list of jobs.
 */
void other_scheduler_look(struct bridge *b);

/*
 * True if that job has nodes, and was made for pods of another schedulerName:
 * Slurm counts what these use as what the job has (inventory_node_taken()). `b`
 * is a struct bridge.
 */
bool other_scheduler_has_nodes(void *b, uint32_t job_id);

/* --- basic_groups.c; under the lock of `seen` */

/*
 * Before jobs are read at a start: put what each pod of such a group is without
 * it into the queue, so that a job of its own counts also when that has ended.
 */
void basic_expect_jobs(struct bridge *b);

/*
 * Take the pods out of such groups that have a job for what they are without
 * it. Jobs are known, those of former engines, too.
 */
void basic_by_jobs(struct bridge *b);

/*
 * Take all pods out of such a group if its object says that they do not start
 * together, and no job of it is active. Until the object is in view
 * q->early.undecided is set.
 */
void basic_by_object(struct bridge *b, struct queue_entry *q,
		     struct pod_group *g);

/* --- refused.c */

/*
 * Note that what Slurm gave cannot be used, and was given back: as of
 * group_refused(), which is called, and the pause doubles as long as no job of
 * the group has ended in another way.
 */
void group_given_back(struct bridge *b, struct queue_entry *q,
		      const struct group_observation *j, const char *words);

/*
 * Note that Slurm refuses what the group asks for: while the group asks for
 * that no job is submitted for a minute, later for up to ten, and its pods are
 * told. Words that are new are logged.
 */
void group_refused(struct bridge *b, struct queue_entry *q,
		   const struct group_observation *j, const char *words);

/* --- allocation.c */

/*
 * Ask Slurm for the nodes of a running job, if more must be known of them: the
 * RPCs of ctl_layout_names(), ctl_layout_load(), or both. Without a lock; takes
 * that of `seen`. After an error it is asked again in 2 s; a job of which
 * slurmctld has lost nodes for a minute, and whose pods all wait, is ended
 * (end_and_replace()).
 */
void allocation_load(struct bridge *b, struct queue_entry *q);

/*
 * Add the names in Slurm of the job's nodes to *out, which the caller clears.
 * 0; -EAGAIN: they are not known yet; or what hostlist_expand() returns. No
 * RPC.
 */
int allocation_nodes(const struct queue_entry *q, struct hostlist *out);

/* --- update_turn.c */

/*
 * True if the group's job, which waits, may be told its nodes now (monotonic
 * ms): it has the turn, or nobody waits and none has to rest. If not it waits
 * behind those that do.
 */
bool updates_turn(struct bridge *b, struct queue_entry *q, int64_t now);

/*
 * Note that a job was told, which took from `begin` (monotonic ms) until now:
 * none is for ten times as long, or twice while a node waits for the lists to
 * be deleted, but for 50 ms to 5 s.
 */
void updates_pace(struct bridge *b, int64_t begin);

/*
 * The group that has the turn by now: it is to be looked at, out of the order
 * of queue_order.c, before updates_end(). NULL: none has. Cheap.
 */
struct queue_entry *updates_begin(struct bridge *b);

/* End the turn, if a group has it. */
void updates_end(struct bridge *b);

/* Changes with Slurm's nodes and those of Kubernetes; not 0. */
static inline uint64_t updates_version(const struct bridge *b)
{
	return b->external.step.version + 1;
}

/*
 * True if the group's job was made, or told last, for something else. Or for
 * names of nodes, of which some were made anew since: to Slurm these are others
 * now. (While Slurm does not have each of these it cannot be told.)
 */
static inline bool updates_are_due(const struct bridge *b,
				   const struct queue_entry *q,
				   const struct job_spec *o)
{
	if (strcmp(o->id.options_digest, q->job.options_digest) != 0)
		return true;
	if (q->update.anew == b->external.creations.anew ||
	    q->update.lacks == updates_version(b))
		return false;
	return o->exclude || job_options_text(&o->options, JOB_OPTION_NODELIST);
}

/* True if some wait for their turn, or have it. */
static inline bool updates_wait(const struct bridge *b)
{
	return b->updates.waiting || b->updates.turn;
}

/*
 * When updates_begin() is to be called (monotonic, ms); INT64_MAX: none waits.
 */
int64_t updates_next(const struct bridge *b);

/* Take the group out of those that wait for their turn or have it. */
void updates_leave(struct bridge *b, struct queue_entry *q);

/* --- job_end.c: how our jobs end; without the lock */

/*
 * End the group's job, or cancel the one that the plan names, as the plan says;
 * the log tells of it. After an error the group is looked at again in 2 s. Up
 * to three RPCs; takes the lock of `seen`.
 */
void end_job(struct bridge *b, struct queue_entry *q,
	     const struct group_observation *j);

/*
 * Cancel the group's job, whose waiting pods get another one: that is written
 * into the job first, so that it holds after a restart, too. 0; -EAGAIN with
 * words: not yet; -EBUSY: somebody holds it, which the last list did not have
 * yet, so it stays, and its next look goes by that, or too many jobs were asked
 * for in this step; or what ctl_placeholder_cancel() returns. Up to three RPCs;
 * takes the lock of `seen`.
 */
int end_to_begin_anew(struct bridge *b, struct queue_entry *q, struct err *err);

/* --- replace.c; without the lock */

/*
 * Cancel the group's job by end_to_begin_anew(), and log why; if that fails the
 * group is looked at again in 2 s.
 */
void end_and_replace(struct bridge *b, struct queue_entry *q, const char *why);

/* --- launch_failure.c */

/*
 * Tell the plan whether the group's job was not launched, and is held by Slurm
 * for that; and whether its id was given twice, by Slurm's nodes as they were
 * last read. After such a job the next one is not submitted at once. No RPC.
 */
void see_launch(struct bridge *b, struct queue_entry *q, struct group_view *v);

#endif
