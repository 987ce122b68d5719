/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A placeholder job as Slurm has it, and which of two of one group is kept.
 * Pure. Any thread.
 */
#ifndef SLURMK8S_BRIDGE_PLACEHOLDER_PLACEHOLDER_STATE_H
#define SLURMK8S_BRIDGE_PLACEHOLDER_PLACEHOLDER_STATE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* The state of a placeholder job. */
enum placeholder_state {
	PLACEHOLDER_UNKNOWN, /* Slurm does not answer, or not with all jobs */
	PLACEHOLDER_NONE,    /* Slurm has answered: there is no job */
	PLACEHOLDER_PENDING,
	PLACEHOLDER_HELD,     /* pending until somebody releases it */
	PLACEHOLDER_STARTING, /* started, but nodes are not ready */
	PLACEHOLDER_RUNNING,
	PLACEHOLDER_SUSPENDED,
	PLACEHOLDER_COMPLETING, /* ending, or going back into the queue */
	PLACEHOLDER_ENDED,
};

/* True for a job that Slurm has not started. */
static inline bool placeholder_waits(enum placeholder_state job)
{
	return job == PLACEHOLDER_PENDING || job == PLACEHOLDER_HELD;
}

/*
 * True if an administrator holds a job, by the reason that Slurm has for a held
 * one; or if it has none ("").
 */
static inline bool placeholder_admin_holds(const char *reason)
{
	return !*reason || !strcmp(reason, "JobHeldAdmin");
}

/* How a job ended; PLACEHOLDER_NOT_ENDED while it has not. */
enum placeholder_end {
	PLACEHOLDER_NOT_ENDED,
	PLACEHOLDER_COMPLETED,
	PLACEHOLDER_FAILED,
	PLACEHOLDER_CANCELLED,
	PLACEHOLDER_TIMEOUT,
	PLACEHOLDER_PREEMPTED,
	PLACEHOLDER_NODE_FAIL,
	PLACEHOLDER_DEADLINE, /* the job did not start in time */
	PLACEHOLDER_ENDED_OTHERWISE,
};

/*
 * How long a pod gets at most when its job's CPUs are given to others, in s:
 * KillWait, and never 0, with which the API server would forget the pod while
 * its containers run on.
 */
uint32_t placeholder_kill_wait(uint32_t kill_wait_s);

/* One of two placeholder jobs of one group. */
struct duplicate_job {
	enum placeholder_state job;
	uint32_t job_id;
	uint32_t bound; /* live or leaving pods with its id */
};

/*
 * True if `a` is the job to keep. Of jobs that wait or run it is the one by
 * which pods run, else the one that runs, else the older one. They come before
 * jobs that end or have ended, of which it is the last one.
 */
bool placeholder_to_keep(const struct duplicate_job *a,
			 const struct duplicate_job *b);

#endif
