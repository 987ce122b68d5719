/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which nodes a placeholder job has, and its share of each. */
#include <errno.h>

#include "base/clock.h"
#include "base/log.h"
#include "bridge/placeholder/placeholder.h"

#define AGAIN_MS 2000 /* until slurmctld is asked again after an error */
/* How long nodes of a job that slurmctld has lost are waited for */
#define ROBBED_MS 60000

/* True if the pod may have become larger than its job. */
static bool may_have_grown(const struct bridged_pod *p)
{
	return p->respecced && *p->node && !p->ended && !p->deleting;
}

/*
 * True if the job's share of each node must be known: a pod waits, or may have
 * grown. *one: the name of the job's only node, with CPUs and memory, may be
 * enough, as the group is a pod for itself, without devices. Such a pod has the
 * size that its job was made for unless it was resized, as its group's key has
 * its uid. Other groups are known by their object, and their pod may be another
 * one than their job was made for.
 */
static bool needs_layout(struct bridge *b, const struct queue_entry *q,
			 bool *one)
{
	struct pod_group *g;
	bool needs = false;

	pod_groups_lock(b->groups);
	g = pod_groups_find(b->groups, q->key);
	for (struct group_pod *m = g ? g->members : NULL; m && !needs;
	     m = m->next)
		needs = pod_waits(m->pod) || may_have_grown(m->pod);
	*one = g && g->of.kind == WORKLOAD_POD && g->n == 1 && g->members &&
	       !g->members->pod->respecced && !g->members->shape->need.n_ext;
	if (*one && job_has_one_node(q))
		needs = false;
	pod_groups_unlock(b->groups);
	return needs;
}

static bool do_all_wait(struct bridge *b, const struct queue_entry *q)
{
	struct pod_group *g;
	bool all;

	pod_groups_lock(b->groups);
	g = pod_groups_find(b->groups, q->key);
	all = g != NULL;
	for (struct group_pod *m = g ? g->members : NULL; m && all; m = m->next)
		all = pod_waits(m->pod);
	pod_groups_unlock(b->groups);
	return all;
}

/*
 * slurmctld has lost nodes of a job that runs (see ctl_layout_load()), and
 * never finds them again: its pods get another job, unless some run.
 */
static void mind_robbed(struct bridge *b, struct queue_entry *q,
			const struct err *why)
{
	if (q->nodes.robbed != q->job.id) {
		q->nodes.robbed = q->job.id;
		q->nodes.robbed_at = clock_ms();
		log_warn("bridge: job %u: slurmctld has lost nodes of it; its "
			 "pods that wait get another one in %d s, or, if some "
			 "run, when it is requeued: scontrol requeue %u",
			 q->job.id, ROBBED_MS / 1000, q->job.id);
	}
	if (!q->job.by_us && clock_ms() - q->nodes.robbed_at >= ROBBED_MS &&
	    view_check_age(b) && cluster_held(b->link) && do_all_wait(b, q))
		end_and_replace(b, q, why->msg);
}

void allocation_load(struct bridge *b, struct queue_entry *q)
{
	struct err err = {0};
	bool one = false;
	int rc;

	if (q->nodes.layout || !needs_layout(b, q, &one))
		return;
	rc = one && !q->nodes.names
		     ? ctl_layout_names(q->job.id, &q->nodes.names,
					&q->nodes.has, &err)
		     : 0;
	if (!rc && !(one && job_has_one_node(q)))
		rc = ctl_layout_load(q->job.id, &q->nodes.layout, &err);
	if (!rc)
		return;
	/*
	 * Names without the job's share of each node would mislead; and the
	 * next names that are read may be fewer.
	 */
	if (q->nodes.names)
		q->nodes.others_at = clock_ms();
	free(q->nodes.names);
	q->nodes.names = NULL;
	placeholders_expire(b); /* the job may not run any more */
	log_debug("bridge: job %u: %s", q->job.id, err.msg);
	queue_entry_later(b, q, AGAIN_MS);
	if (rc == -EAGAIN)
		mind_robbed(b, q, &err);
}

int allocation_nodes(const struct queue_entry *q, struct hostlist *out)
{
	if (!q->nodes.layout)
		return q->nodes.names
			       ? hostlist_expand(q->nodes.names, out, NULL)
			       : -EAGAIN;
	for (size_t i = 0; i < ctl_layout_count(q->nodes.layout); i++) {
		int rc = hostlist_expand(
			ctl_layout_at(q->nodes.layout, i)->name, out, NULL);

		if (rc)
			return rc;
	}
	return 0;
}
