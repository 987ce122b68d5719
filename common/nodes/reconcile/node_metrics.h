/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is counted of nodes: common/metrics/. The engine's thread only, but
 * where a function is pure.
 */
#ifndef SLURMK8S_NODES_RECONCILE_NODE_METRICS_H
#define SLURMK8S_NODES_RECONCILE_NODE_METRICS_H

#include "nodes/watch/nodes.h"

/* --- node_census.c */

/* What a node counts as. Pure; any thread. */
enum metrics_node node_metrics_state(const struct ctl_node *n);

/*
 * Count Slurm's nodes and their pods, as they were looked at last, in a walk
 * over all of them: begin, each node of a nodeset (m NULL: it was never looked
 * at), end.
 */
void node_census_begin(struct nodes *nodes);
void node_census_add(struct nodes *nodes, const struct nodeset *set,
		     const struct ctl_node *node, const struct node_state *m);
void node_census_end(struct nodes *nodes);

/* --- node_metrics.c */

/* When things of a start happened: epoch, ms; -1: not known. */
struct node_start {
	int64_t begun, created, scheduled, running, up;
};

/*
 * How long each phase of it took, ms; -1: not known, as of a pod that was there
 * before. Less than 0 by clocks that differ is 0. Pure; any thread.
 */
void node_start_phases(const struct node_start *s,
		       int64_t out[METRICS_START_PHASES]);

/*
 * Count that a node has come up after so many ms, in that pod; NULL: it is not
 * in view.
 */
void node_metrics_started(int64_t took_ms, const struct pod_view *pod);

/* Count what was done, if its row is one that takes a node from its jobs. */
void node_metrics_acted(const struct node_decision *plan);

#endif
