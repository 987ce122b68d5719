/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A thread for each Kubernetes cluster, and the bridge, begin and end. */
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "bridge/session/bridge_session.h"
#include "engine/engine_internal.h"
#include "slurm/ctl_placeholder.h"

#define BRIDGE_STOP_MS 300
#define LINK_STOP_MS 1500 /* only a credential plugin can take that long */

static void stop_bridge(struct engine *e)
{
	if (!e->bridge)
		return;
	if (!bridge_stop(e->bridge, BRIDGE_STOP_MS))
		log_info("the bridge stops when slurmctld's answer has come");
	e->bridge = NULL;
}

void clusters_stop(struct engine *e)
{
	free(e->nodes.cooling);
	e->nodes.cooling = NULL;
	free(e->nodes.disrupted);
	e->nodes.disrupted = NULL;
	free(e->nodes.turns);
	e->nodes.turns = NULL;
	free(e->nodes.dynamic.backoff);
	e->nodes.dynamic.backoff = NULL;
	if (!e->nodes.links)
		return;
	if (e->bridge)
		bridge_ask_stop(e->bridge);
	for (size_t i = 0; i < e->nodes.config->n_clusters; i++)
		if (e->nodes.links[i])
			cluster_ask_stop(e->nodes.links[i]);
	stop_bridge(e);
	for (size_t i = 0; i < e->nodes.config->n_clusters; i++)
		if (e->nodes.links[i] &&
		    !cluster_stop(e->nodes.links[i], LINK_STOP_MS))
			log_error("cluster %s: its thread is stuck, abandoned",
				  e->nodes.config->clusters[i].name);
	free(e->nodes.links);
	e->nodes.links = NULL;
}

/* True if the bridge's section names this cluster. */
static bool is_bridged(const struct engine *e, size_t cluster)
{
	const struct bridge_config *b = &e->nodes.config->bridge;

	return b->wanted &&
	       !strcmp(e->nodes.config->clusters[cluster].name, b->cluster);
}

static int start_bridge(struct engine *e, struct err *err)
{
	struct bridge_options opt = {
		.config = e->nodes.config,
		.waker = e->bridge_waker,
		.reader = e->nodes.reader,
		.kill_wait_s = e->nodes.site.kill_wait_s,
		.max_jobs = e->nodes.site.max_jobs,
		.min_job_age_s = e->nodes.site.min_job_age_s,
		.hides_suspended = e->nodes.site.hides_suspended};

	for (size_t i = 0; i < e->nodes.config->n_clusters; i++)
		if (is_bridged(e, i))
			opt.link = e->nodes.links[i];
	return opt.link ? bridge_start(&opt, &e->bridge, err) : 0;
}

static int start_link(struct engine *e, size_t i, struct err *err)
{
	const struct cluster_options opt = {
		.config = e->nodes.config,
		.cluster = &e->nodes.config->clusters[i],
		.slurm_cluster = e->nodes.site.cluster,
		.ring = engine_ring,
		.gone = engine_let_go,
		.arg = e,
		.ending = &e->nodes.stop,
		.engine = &e->nodes.beat,
	};
	struct cluster *l = NULL;
	int rc = cluster_new(&opt, &l, err);

	if (!rc && is_bridged(e, i))
		rc = bridge_session_attach(l, e->bridge_waker,
					   ctl_external_known(), err);
	if (!rc)
		rc = watch_attach(l, err);
	if (rc) {
		cluster_free(l);
		return rc;
	}
	rc = cluster_start(l, err);
	if (rc)
		return rc;
	atomic_fetch_add(&e->owners, 1);
	e->nodes.links[i] = l;
	return 0;
}

void clusters_start(struct engine *e)
{
	struct err err = {0};
	int rc = 0;

	e->nodes.links =
		calloc(e->nodes.config->n_clusters, sizeof(struct cluster *));
	e->nodes.cooling = calloc(e->nodes.config->n_nodesets + 1,
				  sizeof(*e->nodes.cooling));
	e->nodes.dynamic.backoff = calloc(e->nodes.config->n_nodesets + 1,
					  sizeof(*e->nodes.dynamic.backoff));
	e->nodes.disrupted = calloc(e->nodes.config->n_clusters,
				    sizeof(*e->nodes.disrupted));
	e->nodes.turns =
		calloc(e->nodes.config->n_clusters, sizeof(*e->nodes.turns));
	e->nodes.dynamic.at = 0;
	if (!e->nodes.links || !e->nodes.cooling || !e->nodes.dynamic.backoff ||
	    !e->nodes.disrupted || !e->nodes.turns)
		rc = err_oom(&err);
	if (e->nodes.config->bridge.wanted && e->bridge_waker < 0)
		e->bridge_waker = bridge_waker();
	for (size_t i = 0; !rc && i < e->nodes.config->n_clusters; i++)
		rc = start_link(e, i, &err);
	if (!rc)
		rc = start_bridge(e, &err);
	if (!rc)
		return;
	log_error("%s", err.msg);
	clusters_stop(e);
}

/*
 * True if no kubeconfig of a cluster has changed. k8s.yaml may be as it was
 * while a kubeconfig that it names has another token or certificate.
 */
bool clusters_are_current(const struct engine *e)
{
	bool current = true;

	for (size_t i = 0; e->nodes.links && i < e->nodes.config->n_clusters;
	     i++)
		if (e->nodes.links[i])
			current = cluster_is_current(e->nodes.links[i]) &&
				  current;
	return current;
}
