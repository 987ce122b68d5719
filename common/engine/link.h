/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One Kubernetes cluster's thread: its connection, the pods and Kubernetes
 * nodes in view, and what is to be created and deleted there. Clusters know
 * nothing of each other: one that is down delays none of the rest. Beside
 * that, the lease that keeps the engine of a second slurmctld from acting.
 */
#ifndef SLURMK8S_ENGINE_LINK_H
#define SLURMK8S_ENGINE_LINK_H

#include "base/err.h"
#include "pods/pod_cache.h"

struct link;

struct link_options {
	const struct config *config;   /* borrowed, outlives the link */
	const struct cluster *cluster; /* of config */
	const char *slurm_cluster;     /* ClusterName; copied */
	void (*ring)(void *arg);       /* something has changed; any thread */
	void *arg;
};

/* Start the thread. The caller stops it. */
int link_start(const struct link_options *opt, struct link **out,
	       struct err *err);

/* Tell it to stop, and do not wait. */
void link_ask_stop(struct link *l);

/*
 * Stop it, waiting at most wait_ms. False: its thread is stuck; it ends, and
 * frees what it has, by itself, but still uses `config` and `arg`.
 */
bool link_stop(struct link *l, int64_t wait_ms);

struct pod_cache *link_pods(struct link *l);

/*
 * May we act on its pods, and on what they mean for Slurm? Only one slurmctld
 * may at a time (kube/lease.h). Ask right before: time alone can end it.
 */
bool link_held(struct link *l);

/* That, and the pods are known, and changes are seen at once. */
bool link_live(struct link *l);

/* A Kubernetes node; known is false where we may not look. */
void link_host(struct link *l, const char *name, struct plan_host *out);

/*
 * Delete a pod by UID. grace_s < 0: its own grace period. Twice is once.
 * This and link_create(): dropped without a word when the lease is not held.
 */
void link_delete(struct link *l, const struct plan_pod *pod, int64_t grace_s);

/* Create a node's pod (pod_ensure). Owns body (may be NULL: nothing done). */
void link_create(struct link *l, const struct nodeset *set, const char *node,
		 char *body, const char *hash);

/* Is something under way for this pod? */
bool link_busy(struct link *l, const char *pod);

#endif
