/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the files of inventory.h share. The link's thread, or under the lock, as
 * is said of each.
 */
#ifndef SLURMK8S_EXTERNAL_INVENTORY_INTERNAL_H
#define SLURMK8S_EXTERNAL_INVENTORY_INTERNAL_H

#include <pthread.h>

#include "base/log_ratelimit.h"
#include "external/inventory.h"
#include "objects/held_pod.h"
#include "runtime/store.h"

/* An informer that tells of pods that are not ours. */
struct source {
	struct inventory *h;
	bool ours;     /* the informer of pods with our scheduler's name */
	bool left_out; /* pods were left out: too many; link's thread only */
	struct store pods; /* by uid; synced, too, if they are not counted */
};

/* A bound pod that is not ours. */
struct other_pod {
	struct store_item item;
	const struct source *from;
	struct inventory_node *host;
	struct other_pod *prev, *next; /* in the list of the host */
	int64_t cpu_milli, memory_bytes;
	int64_t *counts; /* amounts of inventory.kinds; NULL: none */
	uint32_t job_id; /* job by which a bridge has bound it; 0: none */
	char uid[];
};

struct inventory {
	struct inventory_options opt;
	/* names of resources that are Gres */
	const char *kinds[BRIDGE_RESOURCES_MAX];
	size_t n_kinds;
	struct held_pod held; /* what is read of others' pods */
	/* The members up to `whole` are the link's thread's only. */
	struct informer *others_in;
	int64_t relist_at; /* monotonic: not before */
	struct log_ratelimit
		whole; /* nodes that were named, as a pod may hold all */
	char *selector;
	pthread_mutex_t lock; /* guards the members below */
	struct inventory_node *hosts, *by_slurm;
	struct source theirs, ours;
	unsigned int generation;
	bool hosts_known;
	uint64_t version, views;
};

/* --- inventory.c; the link's thread */

/* Take the lock. Returns the version that inventory_end() is to be given. */
uint64_t inventory_begin(struct inventory *h);

/*
 * Give the lock back, and wake the reader if something has changed since
 * inventory_begin(), which gave `before`. True: something has.
 */
bool inventory_end(struct inventory *h, uint64_t before);

/*
 * Note that something has changed: of node x, which counts as changed now, or
 * of others (NULL). Under the lock, as the two below.
 */
void inventory_changed(struct inventory *h, struct inventory_node *x);
/* The node of that name, made if need be. NULL: out of memory. */
struct inventory_node *inventory_host(struct inventory *h, const char *name);

/*
 * Note that Kubernetes has the node no more. It is freed, unless pods of others
 * are seen there: then it stays for them, without a name in Slurm.
 */
void inventory_drop_host(struct inventory *h, struct inventory_node *x);

/* --- other_pods_watch.c; the link's thread */

/*
 * Free all that `from` has told of; and their nodes, which Kubernetes does not
 * have any more. Under the lock.
 */
void other_pods_clear(struct source *from);

/*
 * The handler of the informer that `from` stands for, which is valid as long as
 * the inventory. It takes the lock.
 */
struct informer_handler other_pods_handler(struct source *from);
/*
 * True, once, when pods that were left out would have room by now: all are to
 * be listed anew. Without the lock.
 */
bool other_pods_again(struct source *from);

#endif
