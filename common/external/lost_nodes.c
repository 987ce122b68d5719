/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whether so many Kubernetes nodes are lost at once that it is rather the view
 * that is wrong.
 */
#include "base/clock.h"
#include "base/log.h"
#include "config/features.h"
#include "external/external_memo.h"
#include "external/external_nodes.h"

int64_t disruption_lost_for(const struct external_nodes *e, int64_t at)
{
	const int64_t seen = e->step.nodes_at;

	return at && at < seen ? disruption_calm_for(&e->disruption, at, seen)
			       : 0;
}

bool disruption_is_orphan(struct external_nodes *e, const struct ctl_node *node)
{
	return node->external && !inventory_of_slurm(e->inventory, node->name);
}

int64_t disruption_orphan_for(struct external_nodes *e,
			      const struct ctl_node *node)
{
	struct external_node_memo *m = external_memo_of(e, node->name);

	if (!m)
		return 0;
	if (!m->removal.gone_at)
		m->removal.gone_at = clock_ms();
	return disruption_lost_for(e, m->removal.gone_at);
}

static void tell_disruption(const struct external_nodes *e,
			    const struct disruption_seen *seen,
			    enum disruption_news news)
{
	if (news == DISRUPTION_BEGINS)
		log_warn("bridge: %zu of %zu Kubernetes nodes with the label "
			 "%s are not ready, or gone: their Slurm nodes are "
			 "drained, but no job is taken from them until most "
			 "are back",
			 seen->lost, seen->nodes, e->bridge->node_label);
	else if (news == DISRUPTION_ENDS)
		log_info("bridge: most Kubernetes nodes with the label %s are "
			 "ready again (%zu of %zu are not)",
			 e->bridge->node_label, seen->lost, seen->nodes);
}

/*
 * True if a node that Kubernetes has no more counts: it takes jobs of ours, and
 * has some. (An idle one goes with its host: an autoscaler may take many at
 * once. But it counts where no node with the label is left: that is rather
 * another cluster, or an empty one.)
 */
static bool counts(const struct ctl_node *node, bool any_left)
{
	return (node->busy || !any_left) && node->features &&
	       features_list_has(node->features, WK_FEATURE_EXTERNAL);
}

static void see_hosts(struct external_nodes *e, struct disruption_seen *seen)
{
	for (const struct inventory_node *x = inventory_first(e->inventory); x;
	     x = x->hh.next) {
		if (x->seen && !x->bridge)
			disruption_count_other(seen, x->view.ready, 1);
		if (x->seen && x->bridge)
			disruption_count(seen, !x->view.ready, 1);
	}
}

void disruption_see(struct external_nodes *e)
{
	struct disruption_seen seen = {0};
	struct ctl_node node;
	bool any_left;

	see_hosts(e, &seen);
	any_left = seen.nodes > 0;
	for (size_t i = 0; ctl_nodes_at(e->slurm.nodes, i, &node); i++) {
		if (counts(&node, any_left) && disruption_is_orphan(e, &node))
			disruption_count(&seen, true, 1);
	}
	tell_disruption(e, &seen,
			disruption_look(&e->disruption, &seen, clock_ms()));
}
