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
#include "cluster/freshness.h"
#include "config/config.h"
#include "external/external_hosts.h"

struct bridge_link_options {
	const struct bridge *config; /* borrowed, as is the next one */
	const struct cluster *cluster;
	const char *slurm_cluster; /* ClusterName; the same */
	int waker;  /* the eventfd of the bridge's thread; duplicated */
	bool nodes; /* external nodes are to be made */
	void (*asked)(void *arg); /* wakes the link's thread; any thread */
	bool (*may)(void *arg);	  /* may it act? The link's thread */
	void *arg;
};

struct bridge_link;
struct bridge_link *bridge_link_new(const struct bridge_link_options *opt);
void bridge_link_free(struct bridge_link *b); /* NULL: nothing */

struct bridge_seen *bridge_link_seen(struct bridge_link *b);
struct bridge_hosts *bridge_link_hosts(struct bridge_link *b);
struct bridge_objects *bridge_link_objects(struct bridge_link *b);
struct bridge_work *bridge_link_work(struct bridge_link *b);
struct claims *bridge_link_claims(struct bridge_link *b);

struct bridge_fresh *bridge_link_fresh(struct bridge_link *b);

/* --- the link's thread */

/* -ENOMEM; bridge_link_stop() in any case, before the client is freed. */
int bridge_link_start(struct bridge_link *b, struct kube_client *client);
void bridge_link_stop(struct bridge_link *b, struct kube_client *client);

/* Its part of the informer of nodes. */
void bridge_link_host_handler(struct bridge_link *b,
			      struct informer_handler *out);

/* The informer that this is a part of; borrowed until bridge_link_stop(). */
void bridge_link_nodes(struct bridge_link *b, struct informer *nodes);

/* Once in a while. `held`: we may act; if not all is dropped. */
void bridge_link_step(struct bridge_link *b, struct kube_client *client,
		      bool held);

#endif
