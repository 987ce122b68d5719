/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pods get nodes, and are told how it stands. The bridge's thread only. */
#ifndef SLURMK8S_BRIDGE_BINDING_BINDING_H
#define SLURMK8S_BRIDGE_BINDING_BINDING_H

#include "bridge/placeholder/placeholder.h"

/* A pod of the group, copied. */
struct selected_pod {
	char ns[64], name[254], uid[64];
	char node[254]; /* where it is bound; "" */
	struct pod_requests need;
	uint32_t grace_s;
	bool waiting, leaving, ports;
	uint32_t told;	 /* see struct group_pod */
	bool scale_told; /* see struct bridged_pod */
};

struct pod_selection {
	struct selected_pod *v;
	size_t n;
};

/* Of all of them, see pod_sum(). */
static inline uint32_t pod_selection_sum(const struct pod_selection *pods)
{
	uint32_t sum = 0;

	for (size_t i = 0; i < pods->n; i++)
		sum += pod_sum(pods->v[i].uid);
	return sum;
}

/* --- moved_pods.c; under the lock of `seen` */

/*
 * Was it surely bound by a job of ours, and not by one of another Slurm
 * cluster? Its namespace's claim is no proof: who may write Leases there forges
 * it.
 */
bool is_bound_by_us(struct bridge *b, const struct group_pod *m);
/*
 * Finds and counts pods of the group that were bound by another group's job:
 * they are to go. False: there is none. And `ours` of each.
 */
bool find_moved(struct bridge *b, const struct pod_group *g,
		const struct queue_entry *q, struct group_observation *j);

/* --- misplaced_pods.c; under the lock of `seen`, not of the hosts */

struct sent_binding;

/*
 * Which of the group's pods are on nodes that its job, which runs, does not
 * have: `astray` of each, and `strays` of the job. Unless `look`, or where its
 * nodes are not known, none is.
 */
void strays_find(struct bridge *b, struct queue_entry *q, struct pod_group *g,
		 bool look);
/* Was it sent to a node that the pod's job, which runs, has lost since? Under
 * the lock of the hosts, too. */
bool strays_may_come(struct bridge *b, const struct queue_entry *q,
		     const struct sent_binding *sent);

/* --- gone_pods_look.c; under the lock of `seen`, not of the hosts */

/*
 * Those whose time is over go, and those whose node is gone, is another one,
 * was booted, or is said to be out of service. The others are told, once.
 */
void gone_pods_look(struct bridge *b);

/* --- node_room.c; under the lock of `seen` */

/* May pods be bound to the nodes of this job, which runs? */
bool nodes_are_free(struct bridge *b, const struct queue_entry *q);
void occupied_nodes_free(struct bridge *b);

/* --- overcommit.c; under the lock of `seen` */

/*
 * Have pods that are not ours taken so much of an external node of this job,
 * which runs, that its waiting pods would be turned away by the kubelet? (Slurm
 * keeps a node's size for a while: external/external_size.h.)
 */
bool is_overcommitted(struct bridge *b, const struct queue_entry *q,
		      const struct pod_group *g);
/*
 * How many pods are on a node, or on their way there; 0 where they cannot be
 * too many. Under both locks.
 */
uint32_t overcommit_pods(struct bridge *b, const struct inventory_node *x);
/* A pod is to be bound there from now on. Without a lock. */
void overcommit_bound(struct bridge *b, const char *uid, const char *node,
		      const struct pod_requests *need);
void overcommit_free(struct bridge *b);

/* --- pod_deletion.c; without the lock */

void delete_pods(struct bridge *b, struct queue_entry *q,
		 const struct group_observation *j,
		 const struct pod_selection *pods);
/* The API server has not deleted one: its group's are tried again later. */
void delete_failed(struct bridge *b, const struct bridge_request_failure *f);

/* --- bind.c */
void bind_pods(struct bridge *b, struct queue_entry *q,
	       const struct group_observation *j,
	       const struct pod_selection *pods);

/* --- bind_conflict.c: the API server has refused a binding */
void bind_failed(struct bridge *b, struct queue_entry *q,
		 const struct bridge_request_failure *f);

/* --- conditions.c */
void write_conditions(struct bridge *b, struct queue_entry *q,
		      const struct group_observation *j,
		      const struct pod_selection *pods);

/* Under the lock of `seen`: a PodGroup that runs by now says so. */
void write_group_scheduled(struct bridge *b, struct queue_entry *q,
			   const struct pod_group *g,
			   const struct group_view *view);

/* --- disown.c; under the lock of `seen` */

#define DISOWN_MIN_MS 10000 /* so long it may take until it is seen */
#define DISOWN_MAX_MS 600000
/*
 * Pods that somebody else has bound when we had marked them say that they are
 * ours: they are told better, again and again, until that is seen.
 */
void write_disowned(struct bridge *b, struct queue_entry *q,
		    const struct pod_group *g);

#endif
