/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whether a node that Slurm has given to a job is free in Kubernetes, too. It
 * is not while a pod is there whose job does not run any more: that ends a
 * moment later than its job, whose CPUs Slurm gives away at once. Nor while a
 * pod may run on that Kubernetes does not have any more. Under the lock of
 * `seen`.
 */
#include "bridge/binding/binding.h"

void occupied_nodes_free(struct bridge *b)
{
	struct occupied_node *s = NULL, *next = NULL;

	HASH_ITER(hh, b->occupied.nodes, s, next)
	{
		HASH_DELETE(hh, b->occupied.nodes, s);
		free(s);
	}
}

static void stale_add(struct bridge *b, const char *node)
{
	const size_t size = strlen(node) + 1;
	struct occupied_node *s;

	HASH_FIND_STR(b->occupied.nodes, node, s);
	if (s || !(s = calloc(1, sizeof(*s) + size)))
		return;
	memcpy(s->name, node, size);
	HASH_ADD_KEYPTR(hh, b->occupied.nodes, s->name, size - 1, s);
	if (s->failed)
		free(s);
}

/*
 * True if the group's job has its CPUs now. Those of a suspended job are given
 * away.
 */
static bool has_cpus(const struct queue_entry *q)
{
	return job_runs(q) && q->job.state != PLACEHOLDER_SUSPENDED;
}

/*
 * A pod whose job has ended, or left it, or is suspended, or another group's.
 * (What others bound never had one.)
 */
static bool is_stale(const struct group_pod *m, bool all)
{
	return *m->pod->node && !m->pod->ended && m->pod->job_id &&
	       (all || m->look.astray || m->look.moved);
}

enum whose { NOT_ASKED, OURS, OTHERS };

/*
 * True if another Slurm cluster may have bound it. Pods of the last job of its
 * group are ours, even if its namespace may not enter any more.
 */
static bool is_others(struct bridge *b, const struct queue_entry *q,
		      const struct group_pod *m, enum whose *ns)
{
	if (m->look.ours || m->pod->job_id == (q ? q->job.id : 0))
		return false;
	if (q && !q->sight.looked &&
	    is_bound_by_us(b, m)) /* `ours` is set later */
		return false;
	if (*ns == NOT_ASKED)
		*ns = ns_is_others(&b->whose, m->group) ? OTHERS : OURS;
	return *ns == OTHERS;
}

/*
 * Pods that are bound. Not those of others, who could keep a node from being
 * used for ever. (A job that was put back and has started again may be
 * elsewhere: before it is known where its pods may be on nodes of others. So
 * they may after a start, or be another group's, which its first look finds
 * out: until then its nodes are taken, and no others.)
 */
static void add_bound(struct bridge *b, struct pod_group *g)
{
	struct queue_entry *q = queue_entry_find(b, g->key);
	const struct group_pod *m = g->members;
	enum whose others = NOT_ASKED;
	const bool all = !has_cpus(q) ||
			 (!q->nodes.names && !q->nodes.layout) ||
			 !q->sight.looked;

	/* The group itself may be looked at later than this. */
	if (!all && (q->nodes.others_at || q->job.requeued))
		strays_find(b, q, g, true);
	if (!all && !q->astray.strays)
		return;
	for (; m; m = m->next)
		if (is_stale(m, all) && !is_others(b, q, m, &others))
			stale_add(b, m->pod->node);
}

/*
 * A pod whose binding was sent, and that is not in view with a node yet. False:
 * it is by now, or is gone.
 */
static bool add_unseen(void *arg, const struct sent_binding *sent)
{
	struct bridge *b = arg;
	const struct group_pod *m = pod_groups_pod(b->seen, sent->uid);
	const struct queue_entry *q =
		m ? queue_entry_find(b, m->group->key) : NULL;

	if (!m || !pod_waits(m->pod))
		return false;
	/* A job that was put back may have started elsewhere since. */
	if (!has_cpus(q) || q->job.id != sent->job_id ||
	    q->job.state_at > sent->at || strays_may_come(b, q, sent))
		stale_add(b, sent->node);
	return true;
}

/* A pod that cannot be read may be of any job, and end at any time. */
static void add_unread(void *arg, const char *node)
{
	stale_add(arg, node);
}

/* The nodes with such pods; once in a pass. */
static void find_stale(struct bridge *b)
{
	const struct gone_pods *x;
	struct pod_group *g;

	if (b->occupied.known)
		return;
	occupied_nodes_free(b);
	for (g = pod_groups_first(b->seen); g; g = g->hh.next)
		add_bound(b, g);
	/*
	 * The lock of the hosts is taken before the one of the requests, as in
	 * overcommit.c.
	 */
	inventory_lock(b->hosts);
	bridge_requests_each_sent(b->work, add_unseen, b);
	inventory_unlock(b->hosts);
	gone_pods_look(b);
	for (x = *pod_groups_gone(b->seen); x; x = x->hh.next)
		stale_add(b, x->node);
	pod_groups_each_unread_node(b->seen, add_unread, b);
	b->occupied.known = true;
}

bool nodes_are_free(struct bridge *b, const struct queue_entry *q)
{
	_cleanup_hostlist_ struct hostlist nodes = {0};
	bool room = true;

	find_stale(b);
	if (!b->occupied.nodes || allocation_nodes(q, &nodes))
		return true;
	inventory_lock(b->hosts);
	for (size_t i = 0; i < nodes.n && room; i++) {
		const struct inventory_node *x =
			inventory_of_slurm(b->hosts, nodes.names[i]);
		struct occupied_node *s = NULL;

		if (x)
			HASH_FIND_STR(b->occupied.nodes, x->name, s);
		room = !s;
	}
	inventory_unlock(b->hosts);
	return room;
}
