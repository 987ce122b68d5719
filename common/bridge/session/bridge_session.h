/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The Kubernetes side of the bridge: what it sees and does in its cluster, in
 * that cluster's thread (cluster/cluster.h), the link's. Sessions are made
 * before it starts, and freed after it has ended.
 */
#ifndef SLURMK8S_BRIDGE_SESSION_BRIDGE_SESSION_H
#define SLURMK8S_BRIDGE_SESSION_BRIDGE_SESSION_H

#include "bridge/intake/owners.h"
#include "bridge/intake/pod_groups.h"
#include "bridge/requests/bridge_requests.h"
#include "cluster/claims.h"
#include "cluster/cluster.h"
#include "cluster/freshness.h"
#include "config/config.h"
#include "external/inventory.h"

struct bridge_session_options {
	/* The three members below are borrowed. */
	const struct bridge_config *config;
	const struct cluster_config *cluster;
	const char *slurm_cluster; /* ClusterName */
	int waker;  /* the eventfd of the bridge's thread; duplicated */
	bool nodes; /* external nodes are to be made */
	void (*asked)(void *arg); /* wakes the link's thread; any thread */
	bool (*may)(void *arg);	  /* true: it may act; the link's thread */
	void *arg;
};

struct bridge_session;

/*
 * A session that has not begun to watch. *opt is copied. NULL: out of memory,
 * or no file descriptor is left.
 */
struct bridge_session *
bridge_session_new(const struct bridge_session_options *opt);

/*
 * Free it with all its parts, when no thread uses them any more. NULL: nothing.
 */
void bridge_session_free(struct bridge_session *b);

/* --- its parts, borrowed, which live as long as it does; any thread */

/* What is seen of bridged pods. */
struct pod_groups *bridge_session_seen(struct bridge_session *b);

/* What is seen of nodes. */
struct inventory *bridge_session_hosts(struct bridge_session *b);

/* What is seen of objects above pods. */
struct owners *bridge_session_objects(struct bridge_session *b);

/* What is done in Kubernetes. */
struct bridge_requests *bridge_session_work(struct bridge_session *b);

/* What is claimed of namespaces and nodes. */
struct claims *bridge_session_claims(struct bridge_session *b);

/* How new all of it is. */
struct freshness *bridge_session_fresh(struct bridge_session *b);

/* --- with a cluster */

/*
 * Make a session by a cluster's options and this waker, and attach it to the
 * cluster, which frees it; before the cluster is started. `nodes`: external
 * nodes are to be made. 0; -ENOMEM: then the cluster is to be freed.
 */
int bridge_session_attach(struct cluster *l, int waker, bool nodes,
			  struct err *err);

/* The session that is attached to a cluster. NULL: it has none. Any thread. */
struct bridge_session *bridge_session_of(struct cluster *l);

/* What such a cluster's thread does with it. */
extern const struct cluster_part_ops bridge_session_ops;

#endif
