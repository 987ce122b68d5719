/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One Kubernetes cluster's thread: its connection, its lease and its nodes, and
 * the parts that rooms above attach. Clusters know nothing of each other: one
 * that is down delays none of the rest. The lease keeps the engine of a second
 * slurmctld from acting.
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
	const struct cluster_config *cluster; /* of config */
	const char *slurm_cluster;	      /* ClusterName; copied */
	void (*ring)(void *arg); /* something has changed; any thread */
	/* Its memory is freed, and it calls none of these again; any thread.
	 * Not when cluster_start() was not called, or failed; NULL: nobody
	 * wants to know. */
	void (*gone)(void *arg);
	void *arg;
	/* Set, it ends the thread, too, within a second; NULL: nothing but
	 * cluster_ask_stop() does. It lasts until `gone` is called. */
	const atomic_bool *ending;
	/* Its thread looks at this one; it lasts as long as `ending`. NULL:
	 * nobody looks. */
	struct engine_beat *engine;
};

/*
 * What a room has its part of the cluster's thread do. All is called by that
 * thread, but for free().
 */
struct cluster_part_ops {
	/* The client is there. -ENOMEM; then stop() is called, too. */
	int (*start)(void *part, struct kube_client *client);
	/* Each time round, at least once a second. `held`: we may act; if not
	 * all that is to be done is dropped. */
	void (*step)(void *part, struct kube_client *client, bool held);
	/* Before the client is freed. */
	void (*stop)(void *part, struct kube_client *client);
	/* After it, with the cluster's memory. Any thread. */
	void (*free)(void *part);
	/* Of one part at most; NULL: none. It hears of the cluster's nodes,
	 * too; and the informer of these, until stop(), with a bound of its own
	 * on how old the view of nodes may be. */
	void (*nodes_handler)(void *part, struct informer_handler *out);
	void (*nodes)(void *part, struct informer *nodes);
	int64_t (*nodes_stale_ms)(void *part);
};

/*
 * A cluster that does not run yet: parts are attached, then it is started, or
 * freed. -ENOMEM.
 */
int cluster_new(const struct cluster_options *opt, struct cluster **out,
		struct err *err);
void cluster_free(struct cluster *l); /* NULL: nothing */

#define CLUSTER_PARTS_MAX 2
/* Owns `part` by then, whatever comes. It may use what follows at once. */
void cluster_attach(struct cluster *l, const struct cluster_part_ops *ops,
		    void *part);
/* The part that was attached with these; NULL: none. Any thread. */
void *cluster_part(struct cluster *l, const struct cluster_part_ops *ops);

/* --- for parts */

/* Something is to be done: its thread comes round at once. Any thread. */
void cluster_wake(void *cluster);
/* Something has changed, see struct cluster_options. Any thread. */
void cluster_ring(void *cluster);
/* May we act now? Its thread. */
bool cluster_may_act(void *cluster);
const struct cluster_options *cluster_options(const struct cluster *l);

/* --- */

/* ClusterName; borrowed, as long as the memory lasts. Any thread. */
const char *cluster_slurm_cluster(const struct cluster *l);

/* Start the thread. The caller stops it. On failure it is freed. */
int cluster_start(struct cluster *l, struct err *err);

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

/*
 * May we act on its pods, and on what they mean for Slurm? Only one slurmctld
 * may at a time (kube/lease.h). Ask right before: time alone can end it.
 */
bool cluster_held(struct cluster *l);

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
