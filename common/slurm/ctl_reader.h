/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lists of all of slurmctld's nodes, and of its jobs, that the threads inside
 * slurmctld offer each other: what one has asked for another one need not ask
 * for again. Who may go by another's: docs/adr/0012-lists-of-slurmctld.md.
 *
 * A list is as old as the question: slurmctld looked at its tables then, or
 * later. Times are monotonic, in ms. Any thread but a plugin callback's; the
 * reader's lock is held for a moment only, never during an RPC, so nobody waits
 * for another thread's. A NULL reader has nothing of others, and keeps nothing.
 */
#ifndef SLURMK8S_SLURM_CTL_READER_H
#define SLURMK8S_SLURM_CTL_READER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "slurm/ctl.h"

/* Has one owner, who frees it, and one more after each ctl_reader_hold(). */
struct ctl_reader;
struct ctl_reader *ctl_reader_new(void); /* NULL: out of memory */
void ctl_reader_free(struct ctl_reader *r);
DEFINE_CLEANUP(struct ctl_reader, ctl_reader_freep, ctl_reader_free)

/* One more owner. Returns `r`; a NULL has none. */
struct ctl_reader *ctl_reader_hold(struct ctl_reader *r);

/* As `not_before`: nothing of others will do. */
#define CTL_READER_NOW INT64_MAX

/* When slurmctld was asked for a list, and how long the answer took. */
struct ctl_read {
	int64_t asked, took;
};

/*
 * The newest list of nodes, if it was asked for later than `not_before`; one of
 * that very millisecond may be older than what happened in it. *nodes is the
 * caller's, or NULL, and is freed when it is replaced, whereupon *read is of
 * the new one. 1: *nodes says something else now; 0: nothing that it says has
 * changed, though it may be another owner's list now; -ENOENT: there is none,
 * and both are as before. No RPC.
 */
int ctl_reader_nodes_shared(struct ctl_reader *r, int64_t not_before,
			    struct ctl_nodes **nodes, struct ctl_read *read);

/*
 * As ctl_reader_nodes_shared(), but if there is none slurmctld is asked, by
 * this thread: for all if *nodes is NULL, else for what has changed since. The
 * answer is offered to others. 0: nothing has changed, too; or an error of
 * ctl_nodes_load(), and *nodes is as before. One RPC, or none.
 */
int ctl_reader_nodes(struct ctl_reader *r, int64_t not_before,
		     struct ctl_nodes **nodes, struct ctl_read *read,
		     struct err *err);

/*
 * A list of jobs may be large, so none is kept that nobody waits for: one is
 * kept for who has asked for it in vain by ctl_reader_jobs_shared(), and that
 * for CTL_READER_JOBS_MS at most. It is given away once.
 */
#define CTL_READER_JOBS_MS 5000

/*
 * A list of jobs that another thread has asked for later than `not_before`. 0:
 * the caller frees *out. -ENOENT: there is none; the next one is kept for the
 * caller. No RPC.
 */
int ctl_reader_jobs_shared(struct ctl_reader *r, int64_t not_before,
			   struct ctl_jobs **out, struct ctl_read *read);

/*
 * Ask slurmctld for all jobs, whatever others have; the answer is offered to
 * others. One RPC. 0: the caller frees *out; or an error of ctl_jobs_load().
 */
int ctl_reader_jobs(struct ctl_reader *r, struct ctl_jobs **out,
		    struct ctl_read *read, struct err *err);

/*
 * Offer a list of all jobs that was read by another call, of which the caller
 * stays an owner. No RPC.
 */
void ctl_reader_jobs_offer(struct ctl_reader *r, struct ctl_jobs *jobs,
			   const struct ctl_read *read);

/* Nobody waits any more for a list of jobs: he has one of his own. No RPC. */
void ctl_reader_jobs_unwanted(struct ctl_reader *r);

#endif
