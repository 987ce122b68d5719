/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/engine.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "engine/engine_internal.h"
#include "engine/measure.h"
#include "engine/passes.h"
#include "metrics/metrics.h"
#include "nodes/dynamic/dynamic_nodes.h"
#include "nodes/features/feature_switch.h"
#include "nodes/jobs/jobs.h"
#include "nodes/reconcile/reconcile.h"
#include "nodes/running/min_running.h"
#include "nodes/watch/watch.h"
#include "runtime/thread.h"
#include "slurm/ctl_plugin.h"
#include "slurm/ctl_reader.h"

#define STEP_MIN_MS 20
#define STOP_MS 1850
#define STOP_METRICS_MS 100 /* more, for the metrics' end */

void engine_ring(void *arg)
{
	struct engine *e = arg;

	eventfd_write(e->waker, 1);
}

/* Wait until something happens, `ms` at most. */
static void rest(struct engine *e, int64_t ms)
{
	struct pollfd fds[2] = {{.fd = e->waker, .events = POLLIN},
				{.fd = e->programs.fd, .events = POLLIN}};
	eventfd_t count;

	engine_beat_put(&e->nodes.beat, ms);
	if (poll(fds, 2, (int)ms) > 0)
		eventfd_read(e->waker, &count);
	engine_beat_put(&e->nodes.beat, 0);
}

static void step(struct engine *e)
{
	struct err err = {0};
	bool all;

	programs_listen(&e->programs, e->nodes.site.notify_name);
	if (!e->nodes.links && clock_ms() >= e->links_at) {
		e->links_at = clock_ms() + RETRY_MS;
		/* Another try: the last one had no memory, or no thread. */
		clusters_start(e);
	}
	if (e->nodes.links)
		programs_read(&e->programs, &e->nodes);
	passes_allocated(&e->nodes);
	all = passes_refresh(&e->nodes, false);
	if (!e->nodes.slurm.all || !e->nodes.links)
		return;
	if (!e->cleared && ctl_plugin_unsay(e->nodes.slurm.all, &err))
		log_warn("%s", err.msg);
	e->cleared = true;
	all = job_index_refresh(&e->nodes) || all;
	all = all || clock_ms() >= e->nodes.slurm.look_at;
	for (size_t i = 0; i < e->nodes.config->n_clusters; i++) {
		cluster_tell_late(e->nodes.links[i]);
		all = !passes_of_cluster(&e->nodes, e->nodes.links[i]) || all;
	}
	if (all)
		passes_full(&e->nodes);
	passes_steps(&e->nodes);
	min_running_step(&e->nodes);
	dynamic_nodes_step(&e->nodes);
	feature_switch_step(&e->nodes);
	requeued_step(&e->nodes);
}

static int64_t next_step(struct engine *e)
{
	int64_t now = clock_ms(),
		at = e->nodes.slurm.at + passes_pause_ms(&e->nodes);

	if (!e->nodes.slurm.all || !e->nodes.links)
		return RETRY_MS;
	if (e->nodes.slurm.look_at < at)
		at = e->nodes.slurm.look_at;
	if (steps_next(&e->nodes) < at)
		at = steps_next(&e->nodes);
	if (requeued_next(&e->nodes) < at)
		at = requeued_next(&e->nodes);
	if (min_running_next(&e->nodes) < at)
		at = min_running_next(&e->nodes);
	if (measure_next(e) < at - now)
		at = now + measure_next(e);
	return at > now + 10 ? at - now : 10;
}

/*
 * Wait until slurmctld serves RPCs, which at its first start it does not yet.
 * False: the engine stops.
 */
static bool greet(struct engine *e)
{
	struct err err = {0};
	int tries = 0;

	while (!atomic_load(&e->nodes.stop) &&
	       ctl_site_load(&e->nodes.site, &err)) {
		if (++tries == 30)
			log_warn("slurmctld does not answer: %s", err.msg);
		rest(e, tries < 10 ? 100 : RETRY_MS);
	}
	return !atomic_load(&e->nodes.stop);
}

