/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The Kubernetes nodes of a cluster as the bridge needs them (labels, taints,
 * allocatable), and what pods that are not the bridge's use there (DaemonSets,
 * static pods, and those with its scheduler's name that it has not bound). The
 * link's thread writes, the bridge's thread reads under the lock.
 *
 * Cost: the nodes are listed for the engine anyway. For what others use, all
 * bound pods of the cluster are watched, some 150 bytes each; only where there
 * are external nodes to be made (Slurm 25.05 and later).
 */
#ifndef SLURMK8S_EXTERNAL_EXTERNAL_HOSTS_H
#define SLURMK8S_EXTERNAL_EXTERNAL_HOSTS_H

#include "base/hash.h"
#include "cluster/freshness.h"
#include "config/bridge_config.h"
#include "external/external_node.h"
#include "kube/informer.h"
#include "objects/node_filter.h"
#include "objects/pod_requests.h"

#define BRIDGE_OTHERS_MAX 200000 /* pods that are not ours; more: not seen */

struct bridge_other; /* a pod that is not ours */

struct bridge_host {
	UT_hash_handle hh;	 /* by its name in Kubernetes */
	UT_hash_handle by_slurm; /* by its name there, if it has one */
	int failed;
	unsigned int generation;
	struct hostview view;
	bool seen;	    /* Kubernetes has it (else only pods say so) */
	bool unread;	    /* what it is now could not be read, and was told */
	bool bridge;	    /* has the label: it is to be an external node */
	int64_t unready_at; /* monotonic, 0: it is ready */
	char slurm[EXTNODE_NAME_MAX + 1]; /* "": it cannot have one */
	char why_not[200];
	struct bridge_other *others;
	int64_t changed_at; /* monotonic: view or use */
	char name[];
};

struct bridge_hosts_options {
	const char *cluster;   /* its name, for the log; borrowed */
	const char *label;     /* of external nodes; borrowed */
	const char *scheduler; /* whose pods are ours; borrowed */
	/*
	 * Extended resources that are Gres: of others' pods none but these are
	 * counted. Borrowed; NULL: none
	 */
	const struct bridge_pairs *resources;
	bool count_others;	 /* what their pods use */
	int64_t stale_after_ms;	 /* see informer_keep_fresh() */
	void (*ring)(void *arg); /* something has changed; link's thread */
	void *arg;
};

struct bridge_hosts;
struct bridge_hosts *bridge_hosts_new(const struct bridge_hosts_options *opt);
void bridge_hosts_free(struct bridge_hosts *h);

/* --- the bridge's thread */

/* Nodes and others' pods have been listed. */
bool bridge_hosts_ready(struct bridge_hosts *h);

/* Changes with each change. */
uint64_t bridge_hosts_version(struct bridge_hosts *h);

/* The same, but not with those of others' pods: what pods fit by. */
uint64_t bridge_hosts_views(struct bridge_hosts *h);
/* The same, under the lock: the hosts that are seen, and their order. */
uint64_t bridge_hosts_views_locked(const struct bridge_hosts *h);

void bridge_hosts_lock(struct bridge_hosts *h);
void bridge_hosts_unlock(struct bridge_hosts *h);

/* Under the lock; what they return is valid until the unlock. */
struct bridge_host *bridge_hosts_first(struct bridge_hosts *h); /* hh.next */
struct bridge_host *bridge_hosts_of_slurm(struct bridge_hosts *h,
					  const char *slurm_name);
/* By its name in Kubernetes, if that has it. */
struct bridge_host *bridge_hosts_find(struct bridge_hosts *h, const char *name);
/* How many pods there are not ours; 0 where these are not counted. */
uint32_t bridge_host_others(const struct bridge_host *host);
/*
 * What pods that are not ours use there, of kinds that the node has; what is
 * too much to be counted is INT64_MAX. -E2BIG with words: of more than
 * PODNEED_EXT_MAX kinds.
 */
int bridge_host_used(const struct bridge_host *host, struct podneed *out,
		     struct err *err);
/*
 * The same, less those that a bridge has bound (of another schedulerName) by a
 * job of which has_nodes() is true: Slurm counts them as what that job has.
 * NULL: it is true of none.
 */
int bridge_host_taken(const struct bridge_host *host,
		      bool (*has_nodes)(void *arg, uint32_t job_id), void *arg,
		      struct podneed *out, struct err *err);

/* --- the link's thread */

/* For an informer of nodes; see cluster/kube_nodes.h. */
void bridge_hosts_handler(struct bridge_hosts *h, struct informer_handler *out);

/*
 * For one of pods that have nodes and are not ours (bridge_hosts_start() has
 * it). A pod that cannot be read counts as if it held all of its node.
 */
void bridge_hosts_others_handler(struct bridge_hosts *h,
				 struct informer_handler *out);

/*
 * For that of pods with the bridge's scheduler's name (bridge_seen.h has it):
 * those count that have a node and no proof that we bound them (bpod.h).
 */
void bridge_hosts_ours_handler(struct bridge_hosts *h,
			       struct informer_handler *out);

int bridge_hosts_start(struct bridge_hosts *h, struct kube_client *client);
/* How new the pods of others are, if they are counted. */
void bridge_hosts_fresh(const struct bridge_hosts *h, struct bridge_fresh *out);
void bridge_hosts_step(struct bridge_hosts *h);
void bridge_hosts_stop(struct bridge_hosts *h); /* before the client is freed */

#endif
