/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whether what is printed may have colours. Any thread. */
#ifndef SLURMK8S_TOOL_COLOUR_H
#define SLURMK8S_TOOL_COLOUR_H

#include <stdbool.h>

/*
 * True if the file is a terminal that knows escape sequences (TERM is there,
 * and not "dumb") and the user has not set NO_COLOR to anything (no-color.org).
 * To be asked before slurm_user_become(), which takes the user's environment
 * away.
 */
bool colour_wanted(int fd);

#endif
