/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is decided while the view of Kubernetes is old: a watch has stalled, or
 * is broken and cannot be begun anew. By a view that is older than `staleAfter`
 * of k8s.yaml only one thing is decided, which Slurm alone has decided already:
 * pods of a job that does not run any more are deleted, after each was read.
 * Pure: no I/O, no clock. Any thread.
 */
#ifndef SLURMK8S_BRIDGE_RECONCILE_STALE_DECIDE_H
#define SLURMK8S_BRIDGE_RECONCILE_STALE_DECIDE_H

#include "bridge/reconcile/group_decide.h"

/*
 * Decide what is to be done by a stale view: *out gets GROUP_KEEP, or
 * GROUP_DELETE_PODS with `look`. Pods are told nothing.
 */
void group_decide_stale(const struct group_view *v, struct group_decision *out);

#endif
