/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "delegate.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/slurmk8s.h"
#include "library.h"

#define DEFAULT_DELEGATE "backfill"
#define WHO "sched/bridge"

static struct {
	void *so;
	int (*init)(void);
	void (*fini)(void);
	int (*reconfig)(void);
} delegate;

static bool running; /* true: the engine runs */

static struct {
	int (*configure)(char *delegate, char *words);
	int (*start)(char *words);
	void (*reload)(void);
	void (*stop)(void);
} engine;

static void unload_delegate(void)
{
	if (delegate.so)
		library_close(WHO, delegate.so);
	memset(&delegate, 0, sizeof(delegate));
}

/*
 * Ours may lie in the place of Slurm's own, where somebody copied it. It would
 * be its own delegate, and call itself without end.
 */
static bool is_ours(const char *type, const char *path)
{
	if (strcmp(type, WHO))
		return false;
	slurm_error("sched/bridge: %s is sched/bridge itself, not a scheduler "
		    "of Slurm's: put Slurm's own file back, and leave ours in "
		    "a directory of its own",
		    path);
	return true;
}

/* Slurm's plugins lie beside libslurmfull.so. */
static bool load_delegate(const char *name)
{
	char file[PATH_MAX], path[PATH_MAX];
	const char *type;

	snprintf(file, sizeof(file), "sched_%s.so", name);
	if (library_beside((const void *)slurm_info, file, path)) {
		slurm_error("sched/bridge: Slurm's plugins are not found");
		return false;
	}
	delegate.so = library_open(WHO, path);
	if (!delegate.so ||
	    !library_need(WHO, delegate.so, "plugin_type", &type) ||
	    is_ours(type, path) ||
	    !library_need(WHO, delegate.so, "init", &delegate.init) ||
	    !library_need(WHO, delegate.so, "fini", &delegate.fini) ||
	    !library_need(WHO, delegate.so, "sched_p_reconfig",
			  &delegate.reconfig)) {
		unload_delegate();
		return false;
	}
	slurm_info("sched/bridge: schedules with %s", path);
	return true;
}

static bool load_engine(void)
{
	void *so;

	if (engine.stop)
		return true;
	so = library_ours(WHO);
	if (!so ||
	    !library_need(WHO, so, "slurmk8s_configure", &engine.configure) ||
	    !library_need(WHO, so, "slurmk8s_start", &engine.start) ||
	    !library_need(WHO, so, "slurmk8s_reload", &engine.reload) ||
	    !library_need(WHO, so, "slurmk8s_stop", &engine.stop)) {
		memset(&engine, 0, sizeof(engine));
		return false;
	}
	return true;
}

static bool configure(char name[SLURMK8S_NAME_MAX])
{
	char words[SLURMK8S_WORDS_MAX];
	int rc;

	memcpy(name, DEFAULT_DELEGATE, sizeof(DEFAULT_DELEGATE));
	if (!load_engine())
		return false;
	rc = engine.configure(name, words);
	if (rc)
		slurm_error("sched/bridge: %s", words);
	return rc >= 0;
}

static bool must_not_go_on(void)
{
	const char *on_error = getenv("SLURM_K8S_ON_ERROR");

	return on_error && !strcmp(on_error, "refuse");
}

static void start(bool good)
{
	char words[SLURMK8S_WORDS_MAX];

	running = good && !engine.start(words);
	if (good && !running)
		slurm_error("sched/bridge: %s", words);
	if (!running)
		slurm_error("sched/bridge: the engine does not run: Slurm and "
			    "Kubernetes are not kept in step");
}

int bridge_init(void)
{
	char name[SLURMK8S_NAME_MAX];
	bool good = configure(name);

	if (!good && must_not_go_on()) {
		slurm_error("sched/bridge: SLURM_K8S_ON_ERROR=refuse: without "
			    "its engine this plugin does not start");
		return -1;
	}
	if (!load_delegate(name))
		return -1;
	if (delegate.init()) {
		unload_delegate();
		return -1;
	}
	start(good);
	return 0;
}

void bridge_fini(void)
{
	if (running)
		engine.stop();
	running = false;
	if (delegate.fini)
		delegate.fini();
	unload_delegate();
}

int bridge_reconfig(void)
{
	char name[SLURMK8S_NAME_MAX];

	if (running)
		engine.reload();
	else
		start(configure(name));
	return delegate.reconfig ? delegate.reconfig() : 0;
}
