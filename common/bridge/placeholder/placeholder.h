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
	UT_hash_handle hh; /* by job_id */
	int failed;
	unsigned int load; /* the last list that had the job: b->jobs.load */
	uint32_t job_id, pods, nodes, cpus;
	uint32_t sum;	/* str_hash() of its AdminComment, to read it once */
	bool again;	/* see struct job_identity */
	bool made;	/* submitted by this engine */
	bool listed;	/* a list had it with our AdminComment, and `user` */
	uint32_t user;	/* the job's user, as of that list */
	int64_t submit; /* epoch, s: its submission, as of that list */
	bool lost;	/* no list had our AdminComment: the job is cancelled */
	size_t exclude; /* bytes of its ExcNodeList while it waits; else 0 */
	/* the schedulerName that the job was made for; NULL: ours, or its
	 * identity does not say */
	char *other;
	char options_digest[JOB_OPTIONS_DIGEST_MAX];
	char uid[WORKLOAD_UID_MAX];
	char key[]; /* the group's key; "": the job is none of ours */
};

#define OCCUPIED_POD_MAX 320 /* namespace, "/", name, NUL */

/* A Kubernetes node with pods whose job does not run any more. */
struct occupied_node {
	UT_hash_handle hh; /* by name */
	int failed;
	/* when the first of its pods should have ended; INT64_MAX: need not */
	int64_t since;
	char pod[OCCUPIED_POD_MAX]; /* "namespace/name" of that pod */
	int64_t unread_since; /* a pod that cannot be read is there; 0: none */
	char name[];
};

/*
 * --- What the bridge knows, in parts: each is written by the files that its
 * comment names. Times are monotonic, in ms; 0: never.
 */

/* Which groups are looked at, and in which order. queue_order.c */
struct queue_turns {
	struct queue_turn *by_ns, *first, *last; /* namespaces' turns */
	int64_t at;				 /* the last look has begun */
	size_t n_touched;			 /* groups to be looked at */
};

/* Jobs that wait are told other nodes. update_turn.c */
struct update_turns {
	struct queue_entry *waiting; /* groups whose turn has not come */
	struct queue_entry *turn;    /* the group that has the turn; or NULL */
	int64_t rest_until;	     /* no update before */
};

/* How old the view of Kubernetes is. view_age.c */
struct bridge_view {
	int64_t old_at; /* since when the view is too old, if `old` */
	/* when the log told last that the link's thread is late, and that bound
	 * pods are not in view */
	int64_t late_told_at, unseen_told_at;
	bool old; /* the view is too old: see stale_decide.h */
};

/* Whether we may act, and since when. bridge.c, just_begun.c, standby.c */
struct bridge_active {
	int64_t since; /* first look at a group while Slurm's jobs are known */
	/* when the log tells that not all is in view; 0: all is; INT64_MAX: the
	 * log has told */
	int64_t unseen_at;
	/* the list of pods (pod_groups_lists()) after which vanished groups
	 * were forgotten last; 0: none */
	unsigned int swept_list;
	bool on;       /* the lease is ours, and pods and nodes are in view */
	bool unsorted; /* basic_by_jobs() is due since the bridge may act */
};

/* The placeholder jobs as Slurm has them. placeholders.c, job_end.c, and
 * placeholders_expire() */
struct placeholders {
	struct ctl_placeholders *list;	      /* the last list of all jobs */
	struct known_placeholder *identities; /* by job id */
	/* the last list of all jobs: when it came, the less of what the last
	 * two lists took, and what it took; and the last answer to a question
	 * for states: when it came, and what it took */
	int64_t loaded_at, load_took, load_before, states_at, states_took;
	int64_t reasons_at;  /* the last list for the sake of missing reasons */
	int64_t hurry_until; /* jobs were submitted, and may start by then */
	size_t n_active;     /* groups whose job has not ended */
	size_t n_fresh;	     /* jobs of `fresh` */
	uint32_t fresh[BRIDGE_FRESH_MAX]; /* jobs submitted in this pass */
	unsigned int load;		  /* number of lists that had changed */
	unsigned int lists; /* number of answers to the question for a list */
	unsigned int held_asked; /* single jobs asked for in this step */
	/* slurmctld has answered the last question for a list; and jobs are
	 * known to have changed since the list */
	bool known, stale;
	bool no_states; /* Slurm is older than 24.05: no RPC for states */
	bool freed;	/* a job has ended since the scheduler was woken last */
};

