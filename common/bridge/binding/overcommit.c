/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whether Kubernetes has room for what Slurm has given away. An external node
 * keeps its size in Slurm for a while when pods that are not ours take more of
 * it (external/external_size.h), or when its devices are away for a moment. The
 * kubelet would turn a pod of ours away meanwhile, and the pod would have
 * failed for good. Under the lock of `seen`.
 */
#include "bridge/binding/binding.h"

#define MIB (1 << 20)

/* What our pods hold of a Kubernetes node, or may. */
struct overcommit {
	UT_hash_handle hh;
	int failed;
	/* what all our pods hold, and the part of it that find_own() finds */
	struct pod_requests held, own;
	uint32_t pods, own_pods; /* the numbers of these pods */
	uint64_t own_of; /* asker.asked of the group that `own` is for */
	bool too_much;	 /* a sum was too large to be counted */
	char name[];
};

/* A pod on its way to a node, which is counted there. */
struct overcommit_way {
	UT_hash_handle hh; /* by uid */
	int failed;
	struct overcommit *to;
	char uid[];
};

void overcommit_free(struct bridge *b)
{
	struct overcommit *c = NULL, *next = NULL;
	struct overcommit_way *w = NULL, *next_w = NULL;

	HASH_ITER(hh, b->overcommit.ways, w, next_w)
	{
		HASH_DELETE(hh, b->overcommit.ways, w);
		free(w);
	}
	HASH_ITER(hh, b->overcommit.nodes, c, next)
	{
		HASH_DELETE(hh, b->overcommit.nodes, c);
		free(c);
	}
}

/* Count a pod on a node. NULL: out of memory. */
static struct overcommit *overcommit_add(struct bridge *b, const char *node,
					 const struct pod_requests *need)
{
	const size_t size = strlen(node) + 1;
	struct overcommit *c;

	HASH_FIND_STR(b->overcommit.nodes, node, c);
	if (!c && (c = calloc(1, sizeof(*c) + size))) {
		memcpy(c->name, node, size);
		HASH_ADD_KEYPTR(hh, b->overcommit.nodes, c->name, size - 1, c);
		if (c->failed) {
			free(c);
			c = NULL;
		}
	}
	if (!c)
		return NULL;
	c->pods++;
	c->too_much |= pod_requests_add(&c->held, need, NULL) != 0;
	return c;
}

static void way_add(struct bridge *b, const char *uid, const char *node,
		    const struct pod_requests *need)
{
	struct overcommit *c = overcommit_add(b, node, need);
	const size_t size = strlen(uid) + 1;
	struct overcommit_way *w = c ? calloc(1, sizeof(*w) + size) : NULL;

	if (!w)
		return;
	w->to = c;
	memcpy(w->uid, uid, size);
	HASH_ADD_KEYPTR(hh, b->overcommit.ways, w->uid, size - 1, w);
	if (w->failed)
		free(w);
}

static struct overcommit_way *way_of(struct bridge *b, const char *uid)
{
	struct overcommit_way *w;

	HASH_FIND_STR(b->overcommit.ways, uid, w);
	return w;
}

/* Count a pod on its way; one in view with a node is counted already. */
static void add_way(void *arg, const struct sent_binding *one)
{
	struct bridge *b = arg;
	const struct group_pod *m = pod_groups_pod(b->groups, one->uid);

	if (m && pod_waits(m->pod))
		way_add(b, one->uid, one->node, &m->shape->need);
}

/* Count all our pods, once in a pass; overcommit_bound() adds later ones. */
static void find_crowd(struct bridge *b)
{
	if (b->overcommit.known)
		return;
	overcommit_free(b);
	for (const struct pod_group *g = pod_groups_first(b->groups); g;
	     g = g->hh.next)
		for (const struct group_pod *m = g->members; m; m = m->next)
			/*
			 * Pods that others bound are counted in the inventory.
			 */
			if (*m->pod->node && m->pod->job_id && !m->pod->ended)
				overcommit_add(b, m->pod->node,
					       &m->shape->need);
	bridge_requests_each_way(b->requests, add_way, b);
	b->overcommit.known = true;
}

