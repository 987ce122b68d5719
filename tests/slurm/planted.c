/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Linked around libslurmk8s and k8s_resume for sanitized.bats, never into what
 * is installed: the first clock_ms() of a process makes the mistake that the
 * environment variable SLURM_K8S_PLANTED names.
 */
#include <limits.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"

int64_t __real_clock_ms(void);
int64_t __wrap_clock_ms(void);

static atomic_flag done = ATOMIC_FLAG_INIT;
static char *volatile planted; /* (volatile: the compiler must not see through
				  it) */

static void use_after_free(void)
{
	planted = malloc(100);
	free(planted);
	planted[50] = 1;
}

/* (a copy of the last pointer may still be in a register, or on a stack) */
static void leak(void)
{
	for (int i = 0; i < 10; i++)
		planted = malloc(100);
	planted = NULL;
}

static void overflow(void)
{
	volatile int most = INT_MAX;

	most = most + 1;
}

static void make(const char *mistake)
{
	if (!strcmp(mistake, "use after free"))
		use_after_free();
	if (!strcmp(mistake, "leak"))
		leak();
	if (!strcmp(mistake, "overflow"))
		overflow();
}

int64_t __wrap_clock_ms(void)
{
	const char *mistake = getenv("SLURM_K8S_PLANTED");

	if (mistake && !atomic_flag_test_and_set(&done))
		make(mistake);
	return __real_clock_ms();
}
