/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What to do about one group of bridged pods: its placeholder job as Slurm has
 * it and its pods as Kubernetes has them, one row of a table for each case
 * (docs/bridge.md). Pure: no I/O, no clock, no memory. Any thread.
 *
 * Slurm decides, Kubernetes obeys: pods run while their job does, and at no
 * other time. What is not known leads to nothing.
 */
#ifndef SLURMK8S_BRIDGE_RECONCILE_GROUP_DECIDE_H
#define SLURMK8S_BRIDGE_RECONCILE_GROUP_DECIDE_H

#include "bridge/placeholder/group_view.h"

/*
 * True if somebody holds the group's job. Slurm holds jobs, too, for reasons of
 * its own. A new job would not be held: who may write the pods could end an
 * administrator's hold so.
 */
bool group_view_is_held(const struct group_view *v);

/*
 * Count a pod of the group; `job_id` is the placeholder's, or 0. What the
 * caller counts is not touched.
 */
void group_view_count(struct group_counts *pods, const struct bridged_pod *p,
		      uint32_t job_id);

/*
 * Decide what is to be done: *out gets exactly one action, its row of the
 * table, and words for it.
 */
void group_decide(const struct group_view *v, struct group_decision *out);

#endif
