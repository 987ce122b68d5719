/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * 22.05 and 23.02: an allocation without a shell, for the user that the RPC
 * names, on nodes with slurmd. Nothing runs there. Nobody listens for it
 * (other_port 0), so InactiveLimit does not end it. Any thread;
 * release_submit(), an RPC, never in a plugin callback.
 */
#ifndef SLURMK8S_SLURM_SUBMIT_22_05_H
#define SLURMK8S_SLURM_SUBMIT_22_05_H

#include <stdbool.h>

#include "slurm/external_none.h"

#define RELEASE_GRES_SEPARATOR ':' /* "gres:gpu:2" */

/* Submit a job: the contract is that of submit_25_05.h. */
static inline int release_submit(job_desc_msg_t *desc, uint32_t *job_id)
{
	resource_allocation_response_msg_t *resp = NULL;
	int rc;

	desc->immediate = 0;
	desc->other_port = 0;
	rc = slurm_allocate_resources(desc, &resp);
	if (!rc && resp)
		*job_id = resp->job_id;
	slurm_free_resource_allocation_response_msg(resp);
	return rc;
}

/* There are no external nodes. */
static inline bool release_suspends_external(const slurm_conf_t *conf)
{
	(void)conf;
	return false;
}

#endif
