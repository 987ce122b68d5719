/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A scheduler plugin that is as Slurm's own are in one thing: one that was
 * stopped stays so, for nothing sets its static variable back.
 */
#include <stdbool.h>
#include <stdlib.h>

#define EXPORT __attribute__((visibility("default")))

EXPORT extern char plugin_type[32]; /* a test may change it */
EXPORT int init(void);
EXPORT void fini(void);
EXPORT int sched_p_reconfig(void);
EXPORT bool delegate_schedules(void);

char plugin_type[32] = "sched/backfill";

static bool started, stopped;

int init(void)
{
	if (started)
		return -1;
	started = true;
	return getenv("T_DELEGATE_FAILS") ? -1 : 0;
}

void fini(void)
{
	started = false;
	stopped = true;
}

int sched_p_reconfig(void)
{
	return delegate_schedules() ? 0 : -1;
}

bool delegate_schedules(void)
{
	return started && !stopped;
}
