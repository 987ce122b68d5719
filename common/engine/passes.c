/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/passes.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/log.h"
#include "nodes/jobs/jobs.h"
#include "nodes/reconcile/reconcile.h"
#include "nodes/watch/watch.h"
#include "slurm/ctl_reader.h"
#include "slurm/nodes_again.h"
#include "slurm/nodes_pace.h"

#define FULL_MS 10000 /* longest pause between two looks at all nodes */

/*
 * Slurm's power saving changes nodes without a change of their time stamp
 * (power_save.c), so "what has changed" is not enough: all of them, the more
 * seldom the more there are.
 */
static bool whole_is_due(const struct nodes *nodes)
{
	return !nodes->slurm.all || nodes->slurm.stale ||
	       clock_ms() - nodes->slurm.whole_at >=
		       nodes_whole_ms(ctl_nodes_count(nodes->slurm.all));
}

int64_t passes_pause_ms(const struct nodes *nodes)
{
	return nodes_pause_ms(ctl_nodes_count(nodes->slurm.all),
			      nodes->slurm.took,
			      nodes->slurm.all && nodes->slurm.stale);
}

/*
 * slurmctld itself is asked, in any case: what is known of single nodes that
 * were read since, or changed, must not be undone by a list of before. The
 * answer is the bridge's, too. now: whatever the pace is. True: there is an
 * answer.
 */
bool passes_refresh(struct nodes *nodes, bool now)
{
	struct ctl_nodes *whole = NULL;
	struct ctl_read read = {0};
	struct err err = {0};
	int rc;

	if (!now && clock_ms() - nodes->slurm.at < passes_pause_ms(nodes))
		return false;
	if (whole_is_due(nodes)) {
		rc = ctl_reader_nodes(nodes->reader, CTL_READER_NOW, &whole,
				      &read, &err);
		if (rc > 0) {
			ctl_nodes_free(nodes->slurm.all);
			nodes->slurm.all = whole;
			nodes->slurm.whole_at = clock_ms();
		}
	} else {
		rc = ctl_reader_nodes(nodes->reader, CTL_READER_NOW,
				      &nodes->slurm.all, &read, &err);
	}
	nodes->slurm.at = clock_ms();
	if (rc >= 0)
		nodes->slurm.heard_at = nodes->slurm.at;
	if (rc > 0)
		nodes->slurm.took = read.took;
	nodes->slurm.stale = false;
	if (rc < 0)
		log_debug("%s", err.msg);
	return rc > 0;
}

/*
 * True if an action need not be sure: a note is written again, and a look only
 * asks.
 */
static bool needs_no_confirmation(const struct action *a)
{
	return (a->plan.kube == POD_NOTE || a->plan.kube == POD_LOOK) &&
	       a->plan.slurm == NODE_KEEP && !a->plan.failed;
}

/*
 * Plan for this node again (NULL: it is gone). False: the plan is another one.
 */
static bool is_confirmed(struct nodes *nodes, const struct action *a,
			 const struct ctl_node *node, struct actions *sure)
{
	const struct node_decision *again;
	size_t before = sure->n;

	if (node)
		node_observe(nodes, node, sure);
	if (sure->n == before)
		return true; /* nothing is to be done any more */
	again = &sure->v[before].plan;
	if (again->slurm == a->plan.slurm && again->kube == a->plan.kube)
		return true;
	sure->n = before;
	return false;
}

/*
 * What was seen of Kubernetes counts only beside a state of Slurm that was
 * read after it: Slurm changes its mind first, then come its programs. So each
 * plan is made twice, and followed only if it is the same again.
 */
static void confirm(struct nodes *nodes, struct actions *a)
{
	_cleanup_(nodes_again_end) struct nodes_again now = {0};
	struct actions sure = {0};
	size_t n = 0;

	for (size_t i = 0; i < a->n; i++)
		n += !needs_no_confirmation(&a->v[i]);
	if (n > NODES_SINGLE_MAX) {
		nodes_ask_again(nodes);
		if (!passes_refresh(nodes, true)) {
			a->n = 0; /* Slurm does not answer: do nothing */
			return;
		}
	}
	nodes_again_begin(&now, n,
			  n > NODES_SINGLE_MAX ? nodes->slurm.all : NULL, NULL);
	for (size_t i = 0; i < a->n; i++) {
		const struct action *x = &a->v[i];
		struct ctl_node node;
		int found;

		/*
		 * Nodes that were read first would be old when they are acted
		 * on.
		 */
		if (sure.n && nodes_again_is_late(&now)) {
			nodes_ask_again(nodes);
			nodes_look_now(nodes);
			break;
		}

		if (needs_no_confirmation(x)) {
			actions_add(&sure, x);
			continue;
		}
		found = nodes_again_find(&now, x->memo->name, &node, NULL);
		if (found < 0)
			continue;
		if (!is_confirmed(nodes, x, found ? &node : NULL, &sure)) {
			nodes_ask_again(nodes);
			nodes_look_now(nodes);
		}
	}
	free(a->v);
	*a = sure;
}

static void look_and_act(struct nodes *nodes, struct actions *a)
{
	if (a->n) {
		/* The first nodes were looked at before all were counted. */
		disrupted_see(nodes);
		confirm(nodes, a);
	}
	if (a->n && !atomic_load(&nodes->stop))
		nodes_apply(nodes, a);
	free(a->v);
}

void passes_full(struct nodes *nodes)
{
	struct actions a = {0};

	nodes->slurm.look_at = clock_ms() + FULL_MS;
	nodes_observe(nodes, &a);
	look_and_act(nodes, &a);
}

/* Ask slurmctld for this node. False: *node is as before. */
static bool look_closer(const char *name, struct ctl_nodes **fresh,
			struct ctl_node *node)
{
	return !ctl_nodes_load_one(name, fresh, NULL) &&
	       ctl_nodes_find(*fresh, name, node);
}

bool passes_of_cluster(struct nodes *nodes, struct cluster *l)
{
	char *names[POD_CACHE_DIRTY_MAX];
	int n = worker_pods_take_dirty(watch_pods(l), names);
	struct actions a = {0};
	struct ctl_node node;

	if (n < 0)
		return false;
	for (int i = 0; i < n; i++) {
		_cleanup_(ctl_nodes_freep) struct ctl_nodes *fresh = NULL;

		if (ctl_nodes_find(nodes->slurm.all, names[i], &node)) {
			/*
			 * The node has a pod: it may well be powering up by
			 * now.
			 */
			if (node.power == CTL_POWERED_DOWN &&
			    n <= NODES_SINGLE_MAX)
				look_closer(names[i], &fresh, &node);
			node_observe(nodes, &node, &a);
		}
		free(names[i]);
	}
	look_and_act(nodes, &a);
	return true;
}

void passes_allocated(struct nodes *nodes)
{
	const int64_t end = clock_ms() + NODES_AGAIN_MS;
	struct actions a = {0};

	for (size_t i = 0; i < nodes->allocated.n && clock_ms() < end &&
			   !atomic_load(&nodes->stop);
	     i++) {
		_cleanup_(ctl_nodes_freep) struct ctl_nodes *fresh = NULL;
		struct ctl_node node;

		if (look_closer(nodes->allocated.v[i]->name, &fresh, &node))
			node_observe(nodes, &node, &a);
	}
	nodes->allocated.n = 0;
	look_and_act(nodes, &a);
}

void passes_steps(struct nodes *nodes)
{
	struct actions a = {0};

	if (steps_step(nodes))
		nodes_observe_steps(nodes, &a);
	look_and_act(nodes, &a);
}
