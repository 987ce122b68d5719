/* SPDX-License-Identifier: GPL-2.0-or-later */
/* slurm-k8s check: see slurm-k8s(8). Main thread of a program. */
#ifndef SLURMK8S_TOOL_CHECK_H
#define SLURMK8S_TOOL_CHECK_H

#include <stdio.h>

/* `argv[0]` is the command. Returns the exit code. */
int check_command(int argc, char **argv);

/* Print how it is used. */
void check_usage(FILE *f);

#endif
