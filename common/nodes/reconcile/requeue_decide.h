/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which jobs go back to the queue with the nodes that are given up, which nodes
 * are spared for them, and when such a job may begin again or is held. Pure: no
 * I/O, no clock; times are monotonic, ms, where they do not say more. One
 * thread at a time.
 */
#ifndef SLURMK8S_NODES_RECONCILE_REQUEUE_DECIDE_H
#define SLURMK8S_NODES_RECONCILE_REQUEUE_DECIDE_H

#include "nodes/jobs/blame.h"
#include "nodes/watch/nodes.h"

/* A node that is given up, with its jobs. */
struct given_up_node {
	UT_hash_handle hh;
	int failed;
	const char *node;
	const char *words; /* why; borrowed */
	int64_t begin_s;   /* when its jobs may begin again: REQUEUED_NOW ... */
	bool may_spare;	   /* the power-up failed; if not, the node is lost */
	bool spared;	   /* a job on it cannot be requeued */
	bool shared;	   /* several jobs are on it */
	bool met;	   /* a job on it was counted */
	bool done;	   /* Slurm was told of the node */
	size_t needs;	   /* least n_told with which all its jobs are told */
};

/* Zeroed: no node is given up. */
struct given_up {
	struct given_up_node *by_node;
	struct {
		uint32_t id, restarts;
		struct given_up_node *on; /* the job's first node here */
		enum blame blame;
	} jobs[REQUEUED_MAX];
	size_t n_jobs;
	size_t n_told; /* jobs at the begin of the array that were told why */
};

/* --- called in this order: all nodes, all jobs, all jobs again */

/*
 * Add a node that is given up. `node` and `words` are borrowed until
 * given_up_clear(). One for which there is no memory is missing, and so spared.
 */
void given_up_add(struct given_up *g, const char *node, const char *words,
		  int64_t begin_s, bool may_spare);

/*
 * Count a job on one of its nodes; the node is spared if the job cannot come
 * back. For ctl_jobs_on_nodes(); arg: struct given_up.
 */
void given_up_count(void *arg, const struct ctl_occupant *job);

/*
 * Add a job that goes back to `jobs`, once for all of its nodes; those over
 * REQUEUED_MAX are left out. For ctl_jobs_on_nodes(); arg: struct given_up.
 */
void given_up_take(void *arg, const struct ctl_occupant *job);

/* Free the nodes. */
void given_up_clear(struct given_up *g);

/* --- the outcome */

/*
 * True if the node is kept, because a job there could not come back, or because
 * it was not added.
 */
bool given_up_spares(const struct given_up *g, const char *node);

/*
 * True if not all jobs on the node that go back were told why (n_told): none of
 * them must go back yet.
 */
bool given_up_lacks_words(const struct given_up *g, const char *node);

/* Note that Slurm was told of the node. */
void given_up_done(struct given_up *g, const char *node);

/* What becomes of a job that goes back. */
enum back_as {
	BACK_NOT,    /* nothing was done to its node */
	BACK_BEGINS, /* the job begins as the node's `begin_s` says */
	BACK_WAITS,  /* the job waits as long as Slurm lets it */
	BACK_HELD,   /* the job is held, as it is not to run again by itself */
};

/* What becomes of job number `i`, which is less than n_jobs. */
enum back_as given_up_job(const struct given_up *g, size_t i);

/* --- afterwards, until Slurm has the job back */

/*
 * When a job that went back, at `back_s` (epoch, seconds), with these words in
 * its AdminComment may begin again: epoch, seconds; or REQUEUED_NOW, _NEVER.
 */
int64_t requeue_begin_s(const char *words, int64_t back_s);

/*
 * The time that a result of requeue_begin_s() means, for a job that went back
 * at `back_s`: epoch, seconds.
 */
int64_t requeue_at_s(int64_t begin_s, int64_t back_s);

#define REQUEUE_BEGIN_MAX 100 /* jobs made eligible or held at once: RPCs */
#define REQUEUE_GIVE_UP_MS 60000

enum requeue_do {
	REQUEUE_WAIT,	/* look at the job again */
	REQUEUE_BEGIN,	/* let the job begin when it may */
	REQUEUE_HOLD,	/* hold the job */
	REQUEUE_FORGET, /* nothing is left to do for the job */
};

/*
 * Decide about a job that has been followed for followed_ms; `wait`: as Slurm
 * has it; `hold`: it is to be held; `later`: it is not to begin yet; `begun`:
 * how many jobs were made eligible, or held, in this step. A job that Slurm has
 * not ended after REQUEUE_GIVE_UP_MS is forgotten.
 */
enum requeue_do requeue_decide(enum ctl_job_wait wait, bool hold, bool later,
			       int64_t followed_ms, size_t begun);

/*
 * How long until the jobs are looked at again, after a pause of before_ms: 50
 * ms, doubled each time up to 1 s. `any`: some began, and it is 50 ms again.
 */
int64_t requeue_pause(int64_t before_ms, bool any);

/* True if so many jobs are asked for by one list of all jobs. */
bool requeue_by_list(size_t n);

#endif
