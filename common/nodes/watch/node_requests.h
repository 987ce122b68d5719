/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is asked of one Kubernetes cluster for worker pods: by the engine's
 * thread, done by the cluster's. One thing a pod at a time: what is asked for
 * meanwhile is dropped, for the engine decides anew; but a note that has not
 * been sent gives way. Looks go first, then deletions, creations, notes and
 * Events; of maxRequests these have the half at most, notes and Events together
 * a quarter: where they hang they keep neither the others waiting nor the
 * bridge.
 */
#ifndef SLURMK8S_NODES_WATCH_NODE_REQUESTS_H
#define SLURMK8S_NODES_WATCH_NODE_REQUESTS_H

#include "config/config.h"
#include "kube/client.h"
#include "nodes/pod/pod_annotations.h"
#include "objects/worker_pod.h"

struct node_requests;

struct node_requests_options {
	const struct cluster_config *cluster; /* borrowed */
	const char *slurm_cluster;	      /* ClusterName; borrowed */
	void (*asked)(void *arg); /* something is to do; any thread */
	void (*done)(void *arg);  /* one thing is; the link's thread */
	bool (*may)(void *arg);	  /* asked before each; the same */
	/* see node_requests_look(); the same. NULL: nobody looks */
	void (*looked)(void *arg, const char *pod, const char *node,
		       int64_t asked_ms, const json_object *found);
	void *arg;
};

struct node_requests *node_requests_new(
	const struct node_requests_options *opt); /* NULL: no memory */

/* After the client that it was given has been freed. */
void node_requests_free(struct node_requests *w);

/* --- any thread */

/* Delete a pod by UID. grace_s < 0: its own grace period. */
void node_requests_delete(struct node_requests *w, const struct pod_view *pod,
			  int64_t grace_s);

/*
 * Create a node's pod (pod_ensure). Owns body (may be NULL: nothing done). Its
 * power-up did not begin before since_ms (epoch): a pod that is not older may
 * stay.
 */
void node_requests_create(struct node_requests *w, const struct nodeset *set,
			  const char *node, char *body, const char *hash,
			  int64_t since_ms);

/*
 * Ask for a node's pod by its name: looked() hears, with the time of the
 * question (monotonic), which one there is, or that there is none (NULL). Of
 * any other answer it does not hear. At most 500 wait; more are dropped.
 */
void node_requests_look(struct node_requests *w, const char *node);

/*
 * Note on a pod who runs there. False: it is dropped, for the pod is busy here,
 * or 1000 wait; 750 where only its steps have changed, so that there is room
 * for those that protect pods from eviction. A note that is refused is sent
 * anew without what the pod's jobs ask for, then also without what autoscalers
 * go by; if the API server takes it only so, none has the latter for 10 min.
 */
bool node_requests_note(struct node_requests *w, const struct pod_view *pod,
			const struct pod_jobs *jobs, bool only_steps);

/* False for 10 min after an answer that we have no right to change pods. */
bool node_requests_may_note(struct node_requests *w);

/*
 * An Event on a pod: `reason` in any words. Best effort: when there are too
 * many, or when it is forbidden to us, it is left out.
 */
void node_requests_event(struct node_requests *w, const struct pod_view *pod,
			 bool warning, const char *reason, const char *message);

/* Is something to be done for this pod that does not give way? */
bool node_requests_busy(struct node_requests *w, const char *pod);

/* --- the cluster's thread, always with the same client */

/* What may be sent now; to be called again when an answer has come. */
void node_requests_begin(struct node_requests *w, struct kube_client *client);

/* Drop all, also what is under way: it is not ours to do any more. */
void node_requests_drop(struct node_requests *w, struct kube_client *client);

#endif
