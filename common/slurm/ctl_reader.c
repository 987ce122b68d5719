/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "slurm/ctl_reader.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/clock.h"
#include "slurm/shared.h"

struct ctl_reader {
	atomic_uint owners;
	/* guards the members below, not what they point to */
	pthread_mutex_t lock;
	struct ctl_nodes *nodes; /* the newest; NULL: none yet */
	struct ctl_read nodes_read;
	struct ctl_jobs *jobs; /* NULL: none, or nobody waits for one */
	struct ctl_read jobs_read;
	/*
	 * A list of jobs is kept only if slurmctld was asked for it later than
	 * wanted_after, and until wanted_until. Both are clock_ms(); a
	 * wanted_until of 0: nobody waits for a list.
	 */
	int64_t wanted_after;
	int64_t wanted_until;
};

struct ctl_reader *ctl_reader_new(void)
{
	struct ctl_reader *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	atomic_init(&r->owners, 1);
	pthread_mutex_init(&r->lock, NULL);
	return r;
}

struct ctl_reader *ctl_reader_hold(struct ctl_reader *r)
{
	if (r)
		atomic_fetch_add(&r->owners, 1);
	return r;
}

void ctl_reader_free(struct ctl_reader *r)
{
	if (!r || atomic_fetch_sub(&r->owners, 1) > 1)
		return;
	ctl_nodes_free(r->nodes);
	ctl_jobs_free(r->jobs);
	pthread_mutex_destroy(&r->lock);
	free(r);
}

/* --- jobs */

/*
 * Take the list of jobs out of the reader, under its lock. The caller frees the
 * list without the lock.
 */
static struct ctl_jobs *let_jobs_go(struct ctl_reader *r)
{
	struct ctl_jobs *j = r->jobs;

	r->jobs = NULL;
	return j;
}

/*
 * Free a list of jobs that nobody waits for any more. Each look at nodes calls
 * this, so that no list is kept for long.
 */
static void forget_late_jobs(struct ctl_reader *r)
{
	struct ctl_jobs *late = NULL;

	pthread_mutex_lock(&r->lock);
	if (clock_ms() >= r->wanted_until)
		late = let_jobs_go(r);
	pthread_mutex_unlock(&r->lock);
	ctl_jobs_free(late);
}

int ctl_reader_jobs_shared(struct ctl_reader *r, int64_t not_before,
			   struct ctl_jobs **out, struct ctl_read *read)
{
	struct ctl_jobs *j;
	bool fits;

	if (!r)
		return -ENOENT;
	pthread_mutex_lock(&r->lock);
	fits = r->jobs && clock_ms() < r->wanted_until &&
	       r->jobs_read.asked > not_before;
	if (fits)
		*read = r->jobs_read;
	r->wanted_after = not_before;
	r->wanted_until = fits ? 0 : clock_ms() + CTL_READER_JOBS_MS;
	j = let_jobs_go(r);
	pthread_mutex_unlock(&r->lock);
	if (!fits)
		ctl_jobs_free(j);
	else
		*out = j;
	return fits ? 0 : -ENOENT;
}

/* Two answers may overtake each other: that of the last question stays. */
void ctl_reader_jobs_offer(struct ctl_reader *r, struct ctl_jobs *jobs,
			   const struct ctl_read *read)
{
	struct ctl_jobs *old = NULL;

	if (!r)
		return;
	pthread_mutex_lock(&r->lock);
	if (clock_ms() < r->wanted_until && read->asked > r->wanted_after &&
	    (!r->jobs || read->asked > r->jobs_read.asked)) {
		old = let_jobs_go(r);
		ctl_share((struct ctl_shared *)jobs);
		r->jobs = jobs;
		r->jobs_read = *read;
	}
	pthread_mutex_unlock(&r->lock);
	ctl_jobs_free(old);
}

int ctl_reader_jobs(struct ctl_reader *r, struct ctl_jobs **out,
		    struct ctl_read *read, struct err *err)
{
	int rc;

	read->asked = clock_ms();
	rc = ctl_jobs_load(out, err);
	read->took = clock_ms() - read->asked;
	if (!rc)
		ctl_reader_jobs_offer(r, *out, read);
	return rc;
}

void ctl_reader_jobs_unwanted(struct ctl_reader *r)
{
	struct ctl_jobs *j;

	if (!r)
		return;
	pthread_mutex_lock(&r->lock);
	r->wanted_until = 0;
	j = let_jobs_go(r);
	pthread_mutex_unlock(&r->lock);
	ctl_jobs_free(j);
}

/* --- nodes */

/*
 * struct ctl_shared is the first member of struct ctl_nodes: see
 * slurm/shared.h.
 */
static struct ctl_nodes *own_nodes(struct ctl_nodes *n)
{
	ctl_share((struct ctl_shared *)n);
	return n;
}

/*
 * The newest list of nodes, which the caller then owns, too. NULL: none is new
 * enough.
 */
static struct ctl_nodes *newest_nodes(struct ctl_reader *r, int64_t not_before,
				      struct ctl_read *read)
{
	struct ctl_nodes *n = NULL;

	pthread_mutex_lock(&r->lock);
	if (r->nodes && r->nodes_read.asked > not_before) {
		n = own_nodes(r->nodes);
		*read = r->nodes_read;
	}
	pthread_mutex_unlock(&r->lock);
	return n;
}

int ctl_reader_nodes_shared(struct ctl_reader *r, int64_t not_before,
			    struct ctl_nodes **nodes, struct ctl_read *read)
{
	struct ctl_nodes *n;
	bool same;

	if (!r)
		return -ENOENT;
	forget_late_jobs(r);
	n = newest_nodes(r, not_before, read);
	if (!n)
		return -ENOENT;
	same = *nodes && ctl_nodes_same(*nodes, n);
	ctl_nodes_free(*nodes);
	*nodes = n;
	return !same;
}

/*
 * Two threads' questions may overtake each other: the list that was asked for
 * last stays. `changed`: slurmctld has sent this list now; else it said that
 * nothing has changed, and the list is as new as this answer only if it is the
 * one that is offered.
 */
static void offer_nodes(struct ctl_reader *r, struct ctl_nodes *n, bool changed,
			const struct ctl_read *read)
{
	struct ctl_nodes *old = NULL;

	pthread_mutex_lock(&r->lock);
	if (!r->nodes || read->asked >= r->nodes_read.asked) {
		if (changed) {
			old = r->nodes;
			r->nodes = own_nodes(n);
		}
		if (r->nodes == n)
			r->nodes_read = *read;
	}
	pthread_mutex_unlock(&r->lock);
	ctl_nodes_free(old);
}

static int ask_for_nodes(struct ctl_nodes **nodes, struct err *err)
{
	int rc;

	if (*nodes)
		return ctl_nodes_refresh(nodes, err);
	rc = ctl_nodes_load(nodes, err);
	return rc ? rc : 1;
}

int ctl_reader_nodes(struct ctl_reader *r, int64_t not_before,
		     struct ctl_nodes **nodes, struct ctl_read *read,
		     struct err *err)
{
	struct ctl_read own;
	int rc = ctl_reader_nodes_shared(r, not_before, nodes, read);

	if (rc >= 0)
		return rc;
	own.asked = clock_ms();
	rc = ask_for_nodes(nodes, err);
	own.took = clock_ms() - own.asked;
	if (rc < 0)
		return rc;
	if (r)
		offer_nodes(r, *nodes, rc, &own);
	*read = own;
	return rc;
}
