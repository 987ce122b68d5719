/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How many nodes and worker pods there are. */
#include "metrics/metrics.h"
#include "nodes/reconcile/node_metrics.h"
#include "syntax/node_reason.h"

_Static_assert(POD_FAILED + 1 == METRICS_POD_PHASES, "phases of pods");

void node_census_begin(struct nodes *nodes)
{
	for (size_t i = 0; i < nodes->config->n_nodesets; i++)
		nodes->cooling[i].census = (struct node_census){0};
}

enum metrics_node node_metrics_state(const struct ctl_node *n)
{
	if (n->down)
		return METRICS_DOWN;
	if (n->drained)
		return METRICS_DRAINED;
	switch (n->power) {
	case CTL_POWERED_DOWN:
		return METRICS_POWERED_DOWN;
	case CTL_POWERING_UP:
		return METRICS_POWERING_UP;
	case CTL_POWERING_DOWN:
		return METRICS_POWERING_DOWN;
	case CTL_UP:
		break;
	}
	return METRICS_UP;
}

void node_census_add(struct nodes *nodes, const struct nodeset *set,
		     const struct ctl_node *node, const struct node_state *m)
{
	struct node_census *c = &cooldown_of(nodes, set)->census;

	c->states[node_metrics_state(node)]++;
	c->set_aside += (node->down || node->drained) &&
			node_reason_is_ours(node->reason);
	if (m && m->pod.has)
		c->pods[m->pod.phase]++;
}

static void add(struct node_census *to, const struct node_census *c)
{
	to->set_aside += c->set_aside;
	for (unsigned int i = 0; i < METRICS_NODE_STATES; i++)
		to->states[i] += c->states[i];
	for (unsigned int i = 0; i < METRICS_POD_PHASES; i++)
		to->pods[i] += c->pods[i];
}

static void publish(unsigned int at, const struct node_census *c)
{
	metrics_set(METRIC_NODES_SET_ASIDE, at, 0, c->set_aside);
	for (unsigned int i = 0; i < METRICS_NODE_STATES; i++)
		metrics_set(METRIC_NODES, at, i, c->states[i]);
	for (unsigned int i = 0; i < METRICS_POD_PHASES; i++)
		metrics_set(METRIC_WORKER_PODS, at, i, c->pods[i]);
}

/*
 * The nodesets after the 64th are summed up as "other"; one that k8s.yaml has
 * no more is 0.
 */
void node_census_end(struct nodes *nodes)
{
	struct node_census sums[METRICS_NAMES_MAX + 1] = {0};

	for (size_t i = 0; i < nodes->config->n_nodesets; i++)
		add(&sums[metrics_name(METRICS_NODESET_NAMES,
				       nodes->config->nodesets[i].name)],
		    &nodes->cooling[i].census);
	for (unsigned int i = 0; i <= METRICS_NAMES_MAX; i++)
		publish(i, &sums[i]);
}
