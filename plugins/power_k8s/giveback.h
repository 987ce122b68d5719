/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Nodes that will not come up: their job goes back to the queue, they go back
 * to idle and powered down, their Reason says why. By Slurm's public API.
 */
#ifndef SLURMK8S_POWER_GIVEBACK_H
#define SLURMK8S_POWER_GIVEBACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct giveback {
	uint32_t job_id; /* 0: none */
	char *nodes;	 /* comma list */
	bool undecided;	 /* a pod may exist: let SuspendProgram clean up */
};

void giveback_add(struct giveback *g, const char *node);
void giveback_clear(struct giveback *g);

/*
 * A job that Slurm may not requeue (srun, salloc, --no-requeue) is never
 * killed: then only the Reason is set and ResumeTimeout decides. Failures are
 * logged; Slurm's ResumeTimeout is the safety net.
 */
void giveback_do(const struct giveback *g, const char *why);

#endif
