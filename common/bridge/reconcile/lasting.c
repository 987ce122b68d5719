/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How long a group lacks something. Each of these states may be a moment's, and
 * is noted in q->since until it is over.
 */
#include <string.h>

#include "base/clock.h"
#include "bridge/reconcile/reconcile.h"

/* A node that is too small is drained by then. */
#define OVERCOMMITTED_MORE_MS 30000

/* How long it is so by now; *at is since when, 0: it is not. */
static int64_t lasts(int64_t *at, bool is)
{
	if (!is)
		*at = 0;
	else if (!*at)
		*at = clock_ms();
	return *at ? clock_ms() - *at : 0;
}

/*
 * There are fewer pods than it takes. How many a gang takes of which no pod is
 * left is not known: more than none.
 */
static bool is_short(const struct queue_entry *q, const struct pod_group *g,
		     const struct group_view *v)
{
	const struct group_counts *p = &v->pods;
	/* One that waits waits for all: see group_decide.c */
	const uint32_t leaving = p->leaving - (job_runs(q) ? p->away : 0);
	const uint32_t all = p->waiting + p->gated + p->live + leaving +
			     p->succeeded + p->failed;
	const bool over = !p->waiting && !p->gated && !p->live && !leaving;

	return ((v->gang && over) || (v->members && all < v->members)) &&
	       v->pods_known && !(g && g->partial);
}

/*
 * Its job, which waits, would be of another size. (One that waits for its time,
 * or for another job, waits for no node.)
 */
static bool is_resized(const struct group_observation *j)
{
	const struct group_view *v = &j->view;

	return v->job == PLACEHOLDER_PENDING && !v->refusal && !v->not_yet &&
	       j->order.size.change != JOBSIZE_SAME &&
	       strcmp(v->reason, "BeginTime") != 0 &&
	       strcmp(v->reason, "Dependency") != 0;
}

void lasting_look(struct bridge *b, struct queue_entry *q,
		  const struct pod_group *g, struct group_observation *j)
{
	struct group_view *v = &j->view;
	const bool runs = v->job == PLACEHOLDER_RUNNING;
	bool kept = false;

	v->short_ms = lasts(&q->since.short_at, is_short(q, g, v));
	v->room = !runs || !v->pods.waiting || nodes_are_free(b, q, &kept);
	v->kept_ms = lasts(&q->since.kept_at, !v->room && kept);
	v->overcommitted = runs && v->pods.waiting && is_overcommitted(b, q, g);
	v->overcommitted_ms =
		lasts(&q->since.overcommitted_at, v->overcommitted);
	v->overcommitted_max_ms =
		b->bridge->resize_after_ms + OVERCOMMITTED_MORE_MS;
	v->unknown_ms = lasts(
		&q->since.unknown_at,
		runs && (v->pods.waiting || v->pods.gated) &&
			(!v->members || (v->pods.refused && !v->refusal)));
	v->resized = is_resized(j);
	v->resized_ms = lasts(&q->since.resize_at, v->resized);
	v->resized_max_ms = b->bridge->resize_after_ms;
}
