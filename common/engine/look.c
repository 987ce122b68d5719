/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Put Slurm's node and its pod side by side and ask the planner. */
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/str.h"
#include "engine/engine_internal.h"

#define RECHECK_MS 1000
#define REPEAT_MS 5000 /* the same action on the same node */

struct link *link_of(struct engine *e, const struct nodeset *set)
{
	return e->links[set->cluster - e->config->clusters];
}

static struct memo *memo_of(struct engine *e, const char *name)
{
	struct memo *m;
	size_t size;

	HASH_FIND_STR(e->memos, name, m);
	if (m)
		return m;
	size = strlen(name) + 1;
	m = calloc(1, sizeof(*m) + size);
	if (!m)
		return NULL;
	memcpy(m->name, name, size);
	m->power_since = m->down_at = clock_ms();
	HASH_ADD_KEYPTR(hh, e->memos, m->name, strlen(m->name), m);
	if (m->failed) {
		free(m);
		return NULL;
	}
	return m;
}

static enum plan_power power_of(enum ctl_node_power p)
{
	switch (p) {
	case CTL_POWERED_DOWN:
		return PLAN_POWERED_DOWN;
	case CTL_POWERING_UP:
		return PLAN_POWERING_UP;
	case CTL_UP:
		return PLAN_UP;
	case CTL_POWERING_DOWN:
		return PLAN_POWERING_DOWN;
	}
	return PLAN_UP;
}

static void note_power(struct engine *e, struct memo *m,
		       const struct nodeset *set, const struct ctl_node *node)
{
	enum plan_power power = power_of(node->power);

	if (power == PLAN_POWERED_DOWN || power == PLAN_POWERING_DOWN)
		m->down_at = e->nodes_whole_at;
	if (power == m->power)
		return;
	/* (a power-up that was given up looks like up until Slurm ends it) */
	if (power == PLAN_UP && !node->down && !node->ending &&
	    !node->no_respond)
		cooling_success(e, set);
	m->power_since = clock_ms();
	if (power == PLAN_UP || power == PLAN_POWERING_UP)
		m->was_up = power == PLAN_UP && !node->ending;
	m->power = power;
	m->creates = 0;
	m->create_after = 0;
	m->told = m->rechecked = false;
	m->acted = PLAN_KEEP;
}

int manifest_of(struct engine *e, const struct nodeset *set,
		const struct ctl_node *node, struct manifest *out,
		struct err *err)
{
	const struct node_facts facts = {.name = node->name,
					 .cpus = node->cpus,
					 .memory_mib = node->memory_mib,
					 .gres = node->gres};

	return manifest_make(e->site.cluster, set, &facts, out, err);
}

static const char *hash_of(struct engine *e, struct memo *m,
			   const struct nodeset *set,
			   const struct ctl_node *node)
{
	struct manifest made;

	if (!*m->hash && !manifest_of(e, set, node, &made, NULL)) {
		str_copy(m->hash, made.hash, sizeof(m->hash));
		manifest_clear(&made);
	}
	return *m->hash ? m->hash : NULL;
}

static void add_action(struct actions *out, const struct action *a)
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

static void look_later(struct engine *e, int64_t ms)
{
	int64_t at = clock_ms() + ms;

	if (ms && at < e->look_at)
		e->look_at = at;
}

/*
 * Did the pod go in this node's present state? Of a node that is up it is also
 * enough that the pod was made since the node was down: slurmd may register,
 * and its pod be gone, before we see that the node is up.
 */
static bool gone_now(const struct memo *m, const struct plan_node *node,
		     const struct pod_seen *seen)
{
	return seen->since_ms >= m->power_since ||
	       (node->power == PLAN_UP && !node->ending &&
		seen->born_ms >= m->down_at);
}

/* Under the cache's lock. */
static void view_pod(struct engine *e, struct memo *m, struct pod_cache *cache,
		     struct plan_view *v)
{
	char name[DNS_LABEL_MAX + 1];
	struct pod_seen *seen;
	int64_t now = clock_ms();

	name_pod_of_node(m->name, name);
	seen = pod_cache_find(cache, name);
	if (seen)
		seen->mark = e->pass;
	if (seen && !seen->gone) {
		v->pod = &seen->pod;
		v->pod_for = now - seen->since_ms;
		m->absent_since = 0;
		return;
	}
	if (!v->live)
		m->absent_since = 0;
	else if (!m->absent_since)
		m->absent_since = now;
	v->absent_for = m->absent_since ? now - m->absent_since : 0;
	if (!seen)
		return;
	v->gone = v->live && gone_now(m, &v->node, seen);
	v->last_words = seen->pod.words;
	if (seen->pod.running || m->was_up)
		v->left_for = now - seen->since_ms + 1;
}

/* Has it been done just now? Slurm takes a moment. */
static bool repeated(const struct memo *m, const struct plan *p)
{
	return p->slurm != PLAN_KEEP && m->acted == p->slurm &&
	       clock_ms() - m->acted_at < REPEAT_MS;
}

/* Nothing of it runs: there is nothing to wait for when it is deleted. */
static bool starts_nothing(const struct plan_pod *pod)
{
	return pod->trouble != POD_FINE && !pod->running;
}