/* Jobs for another schedulerName. other_scheduler.c */
struct other_scheduler_jobs {
	size_t n;	   /* number of such jobs, as the log has told it */
	unsigned int load; /* the list whose jobs were counted */
};

/* Whether many jobs have lost their pods at once. lost_pods.c */
struct lost_pods {
	struct disruption disruption;
	unsigned int list; /* the last list of pods looked at; 0: none */
};

/* What namespaces may have of the queue. quota.c, submit_backoff.c */
struct submit_limits {
	struct quota *caps;
	struct submit_backoff *backoffs;
	uint32_t rounds; /* rounds of all backoffs so far */
};

/*
 * Whether a node is drained for a job's id that was given twice.
 * launch_failure.c
 */
struct launch_failures {
	int64_t read_at; /* when the nodes were read that were looked at last */
	bool twice;	 /* one of these is drained for it */
};

/* Nodes with pods whose job does not run any more. node_room.c, bridge.c */
struct occupied_nodes {
	struct occupied_node *nodes; /* by name */
	bool known;		     /* `nodes` is of this pass */
	int64_t kept_at; /* kept_nodes_look() has nothing to do before */
};

/* What our pods hold of Kubernetes nodes. overcommit.c, bridge.c */
struct overcommits {
	struct overcommit *nodes;    /* by name */
	struct overcommit_way *ways; /* pods on their way to a node, by uid */
	uint64_t asked;		     /* groups for which room was looked for */
	bool known;		     /* `nodes` and `ways` are of this pass */
};

/* When groups are counted for metrics. bridge/reconcile/tally.c */
struct bridge_tally {
	int64_t at; /* the next count */
};

/* The bridge. bridge.c, queue.c, group_log.c */
struct bridge {
	const struct config *config;
	const struct bridge_config *bridge; /* part of `config` */
	const struct cluster_config *cluster;
	struct cluster *link;
	/* borrowed from the link, as all up to `bound_by` */
	struct pod_groups *groups;
	struct inventory *inventory;
	struct owners *objects;
	struct bridge_requests *requests;
	struct freshness *ages; /* NULL: only in unit tests */
	struct claims *claims;
	const char *bound_by; /* our engine, as pods name it: claims_by() */
	pthread_t thread;
	atomic_bool stop;
	atomic_int owners; /* the thread, and the caller of bridge_start() */
	int waker;	   /* an eventfd; rung by the link and for a stop */
	/* As slurm.conf says: KillWait; MaxJobCount, 0: not known; MinJobAge */
	uint32_t kill_wait_s, max_jobs, min_job_age_s;

