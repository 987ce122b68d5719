/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Put Slurm's node and its pod side by side and ask the planner. */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/str.h"
#include "nodes/reconcile/node_limit.h"
#include "nodes/reconcile/node_look.h"
#include "nodes/reconcile/node_metrics.h"
#include "nodes/reconcile/reconcile.h"
#include "syntax/node_reason.h"

#define LOOKED_MS 5000 /* how long an answer that there is no pod counts */
/* Power saving has mostly seen an allocated node by then. */
#define ALLOCATED_MS 3000

static struct power_news note_power(struct nodes *nodes, struct node_state *m,
				    const struct nodeset *set,
				    const struct ctl_node *node,
				    const struct slurm_node *now)
{
	struct power_news news;

	if (now->power == NODE_UP || now->power == NODE_POWERING_UP)
		m->features =
			features_of_list(set->known, node->features_active);
	news = look_power(&m->power, now, nodes->slurm.whole_at, clock_ms());
	if (news.came_up) {
		cooldown_success(nodes, set, m->features, news.since);
		m->alone = (struct feature_failures){0};
		node_metrics_came_up(&m->start, &m->power, &news);
	}
	nodes->count.up += news.up;
	if (!news.changed)
		return news;
	m->tried = (struct node_attempts){0};
	m->host.lost_since = 0;
	return news;
}

int manifest_of(struct nodes *nodes, const struct nodeset *set,
		const struct ctl_node *node, struct manifest *out,
		struct err *err)
{
	const struct node_facts facts = {.name = node->name,
					 .cpus = node->cpus,
					 .memory_mib = node->memory_mib,
					 .gres = node->gres,
					 .features = node->features_active};

	return manifest_make(nodes->site.cluster, set, &facts, out, err);
}

/* A job may end and the next one start between two looks at the node. */
static void note_busy(struct nodes *nodes, struct node_state *m,
		      const struct ctl_node *node)
{
	if (node->busy && node->last_busy_s != m->last_busy_s)
		job_index_expire(nodes);
	m->last_busy_s = node->last_busy_s;
	if (node->busy == m->busy)
		return;
	m->busy = node->busy;
	m->busy_ms = clock_real_ms();
	nodes->count.busy += node->busy ? 1 : -1;
	job_index_expire(nodes);
	job_index_forget(m);
}

static const char *hash_of(struct nodes *nodes, struct node_state *m,
			   const struct nodeset *set,
			   const struct ctl_node *node)
{
	feature_set active =
		features_of_list(set->known, node->features_active);
	struct manifest made;

	if (m->active != active)
		*m->hash = '\0';
	m->active = active;
	if (!*m->hash && !manifest_of(nodes, set, node, &made, NULL)) {
		str_copy(m->hash, made.hash, sizeof(m->hash));
		manifest_clear(&made);
	}
	return *m->hash ? m->hash : NULL;
}

/*
 * Logged once for a nodeset: its nodes differ little, and the remedy is in one
 * place.
 */
static void tell_too_long(struct nodes *nodes, const struct nodeset *set,
			  const struct ctl_node *node)
{
	struct cooldown *c = cooldown_of(nodes, set);

	if (c->features_told)
		return;
	c->features_told = true;
	log_warn("nodeset %s: the features of its nodes (as of %s) are too "
		 "long to be corrected as a whole, with more than %d bytes: "
		 "Slurm may go on naming some twice, or taking some for active "
		 "that no pod has, and jobs may wait for such nodes in vain. "
		 "Give them fewer or shorter ones",
		 set->name, node->name, NODE_WORDS_MAX - 1);
}

/*
 * The features that Slurm should show for the node. NULL: those that it shows.
 */
static const char *expected_features(struct nodes *nodes,
				     const struct nodeset *set,
				     const struct ctl_node *node,
				     const struct node_view *v,
				     char out[NODE_WORDS_MAX])
{
	const struct features_seen f = {.known = set->known,
					.available = node->features,
					.active = node->features_active,
					.pod = v->pod ? v->pod->features
						      : NULL};
	enum features_look is;

	if (!nodes->site.has_features || !set->known->n)
		return NULL;
	is = look_features(&f, &v->node, out);
	if (is == FEATURES_TOO_LONG || is == FEATURES_CHANGE_TOO_LONG)
		tell_too_long(nodes, set, node);
	return is == FEATURES_CHANGE || is == FEATURES_CHANGE_TOO_LONG ? out
								       : NULL;
}