void overcommit_bound(struct bridge *b, const char *uid, const char *node,
		      const struct pod_requests *need)
{
	const struct overcommit_way *w;

	if (!b->overcommit.known)
		return;
	w = way_of(b, uid);
	if (!w)
		way_add(b, uid, node, need);
	else if (strcmp(w->to->name, node) != 0)
		/* The pod was on its way to another node: count anew. */
		b->overcommit.known = false;
}

/* The group for which room is looked for. */
struct asker {
	struct bridge *b;
	const struct pod_group *g;
	bool several;	/* the job has more than one node */
	uint64_t asked; /* number of this asker; 0: before find_own() */
};

static void own_add(const struct asker *a, struct overcommit *c,
		    const struct pod_requests *need)
{
	if (!c)
		return;
	if (c->own_of != a->asked) {
		c->own = (struct pod_requests){0};
		c->own_pods = 0;
		c->own_of = a->asked;
	}
	c->own_pods++;
	c->too_much |= pod_requests_add(&c->own, need, NULL) != 0;
}

/*
 * Find the part of `held` that is not in the way of the group's pods which are
 * to be bound: that of its pods whose binding is on its way, as these are among
 * them. If the job has several nodes the question is whether its share of each
 * is there, which is for its running pods, too, so their part counts as well.
 */
static void find_own(struct asker *a)
{
	struct bridge *b = a->b;

	find_crowd(b);
	if (a->asked)
		return;
	a->asked = ++b->overcommit.asked;
	for (const struct group_pod *m = a->g->members; m; m = m->next) {
		const struct overcommit_way *w =
			pod_waits(m->pod) ? way_of(b, m->pod->uid) : NULL;
		struct overcommit *c = w ? w->to : NULL;

		if (a->several && *m->pod->node && m->pod->job_id &&
		    !m->pod->ended)
			HASH_FIND_STR(b->overcommit.nodes, m->pod->node, c);
		own_add(a, c, &m->shape->need);
	}
}

/* What our pods hold of the node; NULL: nothing. *own: `own` is the asker's. */
static const struct overcommit *overcommit_at(struct asker *a, const char *node,
					      bool *own)
{
	const struct overcommit *c;

	find_own(a);
	HASH_FIND_STR(a->b->overcommit.nodes, node, c);
	*own = c && c->own_of == a->asked;
	return c;
}

/*
 * The number of the group's pods that are to be bound; *all is what they ask
 * for together, *most the needs of one that asks for devices.
 */
static uint32_t ask_of(const struct pod_group *g, struct pod_requests *all,
		       struct pod_requests *most)
{
	uint32_t n = 0;

	*all = *most = (struct pod_requests){0};
	for (const struct group_pod *m = g->members; m; m = m->next) {
		const struct pod_requests *need = &m->shape->need;

		if (!pod_waits(m->pod) || m->pod->gated || m->shape->refusal)
			continue;
		n++;
		if (pod_requests_add(all, need, NULL))
			all->cpu_milli = INT64_MAX;
		if (need->n_ext)
			*most = *need;
	}
	return n;
}

/*
 * What may be bound to the i-th of the job's n nodes: if there are several, the
 * job's share of CPUs and memory there at most, and devices as one pod asks for
 * them.
 */
