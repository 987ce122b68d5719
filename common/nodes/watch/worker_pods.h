/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The pods of one Kubernetes cluster as the informer sees them, compact: some
 * 300 bytes a pod. One thread writes, others read under the lock.
 *
 * A pod that was deleted is remembered for ten minutes, of the last 20,000:
 * "it is gone" and "it was never there" differ.
 */
#ifndef SLURMK8S_NODES_WATCH_WORKER_PODS_H
#define SLURMK8S_NODES_WATCH_WORKER_PODS_H

#include "objects/worker_pod.h"

#define POD_CACHE_DIRTY_MAX 256
#define POD_CACHE_GONE_MAX 20000

struct pod_cache;

struct pod_cache *pod_cache_new(void); /* NULL: out of memory */
void pod_cache_free(struct pod_cache *c);

/* --- the writing thread; each takes the lock itself */

void pod_cache_begin(struct pod_cache *c); /* a list begins */
/* Added or changed. `container` runs slurmd. False: it is no pod of ours. */
bool pod_cache_put(struct pod_cache *c, const json_object *pod,
		   const char *container);
void pod_cache_delete(struct pod_cache *c, const json_object *pod);
/* It is still there, but too big to be read: what was known of it stays. */
void pod_cache_keep(struct pod_cache *c, const char *name, const char *uid);
void pod_cache_synced(struct pod_cache *c); /* the list is complete */

/*
 * A warning about this pod, said from `first_ms` to `last_ms` (epoch; -1:
 * now): its words, first and last time are kept while the pod exists. One whose
 * last time is long ago is no news any more. True: it is news.
 */
bool pod_cache_warn(struct pod_cache *c, const char *name, const char *uid,
		    const char *words, int64_t first_ms, int64_t last_ms);

/*
 * Kubernetes, asked for this node's pod by its name at `at_ms` (monotonic), had
 * `found`; NULL: none. Either is news of the node. True: it is not as it is in
 * view here.
 */
bool pod_cache_looked(struct pod_cache *c, const char *name, const char *node,
		      int64_t at_ms, const json_object *found);

/* --- readers */

void pod_cache_lock(struct pod_cache *c);
void pod_cache_unlock(struct pod_cache *c);

struct pod_seen {
	struct plan_pod pod; /* texts borrowed until the unlock */
	bool gone;
	bool deleted;	   /* gone, and not only as a list has it no more */
	int64_t since_ms;  /* monotonic: when it was first seen, or went */
	int64_t born_ms;   /* when it was first seen */
	int64_t ending_ms; /* and first seen to be deleted; 0: it is not */
	unsigned int mark; /* these two are the reader's own: with the name */
	int64_t asked_ms;
};

/* By the pod's name; NULL: never seen. Under the lock. */
struct pod_seen *pod_cache_find(struct pod_cache *c, const char *name);

/*
 * When Kubernetes was last asked for a pod of this name and had none, if that
 * is the last that is known of it and less than a minute old; else -1. Under
 * the lock.
 */
int64_t pod_cache_absent_at(struct pod_cache *c, const char *name);

/* The same: it had the one with this uid, and that had ended. */
int64_t pod_cache_ended_at(struct pod_cache *c, const char *name,
			   const char *uid);

/* All of them, also those gone. Under the lock. */
typedef void (*pod_seen_fn)(void *arg, struct pod_seen *seen);
void pod_cache_each(struct pod_cache *c, pod_seen_fn fn, void *arg);

size_t pod_cache_count(struct pod_cache *c); /* that exist */

/*
 * The Slurm nodes whose pods have changed since the last call. The caller
 * frees each name. -1: too many to tell. Takes the lock itself.
 */
int pod_cache_take_dirty(struct pod_cache *c, char *nodes[POD_CACHE_DIRTY_MAX]);

#endif
