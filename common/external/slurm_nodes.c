/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Slurm's nodes as the bridge last read them, and whether they are others. */
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/str.h"
#include "bridge/reconcile/bridge_internal.h"
#include "slurm/nodes_pace.h"

#define NODES_MS 2000  /* Slurm's nodes are read anew, if they changed, */
#define NODES_SHARE 50 /* in at most this part of the time */

/* From one answer to the next question. */
static int64_t pause_ms(const struct bridge *b)
{
	const int64_t ms = NODES_SHARE * b->nodes_cost;

	if (!b->nodes_at) /* we have changed some: nothing is done before */
		return nodes_pause_ms(ctl_nodes_count(b->nodes), b->nodes_cost,
				      true);
	return ms > NODES_MS ? ms : NODES_MS;
}

bool slurm_nodes_refresh(struct bridge *b)
{
	const int64_t begin = clock_ms();
	struct err err = {0};
	int64_t end, took;
	int rc;

	if (begin < b->nodes_rest ||
	    (b->nodes_asked && begin < b->nodes_asked + pause_ms(b)))
		return false;
	rc = ctl_nodes_refresh(&b->nodes, &err);
	b->nodes_asked = end = clock_ms();
	if (rc < 0) {
		log_debug("%s", err.msg);
		b->nodes_rest = end + NODES_MS;
		return false;
	}
	/* (one that took long alone was a moment of the machine's) */
	took = end - begin;
	b->nodes_cost = took < b->nodes_took ? took : b->nodes_took;
	b->nodes_took = took;
	b->nodes_at = end;
	return rc > 0;
}

/* Which nodes waiting pods may get in Slurm, whatever these do. */
static uint32_t names_sum(struct bridge *b)
{
	struct ctl_node node;
	uint32_t sum = 1;

	inventory_lock(b->hosts);
	for (size_t i = 0; b->nodes && ctl_nodes_at(b->nodes, i, &node); i++) {
		const struct inventory_node *x =
			inventory_of_slurm(b->hosts, node.name);

		if (!x || !host_leaves(x, &node))
			sum += str_hash(STR_HASH, node.name, strlen(node.name));
	}
	inventory_unlock(b->hosts);
	return sum;
}

bool slurm_nodes_changed(struct bridge *b, bool news)
{
	const uint64_t views = inventory_views(b->hosts);
	const bool ready = inventory_ready(b->hosts);
	const uint32_t sum = news ? names_sum(b) : b->nodes_sum;
	const bool others = sum != b->nodes_sum || views != b->hosts_views ||
			    ready != b->hosts_ready;

	b->nodes_sum = sum;
	b->hosts_views = views;
	b->hosts_ready = ready;
	return others;
}
