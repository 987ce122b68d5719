/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Is there room in Kubernetes for what Slurm has given away? An external node
 * keeps its size in Slurm for a while when pods that are not ours take more of
 * it (external/external_size.h), or when its devices are away for a moment:
 * then the kubelet would turn a pod of ours away, and it would have failed for
 * good. Under the lock of `seen`.
 */
#include "bridge/reconcile/bridge_internal.h"

#define MIB (1 << 20)

/* What our pods hold of a Kubernetes node, or may. */
struct crowd {
	UT_hash_handle hh;
	int failed;
	struct podneed held, own; /* `own`: of these, see find_own() */
	uint32_t pods, own_pods;
	uint64_t own_of; /* who asked: else `own` is of another one */
	bool too_much;	 /* to be counted */
	char name[];
};

/* A pod on its way to a node, which is counted there. */
struct crowd_way {
	UT_hash_handle hh; /* by uid */
	int failed;
	struct crowd *to;
	char uid[];
};

void crowd_free(struct bridge_thread *b)
{
	struct crowd *c = NULL, *next = NULL;
	struct crowd_way *w = NULL, *next_w = NULL;

	HASH_ITER(hh, b->crowd_ways, w, next_w)
	{
		HASH_DELETE(hh, b->crowd_ways, w);
		free(w);
	}
	HASH_ITER(hh, b->crowd, c, next)
	{
		HASH_DELETE(hh, b->crowd, c);
		free(c);
	}
}

/* NULL: out of memory. */
static struct crowd *crowd_add(struct bridge_thread *b, const char *node,
			       const struct podneed *need)
{
	const size_t size = strlen(node) + 1;
	struct crowd *c;

	HASH_FIND_STR(b->crowd, node, c);
	if (!c && (c = calloc(1, sizeof(*c) + size))) {
		memcpy(c->name, node, size);
		HASH_ADD_KEYPTR(hh, b->crowd, c->name, size - 1, c);
		if (c->failed) {
			free(c);
			c = NULL;
		}
	}
	if (!c)
		return NULL;
	c->pods++;
	c->too_much |= podneed_add(&c->held, need, NULL) != 0;
	return c;
}

static void way_add(struct bridge_thread *b, const char *uid, const char *node,
		    const struct podneed *need)
{
	struct crowd *c = crowd_add(b, node, need);
	const size_t size = strlen(uid) + 1;
	struct crowd_way *w = c ? calloc(1, sizeof(*w) + size) : NULL;

	if (!w)
		return;
	w->to = c;
	memcpy(w->uid, uid, size);
	HASH_ADD_KEYPTR(hh, b->crowd_ways, w->uid, size - 1, w);
	if (w->failed)
		free(w);
}

static struct crowd_way *way_of(struct bridge_thread *b, const char *uid)
{
	struct crowd_way *w;

	HASH_FIND_STR(b->crowd_ways, uid, w);
	return w;
}

/* (one that is in view with a node is counted there) */
static void add_way(void *arg, const struct bridge_sent *one)
{
	struct bridge_thread *b = arg;
	const struct bridge_member *m = bridge_seen_pod(b->seen, one->uid);

	if (m && pod_waits(m->pod))
		way_add(b, one->uid, one->node, &m->shape->need);
}

/* Once in a pass: what is decided in it is added by crowd_bound(). */
static void find_crowd(struct bridge_thread *b)
{
	if (b->crowd_known)
		return;
	crowd_free(b);
	for (const struct bridge_group *g = bridge_seen_first(b->seen); g;
	     g = g->hh.next)
		for (const struct bridge_member *m = g->members; m; m = m->next)
			/* (what others bound is among what others hold) */
			if (*m->pod->node && m->pod->job_id && !m->pod->ended)
				crowd_add(b, m->pod->node, &m->shape->need);
	bridge_work_each_way(b->work, add_way, b);
	b->crowd_known = true;
}

