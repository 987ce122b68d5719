/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * When a job that waits should start. Any thread. Only for files of this
 * folder.
 */
#ifndef SLURMK8S_SLURM_EXPECTED_START_H
#define SLURMK8S_SLURM_EXPECTED_START_H

#include <stddef.h>
#include <stdint.h>

#include <slurm/slurm.h>

#define EXPECTED_PARTITIONS_MAX 32

/*
 * Until when a start that Slurm expects says something. Where a job waits for
 * one without a time limit slurmctld and its backfill reckon with a year from
 * the start of that one (job_end_time_reset() of job_mgr.c, backfill.c).
 */
struct expected_starts {
	int64_t now; /* epoch, seconds; ends are, too */
	/*
	 * The first end of a job without a time limit in these partitions
	 * ("batch,gpu").
	 */
	struct {
		const char *partitions; /* borrowed from the list of jobs */
		int64_t end;
	} first[EXPECTED_PARTITIONS_MAX];
	size_t n;
	/* the first end in all other partitions; INT64_MAX: there is none */
	int64_t other;
};

/*
 * Look for jobs without a time limit in `jobs`, which are all of slurmctld's,
 * and outlive *out. One whose year is over counts no more: Slurm expects its
 * end at any moment then. No RPC.
 */
void expected_starts_of(const job_info_msg_t *jobs,
			struct expected_starts *out);

/*
 * When Slurm expects this pending job to start, in seconds of the epoch; 0: it
 * does not say, or only after a job of one of its partitions that has no time
 * limit, or in a year. The time that the job itself asks for (--begin) is told
 * in any case. No RPC.
 */
int64_t expected_start(const struct expected_starts *s, const job_info_t *job);

#endif
