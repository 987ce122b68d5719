/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Are so many Kubernetes nodes lost at once that it is rather not they? */
#include "base/clock.h"
#include "base/log.h"
#include "engine/bridge_internal.h"
#include "model/features.h"

bool disruption_is_orphan(struct bridge_thread *b, const struct ctl_node *node)
{
	return node->external && !bridge_hosts_of_slurm(b->hosts, node->name);
}

static void tell_disruption(const struct bridge_thread *b,
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

/* It takes jobs of ours, and has some: an idle one goes with its host. */
static bool is_ours(const struct ctl_node *node)
{
	return node->busy && node->features &&
	       features_list_has(node->features, WK_FEATURE_EXTERNAL);
}

void disruption_see(struct bridge_thread *b)
{
	struct disruption_seen seen = {0};
	struct ctl_node node;

	for (const struct bridge_host *x = bridge_hosts_first(b->hosts); x;
	     x = x->hh.next) {
		if (x->seen && !x->bridge)
			seen.others_ready += x->view.ready;
		if (!x->seen || !x->bridge)
			continue;
		seen.nodes++;
		seen.lost += !x->view.ready;
	}
	for (size_t i = 0; ctl_nodes_at(b->nodes, i, &node); i++) {
		if (!is_ours(&node) || !disruption_is_orphan(b, &node))
			continue;
		seen.nodes++;
		seen.lost++;
	}
	tell_disruption(b, &seen,
			disruption_look(&b->disruption, &seen, clock_ms()));
}