void crowd_bound(struct bridge_thread *b, const char *uid, const char *node,
		 const struct podneed *need)
{
	const struct crowd_way *w;

	if (!b->crowd_known)
		return;
	w = way_of(b, uid);
	if (!w)
		way_add(b, uid, node, need);
	else if (strcmp(w->to->name, node) != 0)
		b->crowd_known = false; /* (it was to go elsewhere) */
}

/* Who asks whether there is room. */
struct asker {
	struct bridge_thread *b;
	const struct bridge_group *g;
	bool several;	/* nodes */
	uint64_t asked; /* 0: not yet; see find_own() */
};

static void own_add(const struct asker *a, struct crowd *c,
		    const struct podneed *need)
{
	if (!c)
		return;
	if (c->own_of != a->asked) {
		c->own = (struct podneed){0};
		c->own_pods = 0;
		c->own_of = a->asked;
	}
	c->own_pods++;
	c->too_much |= podneed_add(&c->own, need, NULL) != 0;
}

/*
 * What of `held` is not in the way of the group's pods that are to be bound.
 * Those of its pods whose binding is on its way are to be bound, and counted
 * there. Where the job has several nodes it is asked whether its share of each
 * is there: that is for those of its pods, too, that run there already.
 */
static void find_own(struct asker *a)
{
	struct bridge_thread *b = a->b;

	find_crowd(b);
	if (a->asked)
		return;
	a->asked = ++b->crowd_asked;
	for (const struct bridge_member *m = a->g->members; m; m = m->next) {
		const struct crowd_way *w =
			pod_waits(m->pod) ? way_of(b, m->pod->uid) : NULL;
		struct crowd *c = w ? w->to : NULL;

		if (a->several && *m->pod->node && m->pod->job_id &&
		    !m->pod->ended)
			HASH_FIND_STR(b->crowd, m->pod->node, c);
		own_add(a, c, &m->shape->need);
	}
}

/* There; NULL: nothing of ours is. */
static const struct crowd *crowd_at(struct asker *a, const char *node,
				    bool *own)
{
	const struct crowd *c;

	find_own(a);
	HASH_FIND_STR(a->b->crowd, node, c);
	*own = c && c->own_of == a->asked;
	return c;
}

/*
 * What the group's pods that are to be bound ask for: all, and the most; how
 * many they are.
 */
static uint32_t ask_of(const struct bridge_group *g, struct podneed *all,
		       struct podneed *most)
{
	uint32_t n = 0;

	*all = *most = (struct podneed){0};
	for (const struct bridge_member *m = g->members; m; m = m->next) {
		const struct podneed *need = &m->shape->need;

		if (!pod_waits(m->pod) || m->pod->gated || m->shape->refusal)
			continue;
		n++;
		if (podneed_add(all, need, NULL))
			all->cpu_milli = INT64_MAX;
		if (need->n_ext)
			*most = *need;
	}
	return n;
}

/*
 * What may be bound to one of the job's nodes: of several no more than the job
 * has there, and of devices what one pod asks for at least.
 */
static void share_of(const struct queued *q, size_t i, size_t n,
		     const struct podneed *all, const struct podneed *most,
		     struct podneed *out)
{
	const struct placed_node *at =
		q->layout ? ctl_layout_at(q->layout, i) : NULL;
	int64_t cpu, memory;

	*out = *all;
	if (n == 1 || !at)
		return;
	*out = *most;
	cpu = (int64_t)at->cpus * 1000;
	memory = at->memory_mib ? (int64_t)at->memory_mib * MIB
				: all->memory_bytes;
	out->cpu_milli = cpu < all->cpu_milli ? cpu : all->cpu_milli;
	out->memory_bytes =
		memory < all->memory_bytes ? memory : all->memory_bytes;
}

/* Does Slurm have it larger than it is, as far as the pods ask for it? */
static bool may_lack(const struct ctl_node *node, const struct bridge_host *x,
		     const struct podneed *used, const struct podneed *need)
{
	return need->n_ext ||
	       (int64_t)node->cpus * 1000 >
		       x->view.cpu_milli - used->cpu_milli ||
	       (int64_t)node->memory_mib >
		       (x->view.memory_bytes - used->memory_bytes) / MIB;
}

