/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A node is looked at, and what follows is done. The engine's thread only. */
#ifndef SLURMK8S_NODES_RECONCILE_RECONCILE_H
#define SLURMK8S_NODES_RECONCILE_RECONCILE_H

#include "nodes/jobs/jobs.h"
#include "nodes/reconcile/node_decide.h"
#include "nodes/watch/nodes.h"

/* One thing to do. */
struct action {
	const struct nodeset *set;
	struct node_state *memo;
	struct node_decision plan;
	int64_t begin_s; /* when jobs that it sends back may begin */
	char uid[64];	 /* of the pod it is about; "" : none */
	char pod[254];
	bool ended;   /* it is being deleted, and its containers have ended */
	bool at_once; /* delete without a grace period: nothing runs there */
	bool only_steps; /* a note: all else is on the pod already */
	bool spared; /* its jobs cannot be requeued: only the pod is replaced */
};

#define ACTIONS_MAX 20000

struct actions {
	struct action *v;
	size_t n, size;
	size_t n_notes, n_records; /* these can wait for the next pass */
};

/* (left out when there is no memory, or too many) */
void actions_add(struct actions *out, const struct action *a);

/* nodes/reconcile/observe.c: what is to be done about one node, or about all.
 */
void node_observe(struct nodes *nodes, const struct ctl_node *node,
		  struct actions *out);
void nodes_observe(struct nodes *nodes, struct actions *out);
/* About those whose steps have changed, as far as their notes have their turn.
 */
void nodes_observe_steps(struct nodes *nodes, struct actions *out);
/* Changes when a pod of this name is another one. */
uint32_t uid_sum(const struct pod_view *pod);
/*
 * unmatched_pods.c: pods that no node has asked for in this pass are deleted,
 * or lose what was noted on them.
 */
void unmatched_pods_look(struct nodes *nodes);
/*
 * disrupted.c: is so much of a cluster lost at once that it is rather not so?
 * The log says when that begins and ends.
 */
void disrupted_see(struct nodes *nodes);
struct disrupted *disrupted_of(struct nodes *nodes, const struct nodeset *set);
/* Has this node lost its pod in an unknown way? */
void disrupted_note(struct nodes *nodes, struct node_state *m,
		    const struct node_view *v);

/* What its pod should be. The caller clears *out. */
int manifest_of(struct nodes *nodes, const struct nodeset *set,
		const struct ctl_node *node, struct manifest *out,
		struct err *err);

/* nodes/reconcile/apply.c: do it. Sorts the actions. */
void nodes_apply(struct nodes *nodes, struct actions *a);

/* requeue.c: requeued jobs become eligible as soon as Slurm allows, or held. */
void requeued_add(struct nodes *nodes, uint32_t job_id, int64_t begin_s);
void requeued_hold(struct nodes *nodes, uint32_t job_id);
void requeued_step(struct nodes *nodes);
int64_t
requeued_next(const struct nodes *nodes); /* when that is due; INT64_MAX */

/* Those that went back with words of ours, by whoever sent them. */
void requeued_sent_back(struct nodes *nodes);

#endif
