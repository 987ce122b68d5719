/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A terminal on which one text is shown after the other, as by watch(1). Main
 * thread of a program; one at a time.
 */
#ifndef SLURMK8S_TOOL_SCREEN_H
#define SLURMK8S_TOOL_SCREEN_H

#include <stdbool.h>
#include <stdio.h>

/*
 * Take the terminal of standard output, if it is one: what stands there comes
 * back in screen_end(), and before ^C or another signal ends this process, a
 * child of slurm_user_run() with it. ^Z does nothing meanwhile. True: it is a
 * terminal.
 */
bool screen_begin(void);
void screen_end(void);

/*
 * Show the text, which is fit for a terminal, from the first line on. Lines
 * that are too long, or too many, are cut. 0; -EIO: it cannot be written.
 */
int screen_show(const char *text);

/*
 * Write what screen_show() does to a terminal of so many rows (0: not known,
 * none are cut). Pure but for `out`.
 */
void screen_write(const char *text, unsigned int rows, FILE *out);

#endif
