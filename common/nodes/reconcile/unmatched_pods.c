/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pods with our label that no node has asked for: their node is not known, or
 * in no nodeset any more, or has another pod.
 */
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "nodes/reconcile/node_limit.h"
#include "nodes/reconcile/reconcile.h"

/* A look at the pods of one cluster. */
struct unmatched {
	struct nodes *nodes;
	struct cluster *cluster;
};

/*
 * True if the pod is looked at elsewhere: its nodeset is of another entry under
 * clusters, which leads, or may lead, to the same namespace.
 */
static bool is_elsewhere(const struct unmatched *s, const struct pod_view *pod)
{
	const struct nodeset *set =
		config_nodeset_of(s->nodes->config, pod->node);
	const struct node_state *m;

	if (!set || cluster_of(s->nodes, set) == s->cluster)
		return false;
	m = node_state_find(s->nodes, pod->node);
	return m && (!m->pod.in_view ||
		     (m->pod.has && m->pod.view_sum == uid_sum(pod)));
}

/*
 * True if the pod is nevertheless that of its node: where memory was short the
 * node was not looked at, and has no entry in nodes->memos.
 */
static bool is_own(const struct unmatched *s, const struct pod_view *pod)
{
	const struct nodeset *set =
		config_nodeset_of(s->nodes->config, pod->node);
	char name[DNS_LABEL_MAX + 1];
	struct ctl_node node;

	name_pod_of_node(pod->node, name);
	return set && cluster_of(s->nodes, set) == s->cluster &&
	       !strcmp(name, pod->name) &&
	       ctl_nodes_find(s->nodes->slurm.all, pod->node, &node);
}

/*
 * True if jobs may run in the pod: its node is up, and in no nodeset any more,
 * or in one of another entry under clusters where it has no pod.
 */
static bool is_in_use(const struct unmatched *s, const struct pod_view *pod,
		      struct ctl_node *node)
{
	const struct nodeset *set =
		config_nodeset_of(s->nodes->config, pod->node);
	struct node_state *m;

	m = node_state_find(s->nodes, pod->node);
	if (set &&
	    (cluster_of(s->nodes, set) == s->cluster || (m && m->pod.has)))
		return false;
	return ctl_nodes_find(s->nodes->slurm.all, pod->node, node) &&
	       node->power != CTL_POWERED_DOWN;
}

/* True if something may be asked for: nothing was lately, nor is under way. */
static bool may_ask(const struct unmatched *s, struct worker_pod_entry *seen)
{
	const int64_t now = clock_ms();

	if (!unmatched_pod_may_act(seen->asked_ms, now) ||
	    node_requests_busy(watch_requests(s->cluster), seen->pod.name))
		return false;
	seen->asked_ms = now;
	return true;
}

static void look_at_left_behind(const struct unmatched *s,
				struct worker_pod_entry *seen,
				const struct ctl_node *node)
{
	const struct pod_jobs none = {
		.ids = "", .steps = "", .rules = &s->nodes->config->jobs};
	struct node_requests *w = watch_requests(s->cluster);
	struct node_decision plan;

	node_left_behind(&seen->pod, node->busy, &plan);
	if (plan.kube != POD_NOTE || !node_requests_may_note(w) ||
	    !may_ask(s, seen))
		return;
	log_info("pod %s: its node %s is in no nodeset of this cluster and has "
		 "no jobs: it is no longer protected from eviction",
		 seen->pod.name, seen->pod.node);
	node_requests_note(w, &seen->pod, &none, false);
}

/* Under the cache's lock: a pod that no node has asked for. */
static void look_at_unmatched(void *arg, struct worker_pod_entry *seen)
{
	struct unmatched *s = arg;
	struct ctl_node node;
	struct node_decision plan;

	if (seen->gone || seen->mark == s->nodes->pass ||
	    is_own(s, &seen->pod) || is_elsewhere(s, &seen->pod))
		return;
	if (is_in_use(s, &seen->pod, &node)) {
		look_at_left_behind(s, seen, &node);
		return;
	}
	/* Slurm's nodes may have been read long ago. */
	unmatched_pod_decide(&seen->pod,
			     s->nodes->slurm.whole_at - seen->since_ms, &plan);
	nodes_look_within(s->nodes, plan.again_ms);
	if (plan.kube != POD_DELETE || !may_ask(s, seen))
		return;
	log_warn("pod %s with the label of node %s: %s; deleted",
		 seen->pod.name, seen->pod.node, plan.words);
	node_requests_delete(watch_requests(s->cluster), &seen->pod);
}

void unmatched_pods_look(struct nodes *nodes)
{
	for (size_t i = 0; i < nodes->config->n_clusters; i++) {
		struct unmatched s = {nodes, nodes->links[i]};

		if (!watch_is_live(s.cluster))
			continue;
		worker_pods_lock(watch_pods(s.cluster));
		worker_pods_each(watch_pods(s.cluster), look_at_unmatched, &s);
		worker_pods_unlock(watch_pods(s.cluster));
	}
}
