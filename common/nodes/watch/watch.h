/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The worker pods of a Kubernetes cluster: they are watched, with what kubelets
 * warn of them, and what is asked for is done, by the cluster's thread. Any
 * thread may call the functions, but for watch_attach(): the engine's only.
 */
#ifndef SLURMK8S_NODES_WATCH_WATCH_H
#define SLURMK8S_NODES_WATCH_WATCH_H

#include "cluster/cluster.h"
#include "nodes/watch/node_requests.h"
#include "nodes/watch/worker_pods.h"

/*
 * Attach this part to a cluster, before cluster_start(). 0; -ENOMEM: then the
 * cluster is to be freed.
 */
int watch_attach(struct cluster *l, struct err *err);

/*
 * --- any thread; of a cluster with this part. What is returned is borrowed, as
 * long as the cluster's memory lasts.
 */

/* The pods in view. */
struct worker_pods *watch_pods(struct cluster *l);

/*
 * What is asked of it for worker pods; dropped without a word while the lease
 * is not held.
 */
struct node_requests *watch_requests(struct cluster *l);

/*
 * How old what is in view of pods is, in ms; -1: they are not in view. Reads a
 * clock, and takes no lock.
 */
int64_t watch_pods_age(struct cluster *l);

/*
 * True if the lease is held, the pods are known, and changes are seen: a watch
 * is under way, and what it shows is less than two minutes old. Reads clocks,
 * and takes no lock.
 */
bool watch_is_live(struct cluster *l);

#endif
