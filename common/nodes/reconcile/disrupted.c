/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where so much of a Kubernetes cluster is lost at once that the way to it, or
 * the choice of the cluster, is more likely to be at fault than its nodes and
 * pods, no Slurm node is set DOWN for that: Slurm itself decides, by its
 * SlurmdTimeout.
 */
#include "base/clock.h"
#include "base/log.h"
#include "nodes/reconcile/reconcile.h"

/*
 * A watch may show a pod later than its node comes up: that is no loss. Half of
 * what the planner waits before it believes in an absence: so all that lost
 * their pods at once are counted before the first of them is acted upon.
 */
#define MISSING_MS 5000

struct disrupted *disrupted_of(struct nodes *nodes, const struct nodeset *set)
{
	return &nodes->disrupted[set->cluster - nodes->config->clusters];
}

/*
 * True if the node is up without a pod, and nobody saw how that went. While
 * pods are not in view, and for MISSING_MS, the last answer stays.
 */
static bool is_missing(const struct node_state *m, const struct node_view *v)
{
	if (v->node.power != NODE_UP || v->node.down || v->pod || v->gone ||
	    v->elsewhere)
		return false;
	return m->missing || (m->pod.absent_since && v->live &&
			      v->node.power_for >= MISSING_MS &&
			      clock_ms() - m->pod.absent_since >= MISSING_MS);
}

void disrupted_note(struct nodes *nodes, struct node_state *m,
		    const struct node_view *v)
{
	const bool was = m->missing;

	m->missing = is_missing(m, v);
	nodes->count.missing += m->missing - was;
}

/* --- Kubernetes nodes */

static void tell_hosts(const struct cluster_config *k,
		       const struct disruption_seen *seen,
		       enum disruption_news news)
{
	if (news == DISRUPTION_BEGINS)
		log_warn("cluster %s: %zu of %zu Kubernetes nodes are not "
			 "ready at once: no Slurm node there is set DOWN for "
			 "that (host lost), it is only drained; SlurmdTimeout "
			 "of slurm.conf decides which are lost. See whether "
			 "the machines, or only their network to the control "
			 "plane and to slurmctld, have failed",
			 k->name, seen->lost, seen->nodes);
	else if (news == DISRUPTION_ENDS)
		log_info("cluster %s: most Kubernetes nodes are ready again "
			 "(%zu of %zu are not): what is lost from now on is "
			 "set DOWN as ever (host lost)",
			 k->name, seen->lost, seen->nodes);
}

static void see_hosts(struct nodes *nodes, size_t cluster)
{
	struct disrupted *d = &nodes->disrupted[cluster];
	struct disruption_seen seen;

	if (cluster_hosts(nodes->links[cluster], &seen))
		tell_hosts(&nodes->config->clusters[cluster], &seen,
			   disruption_look(&d->hosts, &seen, clock_ms()));
}

/* --- pods */

static void count_missing(struct nodes *nodes)
{
	const struct nodeset *set;
	struct ctl_node node;
	struct node_state *m;

	for (size_t i = 0; i < nodes->config->n_clusters; i++)
		nodes->disrupted[i].seen = (struct disruption_seen){0};
	for (size_t i = 0; ctl_nodes_at(nodes->slurm.all, i, &node); i++) {
		if (!node.name || node.power != CTL_UP || node.down)
			continue;
		set = config_nodeset_of(nodes->config, node.name);
		m = node_state_find(nodes, node.name);
		if (set && m)
			disruption_count(&disrupted_of(nodes, set)->seen,
					 m->missing, 1);
	}
}

static void write_conditions(const struct cluster_config *k,
			     const struct disruption_seen *seen,
			     enum disruption_news news)
{
	if (news == DISRUPTION_BEGINS)
		log_warn("cluster %s: Kubernetes has no pods of %zu of %zu "
			 "Slurm nodes that are up, and nobody saw them "
			 "deleted: no node is set DOWN for that (pod gone), "
			 "and jobs run on; SlurmdTimeout of slurm.conf decides "
			 "which are lost. Is this the right API server? See "
			 "the kubeconfig (server, current-context), what is "
			 "behind that address, and kubectl -n %s get pods",
			 k->name, seen->lost, seen->nodes, k->ns);
	else if (news == DISRUPTION_ENDS)
		log_info("cluster %s: most Slurm nodes that are up have their "
			 "pods again (%zu of %zu have not): what is lost from "
			 "now on is set DOWN as ever (pod gone)",
			 k->name, seen->lost, seen->nodes);
}

static void see_pods(struct nodes *nodes, size_t cluster)
{
	struct disrupted *d = &nodes->disrupted[cluster];

	if (watch_is_live(nodes->links[cluster]))
		write_conditions(&nodes->config->clusters[cluster], &d->seen,
				 disruption_turn(&d->pods,
						 disruption_is_many(&d->seen),
						 clock_ms()));
}

/* Mostly no pod is missing, and no node need be counted. */
static bool is_to_be_counted(const struct nodes *nodes)
{
	bool is = nodes->count.missing > 0;

	for (size_t i = 0; i < nodes->config->n_clusters; i++)
		is |= nodes->disrupted[i].pods.is;
	return is;
}

void disrupted_see(struct nodes *nodes)
{
	const bool counts = is_to_be_counted(nodes);

	if (counts)
		count_missing(nodes);
	for (size_t i = 0; i < nodes->config->n_clusters; i++) {
		if (!cluster_held(nodes->links[i]))
			continue;
		see_hosts(nodes, i);
		if (counts)
			see_pods(nodes, i);
	}
}
