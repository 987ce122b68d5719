/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Put Slurm's node and its pod side by side and ask the planner. */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/str.h"
#include "nodes/reconcile/node_limit.h"
#include "nodes/reconcile/reconcile.h"

#define SETTLED_MS 10000 /* up for so long: what its pod says is of now */
#define LOOKED_MS 5000	 /* so long it counts that a pod is absent */

static void came_up(struct nodes *nodes, const struct nodeset *set,
		    struct node_state *m)
{
	cooldown_success(nodes, set, m->features, m->power_since);
	m->alone = (struct feature_failures){0};
}

/* True: it has changed. */
static bool note_power(struct nodes *nodes, struct node_state *m,
		       const struct nodeset *set, const struct ctl_node *node)
{
	enum node_power power = node_power_of(node->power);
	const bool first = !m->seen;

	m->seen = true;
	if (power == NODE_UP || power == NODE_POWERING_UP)
		m->features =
			features_of_list(set->known, node->features_active);
	if (power == NODE_POWERED_DOWN || power == NODE_POWERING_DOWN)
		m->down_at = nodes->slurm.whole_at;
	if (power == m->power)
		return false;
	/* A power-up that was given up looks like up until Slurm ends it. */
	if (power == NODE_UP && !node->down && !node->ending &&
	    !node->no_respond && !first)
		came_up(nodes, set, m);
	m->power_since = clock_ms();
	if (power == NODE_UP || power == NODE_POWERING_UP)
		m->was_up = power == NODE_UP && !node->ending;
	nodes->count.up += (power == NODE_UP) - (m->power == NODE_UP);
	m->power = power;
	m->tried = (struct node_attempts){0};
	m->lost_since = 0;
	return true;
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
		nodes->jobs.stale = true;
	m->last_busy_s = node->last_busy_s;
	if (node->busy == m->busy)
		return;
	m->busy = node->busy;
	m->busy_ms = clock_real_ms();
	nodes->count.busy += node->busy ? 1 : -1;
	nodes->jobs.stale = true;
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

/* It has no slurmd that could tell which features its pod has, and no job yet.
 */
static bool is_bare(const struct ctl_node *node, const struct pod_view *pod)
{
	return !node->busy && (node->power == CTL_POWERED_DOWN ||
			       (node->power == CTL_POWERING_DOWN && !pod));
}

/*
 * Once for a nodeset: its nodes differ little, and the remedy is in one place.
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
 * What Slurm should say that the node has: nothing while it is powered down,
 * else what its pod does. Slurm 22.05 believes in all available features from
 * each start and reconfiguration on, and names them once more. (That does no
 * harm by itself: where there is no room for both, only those that are active
 * are corrected.) NULL: it is right, or not ours to say.
 */
static const char *expected_features(struct nodes *nodes,
				     const struct nodeset *set,
				     const struct ctl_node *node,
				     const struct pod_view *pod,
				     char out[NODE_WORDS_MAX])
{
	feature_set has = features_of_list(set->known, node->features);
	feature_set active = 0;
	bool right;
	size_t n;

	if (!nodes->site.has_features || !set->known->n)
		return NULL;
	if (node->power == CTL_UP && pod && strcmp(pod->features, "?") != 0)
		active = features_of_list(set->known, pod->features);
	else if (!is_bare(node, pod))
		return NULL;
	if (active & ~has)
		return NULL;
	if (features_replace(set->known, node->features, active, out,
			     NODE_WORDS_MAX)) {
		tell_too_long(nodes, set, node);
		return NULL;
	}
	right = features_same_list(out, node->features_active);
	if (!features_repeat(node->features))
		return right ? NULL : out;
	n = strlen(out);
	if (n + 2 <= NODE_WORDS_MAX &&
	    !features_replace(set->known, node->features, has, out + n + 1,
			      NODE_WORDS_MAX - n - 1)) {
		out[n] = ' ';
		return out;
	}
	tell_too_long(nodes, set, node);
	return right ? NULL : out;
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

/*
 * True if the pod went in this node's present state. Of a node that is up it is
 * also enough that the pod was made since the node was down: slurmd may
 * register, and its pod be gone, before we see that the node is up.
 */
static bool gone_now(const struct node_state *m, const struct slurm_node *node,
		     const struct worker_pod_entry *seen)
{
	return seen->since_ms >= m->power_since ||
	       (node->power == NODE_UP && !node->ending &&
		seen->born_ms >= m->down_at);
}

uint32_t uid_sum(const struct pod_view *pod)
{
	return str_hash(0, pod->uid, strlen(pod->uid));
}

/*
 * How often slurmd's container was restarted before a job came. What the pod
 * says may be of the time before the node was up, too.
 */
static uint32_t restarts_before(struct node_state *m,
				const struct pod_view *pod)
{
	const uint32_t sum = uid_sum(pod);

	if (m->power == NODE_UP && m->busy && sum == m->pod_sum &&
	    clock_ms() - m->power_since >= SETTLED_MS)
		return m->restarts;
	m->pod_sum = sum;
	m->restarts = pod->restarts;
	return m->restarts;
}

/* True if Kubernetes said so just now, and in this node's present state. */
static bool absent_now(const struct node_state *m, struct worker_pods *cache,
		       const char *pod)
{
	int64_t at = worker_pods_absent_at(cache, pod);

	return at >= m->power_since && clock_ms() - at < LOOKED_MS;
}

/* What has ended stays so: it need not have been said just now. */
static bool ended_now(const struct node_state *m, struct worker_pods *cache,
		      const struct pod_view *pod)
{
	return worker_pods_ended_at(cache, pod->name, pod->uid) >=
	       m->power_since;
}

/*
 * True if its pod, in which it may be up, is where its nodeset's pods were
 * before k8s.yaml gave its nodes to another entry under clusters.
 */
static bool is_left_elsewhere(struct nodes *nodes, const struct node_state *m,
			      const struct cluster *own)
{
	char name[DNS_LABEL_MAX + 1];
	bool is = false;

	if (m->has_pod || m->power != NODE_UP)
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
	int64_t now = clock_ms();

	name_pod_of_node(m->name, name);
	seen = worker_pods_find(cache, name);
	if (seen)
		seen->mark = nodes->pass;
	m->has_pod = seen && !seen->gone;
	m->in_view = v->live;
	m->view_sum = m->has_pod ? uid_sum(&seen->pod) : 0;
	if (m->has_pod) {
		v->pod = &seen->pod;
		v->pod_for = now - seen->since_ms;
		v->ending_for = seen->ending_ms ? now - seen->ending_ms : 0;
		v->restarts = restarts_before(m, v->pod);
		v->busy_ms = m->busy_ms;
		v->ended = ended_now(m, cache, v->pod);
		m->absent_since = 0;
		return;
	}
	if (!v->live || v->elsewhere)
		m->absent_since = 0;
	else if (!m->absent_since)
		m->absent_since = now;
	v->absent_for = m->absent_since ? now - m->absent_since : 0;
	v->calm_for =
		m->absent_since
			? disruption_calm_for(&d->pods, m->absent_since, now)
			: 0;
	v->absent = !v->elsewhere && absent_now(m, cache, name);
	if (!seen || v->elsewhere)
		return;
	v->gone = v->live && seen->deleted && gone_now(m, &v->node, seen);
	v->last_words = seen->pod.words;
	if (!seen->pod.terminated && (seen->pod.running || m->was_up))
		v->left_for = now - seen->since_ms + 1;
}

/* After an UNDRAIN slurmd has to register before what Slurm says counts. */
static int64_t lost_for(struct node_state *m, const struct disrupted *d,
			const struct ctl_node *node,
			const struct kube_node_state *host)
{
	const bool same = node->drained == m->drained;

	m->drained = node->drained;
	if (!host->known || host->ready || !node->no_respond)
		m->lost_since = 0;
	else if (!m->lost_since || !same)
		m->lost_since = clock_ms();
	return m->lost_since ? disruption_calm_for(&d->hosts, m->lost_since,
						   clock_ms())
			     : 0;
}

#define SLURMS_OWN "drained by Slurm" /* as anybody's Reason: it stays */

/*
 * A Reason of ours on a node that is neither down nor drained is old: Slurm may
 * leave it behind (slurm/back_reason.h). When the node is, with that Reason and
 * its time, then Slurm has drained it, or set it down, and not we. Of what it
 * may be set down for so, all but one is a matter of whoever looks at it.
 */
static void take_reason(struct node_state *m, const struct ctl_node *node,
			struct slurm_node *out)
{
	const bool ours = node_is_ours(node->reason);

	out->reason = node->reason;
	out->reason_ms = node->reason_ms;
	if (!node->down && !node->drained) {
		m->old_reason_ms = ours ? node->reason_ms : 0;
		m->others_reason_at = 0;
		return;
	}
	if (!ours || !m->old_reason_ms)
		return;
	if (!m->others_reason_at && node->reason_ms == m->old_reason_ms)
		m->others_reason_at = clock_real_ms();
	if (!m->others_reason_at)
		return;
	out->reason = node->drained ? SLURMS_OWN : WK_REASON_SILENT;
	out->reason_ms = m->others_reason_at;
}

/* (by anybody) to power down, at Slurm's next look */
static bool is_told(const struct ctl_node *node)
{
	return node->power == CTL_UP && node->ending && !node->busy;
}

static void count_unavailable(struct nodes *nodes)
{
	struct ctl_node node;
	struct node_state *m;

	for (size_t i = 0; i < nodes->config->n_nodesets; i++)
		nodes->cooling[i].unavailable = 0;
	for (size_t i = 0; ctl_nodes_at(nodes->slurm.all, i, &node); i++) {
		const struct nodeset *set =
			node.name ? config_nodeset_of(nodes->config, node.name)
				  : NULL;

		if (!set)
			continue;
		HASH_FIND_STR(nodes->memos, node.name, m);
		if (node.power == CTL_POWERING_DOWN || is_told(&node) ||
		    (m && m->tried.rolling))
			cooldown_of(nodes, set)->unavailable++;
	}
}

/* Who reads of it shall see that it need not be so without them. */
static void name_features(const struct node_state *m, const struct nodeset *set,
			  struct node_decision *p)
{
	char names[FEATURES_TEXT_MAX], text[NODE_WORDS_MAX];
	int n;

	if (!p->failed || p->slurm != NODE_REQUEUE || !m->features)
		return;
	features_to_list(set->known, m->features, names);
	n = snprintf(text, sizeof(text), WK_WITH_FEATURES "%.100s: ", names);
	str_shorten(text + n, p->words, sizeof(text) - (size_t)n);
	str_copy(p->words, text, sizeof(p->words));
}

/* What the requests to its cluster say of its pod, if that matters. */
static void see_requests(struct node_requests *w, const struct node_state *m,
			 const struct node_view *v,
			 const struct node_decision *p, struct node_limits *l)
{
	if (!v->pod || !node_limit_needs_requests(v, p))
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
		.record_at = nodes->record_at,
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
	name_features(m, set, &a.plan);
	see_requests(requests_of(nodes, set), m, v, &a.plan, &l);
	node_limit(v, &l, &memory, &a.plan, &how);
	nodes_look_within(nodes, a.plan.again_ms);
	if (!l.has_lease)
		return; /* the engine of another slurmctld does it */
	m->steps.changed = how.steps_left;
	if (how.recheck) {
		*m->hash = '\0';
		atomic_store(&nodes->reload, true);
	}
	if (!how.any)
		return;
	a.ended = how.ended;
	a.at_once = how.at_once;
	a.only_steps = how.only_steps;
	if (v->pod) {
		str_copy(a.pod, v->pod->name, sizeof(a.pod));
		str_copy(a.uid, v->pod->uid, sizeof(a.uid));
	}
	actions_add(out, &a);
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
	struct disrupted *d;
	struct node_view v;
	struct cluster *l;
	bool changed;

	if (!m)
		return;
	d = disrupted_of(nodes, set);
	l = cluster_of(nodes, set);
	cache = watch_pods(l);
	changed = note_power(nodes, m, set, node);
	note_busy(nodes, m, node);
	cool_words = cooldown_words(nodes, set, m);
	v = (struct node_view){
		.node = {.power = m->power,
			 .down = node->down,
			 .drained = node->drained,
			 .busy = node->busy,
			 .no_respond = node->no_respond,
			 .rebooting = node->rebooting,
			 .reboot_asked = node->reboot_asked,
			 .ending = node->ending,
			 .extra = node->extra,
			 .power_for = clock_ms() - m->power_since},
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
	};
	take_reason(m, node, &v.node);
	v.elsewhere = is_left_elsewhere(nodes, m, l);
	worker_pods_lock(cache);
	view_pod(nodes, m, cache, d, &v);
	disrupted_note(nodes, m, &v);
	v.set_features =
		expected_features(nodes, set, node, v.pod, set_features);
	v.features_tried = m->tried.features_tried;
	if (v.pod) {
		cluster_host(l, v.pod->kube_node, &v.host);
		if (changed && m->power == NODE_POWERING_DOWN)
			node_requests_event(watch_requests(l), v.pod, false,
					    "power down",
					    "Slurm powers its node down");
		if (!v.set_features && m->power == NODE_UP && !node->busy)
			v.hash = hash_of(nodes, m, set, node);
	}
	v.lost_for = lost_for(m, d, node, &v.host);
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

	nodes->pass++;
	count_unavailable(nodes);
	for (size_t i = 0; ctl_nodes_at(nodes->slurm.all, i, &node); i++)
		if (node.name)
			node_observe(nodes, &node, out);
	disrupted_see(nodes);
	unmatched_pods_look(nodes);
}
