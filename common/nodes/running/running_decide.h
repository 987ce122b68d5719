/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which nodes of a nodeset run because minRunning of k8s.yaml(5) wants so many.
 * Pure: no I/O, no clock. Any thread.
 */
#ifndef SLURMK8S_NODES_RUNNING_RUNNING_DECIDE_H
#define SLURMK8S_NODES_RUNNING_RUNNING_DECIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nodes/watch/node_view.h"

/* One node. */
struct running_view {
	enum node_power power;
	bool usable; /* not down, drained, rebooting, or about to power down */
	bool starting; /* a power-up was asked for, and has not begun */
	/* a pod may be asked for: nothing rests, and Kubernetes is in view */
	bool may_start;
	bool excepted; /* in SuspendExcNodes, by whomever */
	bool ours;     /* kept up by the engine, not by an administrator */
};

/* What is to be done about it, in this order. */
struct running_decision {
	bool release; /* take it out of SuspendExcNodes */
	bool start;   /* power it up */
	bool keep;    /* add it to SuspendExcNodes, as ours */
};

/* True if the node counts: it is usable, and up or on its way. */
bool running_counts(const struct running_view *v);

/*
 * Decide for all nodes of a nodeset, of which `wanted` are to run. A node that
 * is up or on its way counts, with jobs or without. First come those that an
 * administrator keeps up, then those that we keep already, then others that
 * run, then those that are powered down; each by its place in the nodeset.
 * Writes n decisions.
 */
void running_decide(const struct running_view *v, size_t n, uint32_t wanted,
		    struct running_decision *out);

#endif
