/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The Kubernetes nodes of one cluster in view, as far as we may look. */
#ifndef SLURMK8S_CLUSTER_KUBE_NODES_H
#define SLURMK8S_CLUSTER_KUBE_NODES_H

#include "cluster/disruption.h"
#include "kube/informer.h"
#include "objects/kube_node_state.h"

struct kube_nodes;

/*
 * `cluster`: its name, for the log. `ring`: something has changed. Both are
 * borrowed. NULL: out of memory. The caller frees.
 */
struct kube_nodes *kube_nodes_new(const char *cluster, void (*ring)(void *arg),
				  void *arg);
void kube_nodes_free(struct kube_nodes *h);

/*
 * What keeps them in view. The client's thread; the caller frees it. `also`
 * is told as well, before it is; NULL: nobody. Copied.
 */
struct informer *kube_nodes_inform(struct kube_nodes *h, struct kube_client *c,
				   const struct informer_handler *also);

/* A node by name; known is false when it is not. Any thread. */
void kube_nodes_find(struct kube_nodes *h, const char *name,
		     struct kube_node_state *out);

/*
 * How many there are, and how many are not ready; those that a list has no more
 * are among them for ten minutes, those whose deletion was seen are not. A node
 * of the control plane that takes no pods is one of `others_ready`. False: they
 * are not known. Any thread.
 */
bool kube_nodes_count(struct kube_nodes *h, struct disruption_seen *out);

#endif
