/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why Slurm could not launch a job that is a batch job (Slurm 23.11 to 24.11).
 * slurmctld was killed before it had saved a job, and gave its id to the next
 * one, while slurmd still had the first: slurmctld drains that node, and gives
 * WK_REASON_DUPLICATE as the reason. A Prolog that fails drains the node for
 * another reason, and would drain one node after the other if each next job
 * were made anew.
 */
#include "base/clock.h"
#include "base/str.h"
#include "bridge/placeholder/placeholder.h"
#include "syntax/wellknown.h"

/*
 * The age of a drain that may be for the job's id: as old as the job's hold.
 * Drains for other jobs may last for days.
 */
#define TWICE_MS (2 * BRIDGE_LAUNCH_MS)
#define TWICE_MAX 3 /* jobs of a group that are replaced for their id */

static bool had_it_twice(const struct ctl_node *node)
{
	return node->drained && str_eq(node->reason, WK_REASON_DUPLICATE) &&
	       clock_real_ms() - node->reason_ms < TWICE_MS;
}

static bool some_had_it_twice(struct bridge *b)
{
	struct ctl_node node;

	if (b->launches.read_at == b->external.slurm.read_at)
		return b->launches.twice;
	b->launches.read_at = b->external.slurm.read_at;
	b->launches.twice = false;
	for (size_t i = 0; b->external.slurm.nodes && !b->launches.twice &&
			   ctl_nodes_at(b->external.slurm.nodes, i, &node);
	     i++)
		b->launches.twice = had_it_twice(&node);
	return b->launches.twice;
}

void see_launch(struct bridge *b, struct queue_entry *q, struct group_view *v)
{
	v->not_launched = q->job.state == PLACEHOLDER_HELD &&
			  str_eq(q->job.reason, PLACED_LAUNCH_FAILED);
	/* Slurm does not say any more on which node it was to be launched. */
	if (v->not_launched && !q->launch.twice &&
	    q->launch.n_twice < TWICE_MAX && v->state_ms < BRIDGE_LAUNCH_MS &&
	    some_had_it_twice(b)) {
		q->launch.twice = true;
		q->launch.n_twice++;
	}
	v->twice = q->launch.twice;
}