static void work(struct engine *e)
{
	int64_t begin;

	if (!greet(e))
		return;
	min_running_begin(&e->nodes);
	clusters_start(e);
	configuration_tell(e);
	if (e->nodes.site.has_stepmgr)
		log_info("steps are not noted on pods: with enable_stepmgr it "
			 "is not slurmctld that knows of them");
	log_info("engine " SLURMK8S_VERSION " runs: %zu clusters, %zu nodesets",
		 e->nodes.config->n_clusters, e->nodes.config->n_nodesets);
	while (!atomic_load(&e->nodes.stop)) {
		if (atomic_exchange(&e->nodes.reload, false)) {
			e->site_stale = true;
			configuration_reload(e);
		}
		configuration_site(e);
		begin = clock_ms();
		step(e);
		metrics_time(METRIC_PASS, METRICS_ENGINE, clock_ms() - begin);
		measure_step(e);
		clock_nap(STEP_MIN_MS); /* a burst of events is one step */
		rest(e, next_step(e));
	}
}

/* --- its life */

static void engine_free(struct engine *e)
{
	programs_end(&e->programs);
	if (e->bridge_waker >= 0)
		close(e->bridge_waker);
	node_states_free(&e->nodes);
	user_names_forget(&e->nodes.user_names);
	node_jobs_forget(&e->nodes);
	steps_forget(&e->nodes);
	ctl_nodes_free(e->nodes.slurm.all);
	ctl_reader_free(e->nodes.reader);
	config_free(e->nodes.config);
	free(e->nodes.site.cluster);
	if (e->waker >= 0)
		close(e->waker);
	pthread_mutex_destroy(&e->metrics_lock);
	free(e);
}

/*
 * The last owner frees: the thread, the one who stops it, or a link that was
 * abandoned.
 */
void engine_let_go(void *arg)
{
	struct engine *e = arg;

	if (atomic_fetch_sub(&e->owners, 1) == 1)
		engine_free(e);
}

static void run(void *arg)
{
	struct engine *e = arg;

	work(e);
	slurm_census_clear(&e->census);
	clusters_stop(e);
	/* The name is for the next engine, though a link may keep the memory */
	programs_end(&e->programs);
	measure_end(e); /* a folder may hang; and see end_metrics_soon() */
	engine_let_go(e);
}

int engine_start(struct config *config, struct engine **out, struct err *err)
{
	struct engine *e = calloc(1, sizeof(*e));
	int rc;

	if (!e) {
		config_free(config);
		return err_oom(err);
	}
	pthread_mutex_init(&e->metrics_lock, NULL);
	e->nodes.reader = ctl_reader_new();
	e->nodes.config = config;
	e->programs.fd = -1;
	e->bridge_waker = -1;
	e->waker = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	atomic_init(&e->owners, 2);
	rc = e->waker < 0
		     ? err_set(err, -errno, "no eventfd: %s", strerror(errno))
	     : !e->nodes.reader
		     ? err_oom(err)
		     : thread_start(&e->thread, "k8s-engine", run, e, err);
	if (rc) {
		engine_free(e);
		return rc;
	}
	*out = e;
	return 0;
}

void engine_reload(struct engine *e)
{
	node_states_reload(&e->nodes);
	engine_ring(e);
}

static void end_metrics(void *arg)
{
	measure_end(arg);
	engine_let_go(arg);
}

/*
 * The engine's thread may wait for slurmctld, which ends: then nobody else
 * would remove the metrics' file and socket. By a thread, for their folder may
 * hang.
 */
static bool end_metrics_soon(struct engine *e, pthread_t *t)
{
	struct err err = {0};

	atomic_fetch_add(&e->owners, 1);
	if (!thread_start(t, "k8s-metrics-end", end_metrics, e, &err))
		return true;
	log_warn("metrics of the past may stay: %s", err.msg);
	engine_let_go(e);
	return false;
}

/*
 * When the engine's thread waits for slurmctld, the links end by `stop`, too.
 */
void engine_stop(struct engine *e)
{
	pthread_t metrics;
	bool ends;

	atomic_store(&e->nodes.stop, true);
	engine_ring(e);
	ends = end_metrics_soon(e, &metrics);
	if (thread_join(e->thread, STOP_MS))
		log_info("engine stopped");
	else
		log_info("engine stops when slurmctld's answer has come");
	if (ends)
		thread_join(metrics, STOP_METRICS_MS);
	engine_let_go(e);
}
