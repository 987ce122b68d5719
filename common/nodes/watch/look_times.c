/* SPDX-License-Identifier: GPL-2.0-or-later */
/* When slurmctld is asked for its nodes, and all are looked at. */
#include "base/clock.h"
#include "nodes/watch/nodes.h"

void nodes_ask_again(struct nodes *nodes)
{
	nodes->slurm.stale = true;
}

void nodes_look_now(struct nodes *nodes)
{
	nodes->slurm.look_at = 0;
}

void nodes_look_within(struct nodes *nodes, int64_t ms)
{
	const int64_t at = clock_ms() + ms;

	if (ms && at < nodes->slurm.look_at)
		nodes->slurm.look_at = at;
}
