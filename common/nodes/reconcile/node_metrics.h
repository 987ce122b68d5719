/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is counted of nodes: common/metrics/. The engine's thread only, but
 * where a function is pure.
 */
#ifndef SLURMK8S_NODES_RECONCILE_NODE_METRICS_H
#define SLURMK8S_NODES_RECONCILE_NODE_METRICS_H

#include "nodes/reconcile/node_look.h"
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

/*
 * When things of a start happened: epoch, ms; -1: not known. down_at: when
 * Slurm last said that the node was powered down.
 */
struct node_start {
	int64_t begun, created, scheduled, running, up, down_at;
};

/*
 * How long each phase of a start took, ms; -1: not known, as of a pod that was
 * there before. Less than 0 by clocks that differ is 0. Pure; any thread.
 */
void node_start_phases(const struct node_start *s,
		       int64_t out[METRICS_START_PHASES]);

/*
 * How long a start took, ms: from the node's power-up, or, if that was over
 * before it was seen, from its pod's creation. -1: not known, as of a pod that
 * was there before. Pure; any thread.
 */
int64_t node_start_took(const struct node_start *s);

/* Note that the node has come up, to be counted by node_metrics_look(). */
void node_metrics_came_up(struct seen_start *s, const struct seen_power *power,
			  const struct power_news *news);

/*
 * Count the node's start, if there is one to be counted, as soon as its pod
 * (NULL: it is not in view) says when slurmd's container began; the kubelet may
 * tell that seconds after slurmd has registered. No later than after a minute,
 * or when the node is up no more: then with what is known.
 */
void node_metrics_look(struct seen_start *s, bool up,
		       const struct pod_view *pod);

/* Count what was done, if its row is one that takes a node from its jobs. */
void node_metrics_acted(const struct node_decision *plan);

#endif
