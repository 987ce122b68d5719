/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The Kubernetes nodes of one cluster in view, as far as we may look. Each
 * function takes the lock that it needs itself. One thread makes and frees
 * them, before and after all others use them.
 */
#ifndef SLURMK8S_CLUSTER_KUBE_NODES_H
#define SLURMK8S_CLUSTER_KUBE_NODES_H

#include "cluster/disruption.h"
#include "kube/informer.h"
#include "objects/kube_node_state.h"

struct kube_nodes;

/*
 * Make one that knows no node yet. `cluster`: its name, for the log; borrowed.
 * `ring`: something has changed; called by the client's thread, without the
 * lock. The caller frees. NULL: out of memory.
 */
struct kube_nodes *kube_nodes_new(const char *cluster, void (*ring)(void *arg),
				  void *arg);

/* Free it, after its informer. NULL: nothing. */
void kube_nodes_free(struct kube_nodes *h);

/*
 * Make the informer that keeps them in view. `also`, which is copied, is told
 * as well, before them; NULL: nobody. The caller steps and frees it. NULL: out
 * of memory. The client's thread.
 */
struct informer *kube_nodes_inform(struct kube_nodes *h, struct kube_client *c,
				   const struct informer_handler *also);

/*
 * Tell of the node of this name; out->known is false while it is not known, or
 * before the first list is complete. Any thread.
 */
void kube_nodes_find(struct kube_nodes *h, const char *name,
		     struct kube_node_state *out);

/*
 * Count how many there are, and how many are not ready; those that a list has
 * no more are among both for ten minutes, those whose deletion was seen are
 * not. A node of the control plane that takes no pods counts as one of
 * `others_ready` only. False: no list is complete yet. Any thread.
 */
bool kube_nodes_count(struct kube_nodes *h, struct disruption_seen *out);

#endif
