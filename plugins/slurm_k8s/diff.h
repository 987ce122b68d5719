/* SPDX-License-Identifier: GPL-2.0-or-later */
/* slurm-k8s diff: see slurm-k8s(8). Main thread of a program. */
#ifndef SLURMK8S_TOOL_DIFF_H
#define SLURMK8S_TOOL_DIFF_H

#include <stdio.h>

/* `argv[0]` is the command. Returns the exit code. */
int diff_command(int argc, char **argv);

/* Print how it is used. */
void diff_usage(FILE *f);

#endif
