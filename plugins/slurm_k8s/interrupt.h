/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ^C and its like, where something has to be cleaned up first. Main thread. */
#ifndef SLURMK8S_TOOL_INTERRUPT_H
#define SLURMK8S_TOOL_INTERRUPT_H

#include <stdbool.h>

/*
 * From now on SIGINT, SIGTERM and SIGHUP do not end this process: they are
 * remembered, and end what waits, such as poll(2), early.
 */
void interrupt_catch(void);

/* Whether one of them has come since then. */
bool interrupted(void);

#endif
