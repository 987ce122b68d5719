/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Slurm nodes with a slurmd that are Kubernetes nodes of the site no more. */
#include "base/clock.h"
#include "base/str.h"
#include "bridge/reconcile/bridge_internal.h"
#include "external/external_memo.h"

/* (a cluster without any node is rather one that does not say the truth) */
static bool is_any_seen(const struct bridge *b)
{
	for (const struct inventory_node *x = inventory_first(b->hosts); x;
	     x = x->hh.next)
		if (x->seen)
			return true;
	return false;
}

/* Drained by us, and no Kubernetes node with the label is it. */
static bool is_left(struct bridge *b, const struct ctl_node *node)
{
	const struct inventory_node *x;

	if (node->external || !node->drained || !node->reason ||
	    !str_starts(node->reason, WK_REASON_PREFIX))
		return false;
	x = inventory_of_slurm(b->hosts, node->name);
	return !(x && x->seen && x->bridge) && !b->old && is_any_seen(b);
}

int64_t hybrid_left_for(struct bridge *b, const struct ctl_node *node)
{
	const int64_t now = clock_ms();
	struct external_node_memo *m;

	if (!is_left(b, node)) {
		HASH_FIND_STR(b->node_memos, node->name, m);
		if (m)
			m->left_at = 0;
		return 0;
	}
	m = external_memo_of(b, node->name);
	if (!m)
		return 0;
	if (!m->left_at)
		m->left_at = now;
	return disruption_calm_for(&b->disruption, m->left_at, now);
}
