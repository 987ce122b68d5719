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

struct link;

struct link_options {
	struct config *config;	       /* shared, as long as its memory lasts */
	const struct cluster *cluster; /* of config */
	const char *slurm_cluster;     /* ClusterName; copied */
	void (*ring)(void *arg);       /* something has changed; any thread */
	/* Its memory is freed, and it calls none of these again; any thread.
	 * Not when link_start() fails; NULL: nobody wants to know. */
	void (*gone)(void *arg);
	void *arg;
	/* Set, it ends the thread, too, within a second; NULL: nothing but
	 * link_ask_stop() does. It lasts until `gone` is called. */
	const atomic_bool *ending;
	bool bridged;	   /* the bridge is to this cluster */
	bool bridge_nodes; /* and external nodes are to be made */
	int bridge_waker;  /* an eventfd for its thread; duplicated */
};

/* ClusterName; borrowed, as long as the memory lasts. Any thread. */
const char *link_slurm_cluster(const struct link *l);

/* Start the thread. The caller stops it. */
int link_start(const struct link_options *opt, struct link **out,
	       struct err *err);

/* Tell it to stop, and do not wait. */
void link_ask_stop(struct link *l);

/*
 * Stop it, waiting at most wait_ms. False: its thread is stuck; it ends, and
 * frees what it has, by itself, but uses `arg` until `gone` is called.
 */
bool link_stop(struct link *l, int64_t wait_ms);

/*
 * Does its kubeconfig, with the files that it names, still say the same? Reads
 * them; one that cannot be read is logged, and changes nothing.
 */
bool link_is_current(struct link *l);

/*
 * Its memory stays until this is undone, even when it has been stopped: for
 * another thread than the one that stops it.
 */
void link_hold(struct link *l);
void link_let_go(struct link *l);

struct pod_cache *link_pods(struct link *l);

/* What the bridge has there; NULL: nothing. */
struct bridge_link *link_bridge(struct link *l);

/* What to have done there. Dropped without a word while the lease is not held.
 */
struct work *link_work(struct link *l);

/*
 * May we act on its pods, and on what they mean for Slurm? Only one slurmctld
 * may at a time (kube/lease.h). Ask right before: time alone can end it.
 */
bool link_held(struct link *l);

/*
 * That, and the pods are known, and changes are seen: a watch is under way, and
 * what it shows is less than two minutes old.
 */
bool link_live(struct link *l);

/*
 * Say in the log, once a minute, when its thread has not come round for 10 s.
 * Each time from the same thread, which is not its own.
 */
void link_tell_late(struct link *l);

/* A Kubernetes node; known is false where it is not in view in this way. */
void link_host(struct link *l, const char *name, struct plan_host *out);

/* All of them: hosts_count(). False: they are not in view in this way. */
bool link_hosts(struct link *l, struct disruption_seen *out);

#endif
