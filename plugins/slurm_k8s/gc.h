/* SPDX-License-Identifier: GPL-2.0-or-later */
/* slurm-k8s gc: see slurm-k8s(8). Main thread of a program. */
#ifndef SLURMK8S_TOOL_GC_H
#define SLURMK8S_TOOL_GC_H

#include <stdio.h>

/* Run the command with its own arguments; returns the exit code. */
int gc_command(int argc, char **argv);
void gc_usage(FILE *f);

#endif
