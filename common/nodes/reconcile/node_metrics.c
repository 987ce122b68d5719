/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How nodes start, and how they fail. */
#include "nodes/reconcile/node_metrics.h"

#include "base/clock.h"
#include "metrics/metrics.h"

#define BEFORE_MS 5000 /* a pod that is older than its power-up by more */

/* From one time to another; -1: one of them is not known. */
static int64_t between(int64_t from, int64_t to)
{
	if (from < 0 || to < 0)
		return -1;
	return to > from ? to - from : 0;
}

void node_start_phases(const struct node_start *s,
		       int64_t out[METRICS_START_PHASES])
{
	const bool before = s->created < s->begun - BEFORE_MS;

	out[METRICS_CREATED] = before ? -1 : between(s->begun, s->created);
	out[METRICS_SCHEDULED] =
		before ? -1 : between(s->created, s->scheduled);
	out[METRICS_STARTED] = before ? -1 : between(s->scheduled, s->running);
	out[METRICS_REGISTERED] = before ? -1 : between(s->running, s->up);
}

void node_metrics_started(int64_t took_ms, const struct pod_view *pod)
{
	const int64_t now = clock_real_ms();
	int64_t phases[METRICS_START_PHASES];
	struct node_start s;

	metrics_time(METRIC_NODE_START, 0, took_ms);
	if (!pod)
		return;
	s = (struct node_start){.begun = now - took_ms,
				.created = pod->created_ms,
				.scheduled = pod->scheduled_ms,
				.running = pod->running_ms,
				.up = now};
	node_start_phases(&s, phases);
	for (unsigned int i = 0; i < METRICS_START_PHASES; i++)
		if (phases[i] >= 0)
			metrics_time(METRIC_NODE_START_PHASE, i, phases[i]);
}

void node_metrics_acted(const struct node_decision *plan)
{
	metrics_count(METRIC_FAILOVERS,
		      metrics_index(METRIC_FAILOVERS, 0, plan->row), 0);
}
