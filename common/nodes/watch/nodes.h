/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is known of nodes that are pods. The engine's thread only; times are
 * monotonic, ms, where they do not say more. No function here makes an RPC.
 */
#ifndef SLURMK8S_NODES_WATCH_NODES_H
#define SLURMK8S_NODES_WATCH_NODES_H

#include <stdatomic.h>

#include "base/buf.h"
#include "base/hash.h"
#include "cluster/disruption.h"
#include "cluster/engine_beat.h"
#include "metrics/metrics.h"
#include "nodes/pod/manifest.h"
#include "nodes/pod/pod_annotations.h"
#include "nodes/pod/step_annotations.h"
#include "nodes/watch/node_attempts.h"
#include "nodes/watch/node_seen.h"
#include "nodes/watch/node_view.h"
#include "nodes/watch/watch.h"
#include "runtime/user_names.h"
#include "slurm/ctl.h"
#include "slurm/nodes_again.h"

/* Failures in a row of a nodeset's pods with these features. */
struct feature_failures {
	feature_set active;
	unsigned int failures;
	int64_t since, until; /* begin and end of a rest; 0: none */
	int64_t up_at;	      /* when a node last came up with them; 0: never */
};

struct node_size {
	uint32_t cpus;
	uint64_t memory_mib;
};

/*
 * What a node's pod is told of the jobs there, as far as it is known.
 * job_index.c
 */
struct node_job_texts {
	struct buf jobs, users, accounts;
	json_object *asked; /* what these jobs ask for; shared; or NULL */
	uint32_t asked_sum;
};

/* What a node's pod is told of the steps there. steps.c */
struct node_step_texts {
	struct step_annotations notes;
	uint32_t sum; /* str_sum() of the annotation */
	bool changed; /* steps have changed, and are not noted yet */
	struct steps_pace pace;
};

/* Whether minRunning keeps the node up. nodes/running/min_running.c */
struct kept {
	bool up; /* in SuspendExcNodes, and the name there is ours */
};

/* What is remembered of a node, by name. */
struct node_state {
	UT_hash_handle hh;
	int failed; /* uthash had no memory */
	struct seen_power power;
	struct seen_start start;
	struct seen_pod pod;
	struct seen_host host;
	struct seen_reason reason;
	bool missing; /* up without a pod, and nobody saw how it went */
	struct node_attempts tried;
	struct node_size replaced; /* size for which it was created anew */
	struct kept kept;
	bool busy;	      /* has jobs, or is completing some */
	int64_t busy_ms;      /* when `busy` changed last; epoch, ms */
	int64_t last_busy_s;  /* LastBusyTime, epoch, s: new after each job */
	int64_t allocated_at; /* when k8s_prolog told of a job; 0: never */
	struct node_job_texts jobs;
	struct node_step_texts steps;
	char hash[17];	      /* hash of its manifest; "": not made yet */
	feature_set active;   /* active features for which `hash` was made */
	feature_set features; /* active features since it was powered up */
	struct feature_failures alone; /* refusals that concern no other node */
	char name[];
};

#define BY_FEATURES_MAX 32

/* Counts of nodes and pods of a nodeset. nodes/reconcile/node_census.c */
struct node_census {
	uint32_t states[METRICS_NODE_STATES]; /* nodes by state */
	uint32_t pods[METRICS_POD_PHASES];    /* pods of these nodes by phase */
	uint32_t set_aside; /* nodes that are DOWN or drained by us */
};

/*
 * What Slurm refused a nodeset for minRunning: times are monotonic, ms.
 * nodes/running/min_running.c
 */
struct min_running_refusal {
	int64_t until;		   /* nothing is started before */
	unsigned int failures;	   /* refused starts in a row */
	char words[WK_REASON_MAX]; /* words that were logged last */
};

