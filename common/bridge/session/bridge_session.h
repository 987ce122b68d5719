/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The Kubernetes side of the bridge: what it sees and does in its cluster, in
 * that cluster's thread (cluster/cluster.h). All of it, as one thing for the
 * link.
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
	const struct bridge_config *config; /* borrowed, as is the next one */
	const struct cluster_config *cluster;
	const char *slurm_cluster; /* ClusterName; the same */
	int waker;  /* the eventfd of the bridge's thread; duplicated */
	bool nodes; /* external nodes are to be made */
	void (*asked)(void *arg); /* wakes the link's thread; any thread */
	bool (*may)(void *arg);	  /* may it act? The link's thread */
	void *arg;
};

struct bridge_session;
struct bridge_session *
bridge_session_new(const struct bridge_session_options *opt);
void bridge_session_free(struct bridge_session *b); /* NULL: nothing */

struct pod_groups *bridge_session_seen(struct bridge_session *b);
struct inventory *bridge_session_hosts(struct bridge_session *b);
struct owners *bridge_session_objects(struct bridge_session *b);
struct bridge_requests *bridge_session_work(struct bridge_session *b);
struct claims *bridge_session_claims(struct bridge_session *b);

struct freshness *bridge_session_fresh(struct bridge_session *b);

/*
 * Attached to a cluster, before that is started: its options, and this waker.
 * `nodes`: external nodes are to be made. -ENOMEM; then the cluster is to be
 * freed.
 */
int bridge_session_attach(struct cluster *l, int waker, bool nodes,
			  struct err *err);
/* NULL: it has none. Any thread. */
struct bridge_session *bridge_session_of(struct cluster *l);

/* What such a cluster's thread does with it. */
extern const struct cluster_part_ops bridge_session_ops;

#endif
