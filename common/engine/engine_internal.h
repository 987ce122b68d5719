/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the files of engine.h share. The engine's thread only, where nothing
 * else is said.
 */
#ifndef SLURMK8S_ENGINE_ENGINE_INTERNAL_H
#define SLURMK8S_ENGINE_ENGINE_INTERNAL_H

#include <pthread.h>

#include "bridge/reconcile/bridge.h"
#include "engine/engine.h"
#include "engine/metrics_file.h"
#include "engine/metrics_listener.h"
#include "engine/programs.h"
#include "engine/slurm_census.h"
#include "nodes/watch/nodes.h"

#define RETRY_MS 1000 /* pause while slurmctld does not answer */

/* The engine: a thread in slurmctld. */
struct engine {
	pthread_t thread;
	/*
	 * Owners of the memory: the thread, the one who stops it, and each
	 * link.
	 */
	atomic_int owners;
	int waker; /* an eventfd: something has happened in a thread of ours */
	struct programs programs; /* socket by which programs tell us */
	bool site_stale; /* slurm.conf may have changed since `site` was read */
	int64_t site_at; /* no RPC for `site` before; monotonic, ms */
	struct bridge *bridge; /* NULL: k8s.yaml has no bridge */
	int bridge_waker;      /* eventfd of the bridge; -1: none yet */
	bool cleared;	  /* Comments set while no engine ran were cleared */
	int64_t links_at; /* when to try clusters_start() again */
	/*
	 * Protects metrics_file and metrics_listener, as another thread ends
	 * them.
	 */
	pthread_mutex_t metrics_lock;
	struct metrics_file metrics_file;
	struct metrics_listener metrics_listener;
	struct slurm_census census;
	struct nodes nodes;
};

/* --- engine.c; any thread. `arg` is the engine. */

/* Wake the engine's thread. */
void engine_ring(void *arg);
/* Give up a share of the engine's memory; the last owner frees it. */
void engine_let_go(void *arg);

/* --- clusters.c; no RPC */

/*
 * Start a thread for each Kubernetes cluster of the configuration in force, and
 * the bridge if it has one. What fails is logged, and none of them runs then.
 */
void clusters_start(struct engine *e);
/*
 * End all clusters and the bridge. May take some seconds; a thread that does
 * not end is abandoned.
 */
void clusters_stop(struct engine *e);
/*
 * True if no kubeconfig of the clusters has another token or certificate by
 * now.
 */
bool clusters_are_current(const struct engine *e);

/* --- configuration.c */

/*
 * Read what slurm.conf says again, if it may have changed: an RPC, once a
 * second at most. What depends on it is started anew.
 */
void configuration_site(struct engine *e);
/*
 * Read k8s.yaml and the kubeconfigs again, no RPC. If they say something else
 * all clusters are started anew by it; if they are bad the old ones stay, with
 * words in the log.
 */
void configuration_reload(struct engine *e);
/* Say in the log what an administrator should know of slurm.conf. */
void configuration_tell(const struct engine *e);

#endif
