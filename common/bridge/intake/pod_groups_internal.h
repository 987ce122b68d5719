/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the files of pod_groups.h share: pod_groups.c (what the bridge's thread
 * reads, and the informers), pod_groups_pods.c (pods come and go) and
 * pod_groups_spaces.c (namespaces come and go). Either thread under the lock;
 * handlers are the link's thread's.
 */
#ifndef SLURMK8S_BRIDGE_INTAKE_POD_GROUPS_INTERNAL_H
#define SLURMK8S_BRIDGE_INTAKE_POD_GROUPS_INTERNAL_H

#include <pthread.h>

#include "bridge/intake/group_index.h"
#include "bridge/intake/namespaces.h"
#include "bridge/intake/pod_groups.h"
#include "bridge/intake/unread_pods.h"

struct pod_groups {
	struct pod_groups_options opt;
	/*
	 * The four below: the link's thread only; client: borrowed until stop.
	 */
	struct kube_client *client;
	struct informer *pods_in, *spaces_in;
	int64_t relist_at; /* monotonic: not before */
	char *selector;
	struct informer_pair both;
	pthread_mutex_t lock; /* guards the members below */
	struct store pods;    /* struct group_pod */
	struct group_index groups;
	struct pod_class *shapes;
	/* struct namespace; synced at once if labels do not matter */
	struct store spaces;
	unsigned int lists; /* number of complete lists */
	struct pod_bounds bounds;
	struct unread_pods unread;
	struct gone_pods *gone;
	size_t n_deleted; /* deleted ones in `pods`, see struct group_pod */
	/* pods that may enter were left out, in list `left_out_of` */
	bool left_out;
	unsigned int left_out_of;
	bool relist; /* what was left out may be seen now */
};

/* Under the lock: take a pod out of its group. */
void pod_groups_leave(struct pod_groups *v, struct group_pod *m);

/* A store_fn, under the lock: take a pod out of view, and free it. */
void pod_groups_drop(void *v, void *pod);

/* Under the lock. True if pods of `ns` may enter, by the labels known now. */
bool pod_groups_may_enter(struct pod_groups *v, const char *ns);

/*
 * Under the lock: set a pod's class (struct pod_bounds), which may have
 * changed.
 */
void pod_groups_sort(struct pod_groups *v, struct group_pod *m);

/* What the informer of pods tells; the link's thread. */
struct informer_handler pod_groups_pods_handler(struct pod_groups *v);

/* What the informer of namespaces tells; the link's thread. */
struct informer_handler pod_groups_spaces_handler(struct pod_groups *v);

#endif