void actions_add(struct actions *out, const struct action *a)
{
	if (out->n == out->size) {
		size_t size = out->size ? out->size * 2 : 64;
		struct action *v = realloc(out->v, size * sizeof(*v));

		if (!v)
			return;
		out->v = v;
		out->size = size;
	}
	if (out->n < ACTIONS_MAX)
		out->v[out->n++] = *a;
}

uint32_t uid_sum(const struct pod_view *pod)
{
	return str_hash(0, pod->uid, strlen(pod->uid));
}

/*
 * True if Kubernetes said just now, and in this node's present power state,
 * that there is no pod.
 */
static bool absent_now(const struct node_state *m, struct worker_pods *cache,
		       const char *pod)
{
	int64_t at = worker_pods_absent_at(cache, pod);

	return at >= m->power.since && clock_ms() - at < LOOKED_MS;
}

/*
 * True if Kubernetes said in this power state that the pod has ended. That
 * stays so: the answer need not be of just now.
 */
static bool ended_now(const struct node_state *m, struct worker_pods *cache,
		      const struct pod_view *pod)
{
	return worker_pods_ended_at(cache, pod->name, pod->uid) >=
	       m->power.since;
}

/*
 * True if the node's pod, in which it may be up, is where its nodeset's pods
 * were before k8s.yaml gave its nodes to another entry under clusters.
 */
static bool is_left_elsewhere(struct nodes *nodes, const struct node_state *m,
			      const struct cluster *own)
{
	char name[DNS_LABEL_MAX + 1];
	bool is = false;

	if (m->pod.has || m->power.now != NODE_UP)
		return false;
	name_pod_of_node(m->name, name);
	for (size_t i = 0; i < nodes->config->n_clusters && !is; i++) {
		struct worker_pods *cache = watch_pods(nodes->links[i]);
		const struct worker_pod_entry *seen;

		if (nodes->links[i] == own)
			continue;
		worker_pods_lock(cache);
		seen = worker_pods_find(cache, name);
		is = seen && !seen->gone && !seen->pod.terminated &&
		     !phase_is_end(seen->pod.phase) &&
		     str_eq(seen->pod.node, m->name);
		worker_pods_unlock(cache);
	}
	return is;
}

/* Under the cache's lock. */
static void view_pod(struct nodes *nodes, struct node_state *m,
		     struct worker_pods *cache, const struct disrupted *d,
		     struct node_view *v)
{
	char name[DNS_LABEL_MAX + 1];
	struct worker_pod_entry *seen;
	const int64_t now = clock_ms();
	int64_t absent;
	bool has;

	name_pod_of_node(m->name, name);
	seen = worker_pods_find(cache, name);
	if (seen)
		seen->mark = nodes->pass;
	has = seen && !seen->gone;
	m->pod.view_sum = has ? uid_sum(&seen->pod) : 0;
	absent = look_absent(&m->pod, has, v->live, v->elsewhere, now);
	if (has) {
		v->pod = &seen->pod;
		m->pod.phase = seen->pod.phase;
		v->pod_for = now - seen->since_ms;
		v->ending_for = seen->ending_ms ? now - seen->ending_ms : 0;
		v->restarts =
			look_restarts(&m->pod, &m->power, m->busy,
				      uid_sum(v->pod), v->pod->restarts, now);
		v->busy_ms = m->busy_ms;
		v->ended = ended_now(m, cache, v->pod);
		return;
	}
	v->absent_for = absent ? now - absent : 0;
	v->calm_for = absent ? disruption_calm_for(&d->pods, absent, now) : 0;
	v->absent = !v->elsewhere && absent_now(m, cache, name);
	if (!seen || v->elsewhere)
		return;
	v->gone = v->live && seen->deleted &&
		  look_is_gone(&m->power, &v->node, seen->since_ms,
			       seen->born_ms);
	v->last_words = seen->pod.words;
	if (!seen->pod.terminated && (seen->pod.running || m->power.was_up))
		v->left_for = now - seen->since_ms + 1;
}

