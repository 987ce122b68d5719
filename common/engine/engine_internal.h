/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the engine's own files share. The engine's thread only. */
#ifndef SLURMK8S_ENGINE_INTERNAL_H
#define SLURMK8S_ENGINE_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/buf.h"
#include "base/hash.h"
#include "bridge/reconcile/bridge.h"
#include "cluster/cluster.h"
#include "cluster/disruption.h"
#include "nodes/jobs/step_annotations.h"
#include "nodes/pod/manifest.h"
#include "nodes/pod/pod_annotations.h"
#include "nodes/reconcile/node_decide.h"
#include "slurm/ctl.h"

/* A nodeset's pods with these features: their failures in a row. */
struct guise {
	feature_set worn;
	unsigned int failures;
	int64_t since, until; /* of its rest, monotonic; 0: it has none */
	int64_t up_at;	      /* when a node came up in it; 0: not yet */
};

/* What is remembered of a node, by name. */
struct memo {
	UT_hash_handle hh;
	int failed; /* of uthash */
	enum plan_power power;
	int64_t power_since; /* monotonic, as are the next ones */
	int64_t down_at;     /* when Slurm last said that it was */
	bool was_up;	     /* its slurmd ran, whatever its pod said */
	uint32_t pod_sum;    /* str_hash() of its pod's uid */
	uint32_t restarts;   /* of that pod's slurmd when no job was there */
	/* Where its nodeset's pods are: are they in view, and its own? */
	bool in_view, has_pod;
	uint32_t view_sum;    /* str_hash() of that pod's uid */
	int64_t absent_since; /* 0: it has a pod, or is not in view */
	bool missing;	      /* it is up, and nobody saw how its pod went */
	int64_t lost_since;   /* see plan_view; 0: it is not so */
	bool drained;	      /* when it was looked at last */
	int64_t look_after;   /* its pod is not asked for before */
	unsigned int looks;   /* in this power state */
	int64_t create_after; /* not before */
	unsigned int creates; /* since the last power change */
	int64_t delete_after; /* not before, in the same way */
	unsigned int deletes;
	bool deleted_ended; /* the last delete was of a pod that had ended */
	struct note_pace noted;
	bool rechecked; /* that its pod's template is old */
	bool rolling;	/* it is to be powered down for that */
	bool told;	/* its failure has been counted and logged */
	struct {
		uint32_t cpus;
		uint64_t memory_mib;
	} replaced;	     /* for this size, as it was of another one */
	bool busy;	     /* has jobs, or is completing some */
	int64_t busy_ms;     /* since (or not): epoch */
	int64_t last_busy_s; /* as Slurm says it: changes between two jobs */
	struct buf jobs, users, accounts; /* there, as far as is known */
	json_object *asked;		  /* by these jobs; shared; or NULL */
	uint32_t asked_sum;
	struct stepnotes steps;		 /* the same */
	uint32_t steps_sum, steps_noted; /* of that, and of the last note */
	bool steps_changed;		 /* and this is not noted yet */
	int64_t steps_after;		 /* it is not to be before, */
	int64_t steps_turn;		 /* nor before this; 0: no turn yet */
	enum plan_slurm acted;		 /* last, and when */
	int64_t acted_at;
	char hash[17];	   /* of its manifest; "": not made yet */
	feature_set worn;  /* then */
	feature_set guise; /* since it was powered up */
	bool seen;	   /* its power state is of a look */
	bool wear_tried;   /* its features were corrected in this power state */
	struct guise alone; /* what was refused it, and no other node */
	char name[];
};

#define GUISES_MAX 32

/* What is remembered of a nodeset. */
struct cooling {
	struct guise guises[GUISES_MAX]; /* the first one: no features */
	size_t n_others;
	char words[PLAN_WORDS_MAX]; /* why the first one rests, and with it all
				     */
	int64_t up_at;	/* when a node came up, in whatever guise; 0: not yet */
	bool wear_told; /* the log says that features are too long */
	size_t unavailable; /* nodes that power down, or are to for a template
			     */
};

/* What is remembered of a cluster: is much of it lost at once? */
struct disrupted {
	struct disruption hosts, pods;
	struct disruption_seen seen; /* nodes that are up: disrupted_see() */
};

#define USER_NAME_MAX 33
#define ACCOUNT_MAX 65

/*
 * One a nodeset: nodes that Slurm did not take; and one for deletions, and for
 * nodes of no nodeset.
 */
struct creating {
	unsigned int failures;	   /* in a row */
	int64_t until;		   /* monotonic: not before */
	char words[WK_REASON_MAX]; /* logged last */
	bool kept; /* the log says that a reservation keeps some as they are */
};

