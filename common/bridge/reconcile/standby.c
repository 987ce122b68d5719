/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * While another engine has the lease we may not act. Pods and jobs come and go:
 * groups that have ended in Slurm and in Kubernetes are forgotten, or memory
 * would grow until the lease is ours. When it is all is looked at anew
 * (begin_anew() of bridge.c), so nothing is missed.
 */
#include "base/clock.h"
#include "base/log.h"
#include "bridge/reconcile/reconcile.h"

#define BATCH 32
#define UNSEEN_MS 60000 /* until the log tells what is not in view */

/*
 * Log, once, that the bridge does nothing as pods or nodes are not in view,
 * while the lease is ours: a list that fails is logged elsewhere, but not what
 * it means for the bridge.
 */
static void tell_unseen(struct bridge *b, bool pods, bool nodes)
{
	const int64_t now = clock_ms();

	if (pods && nodes) {
		b->active.unseen_at = 0;
		return;
	}
	if (!b->active.unseen_at)
		b->active.unseen_at = now + UNSEEN_MS;
	if (now < b->active.unseen_at)
		return;
	b->active.unseen_at = INT64_MAX;
	log_error("bridge: no job is submitted or cancelled and no pod is "
		  "bound or deleted before %s in view",
		  pods	  ? "Kubernetes nodes are"
		  : nodes ? "pods and namespaces are"
			  : "pods, namespaces and Kubernetes nodes are");
}

bool standby_may_end(struct bridge *b)
{
	bool pods, nodes;

	if (!cluster_held(b->link))
		return false;
	pods = pod_groups_ready(b->groups);
	nodes = inventory_has_nodes(b->inventory);
	tell_unseen(b, pods, nodes);
	return pods && nodes;
}

/*
 * Touch a batch of groups that have changed. A group without pods is freed when
 * its change is taken. False: no changed group is left.
 */
static bool take_changed(struct bridge *b)
{
	char *keys[BATCH];
	const size_t n = pod_groups_take_dirty(b->groups, keys, BATCH);

	for (size_t i = 0; i < n; i++) {
		struct queue_entry *q = queue_entry_find(b, keys[i]);

		if (q)
			queue_entry_touch(b, q);
		free(keys[i]);
	}
	return n == BATCH;
}

/*
 * Forget a group whose pods a list had no more, unless its job is active. Under
 * the lock of `seen`.
 */
static void forget_group(struct bridge *b, struct pod_group *g)
{
	const struct queue_entry *q = queue_entry_find(b, g->key);

	if (g->vanished && !g->n && !(q && job_is_active(q)))
		pod_groups_forget(b->groups, g);
}

/*
 * Forget groups whose pods a list had no more: they stay in view without pods.
 * Their change may come before it is known whether they have a job, so all are
 * looked at once after each list; a group whose job is active stays until the
 * job ends.
 */
static void forget_vanished(struct bridge *b)
{
	struct pod_group *g, *next;

	pod_groups_lock(b->groups);
	if (b->active.swept_list != pod_groups_lists(b->groups)) {
		b->active.swept_list = pod_groups_lists(b->groups);
		for (g = pod_groups_first(b->groups); g; g = next) {
			next = g->hh.next;
			forget_group(b, g);
		}
	}
	pod_groups_unlock(b->groups);
}

/* Forget a group without a job, or whose job has ended, if it has no pods. */
static void forget_ended(struct bridge *b, struct queue_entry *q)
{
	struct pod_group *g;
	bool has_pods;

	pod_groups_lock(b->groups);
	g = pod_groups_find(b->groups, q->key);
	has_pods = g && g->n;
	if (g)
		forget_group(b, g);
	pod_groups_unlock(b->groups);
	if (!has_pods)
		queue_entry_forget(b, q);
}

void standby_step(struct bridge *b)
{
	struct queue_entry *q;

	while (!atomic_load(&b->stop) && take_changed(b))
		;
	/* Without jobs and pods it is not known which groups have ended. */
	if (!b->jobs.known || !pod_groups_ready(b->groups))
		return;
	forget_vanished(b);
	while (!atomic_load(&b->stop) && (q = queue_turn_begin(b))) {
		if (!job_is_active(q))
			forget_ended(b, q);
		queue_turn_end(b);
	}
}

void standby_over(struct bridge *b)
{
	for (struct queue_entry *q = b->queue; q; q = q->hh.next) {
		if (!b->active.since)
			queue_entry_begins(q);
		q->sight.looked = false;   /* another engine may have acted */
		queue_entry_bind_again(q); /* bindings were dropped */
		queue_entry_touch(b, q);   /* pods may be gone by now */
	}
}