/*
 * For how many ms host and slurmd are lost, as look_lost() says, without a
 * disruption.
 */
static int64_t lost_for(struct node_state *m, const struct disrupted *d,
			const struct node_view *v)
{
	const int64_t now = clock_ms();
	const int64_t since = look_lost(&m->host, &v->node, &v->host, now);

	return since ? disruption_calm_for(&d->hosts, since, now) : 0;
}

/* True if the node was told, by anybody, to power down at Slurm's next look. */
static bool is_told(const struct ctl_node *node)
{
	return node->power == CTL_UP && node->ending && !node->busy;
}

static void count_nodes(struct nodes *nodes)
{
	struct ctl_node node;
	struct node_state *m;

	for (size_t i = 0; i < nodes->config->n_nodesets; i++)
		nodes->cooling[i].unavailable = 0;
	node_census_begin(nodes);
	for (size_t i = 0; ctl_nodes_at(nodes->slurm.all, i, &node); i++) {
		const struct nodeset *set =
			node.name ? config_nodeset_of(nodes->config, node.name)
				  : NULL;

		if (!set)
			continue;
		m = node_state_find(nodes, node.name);
		if (node.power == CTL_POWERING_DOWN || is_told(&node) ||
		    (m && m->tried.rolling))
			cooldown_of(nodes, set)->unavailable++;
		node_census_add(nodes, set, &node, m);
	}
	node_census_end(nodes);
}

/* What the requests to the node's cluster say of its pod, if that matters. */
static void see_requests(struct node_requests *w, const struct node_state *m,
			 const struct node_view *v,
			 const struct node_decision *p, struct node_limits *l)
{
	if (!v->pod || !node_limit_needs_requests(p))
		return;
	l->pending = node_requests_busy(w, v->pod->name);
	l->may_note = node_requests_may_note(w);
	l->note_sum = note_sum(m);
}

static void decide(struct nodes *nodes, struct node_state *m,
		   const struct nodeset *set, const struct node_view *v,
		   struct actions *out)
{
	struct action a = {.set = set, .memo = m};
	struct node_limits l = {
		.has_lease = cluster_held(cluster_of(nodes, set)),
		.record_at = nodes->apply.record_at,
		.max_unavailable = set->max_unavailable,
		.now_ms = clock_ms(),
	};
	struct node_memory memory = {
		.node = &m->tried,
		.steps = &m->steps.pace,
		.turns = &nodes->turns[set->cluster - nodes->config->clusters],
		.unavailable = &cooldown_of(nodes, set)->unavailable,
		.n_notes = &out->n_notes,
		.n_records = &out->n_records,
	};
	struct node_limited how;

	node_decide(v, &a.plan);
	node_decide_features(set->known, m->features, &a.plan);
	see_requests(requests_of(nodes, set), m, v, &a.plan, &l);
	node_limit(v, &l, &memory, &a.plan, &how);
	nodes_look_within(nodes, a.plan.again_ms);
	if (!l.has_lease)
		return; /* the engine of another slurmctld acts on the node */
	m->steps.changed = how.steps_left;
	if (how.recheck) {
		*m->hash = '\0';
		node_states_reload(nodes);
	}
	if (!how.any)
		return;
	a.only_steps = how.only_steps;
	if (v->pod) {
		str_copy(a.pod, v->pod->name, sizeof(a.pod));
		str_copy(a.uid, v->pod->uid, sizeof(a.uid));
	}
	actions_add(out, &a);
}

static struct slurm_node node_of(const struct ctl_node *n)
{
	return (struct slurm_node){
		.power = node_power_of(n->power),
		.down = n->down,
		.drained = n->drained,
		.busy = n->busy,
		.no_respond = n->no_respond,
		.rebooting = n->rebooting,
		.reboot_asked = n->reboot_asked,
		.ending = n->ending,
		.extra = n->extra,
		.reason = n->reason,
		.reason_ms = n->reason_ms,
		.last_busy_ms = n->last_busy_s * 1000,
		.slurmd_start_ms = n->slurmd_start_s * 1000,
	};
}

