/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a pod knows of itself: variables SLURM_K8S_... of slurmd's environment,
 * which slurmstepd has, too. No I/O. Any thread, as long as none changes the
 * environment.
 */
#ifndef SLURMK8S_SPANK_POD_H
#define SLURMK8S_SPANK_POD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define POD_NAME_MAX 128   /* bytes of a variable's name */
#define POD_VALUE_MAX 4096 /* longer ones are left out */
#define POD_FACTS_MAX 64   /* more are left out */

/* True if this is the environment of a pod. */
bool pod_is(char *const env[]);

typedef void (*pod_fact_fn)(void *arg, const char *name, const char *value);

/*
 * Call `fn` for each of its variables that is for jobs; texts are borrowed. For
 * the environment of another machine than a pod: never.
 */
void pod_facts(char *const env[], pod_fact_fn fn, void *arg);

/*
 * The name of the first such variable of a job's environment. False: there is
 * none.
 */
bool pod_stale(char *const env[], char name[POD_NAME_MAX]);

/* Say where a task runs, on one line, cut to `size`. */
void pod_line(char *const env[], uint32_t task, const char *host, char *out,
	      size_t size);

#endif
