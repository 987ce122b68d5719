/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How pods get nodes, and are told how their group's job stands. The bridge's
 * thread only. */
#ifndef SLURMK8S_BRIDGE_BINDING_BINDING_H
#define SLURMK8S_BRIDGE_BINDING_BINDING_H

#include "bridge/placeholder/placeholder.h"

/* A copy of a group's pod. */
struct selected_pod {
	char ns[64], name[254], uid[64];
	char node[254]; /* the node that it is bound to; "": none */
	struct pod_requests need;
	uint32_t grace_s; /* time that it has to end, in s */
	/* not bound; being deleted; as pod_requests_ports() says */
	bool waiting, leaving, ports;
	uint32_t told;	    /* see struct group_pod */
	bool scale_told;    /* see struct bridged_pod */
	int64_t created_ms; /* epoch; -1: unknown */
};

struct pod_selection {
	struct selected_pod *v;
	size_t n;
};

/* A number that stands for the selected pods, in any order: see pod_sum(). */
static inline uint32_t pod_selection_sum(const struct pod_selection *pods)
{
	uint32_t sum = 0;

	for (size_t i = 0; i < pods->n; i++)
		sum += pod_sum(pods->v[i].uid);
	return sum;
}

/* --- moved_pods.c; under the lock of `seen` */

/*
 * True if the pod was surely bound by a job of ours, and not by one of another
 * Slurm cluster. Its namespace's claim is no proof: who may write Leases there
 * forges it.
 */
bool is_bound_by_us(struct bridge *b, const struct group_pod *m);

/*
 * Find the pods of the group that another group's job has bound, and that are
 * to go: sets look.moved and look.ours of each pod, and counts `moved` and
 * `ours` of j->view.pods, whose `by_earlier_job` loses them. False: there is
 * none.
 */
bool find_moved(struct bridge *b, const struct pod_group *g,
		const struct queue_entry *q, struct group_observation *j);

/* --- misplaced_pods.c; under the lock of `seen`, not of the hosts */

struct sent_binding;

/*
 * Find the group's pods on nodes that its job, which runs, does not have: sets
 * look.misplaced of each, and q->whereabouts.misplaced. No pod is misplaced if
 * `look` is false, or if the job's nodes are not known. Takes the lock of the
 * hosts.
 */
void strays_find(struct bridge *b, struct queue_entry *q, struct pod_group *g,
		 bool look);

/*
 * The number of the group's pods that are being deleted on nodes that are not
 * ready, or where they do not end (kept_nodes_look()): Slurm starts nothing
 * there. Takes the lock of the hosts.
 */
uint32_t strays_unanswered(struct bridge *b, const struct pod_group *g);

/*
 * True if a binding was sent to a node that the pod's job, which runs, has lost
 * since. Under the lock of the hosts, too.
 */
bool strays_may_come(struct bridge *b, const struct queue_entry *q,
		     const struct sent_binding *sent);

/* --- gone_pods_look.c; under the lock of `seen`, not of the hosts */

/*
 * Forget nodes with pods that are gone (gone_pods.h) when these pods' time is
 * over, or when the node is gone, is another one, was booted, or is said to be
 * out of service. The log tells of the other nodes, once. Takes the lock of the
 * hosts.
 */
void gone_pods_look(struct bridge *b);

/* --- node_room.c; under the lock of `seen` */

/*
 * True if pods may be bound to the nodes of this job, which runs: no pod is
 * there that may run without a job, or by one that has lost the node; also if
 * its nodes are not known. *kept: one of these pods should have ended long ago
 * (kept_nodes_look()), and all others should have ended, too, which pods of a
 * suspended job need not. Walks all pods once in a pass. Takes the locks of the
 * hosts and of the requests.
 */
bool nodes_are_free(struct bridge *b, const struct queue_entry *q, bool *kept);

/*
 * Each 5 s: note in the inventory which nodes have a pod that does not end,
 * though its job ended KillWait and BRIDGE_KEPT_MS ago, or before (a process
 * that cannot be killed, say): Slurm would start one job after the other there,
 * each of which waits. Takes the locks of the hosts and of the requests.
 */
void kept_nodes_look(struct bridge *b);

/* Free what nodes_are_free() and kept_nodes_look() have found. */
void occupied_nodes_free(struct bridge *b);

