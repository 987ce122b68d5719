/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * 23.11 and 24: there are no external jobs yet, and an allocation belongs to
 * whom the RPC comes from. So it is a batch job whose script waits, on nodes
 * with slurmd. It runs as the job's user, who must be known there. Any thread;
 * release_submit(), an RPC, never in a plugin callback.
 */
#ifndef SLURMK8S_SLURM_SUBMIT_23_11_H
#define SLURMK8S_SLURM_SUBMIT_23_11_H

#include <stdbool.h>

#include "slurm/external_none.h"

#define RELEASE_GRES_SEPARATOR '/' /* "gres/gpu:2" */

/* Submit a job: the contract is that of submit_25_05.h. */
static inline int release_submit(job_desc_msg_t *desc, uint32_t *job_id)
{
	/*
	 * The script ends at once when Slurm wants it to, with success; and
	 * never before that. -9, for between fork and exec the shell's child
	 * may lose a TERM, and when its parent is gone proctrack/linuxproc
	 * knows it no longer.
	 */
	static char script[] = "#!/bin/sh\n"
			       "trap 'kill -9 $! 2>/dev/null; exit 0' TERM\n"
			       "while :; do sleep 3600 & wait $!; done\n";
	static char path[] = "PATH=/usr/bin:/bin";
	static char nowhere[] = "/dev/null";
	char *environment[] = {path, NULL};
	submit_response_msg_t *resp = NULL;
	int rc;

	desc->script = script;
	desc->environment = environment;
	desc->env_size = 1;
	desc->std_in = desc->std_out = desc->std_err = nowhere;
	rc = slurm_submit_batch_job(desc, &resp);
	if (!rc && resp)
		*job_id = release_submitted(resp);
	slurm_free_submit_response_response_msg(resp);
	return rc;
}

/* There are no external nodes. */
static inline bool release_suspends_external(const slurm_conf_t *conf)
{
	(void)conf;
	return false;
}

#endif