/*
 * True if the pod may be made before k8s_resume does: if the files, which
 * k8s_resume reads each time, are those that the engine has in force.
 */
static bool may_start_early(const struct nodes *nodes,
			    const struct nodeset *set,
			    const struct node_state *m)
{
	return nodes->site.starts_early && m->allocated_at &&
	       clock_ms() - m->allocated_at < ALLOCATED_MS &&
	       config_is_current(nodes->config, set);
}

void node_observe(struct nodes *nodes, const struct ctl_node *node,
		  struct actions *out)
{
	const struct nodeset *set =
		config_nodeset_of(nodes->config, node->name);
	struct node_state *m = set ? node_state_of(nodes, node->name) : NULL;
	char set_features[NODE_WORDS_MAX];
	const char *cool_words;
	struct worker_pods *cache;
	struct slurm_node now;
	struct disrupted *d;
	struct node_view v;
	struct cluster *l;
	struct power_news news;

	if (!m)
		return;
	d = disrupted_of(nodes, set);
	l = cluster_of(nodes, set);
	cache = watch_pods(l);
	now = node_of(node);
	news = note_power(nodes, m, set, node, &now);
	now.power_for = clock_ms() - m->power.since;
	look_reason(&m->reason, &now, clock_real_ms());
	look_drain(&m->reason, &now, clock_ms());
	note_busy(nodes, m, node);
	cool_words = cooldown_words(nodes, set, m);
	v = (struct node_view){
		.node = now,
		.live = watch_is_live(l),
		.ns = set->cluster->ns,
		.jobs = jobs_are_known(m) ? buf_str(&m->jobs.jobs) : NULL,
		.steps_known = nodes->steps.all != NULL,
		.steps = m->steps.sum,
		.asked = m->jobs.asked_sum,
		.cooling = cool_words != NULL,
		.cool_words = cool_words,
		.rules = &set->failover,
		.now_ms = clock_real_ms(),
		.allocated = may_start_early(nodes, set, m),
		.kept_up = m->kept.up || (!nodes->running.looked &&
					  node_extra_is_kept(now.extra)),
	};
	v.elsewhere = is_left_elsewhere(nodes, m, l);
	worker_pods_lock(cache);
	view_pod(nodes, m, cache, d, &v);
	node_metrics_look(&m->start, m->power.now == NODE_UP, v.pod);
	disrupted_note(nodes, m, &v);
	v.set_features = expected_features(nodes, set, node, &v, set_features);
	v.features_tried = m->tried.features_tried;
	if (v.pod) {
		cluster_host(l, v.pod->kube_node, &v.host);
		if (news.changed && m->power.now == NODE_POWERING_DOWN)
			node_requests_event(watch_requests(l), v.pod, false,
					    "power down",
					    "Slurm powers its node down");
		if (!v.set_features && m->power.now == NODE_UP && !node->busy)
			v.hash = hash_of(nodes, m, set, node);
	}
	v.lost_for = lost_for(m, d, &v);
	decide(nodes, m, set, &v, out);
	worker_pods_unlock(cache);
}

void nodes_observe_steps(struct nodes *nodes, struct actions *out)
{
	struct node_state *m = NULL, *next = NULL;
	struct ctl_node node;

	HASH_ITER(hh, nodes->memos, m, next)
	{
		/* What else has changed is not looked at here. */
		if (!m->steps.changed || clock_ms() < m->steps.pace.turn)
			continue;
		m->steps.changed = false;
		if (ctl_nodes_find(nodes->slurm.all, m->name, &node))
			node_observe(nodes, &node, out);
	}
}

void nodes_observe(struct nodes *nodes, struct actions *out)
{
	struct ctl_node node;

	node_states_begin_pass(nodes);
	count_nodes(nodes);
	for (size_t i = 0; ctl_nodes_at(nodes->slurm.all, i, &node); i++)
		if (node.name)
			node_observe(nodes, &node, out);
	disrupted_see(nodes);
	unmatched_pods_look(nodes);
}
