/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The scheduler that sched/bridge wraps, over init and fini in one process.
 * It is tests/unit/fake_delegate.c, beside this program, and so is the engine,
 * tests/unit/fake_library.c, which is of another build unless a test says so.
 */
#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "delegate.h"
#include "library.h"
#include "t.h"

void slurm_info(const char *format, ...)
{
	(void)format;
}

static char errors[4096]; /* those of the last init or reconfig */

void slurm_error(const char *format, ...)
{
	const size_t len = strlen(errors);
	va_list ap;

	va_start(ap, format);
	vsnprintf(errors + len, sizeof(errors) - len, format, ap);
	va_end(ap);
}

const uint32_t library_slurm_version = 26 << 16 | 5 << 8 | 3;

static void *symbol_of(const char *path, const char *name)
{
	void *so = dlopen(path, RTLD_LAZY), *symbol = NULL;

	T_OK(so && library_need("test", so, name, &symbol));
	return symbol; /* (the library is never unloaded) */
}

/* From now on the library is of this build. */
static void build(uint32_t slurm, const char *version)
{
	uint32_t *number = symbol_of(T_LIBRARY, "slurmk8s_slurm_version");
	char *text = symbol_of(T_LIBRARY, "slurmk8s_version");

	*number = slurm;
	snprintf(text, 32, "%s", version);
	errors[0] = '\0';
}

static int calls(void)
{
	return *(int *)symbol_of(T_LIBRARY, "fake_calls");
}

static bool is_loaded(void)
{
	void *so = dlopen(T_DELEGATE, RTLD_LAZY | RTLD_NOLOAD);

	if (so)
		dlclose(so);
	return so != NULL;
}

static bool schedules(void)
{
	void *so = dlopen(T_DELEGATE, RTLD_LAZY | RTLD_NOLOAD);
	bool (*does)(void) = NULL, yes;

	yes = so && library_need("test", so, "delegate_schedules", &does) &&
	      does();
	if (so)
		dlclose(so);
	return yes;
}

static void each_init_in_a_process_has_a_scheduler_that_works(void)
{
	for (int i = 0; i < 3; i++) {
		t_row("init %d", i);
		T_INT(bridge_init(), 0);
		T_OK(schedules());
		T_INT(bridge_reconfig(), 0);
		bridge_fini();
		T_OK(!is_loaded());
	}
}

static void so_has_the_one_after_an_init_that_failed(void)
{
	setenv("T_DELEGATE_FAILS", "1", 1);
	T_INT(bridge_init(), -1);
	T_OK(!is_loaded());
	bridge_fini();
	unsetenv("T_DELEGATE_FAILS");
	T_INT(bridge_init(), 0);
	T_OK(schedules());
	bridge_fini();
}

#define OWN SLURMK8S_VERSION

static void a_library_of_another_build_is_not_used(void)
{
	static const struct {
		uint32_t slurm;
		const char *version, *words;
	} rows[] = {
		{24 << 16 | 11 << 8 | 5, OWN,
		 "libslurmk8s.so is of slurm-k8s " OWN " for Slurm 24.11.5, "
		 "this plugin of slurm-k8s " OWN " for Slurm 26.05.3: it is "
		 "not used; install all of slurm-k8s for this Slurm again"},
		{26 << 16 | 5 << 8 | 2, OWN, " for Slurm 26.05.2, this plugin"},
		{26 << 16 | 5 << 8 | 3, "0.0.9",
		 "libslurmk8s.so is of slurm-k8s 0.0.9 for Slurm 26.05.3, "
		 "this plugin of slurm-k8s " OWN " for Slurm 26.05.3"},
		{26 << 16 | 5 << 8 | 3, "", "is of slurm-k8s  for Slurm"},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		t_row("%s", rows[i].words);
		build(rows[i].slurm, rows[i].version);
		T_INT(bridge_init(), 0);
		T_HAS(errors, rows[i].words);
		T_HAS(errors, "the engine does not run");
		T_OK(schedules());
		T_INT(bridge_reconfig(), 0);
		bridge_fini();
		T_INT(calls(), 0);
	}
	setenv("SLURM_K8S_ON_ERROR", "refuse", 1);
	T_INT(bridge_init(), -1);
	unsetenv("SLURM_K8S_ON_ERROR");
	bridge_fini();
}

static void nor_is_one_that_does_not_say_its_build(void)
{
	void *so = dlopen(T_DELEGATE, RTLD_LAZY);

	errors[0] = '\0';
	T_OK(!library_fits("test", so, "/x/libslurmk8s.so"));
	T_HAS(errors, "test: /x/libslurmk8s.so is of an old slurm-k8s, this "
		      "plugin of slurm-k8s " OWN " for Slurm 26.05.3: ");
	dlclose(so);
}

/* Slurm's own would be another file; ours may be a copy with a name of its. */
static void our_own_plugin_is_no_delegate(void)
{
	void *so = dlopen(T_DELEGATE, RTLD_LAZY);
	char *type = NULL;

	T_NEED(so && library_need("test", so, "plugin_type", &type));
	strcpy(type, "sched/bridge");
	errors[0] = '\0';
	T_INT(bridge_init(), -1);
	T_HAS(errors, "sched_backfill.so is sched/bridge itself, not a "
		      "scheduler of Slurm's: put Slurm's own file back");
	T_OK(!schedules());
	bridge_fini();
	dlclose(so);
	T_OK(!is_loaded());
}

static void what_was_in_force_is_used_when_the_file_is_bad(void)
{
	int *configure = symbol_of(T_LIBRARY, "fake_configure");
	const int before = calls();

	build(library_slurm_version, OWN);
	setenv("SLURM_K8S_ON_ERROR", "refuse", 1);
	*configure = 1;
	T_INT(bridge_init(), 0);
	T_STR(errors, "sched/bridge: bad");
	T_INT(calls(), before + 2);
	bridge_fini();
	*configure = -1;
	T_INT(bridge_init(), -1);
	T_HAS(errors, "without its engine this plugin does not start");
	unsetenv("SLURM_K8S_ON_ERROR");
	T_INT(bridge_init(), 0);
	T_HAS(errors, "the engine does not run");
	T_OK(schedules());
	bridge_fini();
	*configure = 0;
}

/* (the last test: the plugin keeps it) */
static void one_of_the_same_build_is_used(void)
{
	const int before = calls();

	build(library_slurm_version, OWN);
	T_INT(bridge_init(), 0);
	T_STR(errors, "");
	T_INT(calls(), before + 2);
	T_INT(bridge_reconfig(), 0);
	bridge_fini();
	T_INT(calls(), before + 4);
}

T_MAIN("delegate", T(each_init_in_a_process_has_a_scheduler_that_works),
       T(so_has_the_one_after_an_init_that_failed),
       T(a_library_of_another_build_is_not_used),
       T(nor_is_one_that_does_not_say_its_build),
       T(our_own_plugin_is_no_delegate),
       T(what_was_in_force_is_used_when_the_file_is_bad),
       T(one_of_the_same_build_is_used))