#define STEPS_TOOK_MAX 4
#define FOLLOW_MAX 4096
#define RELEASED_MAX 64

/* A job that was requeued because of us. */
struct follow {
	uint32_t job_id;
	enum ctl_job_wait wait; /* as last seen */
	int64_t since;
	bool hold; /* it is not to run again by itself */
	int64_t begin_s;
};

/* When a job may begin again: epoch, seconds; or one of these. */
#define FOLLOW_NOW 0
#define FOLLOW_NEVER (-1) /* as Slurm has set it */

/* What is known of a job that has nodes of ours. */
struct job_fact {
	UT_hash_handle hh;
	int failed;
	uint32_t job_id;
	char user[USER_NAME_MAX];
	char account[ACCOUNT_MAX];
	json_object *asked; /* nodes/pod/pod_metadata.h; NULL: nothing */
};

struct engine {
	struct config *config;
	struct ctl_site site;
	pthread_t thread;
	atomic_bool stop, reload;
	/* of the memory: the thread, who stops it, and each link */
	atomic_int owners;

	int waker; /* an eventfd: something has happened in a thread of ours */
	int bell;  /* our programs have something to say; -1: not yet */
	int64_t bell_at;    /* when to try to listen again */
	int64_t bell_since; /* since when that fails; 0: it has not */
	bool bell_said;	    /* the log says so */
	bool site_stale;    /* slurm.conf was read anew since `site` was */
	int64_t site_at;    /* it is not asked for before */

	struct bridge_thread *bridge; /* or NULL: k8s.yaml has none */
	int bridge_waker;	      /* -1: the same */
	struct link **links; /* one a cluster, in the configuration's order */
	struct disrupted *disrupted; /* alike */
	struct note_turns *turns;    /* likewise: of notes on steps only */
	struct cooling *cooling;     /* one a nodeset, alike */
	struct creating *creating;   /* see above */
	int64_t create_at;	     /* when to look which are missing */
	size_t create_seen;	     /* how many nodes Slurm had then */
	struct memo *memos;
	struct user *users;
	int64_t users_at; /* not before: name services are slow, or fail */
	char user_name[USER_NAME_MAX]; /* the last one asked for */
	struct ctl_nodes *nodes;
	int64_t nodes_at;	/* when they were last asked for */
	int64_t nodes_took;	/* ms, the last answer that told of them */
	int64_t nodes_whole_at; /* when not only for changes */
	bool nodes_stale;	/* ask for them now */
	bool cleared;		/* what was said while no engine ran */
	int64_t record_at;	/* not before: Slurm refused an Extra */
	int64_t look_at;	/* when all are looked at again */
	int64_t swap_at;	/* when jobs are asked which guise they want */
	int64_t swap_until;	/* until then a held job may have to be tried */
	struct {
		uint32_t job_id;
		int64_t at;
	} released[RELEASED_MAX]; /* by swap.c, lately */
	struct {
		uint32_t index;	    /* in the queue, of the next job */
		uint32_t job_id;    /* of one that is not done, and its */
		size_t alternative; /* next */
	} swap_next;
	unsigned int next_released;
	int64_t links_at;	/* when to try to start them again */
	unsigned int pass;	/* marks the pods that a node has */
	size_t n_busy;		/* nodes with jobs */
	size_t n_jobs;		/* in all, when they were last asked for */
	int64_t jobs_at;	/* when that was */
	bool jobs_stale;	/* a node has become busy or idle since */
	bool others_turn;	/* act.c: asking for jobs made the rest late */
	bool facts_stale;	/* there are steps of a job that is not known */
	struct job_fact *facts; /* of those jobs */
	size_t n_up;		/* nodes that are up */
	size_t n_missing;	/* and so many are `missing` */
	struct ctl_steps *steps;
	struct sight *sights;		    /* steps.c */
	unsigned int steps_pass;	    /* marks those that are there */
	bool steps_young;		    /* some are not noted yet */
	int64_t steps_at;		    /* when they were last asked for */
	int64_t steps_took[STEPS_TOOK_MAX]; /* ms, of the last lists */
	unsigned int steps_polls;
	struct follow follow[FOLLOW_MAX];
	size_t n_follow;
	int64_t follow_at, follow_pause; /* the next look; the pause before */
	int64_t follow_rest; /* not before: the last list took so long */
	bool sent_back;	     /* some are to be found, see follow_sent_back() */
};

/* One thing to do. */
struct action {
	const struct nodeset *set;
	struct memo *memo;
	struct plan plan;
	int64_t begin_s; /* when jobs that it sends back may begin */
	char uid[64];	 /* of the pod it is about; "" : none */
	char pod[254];
	bool ended;   /* it is being deleted, and its containers have ended */
	bool at_once; /* delete without a grace period: nothing runs there */
	bool only_steps; /* a note: all else is on the pod already */
};

