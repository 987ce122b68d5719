/* SPDX-License-Identifier: GPL-2.0-or-later */
/* slurm-k8s explain: see slurm-k8s(8). Main thread of a program. */
#ifndef SLURMK8S_TOOL_EXPLAIN_H
#define SLURMK8S_TOOL_EXPLAIN_H

#include <stdio.h>

/* Run the command with its own arguments; returns the exit code. */
int explain_command(int argc, char **argv);
void explain_usage(FILE *f);

#endif