/* Nodes that run though no job wants them. nodes/running/min_running.c */
struct min_running_turn {
	int64_t at;    /* when nodes and minRunning are compared next */
	int64_t since; /* since when the configuration is in force */
	bool wanted;   /* a nodeset wants nodes to run, or one is kept */
	bool looked;   /* what the engine before has kept up is known */
	size_t next;   /* the nodeset with which the next look begins */
	char words[WK_REASON_MAX]; /* why it cannot look, as logged last */
};

/* What is remembered of a nodeset. */
struct cooldown {
	struct feature_failures
		by_features[BY_FEATURES_MAX]; /* the first one: no features */
	size_t n_others;
	char words[NODE_WORDS_MAX]; /* why the first one rests, and with it all
				     */
	int64_t up_at;		    /* when any node last came up; 0: never */
	bool features_told; /* the log says that features are too long */
	size_t unavailable; /* nodes that power down, or are to for a template
			     */
	struct node_census census;
	struct min_running_refusal refusal;
};

/* Disruptions of a cluster's hosts and pods: cluster/disruption.h. */
struct disrupted {
	struct disruption hosts, pods;
	struct disruption_seen seen; /* nodes up; lost: `missing` ones */
};

#define ACCOUNT_MAX 65

/*
 * What Slurm refused, for each nodeset: to create its nodes; and one more, for
 * deletions and nodes of no nodeset.
 */
struct create_backoff {
	unsigned int failures;	   /* in a row */
	int64_t until;		   /* no try before; monotonic, ms */
	char words[WK_REASON_MAX]; /* words that were logged last */
	bool kept; /* the log says that a reservation keeps some as they are */
	/* Slurm has created nodes of the nodeset of this size last. */
	uint32_t cpus;
	uint64_t memory_mib;
	bool one; /* one of its nodes is to be replaced, in this look */
};

#define STEPS_TOOK_MAX 4
#define REQUEUED_MAX 4096
#define RELEASED_MAX 64

/* A job that was requeued because of us. */
struct requeued_job {
	uint32_t job_id;
	enum ctl_job_wait wait; /* as last seen */
	int64_t since;
	bool hold; /* the job is not to run again by itself */
	int64_t begin_s;
};

/* When a job may begin again: epoch, seconds; or REQUEUED_NOW or _NEVER. */
#define REQUEUED_NOW 0
#define REQUEUED_NEVER (-1)  /* not before REQUEUED_PAUSE_S have passed */
#define REQUEUED_PAUSE_S 120 /* as long as Slurm's own pause is by default */

/* What is known of a job that has nodes of ours. */
struct node_job {
	UT_hash_handle hh;
	int failed;
	uint32_t job_id;
	char user[USER_NAME_MAX];
	char account[ACCOUNT_MAX];
	json_object *asked; /* nodes/pod/pod_metadata.h; NULL: nothing */
};

/* Held jobs that were released lately, so that they are tried again. */
struct released_jobs {
	struct {
		uint32_t job_id;
		int64_t at; /* monotonic */
	} v[RELEASED_MAX];
	unsigned int next;
};

/*
 * Slurm's nodes, as they were last read. Written by engine/passes.c; others say
 * what they need by look_times.c's functions.
 */
struct slurm_nodes_seen {
	struct ctl_nodes *all;
	int64_t at;	  /* when they were last asked for */
	int64_t heard_at; /* when slurmctld last answered; 0: never */
	int64_t took;	  /* ms that the last list with news took */
	int64_t whole_at; /* when all were last read, not changes */
	bool stale;	  /* ask for them now */
	int64_t look_at;  /* when all are looked at again */
};

/*
 * Nodes of which k8s_prolog has said that a job has got them, and which were
 * not looked at since. Written by node_states.c and engine/passes.c.
 */
struct nodes_allocated {
	struct node_state *v[NODES_SINGLE_MAX];
	size_t n;
};

/* Nodes by what Slurm says of them. */
struct node_counts {
	size_t busy;	/* nodes that have jobs */
	size_t up;	/* nodes that are up */
	size_t missing; /* nodes that are up, and `missing` */
};

