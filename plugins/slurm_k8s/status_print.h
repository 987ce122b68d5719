/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How slurm-k8s status is printed. One thread. */
#ifndef SLURMK8S_TOOL_STATUS_PRINT_H
#define SLURMK8S_TOOL_STATUS_PRINT_H

#include <stdio.h>

#include "status_read.h"

/*
 * Print what was read, for people or as JSON: {"slurm", "clusters", "engine",
 * "nodes", "jobs", "nodesLeftOut", "exit"}. Sets s->incomplete if that was not
 * all.
 */
void status_print(struct status *s, bool json, FILE *out);

#endif
