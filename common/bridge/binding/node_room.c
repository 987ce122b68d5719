/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whether a node that Slurm has given to a job is free in Kubernetes, too. It
 * is not while a pod is there whose job does not run any more: the pod ends a
 * moment later than its job, whose CPUs Slurm gives away at once. It is not
 * free either while a pod may run on that Kubernetes does not have any more.
 * Under the lock of `seen`.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "bridge/binding/binding.h"

#define NEVER INT64_MAX
#define LONG_AGO 1 /* earlier than any time, and not 0, which is never */
#define KEPT_LOOK_MS 5000

static void free_all(struct occupied_node **all)
{
	struct occupied_node *s = NULL, *next = NULL;

	HASH_ITER(hh, *all, s, next)
	{
		HASH_DELETE(hh, *all, s);
		free(s);
	}
}

void occupied_nodes_free(struct bridge *b)
{
	free_all(&b->occupied.nodes);
}

static struct occupied_node *find(struct occupied_node *all, const char *node)
{
	struct occupied_node *s;

	HASH_FIND_STR(all, node, s);
	return s;
}

/* The node's entry, which is made if there is none. NULL: out of memory. */
static struct occupied_node *add(struct bridge *b, const char *node)
{
	const size_t size = strlen(node) + 1;
	struct occupied_node *s = find(b->occupied.nodes, node);

	if (s || !(s = calloc(1, sizeof(*s) + size)))
		return s;
	memcpy(s->name, node, size);
	s->since = NEVER;
	HASH_ADD_KEYPTR(hh, b->occupied.nodes, s->name, size - 1, s);
	if (!s->failed)
		return s;
	free(s);
	return NULL;
}

static void add_since(struct bridge *b, const char *node, int64_t since,
		      const char *ns, const char *name)
{
	struct occupied_node *s = add(b, node);

	if (!s || s->since <= since)
		return;
	s->since = since;
	snprintf(s->pod, sizeof(s->pod), "%.63s/%.253s", ns, name);
}

/* How long a pod may take to end: KillWait, and time until that is in view. */
static int64_t kept_after_ms(const struct bridge *b)
{
	return (int64_t)placeholder_kill_wait(b->kill_wait_s) * 1000 +
	       BRIDGE_KEPT_MS;
}

/* True if a pod is there that should have ended long ago. */
static bool is_kept(const struct bridge *b, const struct occupied_node *s)
{
	return s && s->since < clock_ms() - kept_after_ms(b);
}

/*
 * True if the group's job has its CPUs now. The CPUs of a suspended job are
 * given away.
 */
static bool has_cpus(const struct queue_entry *q)
{
	return job_runs(q) && q->job.state != PLACEHOLDER_SUSPENDED;
}

/*
 * True if the table of group_decide() has a stale pod deleted (which the API
 * server may refuse), as its job has ended, or left its node, or is another
 * group's. A pod that runs without a job, or whose job we have cancelled, may
 * get another job, which is to find its node as it is.
 */
static bool should_end(const struct queue_entry *q, const struct group_pod *m)
{
	if (m->pod->deleting || m->look.moved)
		return true;
	if (!q || q->job.by_us)
		return false;
	return (m->pod->job_id == q->job.id &&
		(q->job.state == PLACEHOLDER_COMPLETING ||
		 q->job.state == PLACEHOLDER_ENDED)) ||
	       (placeholder_waits(q->job.state) && q->job.requeued) ||
	       (m->look.misplaced && (q->job.requeued || q->nodes.others_at));
}

/*
 * True if the pod has no job and will have none, as its namespace may not enter
 * any more: we do not delete such a pod (row "outside").
 */
static bool is_outside(const struct bridge *b, const struct queue_entry *q,
		       const struct group_pod *m)
{
	const bool jobless =
		q && (q->job.state == PLACEHOLDER_NONE ||
		      (q->job.state == PLACEHOLDER_ENDED &&
		       (q->job.by_us || m->pod->job_id != q->job.id)));

	return jobless && q->sight.looked && ns_is_others(&b->whose, m->group);
}

/* Since when a stale pod should have ended; 0: it need not. */
static int64_t stale_since(const struct bridge *b, const struct queue_entry *q,
			   struct group_pod *m)
{
	const bool outside = is_outside(b, q, m);

	if (m->overdue.since && m->overdue.outside == outside)
		return m->overdue.since;
	m->overdue.outside = outside;
	return outside || should_end(q, m) ? clock_ms() : 0;
}

/*
 * True for a pod that we bound, and whose job has ended, or left its node, or
 * is suspended, or is another group's. `all`: the group's job has no CPUs.
 */
static bool is_stale(const struct group_pod *m, bool all)
{
	return *m->pod->node && !m->pod->ended && m->pod->job_id &&
	       (all || m->look.misplaced || m->look.moved);
}

/* What ns_is_others() says of a namespace, if it was asked. */
enum whose { NOT_ASKED, OURS, OTHERS };

/*
 * True if another Slurm cluster may have bound the pod. Pods of the last job of
 * their group are ours, even if their namespace may not enter any more.
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
 * Add the nodes of the group's bound pods that are stale. Pods of other Slurm
 * clusters do not count: these could keep a node from being used for ever. All
 * bound pods count while the job has no CPUs, while its nodes are not known (a
 * job that was put back may have started elsewhere), and before the group's
 * first look after a start, which finds out where its pods are, and whose.
 */
