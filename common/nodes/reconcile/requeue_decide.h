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
	bool may_spare; /* its power-up has failed; else it is lost already */
	bool spared;	/* a job there cannot be requeued */
	bool shared;	/* by several jobs */
	bool met;	/* a job of it was counted */
	bool done;	/* Slurm was told of the node */
	size_t needs;	/* when so many jobs are told, all of its are */
};

/* Zeroed: no node is given up. */
struct given_up {
	struct given_up_node *by_node;
	struct {
		uint32_t id, restarts;
		struct given_up_node *on; /* the first node of it */
		enum blame blame;
	} jobs[REQUEUED_MAX];
	size_t n_jobs;
	size_t n_told; /* the first ones were told why */
};

/* --- called in this order: all nodes, all jobs, all jobs again */

/*
 * Add a node that is given up. `node` and `words` are borrowed until
 * given_up_clear(). One for which there is no memory is missing, and so spared.
 */
void given_up_add(struct given_up *g, const char *node, const char *words,
		  int64_t begin_s, bool may_spare);

/*
 * Count a job on one of its nodes, which is spared if the job cannot come back.
 * For ctl_jobs_on_nodes(); arg: struct given_up.
 */
void given_up_count(void *arg, const struct ctl_occupant *job);

/*
 * Add a job that goes back to `jobs`, once for all of its nodes; those over
 * REQUEUED_MAX are left out. For ctl_jobs_on_nodes(); arg: struct given_up.
 */
void given_up_take(void *arg, const struct ctl_occupant *job);

/* Free the nodes. */
void given_up_clear(struct given_up *g);

/* --- what follows of that */

/*
 * True if the node is kept, because a job there could not come back, or the
 * node is missing.
 */
bool given_up_spares(const struct given_up *g, const char *node);

/*
 * True if not all jobs on it that go back are among the n_told ones: then none
 * must go back yet.
 */
bool given_up_lacks_words(const struct given_up *g, const char *node);

/* Note that Slurm was told of the node. */
void given_up_done(struct given_up *g, const char *node);

/* What becomes of a job that goes back. */
enum back_as {
	BACK_NOT,    /* nothing was done to its node */
	BACK_BEGINS, /* it begins as the node's `begin_s` says */
	BACK_WAITS,  /* as Slurm lets it wait */
	BACK_HELD,   /* it is not to run again by itself */
};

/* What becomes of job number `i`, which is less than n_jobs. */
enum back_as given_up_job(const struct given_up *g, size_t i);

/* --- afterwards, until Slurm has taken it back */

/*
 * When a job that went back, at `back_s` (epoch, seconds), with these words in
 * its AdminComment may begin again: epoch, seconds; or REQUEUED_NOW, _NEVER.
 */
int64_t requeue_begin_s(const char *words, int64_t back_s);

/*
 * The time that is meant by such an answer about a job that went back at
 * `back_s`: epoch, seconds.
 */
int64_t requeue_at_s(int64_t begin_s, int64_t back_s);

#define REQUEUE_BEGIN_MAX 100 /* jobs made eligible or held at once: RPCs */
#define REQUEUE_GIVE_UP_MS 60000

enum requeue_do {
	REQUEUE_WAIT,	/* look again */
	REQUEUE_BEGIN,	/* let it begin when it may */
	REQUEUE_HOLD,	/* hold it */
	REQUEUE_FORGET, /* nothing is left to do */
};

/*
 * Decide about a job that is followed for so long: `wait`: as Slurm has it;
 * `hold`: it is to be held; `later`: it is not to begin yet; `begun`: how many
 * were made eligible, or held, in this step. One that Slurm has not ended after
 * REQUEUE_GIVE_UP_MS is forgotten.
 */
enum requeue_do requeue_decide(enum ctl_job_wait wait, bool hold, bool later,
			       int64_t followed_ms, size_t begun);

/*
 * How long until they are looked at again, after a pause of so long: 50 ms,
 * doubled each time up to 1 s. `any`: some began, and it is 50 ms again.
 */
int64_t requeue_pause(int64_t before_ms, bool any);

/* True if so many jobs are asked for by one list of all jobs. */
bool requeue_by_list(size_t n);

#endif