static void share_of(const struct queue_entry *q, size_t i, size_t n,
		     const struct pod_requests *all,
		     const struct pod_requests *most, struct pod_requests *out)
{
	const struct placed_node *at =
		q->nodes.layout ? ctl_layout_at(q->nodes.layout, i) : NULL;
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

/*
 * True if Slurm has the node larger than it is, as far as the pods ask for it.
 */
static bool may_lack(const struct ctl_node *node,
		     const struct inventory_node *x,
		     const struct pod_requests *used,
		     const struct pod_requests *need)
{
	return need->n_ext ||
	       (int64_t)node->cpus * 1000 >
		       x->view.cpu_milli - used->cpu_milli ||
	       (int64_t)node->memory_mib >
		       (x->view.memory_bytes - used->memory_bytes) / MIB;
}

/* True if the needs fit the node; *used is what pods that are not ours use. */
static bool fits(struct asker *a, const struct inventory_node *x,
		 struct pod_requests *used, const struct pod_requests *need)
{
	static const struct pod_requests none;
	bool has_own;
	const struct overcommit *c = overcommit_at(a, x->name, &has_own);
	const struct pod_requests *own = c && has_own ? &c->own : &none;

	if (c && (c->too_much || pod_requests_add(used, &c->held, NULL)))
		return false;
	if (pod_requests_add(used, need, NULL) ||
	    used->cpu_milli - own->cpu_milli > x->view.cpu_milli ||
	    used->memory_bytes - own->memory_bytes > x->view.memory_bytes)
		return false;
	for (uint32_t i = 0; i < need->n_ext; i++) {
		const char *resource = need->ext[i].name;

		if (pod_requests_count(used, resource) -
			    pod_requests_count(own, resource) >
		    kube_node_count(&x->view, resource))
			return false;
	}
	return true;
}

/*
 * True if the kubelet may have more pods than it takes. Each pod of ours has a
 * CPU of Slurm's or more: a node with few CPUs need not be counted.
 */
static bool may_be_full(const struct ctl_node *node,
			const struct inventory_node *x)
{
	return x->view.pods > 0 &&
	       (int64_t)inventory_node_others(x) + node->cpus > x->view.pods;
}

static bool is_full(struct asker *a, const struct inventory_node *x,
		    const struct ctl_node *node, uint32_t pods)
{
	const struct overcommit *c;
	bool own;

	if (!may_be_full(node, x))
		return false;
	c = overcommit_at(a, x->name, &own);
	return (int64_t)inventory_node_others(x) + (c ? c->pods : 0) -
		       (c && own ? c->own_pods : 0) + pods >
	       x->view.pods;
}

uint32_t overcommit_pods(struct bridge *b, const struct inventory_node *x)
{
	const struct overcommit *c;
	struct ctl_node node;

	if (!b->external.slurm.nodes ||
	    !ctl_nodes_find(b->external.slurm.nodes, x->slurm, &node) ||
	    !may_be_full(&node, x))
		return 0;
	find_crowd(b);
	HASH_FIND_STR(b->overcommit.nodes, x->name, c);
	return inventory_node_others(x) + (c ? c->pods : 0);
}

static bool has_room(struct asker *a, const char *slurm,
		     const struct pod_requests *need, uint32_t pods)
{
	struct bridge *b = a->b;
	const struct inventory_node *x =
		inventory_of_slurm(b->inventory, slurm);
	struct pod_requests used;
	struct ctl_node node;

	/*
	 * No pod is bound to a node that cannot be read: see
	 * node_filter_fits().
	 */
	if (!x || !x->seen || x->view.unread ||
	    !ctl_nodes_find(b->external.slurm.nodes, slurm, &node))
		return true;
	if (is_full(a, x, &node, pods))
		return false;
	/*
	 * The size of a node with slurmd is slurm.conf's, and nothing would end
	 * the wait: the kubelet turns the pod away, with words.
	 */
	if (!node.external)
		return true;
	if (inventory_node_used(x, &used, NULL))
		return false;
	return !may_lack(&node, x, &used, need) || fits(a, x, &used, need);
}

bool is_overcommitted(struct bridge *b, const struct queue_entry *q,
		      const struct pod_group *g)
{
	_cleanup_hostlist_ struct hostlist nodes = {0};
	struct asker a = {.b = b, .g = g};
	struct pod_requests all, most, need;
	uint32_t pods;
	bool room = true;

	if (!b->external.slurm.nodes || !g || !inventory_ready(b->inventory) ||
	    allocation_nodes(q, &nodes))
		return false;
	pods = ask_of(g, &all, &most);
	a.several = nodes.n > 1;
	/* How many pods go to each of several nodes place_pods() decides. */
	if (a.several)
		pods = 1;
	inventory_lock(b->inventory);
	for (size_t i = 0; i < nodes.n && room; i++) {
		share_of(q, i, nodes.n, &all, &most, &need);
		room = has_room(&a, nodes.names[i], &need, pods);
	}
	inventory_unlock(b->inventory);
	return !room;
}
