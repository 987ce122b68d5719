/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "slurm/job_reason.h"

#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "slurm/reason.h"

/*
 * True if Slurm itself holds the job, as if its user did (job_mgr.c,
 * _job_requeue_op()). A later scontrol hold by an operator makes it
 * JobHeldAdmin; one by its user is not to be told from Slurm's own.
 */
static bool is_held_by_slurm(const job_info_t *job)
{
	return job->state_reason == WAIT_HELD_USER && job->state_desc &&
	       !strcmp(job->state_desc, PLACED_LAUNCH_FAILED);
}

void job_reason(const job_info_t *job, char out[PLACED_REASON_MAX])
{
	const char *name = reason_name(job->state_reason);
	const bool held = (job->state_reason == WAIT_HELD ||
			   job->state_reason == WAIT_HELD_USER) &&
			  !is_held_by_slurm(job);

	if (job->state_desc && *job->state_desc && !held)
		str_copy(out, job->state_desc, PLACED_REASON_MAX);
	else if (job->state_reason == WAIT_NO_REASON)
		*out = '\0';
	else if (name)
		str_copy(out, name, PLACED_REASON_MAX);
	else
		snprintf(out, PLACED_REASON_MAX, "reason %u of Slurm's",
			 (unsigned)job->state_reason);
	str_sanitize(out);
}
