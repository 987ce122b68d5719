/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How nodes start, and how they fail. */
#include "nodes/reconcile/node_metrics.h"

#include "base/clock.h"
#include "metrics/metrics.h"

#define BEFORE_MS 5000	 /* an older pod is not of the power-up */
#define KUBELET_MS 60000 /* longest wait for the kubelet's word */

/* ms from one time to another; -1: one of them is not known. */
static int64_t between(int64_t from, int64_t to)
{
	if (from < 0 || to < 0)
		return -1;
	return to > from ? to - from : 0;
}

/* True if the pod is older than the power-up, which did not start it then. */
static bool is_of_before(const struct node_start *s)
{
	const int64_t from = s->begun < 0 ? s->down_at : s->begun;

	return s->created < from - BEFORE_MS;
}

void node_start_phases(const struct node_start *s,
		       int64_t out[METRICS_START_PHASES])
{
	const bool before = is_of_before(s);

	out[METRICS_CREATED] = before ? -1 : between(s->begun, s->created);
	out[METRICS_SCHEDULED] =
		before ? -1 : between(s->created, s->scheduled);
	out[METRICS_STARTED] = before ? -1 : between(s->scheduled, s->running);
	out[METRICS_REGISTERED] = before ? -1 : between(s->running, s->up);
}

int64_t node_start_took(const struct node_start *s)
{
	if (s->begun >= 0)
		return between(s->begun, s->up);
	return is_of_before(s) ? -1 : between(s->created, s->up);
}

void node_metrics_came_up(struct seen_start *s, const struct seen_power *power,
			  const struct power_news *news)
{
	const int64_t epoch = clock_real_ms() - clock_ms();

	*s = (struct seen_start){
		.begun = news->started ? epoch + news->since : -1,
		.down_at = epoch + power->down_at,
		.up = epoch + power->since,
	};
}

static void count(const struct seen_start *seen, const struct pod_view *pod)
{
	const struct node_start s = {
		.begun = seen->begun,
		.created = pod ? pod->created_ms : -1,
		.scheduled = pod ? pod->scheduled_ms : -1,
		.running = pod ? pod->running_ms : -1,
		.up = seen->up,
		.down_at = seen->down_at,
	};
	const int64_t took = node_start_took(&s);
	int64_t phases[METRICS_START_PHASES];

	if (took < 0)
		return;
	metrics_time(METRIC_NODE_START, 0, took);
	if (!pod)
		return;
	node_start_phases(&s, phases);
	for (unsigned int i = 0; i < METRICS_START_PHASES; i++)
		if (phases[i] >= 0)
			metrics_time(METRIC_NODE_START_PHASE, i, phases[i]);
}

void node_metrics_look(struct seen_start *s, bool up,
		       const struct pod_view *pod)
{
	const bool told = pod && pod->running_ms >= 0;

	if (!s->up || (up && !told && clock_real_ms() - s->up < KUBELET_MS))
		return;
	count(s, pod);
	s->up = 0;
}

void node_metrics_acted(const struct node_decision *plan)
{
	metrics_count(METRIC_FAILOVERS,
		      metrics_index(METRIC_FAILOVERS, 0, plan->row), 0);
}
