/* SPDX-License-Identifier: GPL-2.0-or-later */
/* k8s.yaml and slurm.conf are read again while the engine runs. */
#include "base/clock.h"
#include "base/log.h"
#include "engine/active_config.h"
#include "engine/engine_internal.h"
#include "engine/site.h"
#include "nodes/running/min_running.h"
#include "slurm/ctl_abilities.h"
#include "slurm/ctl_plugin.h"

/*
 * Said only if there are nodesets: nodes of the bridge are up when its jobs
 * start.
 */
static void tell_of_prolog(const struct engine *e)
{
	if (!e->nodes.config->n_nodesets)
		return;
	if (e->nodes.site.prolog != CTL_PROLOG_NONE)
		site_tell_of_timeout(&e->nodes.site);
	if (e->nodes.site.prolog == CTL_PROLOG_OURS)
		return;
	if (e->nodes.site.prolog == CTL_PROLOG_NONE)
		log_warn("slurm.conf has no PrologSlurmctld: without "
			 "k8s_prolog a batch job whose nodes are powered up "
			 "starts up to 30 s after they are up");
	else
		log_info("PrologSlurmctld is not k8s_prolog: unless it calls "
			 "that, a batch job whose nodes are powered up starts "
			 "up to 30 s after they are up; see k8s_prolog(8)");
}

/*
 * Before Slurm 26.05 power saving takes external nodes down, and nothing can
 * power them up.
 */
static void tell_of_suspend(const struct engine *e)
{
	if (e->nodes.config->bridge.node_label &&
	    e->nodes.site.suspends_external)
		log_warn("slurm.conf has a SuspendProgram, and this Slurm "
			 "powers external nodes down, which nothing powers up: "
			 "it needs SuspendExcStates=EXTERNAL");
}

static void tell_of_memory(const struct engine *e)
{
	if (e->nodes.config->bridge.node_label)
		site_tell_of_memory(&e->nodes.site);
}

/*
 * slurm.conf, too, may say something else: later releases than 22.05 begin anew
 * then, and we with them.
 */
void configuration_site(struct engine *e)
{
	const struct ctl_site before = e->nodes.site;
	struct err err = {0};
	int rc;

	if (!e->site_stale || clock_ms() < e->site_at)
		return;
	rc = site_reload(&e->nodes.site, &err);
	e->site_at = clock_ms() + RETRY_MS;
	e->site_stale = rc < 0;
	if (rc < 0)
		log_debug("%s", err.msg);
	if (rc <= 0)
		return;
	log_info("what slurm.conf says now is in force");
	if (e->nodes.site.prolog != before.prolog ||
	    e->nodes.site.prolog_timeout_s != before.prolog_timeout_s)
		tell_of_prolog(e);
	if (e->nodes.site.suspends_external != before.suspends_external)
		tell_of_suspend(e);
	if (e->nodes.site.hides_suspended != before.hides_suspended)
		tell_of_memory(e);
	if (e->bridge && site_changes_bridge(&before, &e->nodes.site)) {
		clusters_stop(e);
		clusters_start(e);
	}
	nodes_look_now(&e->nodes);
}

/* *fresh: NULL if what is in force stays. */
static int read_config(struct engine *e, struct config **fresh, struct err *err)
{
	const struct slurm_abilities slurm = ctl_abilities();
	int rc = config_load(e->nodes.config->path, fresh, err);

	if (!rc)
		rc = config_check_release(*fresh, &slurm, err);
	if (rc ||
	    (config_same(e->nodes.config, *fresh) && clusters_are_current(e))) {
		if (!rc)
			config_restamp(e->nodes.config, *fresh);
		config_free(*fresh);
		*fresh = NULL;
	}
	return rc;
}

void configuration_reload(struct engine *e)
{
	struct config *fresh = NULL;
	struct err err = {0};
	int rc;

	engine_beat_waits(&e->nodes.beat, ENGINE_READS_FILES);
	rc = read_config(e, &fresh, &err);
	engine_beat_waits(&e->nodes.beat, ENGINE_WAITS_SLURMCTLD);
	if (rc)
		log_error("the configuration in force stays: %s", err.msg);
	if (!fresh)
		return;
	clusters_stop(e);
	min_running_leave(&e->nodes, fresh);
	node_states_configure(&e->nodes, fresh);
	active_config_set(fresh);
	clusters_start(e);
	nodes_look_now(&e->nodes);
	log_info("%s is in force", e->nodes.config->path);
}

void configuration_tell(const struct engine *e)
{
	tell_of_prolog(e);
	tell_of_suspend(e);
	tell_of_memory(e);
}