	struct queue_entry *queue; /* all groups, by key */
	int64_t due_at;		   /* the first look.again_at; 0: none */
	struct queue_turns turns;
	struct update_turns updates;
	struct bridge_view view;
	struct bridge_active active;
	int64_t busy_at;  /* the last look at a group */
	int64_t parts_at; /* the last look at partitions */
	/* external_step.version by which partitions were read */
	uint64_t parts_for;
	bool more; /* the last step has left groups to look at */
	struct placeholders jobs;
	struct workload_logs *says; /* what was logged of each workload */
	struct external_nodes external;
	struct job_specs specs;
	struct namespace_sources whose; /* tells which namespaces are ours */
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
	/* the job to submit; whole if `view.refusal` and `not_yet` are NULL */
	struct job_spec order;
	char refusal[512], not_yet[512]; /* texts of `view`; "": none */
	/* `not_yet` is set as not all is in view: what is missing may exist */
	bool partly_seen;
	bool slow; /* which nodes fit could not be found out in time */
	/* the reason of an Event for what the group's namespace has too many
	 * of; NULL: no Event */
	const char *too_many;
	/* no job was submitted, for a limit of the namespace or user */
	bool limited;
	uint32_t duplicate_bound; /* pods that run by q->job.duplicate */
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

/* Free an entry, at the end of the bridge or for queue_entry_forget(). */
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

/* Free all turns, when no group is touched, or at the end of the bridge. */
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

/* Note that jobs have changed in Slurm: all are listed anew soon. */
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
 * Have all bridged pods listed anew, as `pods` pods of this job were bound, as
 * the API server said, and are not seen on their nodes. The log says so, once a
 * minute.
 */
void view_bindings_unseen(struct bridge *b, uint32_t job_id, size_t pods);

/* --- other_scheduler.c */

/*
 * Log an error when jobs that were made for another schedulerName than k8s.yaml
 * has become more, and log when there is none any more. Walks the queue once
 * for each list of jobs.
 */
void other_scheduler_look(struct bridge *b);

/*
 * True if this job has nodes, and was made for pods of another schedulerName:
 * Slurm counts what these use as what the job has (inventory_node_taken()). `b`
 * is a struct bridge.
 */
bool other_scheduler_has_nodes(void *b, uint32_t job_id);

/* --- basic_groups.c; under the lock of `seen` */

/*
 * Before jobs are read at a start: put what each pod of a group of the built-in
 * API is without the group into the queue, so that a job of its own counts also
 * when it has ended.
 */
void basic_expect_jobs(struct bridge *b);

/*
 * Take pods out of their groups of the built-in API if Slurm has a job for what
 * they are without the group. Slurm's jobs are known, those of former engines,
 * too.
 */
void basic_by_jobs(struct bridge *b);

/*
 * Take all pods out of a group of the built-in API if its object says that they
 * do not start together, and no job of the group is active. Until the object is
 * in view q->early.undecided is set.
 */
void basic_by_object(struct bridge *b, struct queue_entry *q,
		     struct pod_group *g);

/* --- refused.c */

/*
 * Note that the nodes that Slurm gave cannot be used, and were given back: does
 * what group_refused() does, and the pause doubles as long as no job of the
 * group has ended in another way.
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
 * True if the group's job, which waits, may be told its nodes at `now`
 * (monotonic, ms): the group has the turn, or no other waits and no pause
 * lasts. If not the group waits behind the others.
 */
bool updates_turn(struct bridge *b, struct queue_entry *q, int64_t now);

/*
 * Note that a job was told, which took from `begin` (monotonic, ms) until now:
 * no other job is told for ten times as long, or, while a node that jobs name
 * waits to be deleted, for twice as long; but for 50 ms to 5 s.
 */
void updates_pace(struct bridge *b, int64_t begin);

/*
 * Give the turn to the group that has waited longest, if no pause lasts. It is
 * to be looked at, out of the order of queue_order.c, before updates_end().
 * NULL: no group has the turn. Cheap.
 */
struct queue_entry *updates_begin(struct bridge *b);

/* End the turn, if a group has it. */
void updates_end(struct bridge *b);

/* A number that changes with the nodes of Slurm and Kubernetes; not 0. */
static inline uint64_t updates_version(const struct bridge *b)
{
	return b->external.step.version + 1;
}

/*
 * True if the group's job was made, or told last, for something else than *o;
 * or for names of nodes of which some were made anew since, which to Slurm are
 * other nodes now. (While Slurm does not have each node of *o the job cannot be
 * told.)
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

/* True if a group waits for its turn, or has it. */
static inline bool updates_wait(const struct bridge *b)
{
	return b->updates.waiting || b->updates.turn;
}

/*
 * When updates_begin() is to be called (monotonic, ms); INT64_MAX: no group
 * waits.
 */
int64_t updates_next(const struct bridge *b);

/* Note that the group does not wait for its turn any more, nor has it. */
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
 * words: not yet; -EBUSY: the job stays, as somebody holds it, which the last
 * list did not tell and the group's next look takes into account, or as too
 * many jobs were asked for in this step; or what ctl_placeholder_cancel()
 * returns. Up to three RPCs; takes the lock of `seen`.
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
 * Set v->not_launched if Slurm could not launch the group's job and holds it,
 * and v->twice if the job's id was given twice, by Slurm's nodes as they were
 * last read. After such a job the next one is not submitted at once. No RPC.
 */
void see_launch(struct bridge *b, struct queue_entry *q, struct group_view *v);

#endif
