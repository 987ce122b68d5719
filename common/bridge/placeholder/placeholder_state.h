/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A placeholder job as Slurm has it, and which of two of one group is kept.
 * Pure. Any thread.
 */
#ifndef SLURMK8S_BRIDGE_PLACEHOLDER_PLACEHOLDER_STATE_H
#define SLURMK8S_BRIDGE_PLACEHOLDER_PLACEHOLDER_STATE_H

#include <stdbool.h>
#include <stdint.h>

/* The placeholder. */
enum bridge_job {
	BRIDGE_UNKNOWN, /* Slurm does not answer, or not with all jobs */
	BRIDGE_NONE,	/* it has answered: there is none */
	BRIDGE_PENDING,
	BRIDGE_HELD,	 /* pending until somebody releases it */
	BRIDGE_STARTING, /* its nodes are not ready yet */
	BRIDGE_RUNNING,
	BRIDGE_SUSPENDED,
	BRIDGE_COMPLETING, /* it ends, or goes back into the queue */
	BRIDGE_ENDED,
};

/* Slurm has not started it. */
static inline bool bridge_waits(enum bridge_job job)
{
	return job == BRIDGE_PENDING || job == BRIDGE_HELD;
}

/* How it ended; BRIDGE_NOT_ENDED while it has not. */
enum bridge_end {
	BRIDGE_NOT_ENDED,
	BRIDGE_COMPLETED,
	BRIDGE_FAILED,
	BRIDGE_CANCELLED,
	BRIDGE_TIMEOUT,
	BRIDGE_PREEMPTED,
	BRIDGE_NODE_FAIL,
	BRIDGE_DEADLINE, /* it did not start in time */
	BRIDGE_OTHER,
};

/*
 * How long a pod gets at most when its job's CPUs are given to others, in s:
 * KillWait, and never 0, with which the API server would forget the pod while
 * its containers run on.
 */
uint32_t bridge_kill_wait(uint32_t kill_wait_s);

/*
 * Two placeholders of one group: is `a` the one to keep? Of those that wait or
 * run: that by which pods run, else that which runs, else the older one. They
 * come before those that end or have ended, of which it is the last one.
 */
struct bridge_twin {
	enum bridge_job job;
	uint32_t job_id;
	uint32_t bound; /* live or leaving pods with its id */
};
bool bridge_keeps(const struct bridge_twin *a, const struct bridge_twin *b);

#endif
