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

/* pods that are not ours; further ones: not seen */
#define BRIDGE_OTHERS_MAX 200000

struct other_pod; /* a pod that is not ours */

struct inventory_node {
	UT_hash_handle hh;	 /* by its name in Kubernetes */
	UT_hash_handle by_slurm; /* by its name in Slurm, if it has one */
	int failed;
	unsigned int generation;
	struct kube_node view; /* unread: it never was one that can be read */
	bool seen;	       /* Kubernetes has it (else only pods say so) */
	/* the log was told that it cannot be read as it is now */
	bool told_unread;
	bool bridge;	    /* has the label: it is to be an external node */
	int64_t unready_at; /* monotonic: not ready since; 0: it is ready */
	/* name in Slurm; "": it cannot have one */
	char slurm[EXTERNAL_NODE_NAME_MAX + 1];
	char why_not[200];
	/* the log was told why_not, since it last had a name */
	bool told_why_not;
	struct other_pod *others;
	/*
	 * A pod there, "namespace/name", should have ended long ago; NULL:
	 * none. Owned. overdue: a pod there should have ended, however short
	 * ago.
	 */
	char *kept_by;
	bool overdue;
	int64_t changed_at; /* monotonic: view or use has changed */
	char name[];
};

struct inventory_options {
	const char *cluster; /* name in k8s.yaml, for the log; borrowed */
	const char *label;   /* label of external nodes; borrowed */
	/* schedulerName of pods that are ours; borrowed */
	const char *scheduler;
	/*
	 * Extended resources that are Gres: of others' pods none but these are
	 * counted. Borrowed; NULL: none
	 */
	const struct label_pairs *resources;
	bool count_others;	/* pods of others are counted */
	int64_t stale_after_ms; /* see informer_keep_fresh() */
	/*
	 * Called when something has changed; the link's thread, without the
	 * lock.
	 */
	void (*ring)(void *arg);
	void *arg;
};

struct inventory;

/*
 * An inventory without nodes; *opt is copied, and what it borrows outlives the
 * inventory. inventory_start() begins to watch. NULL: out of memory.
 */
struct inventory *inventory_new(const struct inventory_options *opt);

/* Free it, when no thread uses it any more. NULL: nothing. */
void inventory_free(struct inventory *h);

/* --- the bridge's thread */

/*
 * True if the nodes, and the pods of others if these are counted, have been
 * listed once. Takes the lock, as do all up to inventory_lock() but
 * inventory_views_locked().
 */
bool inventory_ready(struct inventory *h);

/* True if the nodes have been listed once. */
bool inventory_has_nodes(struct inventory *h);

/*
 * A number that is another one after each change of nodes or of what pods of
 * others use.
 */
uint64_t inventory_version(struct inventory *h);

/*
 * A number that is another one after each change by which other pods may fit:
 * not of what pods of others use, nor of who claims a node.
 */
uint64_t inventory_views(struct inventory *h);

/*
 * inventory_views(), for who has the lock. While it stays as it is the nodes
 * that are seen and their order do, too.
 */
uint64_t inventory_views_locked(const struct inventory *h);

/*
 * Take the lock, for a moment: the link's thread needs it. Who needs that of
 * pod_groups.h, too, takes that first; that of bridge_requests.h is taken last.
 */
void inventory_lock(struct inventory *h);

/* Give the lock back. */
void inventory_unlock(struct inventory *h);

/* --- under the lock; what is returned is valid until the unlock */

/*
 * The first node, then by hh.next; also those that only pods tell of (`seen` is
 * false). NULL: there is none.
 */
struct inventory_node *inventory_first(struct inventory *h);

/* The node that has this name in Slurm. NULL: there is none. */
struct inventory_node *inventory_of_slurm(struct inventory *h,
					  const char *slurm_name);

/* The node that has this name in Kubernetes. NULL: Kubernetes has none. */
struct inventory_node *inventory_find(struct inventory *h, const char *name);

/*
 * Note by which pod, which should have ended long ago, the node is kept from
 * being used (NULL: by none), and whether one is there that should have ended.
 */
void inventory_node_kept(struct inventory *h, struct inventory_node *host,
			 const char *pod, bool overdue);

/*
 * The number of pods there that are not ours; 0 where these are not counted.
 * Walks them.
 */
uint32_t inventory_node_others(const struct inventory_node *host);

/*
 * Add up in *out what the pods there that are not ours use, of kinds that the
 * node has; what is too much to be counted is INT64_MAX. 0; -E2BIG with words:
 * they use more than PODNEED_EXT_MAX kinds.
 */
int inventory_node_used(const struct inventory_node *host,
			struct pod_requests *out, struct err *err);

/*
 * inventory_node_used() without the pods that a bridge has bound (of another
 * schedulerName) by a job of which has_nodes() is true: Slurm counts what they
 * use as what that job has. has_nodes NULL: it is true of none.
 */
int inventory_node_taken(const struct inventory_node *host,
			 bool (*has_nodes)(void *arg, uint32_t job_id),
			 void *arg, struct pod_requests *out, struct err *err);

/* --- the link's thread */

/*
 * The handler for an informer of nodes (cluster/kube_nodes.h), which is
 * valid as long as `h`. It takes the lock.
 */
struct informer_handler inventory_handler(struct inventory *h);

/*
 * The handler for an informer of pods that have nodes and are not ours;
 * inventory_start() has such an informer. A pod that cannot be read counts as
 * if it held all of its node. It takes the lock.
 */
struct informer_handler inventory_others_handler(struct inventory *h);

/*
 * The handler for the informer of pods with the bridge's scheduler's
 * name, which pod_groups.h has: those pods count that have a node and no proof
 * that we bound them (bridged_pod.h). It takes the lock.
 */
struct informer_handler inventory_ours_handler(struct inventory *h);

/*
 * Begin to watch the pods of others, if they are to be counted. `client` is
 * borrowed until inventory_stop(). 0; -ENOMEM.
 */
int inventory_start(struct inventory *h, struct kube_client *client);

/*
 * Write into *out how new the view of pods of others is, if they are counted;
 * and that bridged pods are to be listed anew, once some that were left out
 * have room.
 */
void inventory_fresh(struct inventory *h, struct freshness *out);

/*
 * Go on watching, and list the pods of others anew, once a minute at most, when
 * some that were left out have room. Called again and again; sends requests,
 * and does not block.
 */
void inventory_step(struct inventory *h);

/* End the watch, before the client is freed. What is known stays. */
void inventory_stop(struct inventory *h);

#endif
