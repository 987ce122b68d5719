/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is remembered of a node from one look to the next, as far as Slurm or
 * Kubernetes do not say it: since when something is so. Zeroed: there was no
 * look yet. Written by nodes/reconcile/node_look.c, but for told_at. Times are
 * monotonic, ms, where nothing else is said. Any thread, one at a time for a
 * struct; those of struct nodes: the engine's.
 */
#ifndef SLURMK8S_NODES_WATCH_NODE_SEEN_H
#define SLURMK8S_NODES_WATCH_NODE_SEEN_H

#include "nodes/watch/node_view.h"

struct seen_power {
	enum node_power now;
	int64_t since;
	/* when Slurm last had the node powered down, or going down */
	int64_t down_at;
	bool was_up; /* slurmd ran since the last power-up */
	bool looked; /* `now` was seen; false: there was no look yet */
};

/*
 * A start that is over and not yet counted. Written by
 * nodes/reconcile/node_metrics.c; epoch, ms.
 */
struct seen_start {
	int64_t begun;	 /* when its power-up was seen; -1: it was not */
	int64_t down_at; /* when Slurm last had it down, or going down */
	int64_t up;	 /* when it was seen up; 0: nothing to count */
};

struct seen_pod {
	uint32_t sum;	   /* str_hash() of the uid that `restarts` is of */
	uint32_t restarts; /* restarts of slurmd when no job was there */
	/*
	 * in_view: its nodeset's pods are in view; has: it has one among them
	 */
	bool in_view, has;
	uint32_t view_sum;    /* uid_sum() of its pod in view; 0: none */
	enum pod_phase phase; /* phase of that pod, if `has` */
	int64_t absent_since; /* 0: it has a pod, or is not in view */
};

struct seen_host {
	int64_t lost_since; /* as look_lost() says; 0: it is not lost */
	bool drained;	    /* DRAIN at the last look */
};

struct seen_reason {
	/*
	 * time of a Reason of ours that Slurm has left behind; epoch, ms; 0:
	 * none
	 */
	int64_t old_ms;
	/*
	 * since when Slurm uses that Reason for a drain or DOWN of its own;
	 * epoch, ms; 0: it does not
	 */
	int64_t others_at;
	/*
	 * While a power-down is asked for, and has not begun. was_free: others
	 * had not drained the node when it was asked for; then_drained: others
	 * have drained it since, though no job was there.
	 */
	bool was_free, then_drained;
	/*
	 * When we asked for a power-down of the node, as it was free; 0: never.
	 * Written by apply.c and feature_switch.c.
	 */
	int64_t told_at;
};

#endif
