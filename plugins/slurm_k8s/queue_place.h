/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where in the queue of its partitions a job waits. Pure. Any thread. */
#ifndef SLURMK8S_TOOL_QUEUE_PLACE_H
#define SLURMK8S_TOOL_QUEUE_PLACE_H

#include <stddef.h>

#include "slurm/ctl_job_list.h"

/*
 * Jobs that come before it. A heterogeneous job is one, and so are the tasks of
 * an array that Slurm has not taken out of it yet.
 */
struct queue_place {
	size_t before;
	size_t of_account; /* jobs before it of its own account */
};

/*
 * Count the jobs that come before `job`, which is queued: those that are
 * queued, too, for one of its partitions, and have a higher priority, or were
 * submitted before it, or have a lower number. That is the order of
 * sort_job_queue2() of slurmctld's job_scheduler.c, but for what a list of jobs
 * does not tell: preemption, tiers of partitions, and priorities that differ
 * from partition to partition. What PrivateData hides is not counted. Walks all
 * jobs. No RPC.
 */
void queue_place_of(const struct ctl_jobs *all, const struct ctl_job *job,
		    struct queue_place *out);

#endif
