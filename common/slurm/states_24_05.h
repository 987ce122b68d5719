/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * 24.05 and later: an RPC for the states of the jobs that it names. Any thread
 * but that of a plugin callback.
 */
#ifndef SLURMK8S_SLURM_STATES_24_05_H
#define SLURMK8S_SLURM_STATES_24_05_H

#include <errno.h>
#include <stdlib.h>

/*
 * Ask for the states of jobs: out[i] is the job_state of ids[i], NO_VAL when
 * there is no such job. One RPC. 0, or -1 with errno.
 */
static inline int release_job_states(const uint32_t *ids, size_t n,
				     uint32_t *out)
{
	slurm_selected_step_t *want = calloc(n + 1, sizeof(*want));
	job_state_response_msg_t *got = NULL;
	int rc;

	if (!want)
		return -1;
	for (size_t i = 0; i < n; i++) {
		out[i] = NO_VAL;
		want[i].array_task_id = NO_VAL;
		want[i].het_job_offset = NO_VAL;
		want[i].step_id = release_step_id(ids[i]);
	}
	rc = slurm_load_job_state((int)n, want, &got);
	free(want);
	if (rc || !got) {
		if (rc > 0)
			errno = rc;
		return -1;
	}
	/* The jobs come in the order in which they were asked for. */
	for (uint32_t i = 0, at = 0; i < got->jobs_count; i++) {
		for (size_t k = 0; k < n && ids[at] != got->jobs[i].job_id; k++)
			at = at + 1 < n ? at + 1 : 0;
		if (n && ids[at] == got->jobs[i].job_id)
			out[at] = got->jobs[i].state;
	}
	slurm_free_job_state_response_msg(got);
	return 0;
}

#endif