#define ACTIONS_MAX 20000

struct actions {
	struct action *v;
	size_t n, size;
	size_t n_notes, n_records; /* these can wait for the next pass */
};

/* (left out when there is no memory, or too many) */
void actions_add(struct actions *out, const struct action *a);

/* look.c: what is to be done about one node, or about all. */
void look_at_node(struct engine *e, const struct ctl_node *node,
		  struct actions *out);
void look_at_all(struct engine *e, struct actions *out);
struct link *link_of(struct engine *e, const struct nodeset *set);
struct work *work_of(struct engine *e, const struct nodeset *set);

/*
 * disrupted.c: is so much of a cluster lost at once that it is rather not so?
 * The log says when that begins and ends.
 */
void disrupted_see(struct engine *e);
struct disrupted *disrupted_of(struct engine *e, const struct nodeset *set);
/* Has this node lost its pod in an unknown way? */
void disrupted_note(struct engine *e, struct memo *m,
		    const struct plan_view *v);

/* What its pod should be. The caller clears *out. */
int manifest_of(struct engine *e, const struct nodeset *set,
		const struct ctl_node *node, struct manifest *out,
		struct err *err);

/* act.c: do it. Sorts the actions. */
void act_on(struct engine *e, struct actions *a);

/* cool.c */
struct cooling *cooling_of(struct engine *e, const struct nodeset *set);
bool cooling_now(struct engine *e, const struct nodeset *set);
/* Why this node is to rest, by itself or with its nodeset; NULL: it is not. */
const char *cooling_words(struct engine *e, const struct nodeset *set,
			  const struct memo *m);
/*
 * k8s_resume could not have this node's pod: so it will be with each of the
 * nodeset, unless the words say that it is the job's wish, or that node's.
 */
void cooling_refused(struct engine *e, const struct nodeset *set,
		     const char *node, const char *words);
/* A pod with these features failed. */
void cooling_failure(struct engine *e, const struct nodeset *set,
		     feature_set worn, const char *words);
/* A node came up whose power-up began then (monotonic). */
void cooling_success(struct engine *e, const struct nodeset *set,
		     feature_set worn, int64_t began);
/* When a job whose pod has failed may begin again. */
int64_t cooling_begin_s(struct engine *e, const struct nodeset *set,
			feature_set worn);

/* occupants.c: who runs where. True: it has been asked for anew. */
bool occupants_refresh(struct engine *e);
void occupants_forget(struct memo *m);

/* Of a job that had nodes of ours then; NULL: not known. Borrowed. */
const struct job_fact *job_fact_of(const struct engine *e, uint32_t job_id);
void job_facts_forget(struct engine *e);

/*
 * steps.c: what is to be noted of steps, if it is time to look. When that is
 * (monotonic).
 */
void steps_step(struct engine *e, struct actions *out);
int64_t steps_next(const struct engine *e);
void steps_forget(struct engine *e);

/* --- steps_turn.c */

/*
 * May this node's pod be noted now, where only its steps have changed? It asks
 * for its turn, which it keeps until steps_noted().
 */
bool steps_may_note(struct engine *e, const struct nodeset *set,
		    struct memo *m);
/* It was noted, or at least sent; `turn`: only for that. */
void steps_noted(struct memo *m, bool turn);

/* Are those on this node known? On an idle one: nobody. */
static inline bool occupants_known(const struct memo *m)
{
	return !m->busy || m->jobs.len;
}

/* Changes when what is to be noted on its pod does. */
uint32_t note_sum(const struct memo *m);

/* users.c: or its number; borrowed until the next call */
const char *users_name(struct engine *e, uint32_t uid);
void users_forget(struct engine *e);

/*
 * site.c: what slurm.conf says now; ClusterName and the bell stay as they were.
 * An RPC. 1: it is something else; 0: it is the same; or an error, and nothing
 * has changed.
 */
int site_reload(struct ctl_site *site, struct err *err);

/* follow.c: requeued jobs become eligible as soon as Slurm allows, or held. */
void follow_add(struct engine *e, uint32_t job_id, int64_t begin_s);
void follow_hold(struct engine *e, uint32_t job_id);
void follow_step(struct engine *e);
int64_t follow_next(const struct engine *e); /* when that is due; INT64_MAX */

/* swap.c: jobs that wait for a feature get idle nodes in another guise. */
void swap_step(struct engine *e);

/* create.c: nodes that are not in slurm.conf come, and go. */
void create_step(struct engine *e);

/* Those that went back with words of ours, by whoever sent them. */
void follow_sent_back(struct engine *e);

#endif
