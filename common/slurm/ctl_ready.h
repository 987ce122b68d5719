/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whether a job's nodes are up, for a program that looks again and again. One
 * thread.
 */
#ifndef SLURMK8S_SLURM_CTL_READY_H
#define SLURMK8S_SLURM_CTL_READY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CTL_READY_JOB_MS 15000 /* ms between looks at the job itself */

/* What is known from earlier calls; all zero at first. */
struct ctl_ready {
	bool by_nodes;	/* slurmctld tells of nodes only, not of the job */
	char *nodes;	/* hostlist of the job, owned; NULL: not known yet */
	size_t up;	/* nodes that are up, counted from the first on */
	int64_t job_at; /* clock_ms() when to look at the job again */
};
/* Free what it holds; all is zero then. */
void ctl_ready_clear(struct ctl_ready *seen);

/*
 * True while the job is running and its nodes are not all up; false, too, when
 * there is no such job any more; true, too, when slurmctld does not answer. One
 * RPC, as in ctl.h, while the node that is waited for is this job's, as far as
 * it tells, and one for each node that has come up meanwhile. That the job has
 * ended, or has other nodes, may be seen CTL_READY_JOB_MS late if its node went
 * to another job at once.
 */
bool ctl_job_is_waiting(uint32_t job_id, struct ctl_ready *seen);

#endif
