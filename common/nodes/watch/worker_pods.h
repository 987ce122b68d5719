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

struct worker_pods;

struct worker_pods *worker_pods_new(void); /* NULL: out of memory */
void worker_pods_free(struct worker_pods *c);

/* --- the writing thread; each takes the lock itself */

void worker_pods_begin(struct worker_pods *c); /* a list begins */
/* Added or changed. `container` runs slurmd. False: it is no pod of ours. */
bool worker_pods_put(struct worker_pods *c, const json_object *pod,
		     const char *container);
void worker_pods_delete(struct worker_pods *c, const json_object *pod);
/* It is still there, but too big to be read: what was known of it stays. */
void worker_pods_keep(struct worker_pods *c, const char *name, const char *uid);
void worker_pods_synced(struct worker_pods *c); /* the list is complete */

/*
 * A warning about this pod, said from `first_ms` to `last_ms` (epoch; -1:
 * now): its words, first and last time are kept while the pod exists. One whose
 * last time is long ago is no news any more. True: it is news.
 */
bool worker_pods_warn(struct worker_pods *c, const char *name, const char *uid,
		      const char *words, int64_t first_ms, int64_t last_ms);

/*
 * Kubernetes, asked for this node's pod by its name at `at_ms` (monotonic), had
 * `found`; NULL: none. Either is news of the node. True: it is not as it is in
 * view here.
 */
bool worker_pods_looked(struct worker_pods *c, const char *name,
			const char *node, int64_t at_ms,
			const json_object *found);

/* --- readers */

void worker_pods_lock(struct worker_pods *c);
void worker_pods_unlock(struct worker_pods *c);

struct worker_pod_entry {
	struct pod_view pod; /* texts borrowed until the unlock */
	bool gone;
	bool deleted;	   /* gone, and not only as a list has it no more */
	int64_t since_ms;  /* monotonic: when it was first seen, or went */
	int64_t born_ms;   /* when it was first seen */
	int64_t ending_ms; /* and first seen to be deleted; 0: it is not */
	unsigned int mark; /* these two are the reader's own: with the name */
	int64_t asked_ms;
};

/* By the pod's name; NULL: never seen. Under the lock. */
struct worker_pod_entry *worker_pods_find(struct worker_pods *c,
					  const char *name);

/*
 * When Kubernetes was last asked for a pod of this name and had none, if that
 * is the last that is known of it and less than a minute old; else -1. Under
 * the lock.
 */
int64_t worker_pods_absent_at(struct worker_pods *c, const char *name);

/* The same: it had the one with this uid, and that had ended. */
int64_t worker_pods_ended_at(struct worker_pods *c, const char *name,
			     const char *uid);

/* All of them, also those gone. Under the lock. */
typedef void (*pod_seen_fn)(void *arg, struct worker_pod_entry *seen);
void worker_pods_each(struct worker_pods *c, pod_seen_fn fn, void *arg);

size_t worker_pods_count(struct worker_pods *c); /* that exist */

/*
 * The Slurm nodes whose pods have changed since the last call. The caller
 * frees each name. -1: too many to tell. Takes the lock itself.
 */
int worker_pods_take_dirty(struct worker_pods *c,
			   char *nodes[POD_CACHE_DIRTY_MAX]);

#endif