/* Nodes that slurm.conf does not name. nodes/dynamic/dynamic_nodes.c */
struct dynamic_state {
	struct create_backoff *backoff; /* see struct create_backoff */
	int64_t at;	 /* when nodesets and nodes are compared next */
	size_t seen;	 /* how many nodes Slurm had at the last look */
	int64_t jobs_at; /* no list of all jobs before; monotonic, ms */
};

/* Where the search of feature_switch.c goes on. */
struct feature_next {
	uint32_t index;	    /* place in the queue of the next job */
	uint32_t job_id;    /* job that is half searched; 0: none */
	size_t alternative; /* alternative of that job to be looked at next */
};

/* Which features jobs that wait want. nodes/features/feature_switch.c */
struct feature_turns {
	int64_t at;    /* when jobs are asked which features they want */
	int64_t until; /* end of the time with a look each second */
	struct released_jobs released;
	struct feature_next next;
};

/* Jobs that have nodes of ours. nodes/jobs/job_index.c */
struct node_jobs {
	struct node_job *facts; /* facts of each job, by its id */
	bool facts_stale; /* a step is of a job that is not among the facts */
	size_t n;	  /* jobs in all, in the last list */
	int64_t at;	  /* when the last list was asked for */
	int64_t rest;	  /* no list before: the last one took its time */
	bool stale;	  /* something has changed since the last list */
	int64_t stale_at; /* when something changed last */
};

/* Steps of jobs. nodes/jobs/steps.c */
struct node_steps {
	struct ctl_steps *all;
	struct sight *sights;
	unsigned int pass; /* number of the last list; marks its steps */
	bool young;	   /* some steps wait until they are noted */
	int64_t at;	   /* when a list was last asked for */
	int64_t took[STEPS_TOOK_MAX]; /* ms, of the last lists */
	unsigned int polls;
};

/* Jobs that were requeued because of us. nodes/reconcile/requeue.c */
struct requeued_jobs {
	struct requeued_job v[REQUEUED_MAX];
	size_t n;
	int64_t at, pause; /* the next look; the pause before it */
	int64_t rest;	   /* no list of jobs before: the last one took long */
	bool sent_back;	   /* jobs are to be found: requeued_sent_back() */
};

/* What waits for another pass. nodes/reconcile/apply.c */
struct apply_turns {
	int64_t record_at; /* no Extra is set before: Slurm refused one */
	bool others;	   /* asking for jobs made other nodes late */
};

struct nodes {
	/* owned; NULL: nobody else reads lists of Slurm's */
	struct ctl_reader *reader;
	struct config *config;
	struct ctl_site site;
	atomic_bool stop, reload;
	struct engine_beat beat;
	/* One for each cluster, in the configuration's order: */
	struct cluster **links;
	struct disrupted *disrupted;
	struct note_turns *turns; /* turns for notes on steps only */
	/* One for each nodeset, in the configuration's order: */
	struct cooldown *cooling;
	struct node_state *memos;
	struct user_names user_names;
	struct slurm_nodes_seen slurm;
	struct nodes_allocated allocated;
	struct node_counts count;
	struct dynamic_state dynamic;
	struct feature_turns features;
	struct node_jobs jobs;
	struct node_steps steps;
	struct requeued_jobs requeued;
	struct apply_turns apply;
	struct min_running_turn running;
	unsigned int pass; /* marks the pods that a node has */
};

/* The power state of struct slurm_node for what Slurm says. */
static inline enum node_power node_power_of(enum ctl_node_power p)
{
	switch (p) {
	case CTL_POWERED_DOWN:
		return NODE_POWERED_DOWN;
	case CTL_POWERING_UP:
		return NODE_POWERING_UP;
	case CTL_UP:
		return NODE_UP;
	case CTL_POWERING_DOWN:
		return NODE_POWERING_DOWN;
	}
	return NODE_UP;
}

/* What is remembered of the node of that name, borrowed; NULL: nothing. */
static inline struct node_state *node_state_find(const struct nodes *nodes,
						 const char *name)
{
	struct node_state *m;

	HASH_FIND_STR(nodes->memos, name, m);
	return m;
}

