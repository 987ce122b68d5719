/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which of slurmctld's jobs somebody means. Pure: reads a snapshot. Any thread.
 */
#ifndef SLURMK8S_TOOL_JOB_NUMBERS_H
#define SLURMK8S_TOOL_JOB_NUMBERS_H

#include "job_id.h"
#include "slurm/ctl.h"

struct job_numbers {
	uint32_t *v; /* owned; sorted, each once */
	size_t n;
};

/*
 * Write slurmctld's own numbers of the jobs that `ref` means, and, of a plain
 * number, that one, too. `jobs` NULL: slurmctld does not answer. The caller
 * clears *out, also after an error. 0; -ENOMEM.
 */
int job_numbers_of(const struct ctl_jobs *jobs, const struct job_ref *ref,
		   struct job_numbers *out);
void job_numbers_clear(struct job_numbers *j);

#endif
