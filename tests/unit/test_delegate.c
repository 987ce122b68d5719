/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The scheduler that sched/bridge wraps, over init and fini in one process.
 * It is tests/unit/fake_delegate.c, beside this program; there is no engine.
 */
#include <dlfcn.h>
#include <stdarg.h>
#include <stdlib.h>

#include "delegate.h"
#include "library.h"
#include "t.h"

void slurm_info(const char *format, ...)
{
	(void)format;
}

void slurm_error(const char *format, ...)
{
	(void)format;
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

T_MAIN("delegate", T(each_init_in_a_process_has_a_scheduler_that_works),
       T(so_has_the_one_after_an_init_that_failed))
