/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bridge/reconcile/tally.h"

#include "base/clock.h"
#include "metrics/metrics.h"

#define PUBLISH_MS 5000

/* The state of a group whose job waits. */
static enum metrics_group pending(const struct group_counts *p)
{
	return p->live || p->leaving ? METRICS_GROUP_ENDING
				     : METRICS_GROUP_QUEUED;
}

/* The state of a group whose job has its nodes. */
static enum metrics_group running(const struct group_counts *p)
{
	if (p->waiting)
		return METRICS_GROUP_UNBOUND;
	return p->live ? METRICS_GROUP_RUNNING : METRICS_GROUP_ENDING;
}

/* The state of a group that has no job, or one that has ended. */
static enum metrics_group without_job(const struct group_counts *p,
				      const struct group_observation *j)
{
	if (p->live || p->leaving)
		return METRICS_GROUP_ENDING;
	if (j->plan.action == GROUP_REFUSE)
		return METRICS_GROUP_REFUSED;
	if (p->waiting)
		return j->limited ? METRICS_GROUP_LIMITED
				  : METRICS_GROUP_UNSUBMITTED;
	return p->gated ? METRICS_GROUP_GATED : METRICS_GROUP_STATES;
}

enum metrics_group tally_state(const struct group_observation *j)
{
	const struct group_view *v = &j->view;

	switch (v->job) {
	case PLACEHOLDER_PENDING:
	case PLACEHOLDER_HELD:
		return pending(&v->pods);
	case PLACEHOLDER_STARTING:
	case PLACEHOLDER_RUNNING:
	case PLACEHOLDER_SUSPENDED:
		return running(&v->pods);
	case PLACEHOLDER_UNKNOWN:
	case PLACEHOLDER_NONE:
	case PLACEHOLDER_COMPLETING:
	case PLACEHOLDER_ENDED:
	default:
		return without_job(&v->pods, j);
	}
}

void tally_note(struct queue_entry *q, const struct group_observation *j)
{
	const struct group_view *v = &j->view;
	const enum metrics_group state = tally_state(j);

	if (v->job == PLACEHOLDER_UNKNOWN || !v->pods_known)
		return;
	if (!q->tally.since || q->tally.state != state) {
		q->tally.since = clock_ms();
		/* A refusal by Slurm was counted in apply.c. */
		if (state == METRICS_GROUP_REFUSED && !q->refused.words)
			metrics_count(METRIC_BRIDGE_REFUSALS, METRICS_BY_WISH,
				      0);
	}
	q->tally.state = state;
	q->tally.pods[METRICS_POD_GATED] = v->pods.gated;
	q->tally.pods[METRICS_POD_WAITING] = v->pods.waiting;
	q->tally.pods[METRICS_POD_RUNNING] = v->pods.live;
}

struct totals {
	uint32_t groups[METRICS_GROUP_STATES];
	uint32_t pods[METRICS_POD_STATES];
	int64_t oldest[METRICS_GROUP_STATES]; /* monotonic; 0: none */
};

static void add(struct totals *t, const struct group_tally *one)
{
	for (int i = 0; i < METRICS_POD_STATES; i++)
		t->pods[i] += one->pods[i];
	if (!one->since || one->state >= METRICS_GROUP_STATES)
		return;
	t->groups[one->state]++;
	if (!t->oldest[one->state] || one->since < t->oldest[one->state])
		t->oldest[one->state] = one->since;
}

static void publish(const struct totals *t)
{
	const int64_t now = clock_ms();

	for (unsigned int i = 0; i < METRICS_GROUP_STATES; i++) {
		metrics_set(METRIC_BRIDGE_GROUPS, i, 0, t->groups[i]);
		metrics_set(METRIC_BRIDGE_OLDEST, i, 0,
			    t->oldest[i] ? now - t->oldest[i] : 0);
	}
	for (unsigned int i = 0; i < METRICS_POD_STATES; i++)
		metrics_set(METRIC_BRIDGE_PODS, i, 0, t->pods[i]);
}

void tally_publish(struct bridge *b)
{
	struct totals t = {0};

	if (!clock_due(&b->tally.at, PUBLISH_MS))
		return;
	for (const struct queue_entry *q = b->queue; q; q = q->hh.next)
		add(&t, &q->tally);
	publish(&t);
}

void tally_clear(void)
{
	publish(&(struct totals){0});
	metrics_fill(METRIC_BRIDGE_VIEW, METRICS_UNSET);
}
