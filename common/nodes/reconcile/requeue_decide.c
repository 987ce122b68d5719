/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "nodes/reconcile/requeue_decide.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "nodes/pod/refusal.h"

#define PAUSE_MIN_MS 50
#define PAUSE_MAX_MS 1000
#define SINGLE_MAX 16 /* jobs that are asked for one by one */

/* --- nodes that are given up */

static struct given_up_node *node_of(const struct given_up *g, const char *node)
{
	struct given_up_node *x;

	HASH_FIND_STR(g->by_node, node, x);
	return x;
}

void given_up_add(struct given_up *g, const char *node, const char *words,
		  int64_t begin_s, bool may_spare)
{
	struct given_up_node *x = calloc(1, sizeof(*x));

	if (!x)
		return;
	x->node = node;
	x->words = words;
	x->begin_s = begin_s;
	x->may_spare = may_spare;
	HASH_ADD_KEYPTR(hh, g->by_node, node, strlen(node), x);
	if (x->failed)
		free(x);
}

void given_up_count(void *arg, const struct ctl_occupant *job)
{
	struct given_up_node *x = node_of(arg, job->node);

	if (!x)
		return;
	x->shared = x->met;
	x->met = true;
	if (x->may_spare && !job->requeueable)
		x->spared = true;
}

static void add_job(struct given_up *g, struct given_up_node *x,
		    const struct ctl_occupant *job)
{
	g->jobs[g->n_jobs].id = job->job_id;
	g->jobs[g->n_jobs].on = x;
	g->jobs[g->n_jobs].restarts = job->restarts;
	g->jobs[g->n_jobs++].blame =
		blame_of(x->words, job->admin_comment, job->restarts,
			 !x->shared && !job->held);
}

void given_up_take(void *arg, const struct ctl_occupant *job)
{
	struct given_up *g = arg;
	struct given_up_node *x = node_of(g, job->node);
	bool full, same; /* same: the job added last, on another node */

	if (!x || x->spared || !job->requeueable)
		return;
	full = g->n_jobs == REQUEUED_MAX;
	same = g->n_jobs && g->jobs[g->n_jobs - 1].id == job->job_id;
	if (!full && !same)
		add_job(g, x, job);
	x->needs = full && !same ? g->n_jobs + 1 : g->n_jobs;
}

void given_up_clear(struct given_up *g)
{
	struct given_up_node *x, *next;

	HASH_ITER(hh, g->by_node, x, next)
	{
		HASH_DELETE(hh, g->by_node, x);
		free(x);
	}
}

bool given_up_spares(const struct given_up *g, const char *node)
{
	const struct given_up_node *x = node_of(g, node);

	return !x || x->spared;
}

bool given_up_lacks_words(const struct given_up *g, const char *node)
{
	const struct given_up_node *x = node_of(g, node);

	return x && x->needs > g->n_told;
}

void given_up_done(struct given_up *g, const char *node)
{
	struct given_up_node *x = node_of(g, node);

	if (x)
		x->done = true;
}

enum back_as given_up_job(const struct given_up *g, size_t i)
{
	if (!g->jobs[i].on->done)
		return BACK_NOT;
	switch (g->jobs[i].blame) {
	case BLAME_NOBODY:
		return BACK_BEGINS;
	case BLAME_PAUSE:
		return BACK_WAITS;
	case BLAME_HOLD:
		return BACK_HELD;
	}
	return BACK_WAITS;
}

/* --- afterwards */

/* True of words about a pod with features: what fails is to be waited for. */
static bool is_of_features(const char *words)
{
	return str_starts(words, WK_REASON_PREFIX WK_WITH_FEATURES);
}

/*
 * A job that has ended its pod pauses, and so does one whose features rest, as
 * it is not told here for how long. A job that waits by itself may be seen
 * again while it does: then nothing changes.
 */
int64_t requeue_begin_s(const char *words, int64_t back_s)
{
	const uint32_t wait_s = refusal_wait_s(words);

	if (wait_s)
		return back_s + wait_s;
	return blame_is(words) || is_of_features(words) ? REQUEUED_NEVER
							: REQUEUED_NOW;
}

int64_t requeue_at_s(int64_t begin_s, int64_t back_s)
{
	return begin_s == REQUEUED_NEVER ? back_s + REQUEUED_PAUSE_S : begin_s;
}

enum requeue_do requeue_decide(enum ctl_job_wait wait, bool hold, bool later,
			       int64_t followed_ms, size_t begun)
{
	switch (wait) {
	case CTL_JOB_ENDING:
		return followed_ms > REQUEUE_GIVE_UP_MS ? REQUEUE_FORGET
							: REQUEUE_WAIT;
	case CTL_JOB_ELIGIBLE:
		if (!hold && !later)
			return REQUEUE_FORGET;
		break;
	case CTL_JOB_DELAYED:
		break;
	case CTL_JOB_HELD:
	case CTL_JOB_FREE:
		return REQUEUE_FORGET;
	}
	if (begun == REQUEUE_BEGIN_MAX)
		return REQUEUE_WAIT;
	return hold ? REQUEUE_HOLD : REQUEUE_BEGIN;
}

int64_t requeue_pause(int64_t before_ms, bool any)
{
	int64_t ms =
		before_ms * 2 < PAUSE_MAX_MS ? before_ms * 2 : PAUSE_MAX_MS;

	return ms < PAUSE_MIN_MS || any ? PAUSE_MIN_MS : ms;
}

bool requeue_by_list(size_t n)
{
	return n > SINGLE_MAX;
}
