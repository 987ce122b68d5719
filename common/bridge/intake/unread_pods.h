/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Bridged pods of which no more can be read than which one each is, its node
 * and its phase: longer ones than are kept, say. By whom one was bound is not
 * known, so it is nobody's; while it may run its node is not given to another.
 * The caller locks.
 */
#ifndef SLURMK8S_BRIDGE_INTAKE_UNREAD_PODS_H
#define SLURMK8S_BRIDGE_INTAKE_UNREAD_PODS_H

#include <stdbool.h>
#include <stddef.h>

#include "kube/skim.h"

/*
 * The most pods that are kept. (An author makes his own pods so, and etcd has 2
 * GiB in all unless it is told otherwise.)
 */
#define BRIDGE_UNREAD_MAX 64

/* All zero: none. */
struct unread_pods {
	size_t n;
	struct unread_pod {
		char ns[SKIM_MAX], uid[SKIM_MAX];
		char node[SKIM_MAX]; /* "": it is not bound, or has ended */
		/* number of the last list that had it */
		unsigned int generation;
	} pods[BRIDGE_UNREAD_MAX];
};

/*
 * Note such a pod, as it is now. `generation`: of the list that has it, or of
 * the last one. False: it is not kept, for there are too many, or it has no uid
 * or namespace.
 */
bool unread_pods_see(struct unread_pods *u, const struct object_id *id,
		     unsigned int generation);

/*
 * Forget a pod that was read, or is gone. An unknown uid, or NULL, is ignored.
 */
void unread_pods_drop(struct unread_pods *u, const char *uid);

/* Note that all are listed: forget those that were not in this list. */
void unread_pods_synced(struct unread_pods *u, unsigned int generation);

/* True if the namespace has such a pod. */
bool unread_pods_has(const struct unread_pods *u, const char *ns);

/*
 * Call `on` with the node of each that may run; one node may come several
 * times.
 */
void unread_pods_each_node(const struct unread_pods *u,
			   void (*on)(void *arg, const char *node), void *arg);

#endif
