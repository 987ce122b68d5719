/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A line on the terminal of standard error that says what a command waits for,
 * once it has run for two seconds; it is erased before the command prints
 * something. Main thread of a program.
 */
#ifndef SLURMK8S_TOOL_PROGRESS_H
#define SLURMK8S_TOOL_PROGRESS_H

#include <stdbool.h>

#define PROGRESS_AFTER_MS 2000
#define PROGRESS_EACH_MS 200 /* least time between two changes */

/*
 * The command begins. There will be such a line if standard error is a
 * terminal, and the command prints no JSON; without this call there is none.
 */
void progress_begin(bool json);

/* What is waited for from now on. Shown at once if it is time for that. */
void progress_says(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* The command still waits: the line is shown if it is time for that. */
void progress_step(void);

/*
 * Erase the line, if there is one. progress_says() and progress_step() show it
 * again.
 */
void progress_end(void);

#endif