/* --- overcommit.c; under the lock of `seen` */

/*
 * True if pods that are not ours have taken so much of an external node of this
 * job, which runs, that its waiting pods would be turned away by the kubelet:
 * Slurm keeps a node's size for a while (external/external_size.h). True, too,
 * if a node of the job, external or not, would have more pods than its kubelet
 * takes. Walks all pods once in a pass. Takes the locks of the hosts and of the
 * requests.
 */
bool is_overcommitted(struct bridge *b, const struct queue_entry *q,
		      const struct pod_group *g);

/*
 * The number of pods on a node, or on their way there; 0 if they cannot be too
 * many for its kubelet. Under the lock of the hosts, too.
 */
uint32_t overcommit_pods(struct bridge *b, const struct inventory_node *x);

/* Note that a pod is on its way to the node from now on. Without a lock. */
void overcommit_bound(struct bridge *b, const char *uid, const char *node,
		      const struct pod_requests *need);

/* Forget what our pods hold of nodes. */
void overcommit_free(struct bridge *b);

/* --- pod_deletion.c; without a lock */

/*
 * Have these pods deleted, as the plan says: each gets KillWait to end at most,
 * and an Event says why. With plan->look each is read first.
 */
void delete_pods(struct bridge *b, struct queue_entry *q,
		 const struct group_observation *j,
		 const struct pod_selection *pods);

/*
 * Note that the API server has not deleted a pod: those of its group are tried
 * again after 4 s, doubling to a minute. Takes the lock of `seen`.
 */
void delete_failed(struct bridge *b, const struct bridge_request_failure *f);

/* --- bind.c; without a lock */

/*
 * Have these pods bound to the nodes of the group's job, which runs. It is
 * tried again later while something is not known yet, or while there is no room
 * beside pods that run; in that case the pods that wait are told. If no pod
 * runs or will, and Slurm's nodes are of no use, the job is ended
 * (end_to_begin_anew(), with its RPCs), and group_given_back() is called. Takes
 * the locks of `seen`, of the hosts and of the requests.
 */
void bind_pods(struct bridge *b, struct queue_entry *q,
	       const struct group_observation *j,
	       const struct pod_selection *pods);

/* --- bind_conflict.c; without a lock */

/*
 * Note that the API server has refused a binding by the group's job: it may be
 * sent again, after 409, 400, 403 and 422 not before 2 s, doubling to a minute.
 * When denials (400, 403, 422) have lasted for a minute bind_pods() gives the
 * job back, right after one. If somebody else has bound the pod the plan ends
 * the job, and the pod is told. Takes the lock of `seen`.
 */
void bind_failed(struct bridge *b, struct queue_entry *q,
		 const struct bridge_request_failure *f);

/* --- conditions.c */

/*
 * Tell these pods, and their PodGroup, what the plan says, if it is not what
 * they were told last. GROUP_WAIT is told when it has lasted for a second, and
 * GROUP_WAIT and GROUP_REFUSE not before 5 s after the last words. Without a
 * lock; takes that of `seen`.
 */
void write_conditions(struct bridge *b, struct queue_entry *q,
		      const struct group_observation *j,
		      const struct pod_selection *pods);

/*
 * Note that a note to this pod, by its UID, has failed: it is sent again after
 * 5 s, doubling to ten minutes. Without a lock; takes that of `seen`.
 */
void note_failed(struct bridge *b, const char *uid);

/*
 * Have the group's PodGroup of the built-in API say that its job has started,
 * if enough pods are bound by the job and nobody else writes its status. This
 * is repeated each 30 s until it is seen. Under the lock of `seen`.
 */
void write_group_scheduled(struct bridge *b, struct queue_entry *q,
			   const struct pod_group *g,
			   const struct group_view *view);

/* --- disown.c; under the lock of `seen` */

#define DISOWN_MIN_MS 10000  /* first pause: a note takes a while to be seen */
#define DISOWN_MAX_MS 600000 /* longest pause */
/*
 * Correct the conditions of the group's pods that say that we bound them, as
 * somebody else has bound them when we had marked them. The notes are sent
 * again and again, ever more seldom, until they are seen.
 */
void write_disowned(struct bridge *b, struct queue_entry *q,
		    const struct pod_group *g);

#endif
