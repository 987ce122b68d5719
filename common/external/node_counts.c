/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which Kubernetes nodes bridged pods may get, by what Slurm has of them. */
#include "config/features.h"
#include "external/external_nodes.h"
#include "syntax/wellknown.h"

bool host_leaves(const struct inventory_node *x, const struct ctl_node *node)
{
	return !x->bridge && !x->view.unread && node->external &&
	       (node->drained || node->down) && node->features &&
	       features_list_has(node->features, WK_FEATURE_EXTERNAL);
}

bool node_counts(struct external_nodes *e, const struct inventory_node *x)
{
	struct ctl_node node;

	return x->seen && *x->slurm && e->slurm.nodes &&
	       ctl_nodes_find(e->slurm.nodes, x->slurm, &node) &&
	       !host_leaves(x, &node);
}
