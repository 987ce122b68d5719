/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a command says that it waits for; with -Wl,--wrap=progress_says. */
#ifndef SLURMK8S_TESTS_UNIT_PROGRESS_FIXTURE_H
#define SLURMK8S_TESTS_UNIT_PROGRESS_FIXTURE_H

#include <stdarg.h>
#include <stdio.h>

#include "progress.h"

static char waited_for[200]; /* last */

void __wrap_progress_says(const char *fmt, ...)
	__attribute__((format(printf, 1, 2)));
void __wrap_progress_says(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(waited_for, sizeof(waited_for), fmt, ap);
	va_end(ap);
}

#endif
