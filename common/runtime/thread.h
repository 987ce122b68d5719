/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Threads inside slurmctld: all signals blocked (they are slurmctld's), and
 * ends that are waited for only so long.
 */
#ifndef SLURMK8S_RUNTIME_THREAD_H
#define SLURMK8S_RUNTIME_THREAD_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

/* `name` is what ps -L shows, at most 15 characters. */
int thread_start(pthread_t *t, const char *name, void (*run)(void *arg),
		 void *arg, struct err *err);

/* False: it has not ended in time, and is detached. */
bool thread_join(pthread_t t, int64_t wait_ms);

#endif
