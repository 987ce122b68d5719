/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The Kubernetes nodes of a cluster as the bridge needs them (labels, taints,
 * allocatable), and what pods that are not the bridge's use there (DaemonSets,
 * static pods, and those with its scheduler's name that it has not bound). One
 * that becomes more than can be read stays as it was; one that never was less
 * has a name only: nothing is done with it, nor with its Slurm node. The
 * link's thread writes, the bridge's thread reads under the lock.
 *
 * Cost: the nodes are listed for the engine anyway. For what others use, all
 * bound pods of the cluster are watched, some 150 bytes each; only where there
 * are external nodes to be made (Slurm 25.05 and later).
 */
#ifndef SLURMK8S_EXTERNAL_INVENTORY_H
#define SLURMK8S_EXTERNAL_INVENTORY_H

#include "base/hash.h"
#include "cluster/freshness.h"
#include "config/bridge_config.h"
#include "external/external_node.h"
#include "kube/informer.h"
#include "objects/node_filter.h"
#include "objects/pod_requests.h"

#define BRIDGE_OTHERS_MAX 200000 /* pods that are not ours; more: not seen */

struct other_pod; /* a pod that is not ours */

struct inventory_node {
	UT_hash_handle hh;	 /* by its name in Kubernetes */
	UT_hash_handle by_slurm; /* by its name there, if it has one */
	int failed;
	unsigned int generation;
	struct kube_node view; /* unread: it was never one that can be read */
	bool seen;	       /* Kubernetes has it (else only pods say so) */
	bool told_unread;      /* that what it is now cannot be read */
	bool bridge;	       /* has the label: it is to be an external node */
	int64_t unready_at;    /* monotonic, 0: it is ready */
	char slurm[EXTERNAL_NODE_NAME_MAX + 1]; /* "": it cannot have one */
	char why_not[200];
	bool told_why_not; /* by external_nodes.c, since it had none last */
	struct other_pod *others;
	int64_t changed_at; /* monotonic: view or use */
	char name[];
};

struct inventory_options {
	const char *cluster;   /* its name, for the log; borrowed */
	const char *label;     /* of external nodes; borrowed */
	const char *scheduler; /* whose pods are ours; borrowed */
	/*
	 * Extended resources that are Gres: of others' pods none but these are
	 * counted. Borrowed; NULL: none
	 */
	const struct label_pairs *resources;
	bool count_others;	 /* what their pods use */
	int64_t stale_after_ms;	 /* see informer_keep_fresh() */
	void (*ring)(void *arg); /* something has changed; link's thread */
	void *arg;
};

struct inventory;
struct inventory *inventory_new(const struct inventory_options *opt);
void inventory_free(struct inventory *h);

/* --- the bridge's thread */

/* Nodes and others' pods have been listed. */
bool inventory_ready(struct inventory *h);
/* Nodes have. */
bool inventory_has_nodes(struct inventory *h);

/* Changes with each change. */
uint64_t inventory_version(struct inventory *h);

/* The same, but not with those of others' pods: what pods fit by. */
uint64_t inventory_views(struct inventory *h);
/* The same, under the lock: the hosts that are seen, and their order. */
uint64_t inventory_views_locked(const struct inventory *h);

void inventory_lock(struct inventory *h);
void inventory_unlock(struct inventory *h);

/* Under the lock; what they return is valid until the unlock. */
struct inventory_node *inventory_first(struct inventory *h); /* hh.next */
struct inventory_node *inventory_of_slurm(struct inventory *h,
					  const char *slurm_name);
/* By its name in Kubernetes, if that has it. */
struct inventory_node *inventory_find(struct inventory *h, const char *name);
/* How many pods there are not ours; 0 where these are not counted. */
uint32_t inventory_node_others(const struct inventory_node *host);
/*
 * What pods that are not ours use there, of kinds that the node has; what is
 * too much to be counted is INT64_MAX. -E2BIG with words: of more than
 * PODNEED_EXT_MAX kinds.
 */
int inventory_node_used(const struct inventory_node *host,
			struct pod_requests *out, struct err *err);
/*
 * The same, less those that a bridge has bound (of another schedulerName) by a
 * job of which has_nodes() is true: Slurm counts them as what that job has.
 * NULL: it is true of none.
 */
int inventory_node_taken(const struct inventory_node *host,
			 bool (*has_nodes)(void *arg, uint32_t job_id),
			 void *arg, struct pod_requests *out, struct err *err);

/* --- the link's thread */

/* For an informer of nodes; see cluster/kube_nodes.h. */
void inventory_handler(struct inventory *h, struct informer_handler *out);

/*
 * For one of pods that have nodes and are not ours (inventory_start() has
 * it). A pod that cannot be read counts as if it held all of its node.
 */
void inventory_others_handler(struct inventory *h,
			      struct informer_handler *out);

/*
 * For that of pods with the bridge's scheduler's name (pod_groups.h has it):
 * those count that have a node and no proof that we bound them (bridged_pod.h).
 */
void inventory_ours_handler(struct inventory *h, struct informer_handler *out);

int inventory_start(struct inventory *h, struct kube_client *client);
/* How new the pods of others are, if they are counted. */
void inventory_fresh(struct inventory *h, struct freshness *out);
void inventory_step(struct inventory *h);
void inventory_stop(struct inventory *h); /* before the client is freed */

#endif
