/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Threads inside slurmctld: all signals are blocked in them, for signals are
 * slurmctld's, and their ends are waited for only so long. Any thread may start
 * one; one joins it.
 */
#ifndef SLURMK8S_RUNTIME_THREAD_H
#define SLURMK8S_RUNTIME_THREAD_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

/*
 * Start `run` in a thread; `name` is what ps -L shows, at most 15 characters.
 * 0: *t is to be joined; -ENOMEM; or an errno of pthread_create(3).
 */
int thread_start(pthread_t *t, const char *name, void (*run)(void *arg),
		 void *arg, struct err *err);

/*
 * Wait for the thread's end, for `wait_ms` at most. False: it has not ended in
 * time, and is detached: what it uses stays its own.
 */
bool thread_join(pthread_t t, int64_t wait_ms);

#endif
