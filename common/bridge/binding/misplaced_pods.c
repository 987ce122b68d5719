/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pods on nodes that their job does not have any more, and that Slurm gives to
 * others. The job went back into the queue, and was started elsewhere
 * meanwhile; a former job's binding came late; or the job's user has made it
 * smaller while it runs (scontrol update NumNodes=1). Under the lock of `seen`.
 */
#include "bridge/binding/binding.h"

/* The names of a running job's nodes, sorted. False: they are not known. */
static bool nodes_of(const struct queue_entry *q, struct hostlist *out)
{
	if (!job_runs(q) || allocation_nodes(q, out) || !out->n)
		return false;
	hostlist_sort(out);
	return true;
}

/*
 * Under the lock of the inventory. True if this Kubernetes node is surely none
 * of the job's nodes; false for one that is not known.
 */
static bool is_other(struct bridge *b, const struct hostlist *nodes,
		     const char *node)
{
	const struct inventory_node *x = inventory_find(b->inventory, node);

	return x && !x->view.unread && *x->slurm &&
	       !hostlist_has(nodes, x->slurm);
}

void strays_find(struct bridge *b, struct queue_entry *q, struct pod_group *g,
		 bool look)
{
	_cleanup_hostlist_ struct hostlist nodes = {0};
	const bool known = look && nodes_of(q, &nodes);

	if (!known && !q->whereabouts.misplaced)
		return;
	q->whereabouts.misplaced = false;
	inventory_lock(b->inventory);
	for (struct group_pod *m = g->members; m; m = m->next) {
		m->look.misplaced = known && !m->pod->ended && m->pod->job_id &&
				    is_other(b, &nodes, m->pod->node);
		q->whereabouts.misplaced |= m->look.misplaced || m->look.moved;
	}
	inventory_unlock(b->inventory);
}

uint32_t strays_unanswered(struct bridge *b, const struct pod_group *g)
{
	uint32_t n = 0;

	inventory_lock(b->inventory);
	for (const struct group_pod *m = g->members; m; m = m->next) {
		const struct bridged_pod *p = m->pod;
		const struct inventory_node *x = NULL;

		if (*p->node && p->job_id && p->deleting && !p->ended)
			x = inventory_find(b->inventory, p->node);
		n += x && !x->view.unread && (!x->view.ready || x->kept_by);
	}
	inventory_unlock(b->inventory);
	return n;
}

bool strays_may_come(struct bridge *b, const struct queue_entry *q,
		     const struct sent_binding *sent)
{
	_cleanup_hostlist_ struct hostlist nodes = {0};

	return q->nodes.others_at > sent->at && nodes_of(q, &nodes) &&
	       is_other(b, &nodes, sent->node);
}