/* *used is what all others hold there. */
static bool fits(struct asker *a, const struct bridge_host *x,
		 struct podneed *used, const struct podneed *need)
{
	static const struct podneed none;
	bool has_own;
	const struct crowd *c = crowd_at(a, x->name, &has_own);
	const struct podneed *own = c && has_own ? &c->own : &none;

	if (c && (c->too_much || podneed_add(used, &c->held, NULL)))
		return false;
	if (podneed_add(used, need, NULL) ||
	    used->cpu_milli - own->cpu_milli > x->view.cpu_milli ||
	    used->memory_bytes - own->memory_bytes > x->view.memory_bytes)
		return false;
	for (uint32_t i = 0; i < need->n_ext; i++) {
		const char *resource = need->ext[i].name;

		if (podneed_count(used, resource) -
			    podneed_count(own, resource) >
		    hostview_count(&x->view, resource))
			return false;
	}
	return true;
}

/*
 * May the kubelet have more pods than it takes? Each of ours has a CPU of
 * Slurm's or more: where there are fewer of these nothing is to be counted.
 */
static bool may_be_full(const struct ctl_node *node,
			const struct bridge_host *x)
{
	return x->view.pods > 0 &&
	       (int64_t)bridge_host_others(x) + node->cpus > x->view.pods;
}

static bool is_full(struct asker *a, const struct bridge_host *x,
		    const struct ctl_node *node, uint32_t pods)
{
	const struct crowd *c;
	bool own;

	if (!may_be_full(node, x))
		return false;
	c = crowd_at(a, x->name, &own);
	return (int64_t)bridge_host_others(x) + (c ? c->pods : 0) -
		       (c && own ? c->own_pods : 0) + pods >
	       x->view.pods;
}

uint32_t crowd_pods(struct bridge_thread *b, const struct bridge_host *x)
{
	const struct crowd *c;
	struct ctl_node node;

	if (!b->nodes || !ctl_nodes_find(b->nodes, x->slurm, &node) ||
	    !may_be_full(&node, x))
		return 0;
	find_crowd(b);
	HASH_FIND_STR(b->crowd, x->name, c);
	return bridge_host_others(x) + (c ? c->pods : 0);
}

static bool has_room(struct asker *a, const char *slurm,
		     const struct podneed *need, uint32_t pods)
{
	struct bridge_thread *b = a->b;
	const struct bridge_host *x = bridge_hosts_of_slurm(b->hosts, slurm);
	struct podneed used;
	struct ctl_node node;

	if (!x || !x->seen || !ctl_nodes_find(b->nodes, slurm, &node))
		return true;
	if (is_full(a, x, &node, pods))
		return false;
	/*
	 * (where there is a slurmd its slurm.conf says the size, and nothing
	 * would end the wait: the kubelet turns the pod away, with words)
	 */
	if (!node.external)
		return true;
	if (bridge_host_used(x, &used, NULL))
		return false;
	return !may_lack(&node, x, &used, need) || fits(a, x, &used, need);
}

bool is_crowded(struct bridge_thread *b, const struct queued *q,
		const struct bridge_group *g)
{
	_cleanup_hostlist_ struct hostlist nodes = {0};
	struct asker a = {.b = b, .g = g};
	struct podneed all, most, need;
	uint32_t pods;
	bool room = true;

	if (!b->nodes || !g || !bridge_hosts_ready(b->hosts) ||
	    act_nodes(q, &nodes))
		return false;
	pods = ask_of(g, &all, &most);
	a.several = nodes.n > 1;
	if (a.several) /* (how many go there is said by
			  bridge/jobspec/placement.h) */
		pods = 1;
	bridge_hosts_lock(b->hosts);
	for (size_t i = 0; i < nodes.n && room; i++) {
		share_of(q, i, nodes.n, &all, &most, &need);
		room = has_room(&a, nodes.names[i], &need, pods);
	}
	bridge_hosts_unlock(b->hosts);
	return !room;
}