static void add_bound(struct bridge *b, struct pod_group *g)
{
	struct queue_entry *q = queue_entry_find(b, g->key);
	struct group_pod *m = g->members;
	enum whose others = NOT_ASKED;
	const bool all = !has_cpus(q) ||
			 (!q->nodes.names && !q->nodes.layout) ||
			 !q->sight.looked;
	bool any;

	/* The group itself may be looked at later than this. */
	if (!all && (q->nodes.others_at || q->job.requeued))
		strays_find(b, q, g, true);
	any = all || q->whereabouts.misplaced;
	for (; m; m = m->next) {
		const bool stale =
			any && is_stale(m, all) && !is_others(b, q, m, &others);

		m->overdue.since = stale ? stale_since(b, q, m) : 0;
		if (m->overdue.since)
			add_since(b, m->pod->node, m->overdue.since, m->pod->ns,
				  m->pod->name);
		else if (stale)
			add(b, m->pod->node);
	}
}

/*
 * Add the node of a pod whose binding was sent, and that is not in view with a
 * node yet. False: it is by now, or the pod is gone.
 */
static bool add_unseen(void *arg, const struct sent_binding *sent)
{
	struct bridge *b = arg;
	const struct group_pod *m = pod_groups_pod(b->groups, sent->uid);
	const struct queue_entry *q =
		m ? queue_entry_find(b, m->group->key) : NULL;

	if (!m || !pod_waits(m->pod))
		return false;
	/* A job that was put back may have started elsewhere since. */
	if (!has_cpus(q) || q->job.id != sent->job_id ||
	    q->job.state_at > sent->at || strays_may_come(b, q, sent))
		add(b, sent->node);
	return true;
}

/* What add_unread() is given. */
struct two_looks {
	struct bridge *b;
	struct occupied_node *before; /* the nodes of the last look */
};

/*
 * Add the node of a pod that cannot be read: it may be of any job, and end at
 * any time.
 */
static void add_unread(void *arg, const char *node)
{
	const struct two_looks *t = arg;
	const struct occupied_node *was = find(t->before, node);
	const int64_t since =
		was && was->unread_since ? was->unread_since : clock_ms();
	struct occupied_node *s = add(t->b, node);

	if (!s)
		return;
	s->unread_since = since;
	add_since(t->b, node, since, "?", "one that cannot be read");
}

/*
 * Add the node of a pod whose containers may run on though Kubernetes does not
 * have it any more. If they may for long the node is kept at once.
 */
static void add_gone(struct bridge *b, const struct gone_pods *x)
{
	const bool lasts = x->until - clock_boot_ms() > kept_after_ms(b);

	add_since(b, x->node, lasts ? LONG_AGO : clock_ms(), x->ns, x->name);
}

/* Find the nodes that are not free, once in a pass. */
static void find_stale(struct bridge *b)
{
	struct two_looks t = {.b = b, .before = b->occupied.nodes};
	const struct gone_pods *x;
	struct pod_group *g;

	if (b->occupied.known)
		return;
	b->occupied.nodes = NULL;
	for (g = pod_groups_first(b->groups); g; g = g->hh.next)
		add_bound(b, g);
	/*
	 * The lock of the hosts is taken before the one of the requests, as in
	 * overcommit.c.
	 */
	inventory_lock(b->inventory);
	bridge_requests_each_sent(b->requests, add_unseen, b);
	inventory_unlock(b->inventory);
	gone_pods_look(b);
	for (x = *pod_groups_gone(b->groups); x; x = x->hh.next)
		add_gone(b, x);
	pod_groups_each_unread_node(b->groups, add_unread, &t);
	free_all(&t.before);
	b->occupied.known = true;
}

void kept_nodes_look(struct bridge *b)
{
	const int64_t now = clock_ms();
	struct inventory_node *x;

	if (now < b->occupied.kept_at)
		return;
	b->occupied.kept_at = now + KEPT_LOOK_MS;
	b->occupied.known = false;
	find_stale(b);
	inventory_lock(b->inventory);
	for (x = inventory_first(b->inventory); x; x = x->hh.next) {
		const struct occupied_node *s =
			find(b->occupied.nodes, x->name);

		inventory_node_kept(b->inventory, x,
				    is_kept(b, s) ? s->pod : NULL,
				    s && s->since != NEVER);
	}
	inventory_unlock(b->inventory);
}

bool nodes_are_free(struct bridge *b, const struct queue_entry *q, bool *kept)
{
	_cleanup_hostlist_ struct hostlist nodes = {0};
	bool room = true, ends = true, any_kept = false;

	*kept = false;
	find_stale(b);
	if (!b->occupied.nodes || allocation_nodes(q, &nodes))
		return true;
	inventory_lock(b->inventory);
	for (size_t i = 0; i < nodes.n; i++) {
		const struct inventory_node *x =
			inventory_of_slurm(b->inventory, nodes.names[i]);
		const struct occupied_node *s =
			x ? find(b->occupied.nodes, x->name) : NULL;

		room &= !s;
		ends &= !s || s->since != NEVER;
		any_kept |= is_kept(b, s);
	}
	inventory_unlock(b->inventory);
	*kept = ends && any_kept;
	return room;
}
