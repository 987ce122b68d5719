/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What to do about one Slurm node and its pod: Slurm's state and Kubernetes'
 * side by side, one row of a table for each case (docs/architecture.md).
 * Pure: no I/O, no clock, no memory. Any thread. Each function that decides
 * writes the whole of *out.
 *
 * Slurm decides, Kubernetes obeys: a node that is up or powering up shall
 * have a pod, any other shall not. What an administrator has drained or set
 * down (a Reason that does not begin with "k8s: ") stays as it is.
 */
#ifndef SLURMK8S_NODES_RECONCILE_NODE_DECIDE_H
#define SLURMK8S_NODES_RECONCILE_NODE_DECIDE_H

#include "nodes/watch/node_view.h"

/* What to do about a node, by all that is known of it. */
void node_decide(const struct node_view *v, struct node_decision *out);

/*
 * Say in the words of a power-up that has failed with which features that was:
 * who reads of it shall see that it need not be so without them. Of any other
 * decision, or without features, nothing changes. `all`: the nodeset's.
 */
void node_decide_features(const struct features *all, feature_set features,
			  struct node_decision *p);

/*
 * What to do about a pod with our label whose node Slurm does not know, or that
 * is not the one pod of its node: it is deleted after 20 s. `seen_for`: ms that
 * we have seen it so.
 */
void unmatched_pod_decide(const struct pod_view *pod, int64_t seen_for,
			  struct node_decision *out);

/*
 * What to do about a pod whose node is in use, but in no nodeset any more: it
 * is not ours to end, but when no job runs there our notes, which keep it from
 * eviction, are taken away.
 */
void node_left_behind(const struct pod_view *pod, bool node_busy,
		      struct node_decision *out);

/*
 * True if the pod says what it should: while `busy` that eviction and
 * autoscalers are to leave it alone, else that it may go, as a pod without an
 * owner would keep its machine for ever.
 */
bool node_is_guarded_right(const struct pod_view *pod, bool busy);

/*
 * True if our drain may simply end, with the pod that is there. A node that has
 * DRAIN already Slurm does not drain for a job whose Epilog fails there
 * (_drain_node() of slurmctld's node_mgr.c), nor keeps it anywhere that it
 * would have. So where one may have, another pod is begun with. (Of one with
 * jobs it is not known whether one has ended.) `last_busy_ms`: when its last
 * job ended; `reason_ms`: when it was drained; both epoch.
 */
bool node_may_undrain(bool busy, int64_t last_busy_ms, int64_t reason_ms);

#endif
