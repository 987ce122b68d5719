/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whether the bridge has just begun, for a group: slurmctld may have been
 * killed before it had saved the job of pods that run, so for a while these may
 * get another job.
 */
#include "base/clock.h"
#include "bridge/reconcile/reconcile.h"

bool early_begins(struct queue_entry *q, enum placeholder_state job)
{
	const bool first = q->early.begins && job != PLACEHOLDER_UNKNOWN;

	if (first) {
		q->early.begins = false;
		q->early.own_at = clock_ms();
	}
	return first;
}

bool early_jobless(const struct queue_entry *q)
{
	const bool has_job =
		job_is_active(q) && q->job.state != PLACEHOLDER_COMPLETING;

	return q->early.jobless_at && !has_job &&
	       clock_ms() - q->early.jobless_at < BRIDGE_JOBLESS_MS;
}

/*
 * The bridge has not begun before Slurm's jobs are known, nor for this group
 * before it is known that the namespace is ours: until then nothing is done for
 * the group's pods. It has not begun either while it is not clear whether these
 * have lost their job: judge_loss() of bridge/reconcile/observe.c.
 */
bool early_is(struct bridge *b, struct queue_entry *q,
	      const struct pod_group *g)
{
	const int64_t now = clock_ms();
	int64_t from;
	bool early;

	if (!b->active.since && b->active.on && b->jobs.known)
		b->active.since = now;
	from = q->early.own_at ? q->early.own_at : b->active.since;
	early = q->early.unclaimed || q->early.loss_unclear ||
		early_jobless(q) ||
		(b->active.since && now - from < BRIDGE_EARLY_MS);
	if (early && g && g->n && !namespace_entry(&b->whose, g) &&
	    !ns_is_others(&b->whose, g)) {
		q->early.unclaimed = true;
		return true;
	}
	if (q->early.unclaimed)
		q->early.own_at = now;
	q->early.unclaimed = false;
	return early;
}
