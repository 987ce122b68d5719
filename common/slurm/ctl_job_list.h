/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What squeue shows of each job of a snapshot. Any thread. No RPC. */
#ifndef SLURMK8S_SLURM_CTL_JOB_LIST_H
#define SLURMK8S_SLURM_CTL_JOB_LIST_H

#include <stdbool.h>
#include <stdint.h>

struct ctl_jobs; /* slurm/ctl.h */

/* Texts are never NULL where nothing else is said. */
struct ctl_job {
	uint32_t id;
	/* id of the job array that this is a task of; 0: of none */
	uint32_t array_id;
	uint32_t task;
	/* "4-7%2": several that have not begun; NULL: `task` is the only one */
	const char *tasks;
	/*
	 * id of the heterogeneous job that this is a component of; 0: of none
	 */
	uint32_t het_id;
	uint32_t het_offset; /* as squeue has it: 123+1 */
	const char *state;   /* as squeue has it: "PENDING", "COMPLETING" */
	bool ended;	     /* ended, with no node left to it */
	/*
	 * True for a job that waits for nodes, or its turn, and for nothing
	 * else: nobody holds it, and no limit, dependency or time keeps it.
	 */
	bool queued;
	int64_t submit; /* submit time, epoch, s; a requeue changes it */
	uint32_t priority;
	const char *reason;
	uint32_t uid;
	const char *user; /* "" where Slurm does not say */
	const char *account;
	const char *partition;
	const char *nodes;    /* a hostlist; "" while it has none */
	const char *features; /* what the job asks for */
	const char *admin_comment;
};

/*
 * Call `fn` for each job, which is borrowed during the call. Non-zero ends
 * that, and is returned.
 */
int ctl_jobs_each(const struct ctl_jobs *j,
		  int (*fn)(void *arg, const struct ctl_job *job), void *arg);

/*
 * When this job is expected to start, if it is pending: epoch, seconds, see
 * expected_start(); 0: not known. Walks all jobs. No RPC.
 */
int64_t ctl_jobs_expected_start(const struct ctl_jobs *j, uint32_t job_id);

#endif
