/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Are so many Kubernetes nodes lost at once that it is rather not they? */
#include "base/clock.h"
#include "base/log.h"
#include "bridge/reconcile/bridge_internal.h"
#include "config/features.h"
#include "external/external_memo.h"

bool disruption_is_orphan(struct bridge *b, const struct ctl_node *node)
{
	return node->external && !inventory_of_slurm(b->hosts, node->name);
}

int64_t disruption_orphan_for(struct bridge *b, const struct ctl_node *node)
{
	struct external_node_memo *m = external_memo_of(b, node->name);
	const int64_t now = clock_ms();

	if (!m)
		return 0;
	if (!m->gone_at)
		m->gone_at = now;
	return disruption_calm_for(&b->disruption, m->gone_at, now);
}

static void tell_disruption(const struct bridge *b,
			    const struct disruption_seen *seen,
			    enum disruption_news news)
{
	if (news == DISRUPTION_BEGINS)
		log_warn("bridge: %zu of %zu Kubernetes nodes with the label "
			 "%s are not ready, or gone: their Slurm nodes are "
			 "drained, but no job is taken from them until most "
			 "are back",
			 seen->lost, seen->nodes, b->bridge->node_label);
	else if (news == DISRUPTION_ENDS)
		log_info("bridge: most Kubernetes nodes with the label %s are "
			 "ready again (%zu of %zu are not)",
			 b->bridge->node_label, seen->lost, seen->nodes);
}

/*
 * Of those that Kubernetes has no more it counts: it takes jobs of ours, and
 * has some. (An idle one goes with its host: an autoscaler may take many at
 * once. But it counts where none with the label is left: that is rather another
 * cluster, or an empty one.)
 */
static bool counts(const struct ctl_node *node, bool any_left)
{
	return (node->busy || !any_left) && node->features &&
	       features_list_has(node->features, WK_FEATURE_EXTERNAL);
}

static void see_hosts(struct bridge *b, struct disruption_seen *seen)
{
	for (const struct inventory_node *x = inventory_first(b->hosts); x;
	     x = x->hh.next) {
		if (x->seen && !x->bridge)
			seen->others_ready += x->view.ready;
		if (!x->seen || !x->bridge)
			continue;
		seen->nodes++;
		seen->lost += !x->view.ready;
	}
}

void disruption_see(struct bridge *b)
{
	struct disruption_seen seen = {0};
	struct ctl_node node;
	bool any_left;

	see_hosts(b, &seen);
	any_left = seen.nodes > 0;
	for (size_t i = 0; ctl_nodes_at(b->nodes, i, &node); i++) {
		if (!counts(&node, any_left) || !disruption_is_orphan(b, &node))
			continue;
		seen.nodes++;
		seen.lost++;
	}
	tell_disruption(b, &seen,
			disruption_look(&b->disruption, &seen, clock_ms()));
}
