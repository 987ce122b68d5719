/* SPDX-License-Identifier: GPL-2.0-or-later */
/* slurm-k8s render: see slurm-k8s(8). Main thread of a program. */
#ifndef SLURMK8S_TOOL_RENDER_H
#define SLURMK8S_TOOL_RENDER_H

#include <stdio.h>

/* `argv[0]` is the command. Returns the exit code. */
int render_command(int argc, char **argv);

/* Print how it is used. */
void render_usage(FILE *f);

#endif
