/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One Kubernetes cluster's thread: its connection, what is in view there, and
 * what is to be done there. Clusters know nothing of each other: one that is
 * down delays none of the rest. Beside that, the lease that keeps the engine
 * of a second slurmctld from acting.
 */
#ifndef SLURMK8S_CLUSTER_CLUSTER_H
#define SLURMK8S_CLUSTER_CLUSTER_H

#include <stdatomic.h>

#include "base/err.h"
#include "bridge/session/bridge_session.h"
#include "cluster/disruption.h"
#include "nodes/watch/node_requests.h"
#include "nodes/watch/worker_pods.h"
#include "objects/kube_node_state.h"

struct cluster;

struct cluster_options {
	struct config *config; /* shared, as long as its memory lasts */
	const struct cluster_config *cluster; /* of config */
	const char *slurm_cluster;	      /* ClusterName; copied */
	void (*ring)(void *arg); /* something has changed; any thread */
	/* Its memory is freed, and it calls none of these again; any thread.
	 * Not when cluster_start() fails; NULL: nobody wants to know. */
	void (*gone)(void *arg);
	void *arg;
	/* Set, it ends the thread, too, within a second; NULL: nothing but
	 * cluster_ask_stop() does. It lasts until `gone` is called. */
	const atomic_bool *ending;
	bool bridged;	   /* the bridge is to this cluster */
	bool bridge_nodes; /* and external nodes are to be made */
	int bridge_waker;  /* an eventfd for its thread; duplicated */
};

/* ClusterName; borrowed, as long as the memory lasts. Any thread. */
const char *cluster_slurm_cluster(const struct cluster *l);

/* Start the thread. The caller stops it. */
int cluster_start(const struct cluster_options *opt, struct cluster **out,
		  struct err *err);

/* Tell it to stop, and do not wait. */
void cluster_ask_stop(struct cluster *l);

/*
 * Stop it, waiting at most wait_ms. False: its thread is stuck; it ends, and
 * frees what it has, by itself, but uses `arg` until `gone` is called.
 */
bool cluster_stop(struct cluster *l, int64_t wait_ms);

/*
 * Does its kubeconfig, with the files that it names, still say the same? Reads
 * them; one that cannot be read is logged, and changes nothing.
 */
bool cluster_is_current(struct cluster *l);

/*
 * Its memory stays until this is undone, even when it has been stopped: for
 * another thread than the one that stops it.
 */
void cluster_hold(struct cluster *l);
void cluster_let_go(struct cluster *l);

struct worker_pods *cluster_pods(struct cluster *l);

/* What the bridge has there; NULL: nothing. */
struct bridge_session *cluster_bridge(struct cluster *l);

/* What to have done there. Dropped without a word while the lease is not held.
 */
struct node_requests *cluster_work(struct cluster *l);

/*
 * May we act on its pods, and on what they mean for Slurm? Only one slurmctld
 * may at a time (kube/lease.h). Ask right before: time alone can end it.
 */
bool cluster_held(struct cluster *l);

/*
 * That, and the pods are known, and changes are seen: a watch is under way, and
 * what it shows is less than two minutes old.
 */
bool cluster_live(struct cluster *l);

/*
 * Say in the log, once a minute, when its thread has not come round for 10 s.
 * Each time from the same thread, which is not its own.
 */
void cluster_tell_late(struct cluster *l);

/* A Kubernetes node; known is false where it is not in view in this way. */
void cluster_host(struct cluster *l, const char *name,
		  struct kube_node_state *out);

/* All of them: kube_nodes_count(). False: they are not in view in this way. */
bool cluster_hosts(struct cluster *l, struct disruption_seen *out);

#endif
