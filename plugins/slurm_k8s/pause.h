/* SPDX-License-Identifier: GPL-2.0-or-later */
/* slurm-k8s pause and resume: see slurm-k8s(8). Main thread of a program. */
#ifndef SLURMK8S_TOOL_PAUSE_H
#define SLURMK8S_TOOL_PAUSE_H

#include <stdio.h>

/* Run the command with its own arguments; returns the exit code. */
int pause_command(int argc, char **argv);
int resume_command(int argc, char **argv);
void pause_usage(FILE *f);
void resume_usage(FILE *f);

#endif
