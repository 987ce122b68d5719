/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is remembered of a node from one look to the next, as far as Slurm or
 * Kubernetes do not say it: since when something is so. Zeroed: there was no
 * look yet. Written by nodes/reconcile/node_look.c, but for told_at. Times are
 * monotonic, ms, where they do not say more.
 */
#ifndef SLURMK8S_NODES_WATCH_NODE_SEEN_H
#define SLURMK8S_NODES_WATCH_NODE_SEEN_H

#include "nodes/watch/node_view.h"

struct seen_power {
	enum node_power now;
	int64_t since;
	int64_t down_at; /* when Slurm last said that it was */
	bool was_up;	 /* its slurmd ran, whatever its pod said */
	bool looked;	 /* `now` is of a look */
};

/*
 * A start that is over and not yet counted. Written by
 * nodes/reconcile/node_metrics.c; epoch, ms.
 */
struct seen_start {
	int64_t begun;	 /* its power-up was seen; -1: it was not */
	int64_t down_at; /* Slurm last said that it was powered down */
	int64_t up;	 /* it was seen up; 0: nothing is to be counted */
};

struct seen_pod {
	uint32_t sum;	   /* str_hash() of its uid */
	uint32_t restarts; /* of its slurmd when no job was there */
	/* whether its nodeset's pods are in view, and it has one among them */
	bool in_view, has;
	uint32_t view_sum;    /* str_hash() of that pod's uid */
	enum pod_phase phase; /* if it has one */
	int64_t absent_since; /* 0: it has a pod, or is not in view */
};

struct seen_host {
	int64_t lost_since; /* see node_view; 0: it is not so */
	bool drained;	    /* when it was looked at last */
};

struct seen_reason {
	int64_t old_ms;	   /* of ours, which Slurm has left behind; epoch; 0 */
	int64_t others_at; /* since when it is another's; epoch; 0: it is not */
	/*
	 * While a power-down was asked for: it was not drained by others; then
	 * it was, though no job was there.
	 */
	bool was_free, then_drained;
	/*
	 * When we asked for its power-down, as it was free; or 0. Written by
	 * apply.c and feature_switch.c.
	 */
	int64_t told_at;
};

#endif
