/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How long a group lacks something. Such a state may be over in a moment, and
 * its begin is in q->since until it is over.
 */
#include <string.h>

#include "base/clock.h"
#include "bridge/reconcile/reconcile.h"

/* How much later than resizeAfter a node that is too small is drained, in ms */
#define OVERCOMMITTED_MORE_MS 30000

/* How long a state has lasted, in ms; *at: since when, 0: it is not so. */
static int64_t lasts(int64_t *at, bool is)
{
	if (!is)
		*at = 0;
	else if (!*at)
		*at = clock_ms();
	return *at ? clock_ms() - *at : 0;
}

/*
 * True if there are fewer pods than start together. A gang without pods lacks
 * some, though it is not known how many.
 */
static bool is_short(const struct queue_entry *q, const struct pod_group *g,
		     const struct group_view *v)
{
	const struct group_counts *p = &v->pods;
	/* A waiting job waits for all leaving pods: waits_for_leaving() */
	const uint32_t leaving = p->leaving - (job_runs(q) ? p->away : 0);
	const uint32_t all = p->waiting + p->gated + p->live + leaving +
			     p->succeeded + p->failed;
	const bool over = !p->waiting && !p->gated && !p->live && !leaving;

	return ((v->gang && over) || (v->members && all < v->members)) &&
	       v->pods_known && !(g && g->partial);
}

/*
 * True if the group's job, which waits, would be of another size if it were
 * made now. A job that waits for its time, or for another job, waits for no
 * node, so its size does not matter.
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