/* --- node_states.c */

/*
 * What is remembered of the node of that name, made if need be: as one that
 * was powered down until now. Borrowed until node_states_configure(). NULL: out
 * of memory.
 */
struct node_state *node_state_of(struct nodes *nodes, const char *name);

/*
 * Go by another configuration, which it owns, and free the one before: nodes of
 * no nodeset are forgotten, and the pods of the others are made by it from now
 * on.
 */
void node_states_configure(struct nodes *nodes, struct config *config);

/*
 * Note that a job has just got this node, of a nodeset. Unless it was up when
 * it was looked at last, it is to be looked at in this step (`allocated`), or,
 * beyond NODES_SINGLE_MAX, with all others as soon as slurmctld may be asked.
 */
void node_states_allocated(struct nodes *nodes, const char *name);

/* Begin a pass: what it finds of pods gets another mark, `pass`. */
void node_states_begin_pass(struct nodes *nodes);

/* Have the files read anew: k8s.yaml, and what it names. Any thread. */
void node_states_reload(struct nodes *nodes);

/* Forget all nodes. */
void node_states_free(struct nodes *nodes);

/* --- look_times.c */

/* Have slurmctld asked soon for all nodes, for they are others by now. */
void nodes_ask_again(struct nodes *nodes);

/* Have all nodes looked at in the engine's next step. */
void nodes_look_now(struct nodes *nodes);

/*
 * Have all nodes looked at after `ms` at the latest, in ms. 0: nothing changes.
 */
void nodes_look_within(struct nodes *nodes, int64_t ms);

/*
 * --- nodesets.c. Borrowed, until the clusters are stopped; `set` is of the
 * configuration in force.
 */

/* The Kubernetes cluster of a nodeset. */
struct cluster *cluster_of(struct nodes *nodes, const struct nodeset *set);

/* What is asked of that cluster for worker pods. */
struct node_requests *requests_of(struct nodes *nodes,
				  const struct nodeset *set);

/*
 * --- cooldown.c: how long a nodeset, or a node, rests is coolDown of k8s.yaml,
 * doubled with each failure in a row up to coolDownMax
 */

/* What is remembered of a nodeset. Borrowed, until the clusters are stopped. */
struct cooldown *cooldown_of(struct nodes *nodes, const struct nodeset *set);

/* True if the nodeset rests, whatever the features. */
bool cooldown_now(struct nodes *nodes, const struct nodeset *set);

/*
 * Why this node is to rest, by itself or with its nodeset; NULL: it is not.
 * Borrowed, until the nodeset fails again.
 */
const char *cooldown_words(struct nodes *nodes, const struct nodeset *set,
			   const struct node_state *m);

/*
 * Note that k8s_resume could not have this node's pod, and log a rest that
 * begins: each pod of the nodeset would be refused, so it rests, unless the
 * words say that it was what the job asks for, or concern that node, which then
 * rests alone.
 */
void cooldown_refused(struct nodes *nodes, const struct nodeset *set,
		      const char *node, const char *words);

/*
 * Note that a pod with these features failed, and log a rest that begins: of
 * the nodeset, or with features only of jobs that want them. A pod that came up
 * with them less than a minute ago prevents it.
 */
void cooldown_failure(struct nodes *nodes, const struct nodeset *set,
		      feature_set active, const char *words);

/*
 * Note that a node came up with these features, whose power-up began at `began`
 * (monotonic): unless they rest since then their failures count no more, so
 * that their next rest is a short one.
 */
void cooldown_success(struct nodes *nodes, const struct nodeset *set,
		      feature_set active, int64_t began);

/*
 * When a job whose pod has failed may begin again: epoch, seconds, when its
 * features rest; REQUEUED_NOW: its nodeset rests, and is drained for that, or
 * never does; REQUEUED_NEVER: nothing rests.
 */
int64_t cooldown_begin_s(struct nodes *nodes, const struct nodeset *set,
			 feature_set active);

#endif
