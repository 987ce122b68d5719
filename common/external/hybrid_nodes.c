/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Slurm nodes with a slurmd that are Kubernetes nodes of the site no more. */
#include "base/clock.h"
#include "base/str.h"
#include "external/external_memo.h"
#include "external/external_nodes.h"
#include "syntax/node_reason.h"

/* True if any node is seen: a view without nodes is rather wrong. */
static bool is_any_seen(const struct external_nodes *e)
{
	for (const struct inventory_node *x = inventory_first(e->inventory); x;
	     x = x->hh.next)
		if (x->seen)
			return true;
	return false;
}

/*
 * True if we have drained the node, and no Kubernetes node with the label has
 * its name, by a view that is not old.
 */
static bool is_left(struct external_nodes *e, const struct ctl_node *node)
{
	const struct inventory_node *x;

	if (node->external || !node->drained ||
	    !node_reason_is_ours(node->reason))
		return false;
	x = inventory_of_slurm(e->inventory, node->name);
	if (x && x->seen && (x->bridge || x->view.unread))
		return false;
	return !e->view_is_old && is_any_seen(e);
}

int64_t hybrid_left_for(struct external_nodes *e, const struct ctl_node *node)
{
	const int64_t now = clock_ms();
	struct external_node_memo *m;

	if (!is_left(e, node)) {
		HASH_FIND_STR(e->memos, node->name, m);
		if (m)
			m->left_at = 0;
		return 0;
	}
	m = external_memo_of(e, node->name);
	if (!m)
		return 0;
	if (!m->left_at)
		m->left_at = now;
	return disruption_calm_for(&e->disruption, m->left_at, now);
}
