/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is asked of one Kubernetes cluster for worker pods: by the engine's
 * thread, done by the cluster's. One thing a pod at a time: what is asked for
 * meanwhile is dropped, for the engine decides anew; but a note that has not
 * been sent gives way. Looks go first, then deletions, creations, notes and
 * Events. Of maxRequests looks, deletions and creations have a quarter each at
 * most, and notes and Events together one: where they hang they keep neither
 * the others waiting nor the bridge. Each function takes the lock that it needs
 * itself; what cannot be queued, as there is no memory, is dropped without a
 * word.
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
	void (*asked)(void *arg); /* wakes the cluster's thread; any thread */
	/* All others are called by the cluster's thread, without the lock. */
	void (*done)(void *arg); /* one thing is done, an Event excepted */
	bool (*may)(void *arg);	 /* whether a request may be sent now */
	/*
	 * takes an answer to node_requests_look(); NULL: no look is asked for
	 */
	void (*looked)(void *arg, const char *pod, const char *node,
		       int64_t asked_ms, const json_object *found);
	void *arg;
};

/*
 * Make one without requests; `opt` is copied. The caller frees. NULL: out of
 * memory.
 */
struct node_requests *
node_requests_new(const struct node_requests_options *opt);

/*
 * Free it with all requests, after the client that it was given has been freed.
 * NULL: nothing.
 */
void node_requests_free(struct node_requests *w);

/* --- any thread; nothing is sent here */

/*
 * Have a pod deleted by its UID, with its own grace period, within 10 s. One
 * DELETE.
 */
void node_requests_delete(struct node_requests *w, const struct pod_view *pod);

/*
 * Have a node's pod created by pod_ensure(), within 30 s. Owns body; NULL:
 * nothing is done. `set` is borrowed until it is done. To be asked for only of
 * a node without a pod: one of ours that is there by then stays, of whatever
 * template. Its power-up did not begin before since_ms (epoch): a pod that is
 * older does not stay. early: k8s_resume is to come, so a failure needs no
 * word.
 */
void node_requests_create(struct node_requests *w, const struct nodeset *set,
			  const char *node, char *body, const char *hash,
			  int64_t since_ms, bool early);

/*
 * Have a node's pod asked for by its name, within 10 s: looked() hears, with
 * the time of the question (monotonic), which one there is, or that there is
 * none (NULL). Of any other answer it does not hear. One GET. False: something
 * is being asked for that pod already, 500 wait, or memory is short.
 */
bool node_requests_look(struct node_requests *w, const char *node);

/*
 * Have it noted on a pod who runs there. False: it is dropped, for the pod is
 * busy here, or 1000 wait; 750 where only its steps have changed, so that there
 * is room for those that protect pods from eviction. One PATCH; a note that is
 * refused is sent anew without what the pod's jobs ask for, then also without
 * what autoscalers go by; if the API server takes it only so, none has the
 * latter for 10 min.
 */
bool node_requests_note(struct node_requests *w, const struct pod_view *pod,
			const struct pod_jobs *jobs, bool only_steps);

/* False for 10 min after an answer that we have no right to change pods. */
bool node_requests_may_note(struct node_requests *w);

/*
 * Have an Event made on a pod: `reason` in any words. One POST. When 500 wait,
 * or when Events are forbidden to us, it is left out.
 */
void node_requests_event(struct node_requests *w, const struct pod_view *pod,
			 bool warning, const char *reason, const char *message);

/* True if a request about this pod is there that no later one replaces. */
bool node_requests_busy(struct node_requests *w, const char *pod);

/* --- the cluster's thread, always with the same client */

/* Send what may be sent now. To be called again when an answer has come. */
void node_requests_begin(struct node_requests *w, struct kube_client *client);

/*
 * Drop all requests, and cancel those that are under way: they are not ours to
 * do any more. done() is not called for them.
 */
void node_requests_drop(struct node_requests *w, struct kube_client *client);

#endif
