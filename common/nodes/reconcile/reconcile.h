/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A node is looked at, and what follows is done. The engine's thread only; no
 * RPC but where it says.
 */
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
	char uid[64];	 /* UID of the pod it is about; "": none */
	char pod[254];
	bool only_steps; /* a note on steps: all else is on the pod already */
	/* the node's jobs cannot be requeued: only the pod is replaced */
	bool spared;
};

#define ACTIONS_MAX 20000

/* Zeroed: none. The caller frees v. */
struct actions {
	struct action *v;
	size_t n, size;
	/* notes and records in v, which can wait for the next pass */
	size_t n_notes, n_records;
};

/*
 * Add a copy of an action. It is left out when there is no memory, or when
 * there are ACTIONS_MAX: the next pass plans it anew.
 */
void actions_add(struct actions *out, const struct action *a);

/* --- observe.c */

/*
 * Look at a node as Slurm has it, and at its pod; remember what has changed,
 * and add what is to be done to *out. A node of no nodeset: nothing. Takes the
 * lock of worker_pods.h.
 */
void node_observe(struct nodes *nodes, const struct ctl_node *node,
		  struct actions *out);

/*
 * Look at all nodes as Slurm last had them, then call disrupted_see() and
 * unmatched_pods_look().
 */
void nodes_observe(struct nodes *nodes, struct actions *out);

/*
 * Look at the nodes whose steps have changed, as far as their notes have their
 * turn.
 */
void nodes_observe_steps(struct nodes *nodes, struct actions *out);

/* A checksum of the pod's UID, by which it is told from an earlier pod. */
uint32_t uid_sum(const struct pod_view *pod);

/* --- unmatched_pods.c */

/*
 * Have pods that no node has asked for in this pass deleted, or what was noted
 * on them taken away; for each not more often than each 30 s. Takes the lock of
 * worker_pods.h.
 */
void unmatched_pods_look(struct nodes *nodes);

/* --- disrupted.c */

/*
 * See of each cluster whose lease is held whether there is a disruption of its
 * Kubernetes nodes, or of its pods (cluster/disruption.h). The log says when
 * one begins and ends.
 */
void disrupted_see(struct nodes *nodes);

/*
 * What is remembered of the disruptions of a nodeset's cluster. Borrowed, until
 * the clusters are stopped.
 */
struct disrupted *disrupted_of(struct nodes *nodes, const struct nodeset *set);

/* Note whether this node is up, and nobody saw how it lost its pod. */
void disrupted_note(struct nodes *nodes, struct node_state *m,
		    const struct node_view *v);

/* --- observe.c */

/*
 * Make the pod that a node should have, by manifest_make(), with its errors.
 * The caller clears *out.
 */
int manifest_of(struct nodes *nodes, const struct nodeset *set,
		const struct ctl_node *node, struct manifest *out,
		struct err *err);

/* --- apply.c */

/*
 * Do what was planned, which sorts the actions and changes their plans. What is
 * not done in time (TELL_MS, ACT_MS there) is left, and planned anew. If jobs
 * go back, one RPC for the list of all jobs, and one for each job that is told
 * why, or node that is spared; for each plan with other words one to four, and
 * where jobs end these for each CTL_ENDS_MAX nodes. Errors are logged. What is
 * to be done in Kubernetes is handed to nodes/watch/node_requests.h.
 */
void nodes_apply(struct nodes *nodes, struct actions *a);

/* --- requeue.c: at most REQUEUED_MAX jobs are followed, others are left */

/*
 * Follow a job that went back to the queue: as soon as Slurm allows it becomes
 * eligible at begin_s (epoch, seconds); REQUEUED_NOW: at once; REQUEUED_NEVER:
 * when REQUEUED_PAUSE_S have passed, or as Slurm has it where that pauses for
 * longer.
 */
void requeued_add(struct nodes *nodes, uint32_t job_id, int64_t begin_s);

/*
 * Follow a job that went back to the queue: as soon as Slurm allows it is held.
 */
void requeued_hold(struct nodes *nodes, uint32_t job_id);

/*
 * Ask how far the jobs that are followed have come, if it is time, and make
 * them eligible, or hold them. One RPC for all jobs, or one for each of up to
 * 16; and one for each of REQUEUE_BEGIN_MAX at most. Errors are logged.
 */
void requeued_step(struct nodes *nodes);

/*
 * When requeued_step() is due (monotonic, ms); INT64_MAX: nothing is followed.
 */
int64_t requeued_next(const struct nodes *nodes);

/*
 * Have the next list of jobs looked through for those that went back with words
 * of ours, whoever sent them: they are followed, too.
 */
void requeued_sent_back(struct nodes *nodes);

#endif
