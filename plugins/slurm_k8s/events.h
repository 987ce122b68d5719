/* SPDX-License-Identifier: GPL-2.0-or-later */
/* slurm-k8s events: see slurm-k8s(8). Main thread of a program. */
#ifndef SLURMK8S_TOOL_EVENTS_H
#define SLURMK8S_TOOL_EVENTS_H

#include <stdio.h>

/* Run the command with its own arguments; returns the exit code. */
int events_command(int argc, char **argv);
void events_usage(FILE *f);

#endif
