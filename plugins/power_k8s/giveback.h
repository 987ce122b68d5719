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

#include "model/hostlist.h"
#include "slurm/ctl.h"

struct giveback {
	const struct ctl_nodes *slurm_nodes;
	uint32_t job_id; /* 0: none */
	struct hostlist nodes;
	char *list;   /* the same as one text */
	char *reason; /* "k8s: " and Kubernetes' words */
	bool begun;
	bool drained;	/* by giveback_begin() */
	bool undecided; /* a pod may exist: let SuspendProgram clean up */
};

void giveback_add(struct giveback *g, const char *node);
void giveback_clear(struct giveback *g);

/*
 * All nodes are added. At once: the job goes back to the queue, the nodes take
 * no other one. A job that Slurm may not requeue (srun, salloc, --no-requeue)
 * is never killed: then only the Reason is set and ResumeTimeout decides.
 * Failures are logged; ResumeTimeout is the safety net.
 */
void giveback_begin(struct giveback *g, const char *why);

/*
 * When the pods are gone, for all of them first: end the power-up. Then the
 * nodes become idle and powered down, without waiting for SuspendTimeout.
 */
void giveback_power_down(struct giveback *g);
void giveback_end(const struct giveback *g);

#endif
