/* SPDX-License-Identifier: GPL-2.0-or-later */
/* slurmctld's jobs, for tests of what is read of a list of all. */
#ifndef SLURMK8S_TESTS_JOBS_FIXTURE_H
#define SLURMK8S_TESTS_JOBS_FIXTURE_H

#include <errno.h>

#include "slurm/release.h"
#include "t.h"

#define MANY 300 /* jobs at most */

int __wrap_slurm_load_jobs(time_t since, job_info_msg_t **out, uint16_t flags);
void __wrap_slurm_free_job_info_msg(job_info_msg_t *msg);
void __wrap_slurm_xfree(void **text);

static job_info_t jobs[MANY];
static job_info_msg_t msg = {.job_array = jobs};
static bool is_away; /* slurmctld */
static int messages; /* given out and not freed */

int __wrap_slurm_load_jobs(time_t since, job_info_msg_t **out, uint16_t flags)
{
	(void)flags;
	T_INT(since, 0);
	if (is_away) {
		errno = ECONNREFUSED;
		return -1;
	}
	messages++;
	*out = &msg;
	return 0;
}

void __wrap_slurm_xfree(void **text)
{
	*text = NULL;
}

void __wrap_slurm_free_job_info_msg(job_info_msg_t *m)
{
	messages -= m != NULL;
}

#endif
