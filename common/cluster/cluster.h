/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One Kubernetes cluster's thread: its connection, its lease and its nodes, and
 * the parts that rooms above attach. Clusters know nothing of each other: one
 * that is down delays none of the rest. The lease keeps the engine of a second
 * slurmctld from acting. One thread, the engine's, makes, starts and stops
 * them; what other threads may call says so. None of this sends a request in
 * the caller's thread.
 */
#ifndef SLURMK8S_CLUSTER_CLUSTER_H
#define SLURMK8S_CLUSTER_CLUSTER_H

#include <stdatomic.h>

#include "base/err.h"
#include "cluster/disruption.h"
#include "cluster/engine_beat.h"
#include "config/config.h"
#include "kube/client.h"
#include "kube/informer.h"
#include "objects/kube_node_state.h"

struct cluster;

struct cluster_options {
	struct config *config; /* shared, as long as its memory lasts */
	const struct cluster_config *cluster; /* an entry of `config` */
	const char *slurm_cluster;	      /* ClusterName; copied */
	void (*ring)(void *arg); /* something has changed; any thread */
	/*
	 * The cluster's memory is freed, and it calls none of these again; any
	 * thread. Not called when cluster_start() was not, or failed. NULL:
	 * nobody is told.
	 */
	void (*gone)(void *arg);
	void *arg;
	/*
	 * When set, the thread ends, too, within a second; NULL: nothing but
	 * cluster_ask_stop() ends it. It lasts until `gone` is called.
	 */
	const atomic_bool *ending;
	/*
	 * The cluster's thread looks at it (engine_beat_look()); it lasts as
	 * long as `ending`. NULL: nobody looks.
	 */
	struct engine_beat *engine;
};

/*
 * What a room has its part of the cluster's thread do. All is called by that
 * thread, but for free().
 */
struct cluster_part_ops {
	/* The client is there. 0; -ENOMEM: stop() is called, too. */
	int (*start)(void *part, struct kube_client *client);
	/*
	 * Each time round, at least once a second. `held`: we may act; if not
	 * all that is to be done is dropped.
	 */
	void (*step)(void *part, struct kube_client *client, bool held);
	/* Before the client is freed, also when start() was not called. */
	void (*stop)(void *part, struct kube_client *client);
	/* After it, with the cluster's memory. Any thread. */
	void (*free)(void *part);
	/*
	 * One part at most has these three functions; in all others they are
	 * NULL. Returns the handlers that are told of the cluster's nodes.
	 */
	struct informer_handler (*nodes_handler)(void *part);
	/*
	 * The informer of nodes, borrowed until stop(), which the part gives
	 * the bound below. NULL: out of memory, and stop() follows.
	 */
	void (*nodes)(void *part, struct informer *nodes);
	/* How old the view of nodes may be, ms. Any thread. */
	int64_t (*nodes_stale_ms)(void *part);
};

/*
 * Make a cluster that does not run yet: parts are attached, then it is started,
 * or freed. 0; -ENOMEM.
 */
int cluster_new(const struct cluster_options *opt, struct cluster **out,
		struct err *err);

/* Free one that does not run, with its parts. NULL: nothing. */
void cluster_free(struct cluster *l);

#define CLUSTER_PARTS_MAX 2
/*
 * Attach a part, which the cluster owns from then on; CLUSTER_PARTS_MAX at
 * most, before cluster_start(). The part may use what follows at once.
 */
void cluster_attach(struct cluster *l, const struct cluster_part_ops *ops,
		    void *part);

/*
 * The part that was attached with these ops; NULL: none. Borrowed, as long as
 * the cluster's memory lasts. Any thread.
 */
void *cluster_part(struct cluster *l, const struct cluster_part_ops *ops);

/* --- for parts */

/*
 * Have the cluster's thread come round at once, for something is to be done.
 * Before it has its client: nothing, as it comes round then. Any thread.
 */
void cluster_wake(void *cluster);

/* Call ring() of its options: something has changed. Any thread. */
void cluster_ring(void *cluster);

/* True if we may act now. The cluster's thread; reads the clock. */
bool cluster_may_act(void *cluster);

/*
 * The options that the cluster was made with. Borrowed, as long as the memory
 * lasts; but slurm_cluster may be gone: cluster_slurm_cluster(). Any thread.
 */
const struct cluster_options *cluster_options(const struct cluster *l);

/* --- for all */

/* ClusterName. Borrowed, as long as the memory lasts. Any thread. */
const char *cluster_slurm_cluster(const struct cluster *l);

/*
 * Start the thread. The caller stops it by cluster_stop(). 0; or an error of
 * thread_start(): then the cluster is freed.
 */
int cluster_start(struct cluster *l, struct err *err);

/* Tell the thread to stop, and do not wait. */
void cluster_ask_stop(struct cluster *l);

/*
 * Stop the thread, which gives the lease back, and let go of the cluster; it
 * takes wait_ms at most. False: the thread is stuck; it ends, and frees what it
 * has, by itself, but uses `arg` until `gone` is called.
 */
bool cluster_stop(struct cluster *l, int64_t wait_ms);

/*
 * True if its kubeconfig, with the files that it names, says what is in force;
 * or if one of them cannot be read, which is logged, or none has been read yet.
 * Reads these files, which may block.
 */
bool cluster_is_current(struct cluster *l);

/*
 * Keep its memory until cluster_let_go(), even when it has been stopped: for
 * another thread than the one that stops it. Between cluster_start() and
 * cluster_stop().
 */
void cluster_hold(struct cluster *l);

/* Undo cluster_hold(); the last one frees the cluster. Any thread. */
void cluster_let_go(struct cluster *l);

/*
 * True if we may act on its pods, and on what they mean for Slurm. Only one
 * slurmctld may at a time (kube/lease.h). To be asked right before: time alone
 * can end it. Any thread; reads the clock, and takes no lock.
 */
bool cluster_held(struct cluster *l);

/*
 * Log, at most once a minute, that the cluster's thread has not come round for
 * 10 s. Of a cluster with a part that hears of nodes nothing is logged here
 * once its client is there, as the bridge's thread looks. One thread calls it,
 * which is not the cluster's.
 */
void cluster_tell_late(struct cluster *l);

/*
 * --- Kubernetes nodes, as far as a watch is under way and what it shows is not
 * older than two minutes, or than nodes_stale_ms() of the part that hears of
 * them. Any thread; they take a lock for a moment.
 */

/* The node of this name; out->known is false where it is not in view. */
void cluster_host(struct cluster *l, const char *name,
		  struct kube_node_state *out);

/* How old what is in view of nodes is, in ms; -1: none is in view. */
int64_t cluster_hosts_age(struct cluster *l);

/* Count all nodes: kube_nodes_count(). False: none is in view. */
bool cluster_hosts(struct cluster *l, struct disruption_seen *out);

#endif
