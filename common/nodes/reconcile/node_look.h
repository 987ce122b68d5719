/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What one more look at a node adds to what is remembered of it. Pure. Any
 * thread; texts are borrowed, and times are monotonic, ms, where nothing else
 * is said.
 */
#ifndef SLURMK8S_NODES_RECONCILE_NODE_LOOK_H
#define SLURMK8S_NODES_RECONCILE_NODE_LOOK_H

#include "config/features.h"
#include "nodes/watch/node_seen.h"

struct power_news {
	bool changed;
	bool came_up;  /* the node is up, and was not at the last look */
	int64_t since; /* when the power state before this one began */
	int up;	       /* change of the number of nodes that are up: -1, 0, 1 */
	bool started;  /* came_up, and its power-up was seen */
};

/*
 * Take over a node's power state. whole_at: when Slurm's nodes were last read
 * as a whole.
 */
struct power_news look_power(struct seen_power *m,
			     const struct slurm_node *node, int64_t whole_at,
			     int64_t now_ms);

/*
 * A Reason of ours on a node that is neither down nor drained is old: Slurm may
 * leave it behind (slurm/back_reason.h). When the node is down or drained
 * later, with that Reason and its time, then Slurm has done that, and not we:
 * the node's Reason and its time are written over, by words that stand for a
 * drain of Slurm's, or, of a node that is down, by "Not responding". now_ms:
 * epoch.
 */
void look_reason(struct seen_reason *m, struct slurm_node *node,
		 int64_t now_ms);

/*
 * Slurm ends every drain of a node when a power-down begins that was asked for,
 * for a drain of POWER_DOWN_ASAP would stay (_do_power_work() of slurmctld),
 * and keeps its Reason. `undrained` is set on a node that was free when its
 * power-down was asked for, and that others have drained before it began,
 * without a job that Slurm may have drained it for. It is not set any more once
 * the node has been drained again.
 */
void look_drain(struct seen_reason *m, struct slurm_node *node, int64_t now_ms);

/*
 * Since when the node's host is not ready and its slurmd does not respond,
 * without a break. 0: one of the two is well. After an UNDRAIN slurmd has to
 * register before what Slurm says counts, so each change of DRAIN is a break.
 */
int64_t look_lost(struct seen_host *m, const struct slurm_node *node,
		  const struct kube_node_state *host, int64_t now_ms);

/*
 * How often slurmd's container in the node's pod had been started anew before
 * the node's jobs came. `sum`: str_hash() of the pod's uid. What the pod says
 * may still be of the time before the node was up.
 */
uint32_t look_restarts(struct seen_pod *m, const struct seen_power *power,
		       bool busy, uint32_t sum, uint32_t restarts,
		       int64_t now_ms);

/*
 * Note whether the node has a pod. Returns since when it has none; 0: it has
 * one, or nobody can say: its nodeset's pods are not in view, or it is in one
 * of another cluster yet.
 */
int64_t look_absent(struct seen_pod *m, bool has, bool in_view, bool elsewhere,
		    int64_t now_ms);

/*
 * True if a pod that went at gone_ms, and came at born_ms, went in this node's
 * present power state. Of a node that is up it is also enough that the pod was
 * made since the node was down: slurmd may register, and its pod be gone,
 * before we see that the node is up.
 */
bool look_is_gone(const struct seen_power *m, const struct slurm_node *node,
		  int64_t gone_ms, int64_t born_ms);

/* What Slurm and its pod say of a node's features. */
struct features_seen {
	const struct features *known; /* the changeable features of k8s.yaml */
	const char *available, *active;
	/* features of its pod; "?": it does not say; NULL: no pod */
	const char *pod;
};

enum features_look {
	FEATURES_STAY, /* features are right, or not ours to say */
	FEATURES_CHANGE,
	FEATURES_TOO_LONG, /* corrected features would not fit, and stay */
	FEATURES_CHANGE_TOO_LONG, /* only the active ones fit */
};

/*
 * What Slurm should say that the node has: nothing while it is powered down,
 * else what its pod does. *out is "active", or "active available": Slurm 22.05
 * believes in all available features from each start and reconfiguration on,
 * and names them once more. That does no harm by itself: where there is no room
 * for both, only those that are active are corrected.
 */
enum features_look look_features(const struct features_seen *f,
				 const struct slurm_node *node,
				 char out[NODE_WORDS_MAX]);

#endif