static void decide(struct engine *e, struct memo *m, const struct nodeset *set,
		   const struct plan_view *v, struct actions *out)
{
	struct action a = {.set = set, .memo = m};
	struct link *l = link_of(e, set);

	plan_node(v, &a.plan);
	look_later(e, a.plan.again_ms);
	if (repeated(m, &a.plan)) {
		a.plan.slurm = PLAN_KEEP;
		look_later(e, REPEAT_MS);
	}
	if (a.plan.slurm == PLAN_RECYCLE && v->pod && !m->rechecked) {
		/* has only the file changed, or what Slurm says of the node? */
		m->rechecked = true;
		*m->hash = '\0';
		atomic_store(&e->reload, true);
		look_later(e, RECHECK_MS);
		a.plan.slurm = PLAN_KEEP;
	}
	if (a.plan.kube == PLAN_CREATE && clock_ms() < m->create_after) {
		look_later(e, m->create_after - clock_ms());
		a.plan.kube = PLAN_LEAVE;
	}
	if (v->pod) {
		str_copy(a.pod, v->pod->name, sizeof(a.pod));
		str_copy(a.uid, v->pod->uid, sizeof(a.uid));
		a.ended = v->pod->deleting && v->pod->terminated;
		a.at_once = a.ended || starts_nothing(v->pod);
	}
	if (a.ended && a.plan.kube == PLAN_LEAVE)
		a.plan.kube = PLAN_DELETE; /* its containers have ended */
	if (a.plan.kube == PLAN_DELETE && link_busy(l, a.pod))
		a.plan.kube = PLAN_LEAVE;
	if (a.plan.slurm != PLAN_KEEP || a.plan.kube != PLAN_LEAVE ||
	    (a.plan.failed && !m->told))
		add_action(out, &a);
}

void look_at_node(struct engine *e, const struct ctl_node *node,
		  struct actions *out)
{
	const struct nodeset *set = config_nodeset_of(e->config, node->name);
	struct memo *m = set ? memo_of(e, node->name) : NULL;
	struct pod_cache *cache;
	struct plan_view v;
	struct link *l;

	if (!m)
		return;
	l = link_of(e, set);
	cache = link_pods(l);
	note_power(e, m, set, node);
	v = (struct plan_view){
		.node = {.power = m->power,
			 .down = node->down,
			 .drained = node->drained,
			 .busy = node->busy,
			 .no_respond = node->no_respond,
			 .rebooting = node->rebooting,
			 .ending = node->ending,
			 .reason = node->reason,
			 .extra = node->extra,
			 .reason_ms = node->reason_ms,
			 .power_for = clock_ms() - m->power_since},
		.live = link_live(l),
		.ns = set->cluster->ns,
		.cooling = cooling_now(e, set),
		.cool_words = cooling_of(e, set)->words,
		.rules = &set->failover,
		.now_ms = clock_real_ms(),
	};
	pod_cache_lock(cache);
	view_pod(e, m, cache, &v);
	if (v.pod) {
		link_host(l, v.pod->kube_node, &v.host);
		if (m->power == PLAN_UP && !node->busy)
			v.hash = hash_of(e, m, set, node);
	}
	decide(e, m, set, &v, out);
	pod_cache_unlock(cache);
}

struct strays {
	struct engine *e;
	struct link *link;
};

/* Its nodeset is of another entry under clusters. */
static bool is_elsewhere(const struct strays *s, const struct plan_pod *pod)
{
	const struct nodeset *set =
		config_nodeset_named(s->e->config, pod->nodeset);

	return set && link_of(s->e, set) != s->link;
}

/* Its node's one pod after all: there was no memory to look at that node. */
static bool is_own(const struct strays *s, const struct plan_pod *pod)
{
	const struct nodeset *set = config_nodeset_of(s->e->config, pod->node);
	char name[DNS_LABEL_MAX + 1];
	struct ctl_node node;

	name_pod_of_node(pod->node, name);
	return set && link_of(s->e, set) == s->link &&
	       !strcmp(name, pod->name) &&
	       ctl_nodes_find(s->e->nodes, pod->node, &node);
}

/* Its node is in no nodeset any more, but up. */
static bool is_in_use(const struct strays *s, const struct plan_pod *pod)
{
	struct ctl_node node;

	return !config_nodeset_of(s->e->config, pod->node) &&
	       ctl_nodes_find(s->e->nodes, pod->node, &node) &&
	       node.power != CTL_POWERED_DOWN;
}

/* Under the cache's lock: a pod that no node has asked for. */
static void look_at_stray(void *arg, const struct pod_seen *seen)
{
	struct strays *s = arg;
	struct plan plan;

	if (seen->gone || seen->mark == s->e->pass || is_own(s, &seen->pod) ||
	    is_elsewhere(s, &seen->pod) || is_in_use(s, &seen->pod))
		return;
	plan_stray(&seen->pod, clock_ms() - seen->since_ms, &plan);
	look_later(s->e, plan.again_ms);
	if (plan.kube != PLAN_DELETE || link_busy(s->link, seen->pod.name))
		return;
	log_warn("pod %s with the label of node %s: %s; deleted",
		 seen->pod.name, seen->pod.node, plan.words);
	link_delete(s->link, &seen->pod, starts_nothing(&seen->pod) ? 0 : -1);
}

void look_at_all(struct engine *e, struct actions *out)
{
	struct ctl_node node;

	e->pass++;
	for (size_t i = 0; ctl_nodes_at(e->nodes, i, &node); i++)
		if (node.name)
			look_at_node(e, &node, out);
	for (size_t i = 0; i < e->config->n_clusters; i++) {
		struct strays s = {e, e->links[i]};

		if (!link_live(s.link))
			continue;
		pod_cache_lock(link_pods(s.link));
		pod_cache_each(link_pods(s.link), look_at_stray, &s);
		pod_cache_unlock(link_pods(s.link));
	}
}
