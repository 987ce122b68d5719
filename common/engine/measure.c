/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/measure.h"

#include "base/clock.h"
#include "metrics/metrics.h"
#include "slurm/ctl.h"

/* An age of less than 0 means that the objects are not in view. */
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
	/* Series of clusters that k8s.yaml has no more are taken away. */
	metrics_fill(METRIC_LEASE_HELD, METRICS_UNSET);
	metrics_fill(METRIC_KUBE_VIEW, METRICS_UNSET);
	for (size_t i = 0; e->nodes.links && i < e->nodes.config->n_clusters;
	     i++)
		measure_cluster(e, i);
}

/* True if we may act on any cluster. */
static bool is_active(const struct engine *e)
{
	for (size_t i = 0; e->nodes.links && i < e->nodes.config->n_clusters;
	     i++)
		if (cluster_held(e->nodes.links[i]))
			return true;
	return false;
}

/* Under the lock of the metrics. */
static bool is_due(const struct engine *e)
{
	const struct metrics_config *c = &e->nodes.config->metrics;

	return metrics_file_is_due(&e->metrics_file, c) ||
	       metrics_listener_is_due(&e->metrics_listener, c);
}

static bool will_be_told(struct engine *e)
{
	bool due;

	pthread_mutex_lock(&e->metrics_lock);
	due = is_due(e);
	pthread_mutex_unlock(&e->metrics_lock);
	return due && is_active(e);
}

void measure_step(struct engine *e)
{
	const struct metrics_config *c = &e->nodes.config->metrics;
	bool active;

	/*
	 * The census may wait for slurmctld: whether we act is asked after it.
	 */
	if (will_be_told(e))
		slurm_census_step(&e->census, &e->nodes);
	active = is_active(e);
	/* A folder on a file system that hangs is to be named in the log. */
	engine_beat_waits(&e->nodes.beat, ENGINE_READS_FILES);
	pthread_mutex_lock(&e->metrics_lock);
	/*
	 * An engine that was told to stop measures nothing any more: the next
	 * one may have begun already, and owns the file and the port.
	 */
	if (!atomic_load(&e->nodes.stop)) {
		if (active && is_due(e))
			measure(e);
		metrics_listener_step(&e->metrics_listener, c, active);
		metrics_file_step(&e->metrics_file, c, active);
	}
	pthread_mutex_unlock(&e->metrics_lock);
	engine_beat_waits(&e->nodes.beat, ENGINE_WAITS_SLURMCTLD);
}

void measure_end(struct engine *e)
{
	pthread_mutex_lock(&e->metrics_lock);
	metrics_listener_end(&e->metrics_listener);
	metrics_file_end(&e->metrics_file);
	pthread_mutex_unlock(&e->metrics_lock);
}

int64_t measure_next(struct engine *e)
{
	const struct metrics_config *c = &e->nodes.config->metrics;
	const int64_t now = clock_ms();
	int64_t at = INT64_MAX;

	/* An engine that gets the lease is woken, so it needs no time here. */
	pthread_mutex_lock(&e->metrics_lock);
	if (c->file && !e->metrics_file.absent)
		at = e->metrics_file.next;
	if (c->listen && is_active(e) && e->metrics_listener.next < at)
		at = e->metrics_listener.next;
	pthread_mutex_unlock(&e->metrics_lock);
	return at == INT64_MAX ? at : at > now ? at - now : 0;
}
