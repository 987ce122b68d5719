/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/measure.h"

#include "base/clock.h"
#include "metrics/metrics.h"
#include "slurm/ctl.h"

/* An age of less than 0: what it is of is not in view. */
static void set_age(unsigned int cluster, enum metrics_objects of, int64_t ms)
{
	metrics_set(METRIC_KUBE_VIEW, cluster, of, ms < 0 ? METRICS_UNSET : ms);
}

static void measure_cluster(const struct engine *e, size_t i)
{
	const unsigned int at = metrics_name(METRICS_CLUSTER_NAMES,
					     e->nodes.config->clusters[i].name);
	struct cluster *l = e->nodes.links[i];

	metrics_set(METRIC_LEASE_HELD, at, 0, cluster_held(l));
	set_age(at, METRICS_KUBE_NODES, cluster_hosts_age(l));
	set_age(at, METRICS_KUBE_PODS, watch_pods_age(l));
}

static void measure(const struct engine *e)
{
	const int64_t heard_at = e->nodes.slurm.heard_at;

	metrics_set(METRIC_BUILD,
		    metrics_name(METRICS_VERSION, SLURMK8S_VERSION),
		    metrics_name(METRICS_SLURM_VERSION, ctl_version()), 1);
	metrics_set(METRIC_SLURM_VIEW, 0, 0,
		    heard_at ? clock_ms() - heard_at : METRICS_UNSET);
	metrics_set(METRIC_LAST_PASS, METRICS_ENGINE, 0, clock_real_ms());
	if (!e->bridge) {
		metrics_set(METRIC_LAST_PASS, METRICS_BRIDGE, 0, METRICS_UNSET);
		metrics_fill(METRIC_BRIDGE_VIEW, METRICS_UNSET);
	}
	/* Clusters that k8s.yaml has no more are to be gone. */
	metrics_fill(METRIC_LEASE_HELD, METRICS_UNSET);
	metrics_fill(METRIC_KUBE_VIEW, METRICS_UNSET);
	for (size_t i = 0; e->nodes.links && i < e->nodes.config->n_clusters;
	     i++)
		measure_cluster(e, i);
}

/* True if we may act on a cluster at all. */
static bool is_active(const struct engine *e)
{
	for (size_t i = 0; e->nodes.links && i < e->nodes.config->n_clusters;
	     i++)
		if (cluster_held(e->nodes.links[i]))
			return true;
	return false;
}

static bool is_due(const struct engine *e)
{
	const struct metrics_config *c = &e->nodes.config->metrics;

	return metrics_file_is_due(&e->metrics_file, c) ||
	       metrics_listener_is_due(&e->metrics_listener, c);
}

void measure_step(struct engine *e)
{
	const struct metrics_config *c = &e->nodes.config->metrics;
	bool active;

	/* It may wait for slurmctld: whether we act is asked after it. */
	if (is_active(e) && is_due(e))
		slurm_census_step(&e->census, &e->nodes);
	active = is_active(e);
	/* By now the next engine may be there, whose file and port these are.
	 */
	if (atomic_load(&e->nodes.stop))
		return;
	/* A folder on a file system that hangs is to be named in the log. */
	engine_beat_waits(&e->nodes.beat, ENGINE_READS_FILES);
	if (active && is_due(e))
		measure(e);
	metrics_listener_step(&e->metrics_listener, c, active);
	metrics_file_step(&e->metrics_file, c, active);
	engine_beat_waits(&e->nodes.beat, ENGINE_WAITS_SLURMCTLD);
}

int64_t measure_next(const struct engine *e)
{
	const struct metrics_config *c = &e->nodes.config->metrics;
	const int64_t now = clock_ms();
	int64_t at = INT64_MAX;

	/* Who gets the lease is woken. */
	if (c->file && !e->metrics_file.absent)
		at = e->metrics_file.next;
	if (c->listen && is_active(e) && e->metrics_listener.next < at)
		at = e->metrics_listener.next;
	return at == INT64_MAX ? at : at > now ? at - now : 0;
}
