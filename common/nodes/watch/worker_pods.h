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

/* Make one without pods. The caller frees. NULL: out of memory. */
struct worker_pods *worker_pods_new(void);

/* Free it; no other thread uses it any more. NULL: nothing. */
void worker_pods_free(struct worker_pods *c);

/*
 * --- the writing thread; each takes the lock itself, and marks the nodes of
 * pods that have changed for worker_pods_take_dirty()
 */

/*
 * A list begins: pods of which neither worker_pods_put() nor worker_pods_keep()
 * is called before worker_pods_synced() are gone.
 */
void worker_pods_begin(struct worker_pods *c);

/*
 * Take over a pod that was added, or has changed; `container` is the name of
 * the one that runs slurmd. False: it is no pod of ours, or there is no memory.
 */
bool worker_pods_put(struct worker_pods *c, const json_object *pod,
		     const char *container);

/* Note that this pod, by name and UID, was deleted. */
void worker_pods_delete(struct worker_pods *c, const json_object *pod);

/*
 * Note that a pod is still there, but too big to be read: what was known of it
 * stays.
 */
void worker_pods_keep(struct worker_pods *c, const char *name, const char *uid);

/* The list is complete. */
void worker_pods_synced(struct worker_pods *c);

/*
 * Take over a warning about this pod, said from `first_ms` to `last_ms` (epoch;
 * -1: now): its words, first and last time are kept while the pod exists. One
 * whose last time is over 150 s ago is left out. True: it is news.
 */
bool worker_pods_warn(struct worker_pods *c, const char *name, const char *uid,
		      const char *words, int64_t first_ms, int64_t last_ms);

/*
 * Take over that Kubernetes, asked for this node's pod by its name at `at_ms`
 * (monotonic), had `found`; NULL: none. Either is news of the node. True: a pod
 * was found that is not in view here with that UID and phase, or cannot be
 * read.
 */
bool worker_pods_looked(struct worker_pods *c, const char *name,
			const char *node, int64_t at_ms,
			const json_object *found);

/* --- readers; any thread, which takes the lock where that is said */

/* Take the lock, for moments only: the writing thread waits for it. */
void worker_pods_lock(struct worker_pods *c);

/* Let go of the lock: what was borrowed under it is so no longer. */
void worker_pods_unlock(struct worker_pods *c);

struct worker_pod_entry {
	struct pod_view pod; /* texts borrowed until the unlock */
	bool gone;
	bool deleted;	   /* gone, and not only as a list has it no more */
	int64_t since_ms;  /* monotonic: when it was first seen, or went */
	int64_t born_ms;   /* when it was first seen */
	int64_t ending_ms; /* when it was first seen to be deleted, or 0 */
	/* mark and asked_ms are the reader's own, and stay with the name */
	unsigned int mark;
	int64_t asked_ms;
};

/*
 * The pod of this name, also one that is gone; NULL: none was seen, or it is
 * forgotten. Under the lock, and borrowed until the unlock.
 */
struct worker_pod_entry *worker_pods_find(struct worker_pods *c,
					  const char *name);

/*
 * When (monotonic) Kubernetes was last asked for a pod of this name and had
 * none, if that is the last that is known of it and not older than a minute;
 * else -1. Under the lock.
 */
int64_t worker_pods_absent_at(struct worker_pods *c, const char *name);

/*
 * When (monotonic) Kubernetes was last asked for a pod of this name and had the
 * one with this uid, which had ended, if that is not older than a minute; else
 * -1. Under the lock.
 */
int64_t worker_pods_ended_at(struct worker_pods *c, const char *name,
			     const char *uid);

/*
 * Call `fn` for each pod, also those that are gone; `seen` is borrowed until
 * the unlock. Under the lock.
 */
typedef void (*pod_seen_fn)(void *arg, struct worker_pod_entry *seen);
void worker_pods_each(struct worker_pods *c, pod_seen_fn fn, void *arg);

/* How many pods exist. Takes the lock itself. */
size_t worker_pods_count(struct worker_pods *c);

/*
 * Take the names of the Slurm nodes whose pods have changed since the last
 * call, and return how many there are. The caller frees each name. -1: too many
 * to tell, or there was no memory. One thread only; takes the lock itself.
 */
int worker_pods_take_dirty(struct worker_pods *c,
			   char *nodes[POD_CACHE_DIRTY_MAX]);

#endif
