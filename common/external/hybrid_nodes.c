/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Slurm nodes with a slurmd that are Kubernetes nodes of the site no more. */
#include "base/clock.h"
#include "base/str.h"
#include "bridge/reconcile/bridge_internal.h"
#include "external/external_nodes_memo.h"

/* (a cluster without any node is rather one that does not say the truth) */
static bool is_any_seen(const struct bridge_thread *b)
{
	for (const struct bridge_host *x = bridge_hosts_first(b->hosts); x;
	     x = x->hh.next)
		if (x->seen)
			return true;
	return false;
}

/* Drained by us, and no Kubernetes node with the label is it. */
static bool is_left(struct bridge_thread *b, const struct ctl_node *node)
{
	const struct bridge_host *x;

	if (node->external || !node->drained || !node->reason ||
	    !str_starts(node->reason, WK_REASON_PREFIX))
		return false;
	x = bridge_hosts_of_slurm(b->hosts, node->name);
	return !(x && x->seen && x->bridge) && !b->old && is_any_seen(b);
}

int64_t hybrid_left_for(struct bridge_thread *b, const struct ctl_node *node)
{
	const int64_t now = clock_ms();
	struct nodes_memo *m;

	if (!is_left(b, node)) {
		HASH_FIND_STR(b->node_memos, node->name, m);
		if (m)
			m->left_at = 0;
		return 0;
	}
	m = memo_of(b, node->name);
	if (!m)
		return 0;
	if (!m->left_at)
		m->left_at = now;
	return disruption_calm_for(&b->disruption, m->left_at, now);
}
