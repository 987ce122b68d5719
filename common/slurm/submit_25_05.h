/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * 25.05 and later: an external job, without script, on external nodes (or
 * others). slurmctld starts nothing for it, and ends nothing. Any thread;
 * release_submit(), an RPC, never in a plugin callback.
 */
#ifndef SLURMK8S_SLURM_SUBMIT_25_05_H
#define SLURMK8S_SLURM_SUBMIT_25_05_H

#include <stdbool.h>
#include <string.h>

#define RELEASE_GRES_SEPARATOR '/' /* "gres/gpu:2" */

/* True if this release has external jobs and nodes. */
static inline bool release_external(void)
{
	return true;
}

/* True if a node of this state is external. */
static inline bool release_is_external_node(uint32_t state)
{
	return state & NODE_STATE_EXTERNAL;
}

/* True for an external job. */
static inline bool release_is_external(const job_info_t *job)
{
	return job->bitflags & EXTERNAL_JOB;
}

/*
 * Power saving is to leave external nodes alone: nobody could power one up.
 * Before 26.05 that is for slurm.conf to say (SuspendExcStates=EXTERNAL).
 */
#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(26, 5, 0)
#define RELEASE_EXTERNAL_NODE " SuspendTime=INFINITE"

/* True if slurmctld would power external nodes down, by this slurm.conf. */
static inline bool release_suspends_external(const slurm_conf_t *conf)
{
	(void)conf;
	return false;
}
#else
#define RELEASE_EXTERNAL_NODE ""

/* True if slurmctld would power external nodes down, by this slurm.conf. */
static inline bool release_suspends_external(const slurm_conf_t *conf)
{
	return conf->suspend_program && *conf->suspend_program &&
	       conf->suspend_time != INFINITE && !conf->suspend_exc_parts &&
	       (!conf->suspend_exc_states ||
		!strcasestr(conf->suspend_exc_states, "external"));
}
#endif

/*
 * True if an external node that is back from DRAIN or DOWN gets jobs. Before
 * 25.11.6 slurmctld waits for its slurmd to register then (_require_node_reg).
 */
static inline bool release_external_drains(void)
{
	return SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(25, 11, 6);
}

/*
 * True if a node that is created in the place of a deleted one gets jobs that
 * share it. Before 26.05.3 it gets only exclusive ones, until it has been DOWN,
 * or such a job has ended there (share_node_bitmap).
 */
static inline bool release_external_shares(void)
{
	return SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(26, 5, 3);
}

/*
 * True if the line of a node may have GresConf, which says without a gres.conf
 * what its Gres are. Before 25.11 slurmctld refuses the line, and believes
 * Gres.
 */
static inline bool release_gres_conf(void)
{
	return SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(25, 11, 0);
}

/*
 * Submit a job. One RPC. 0 and *job_id; else what slurmctld answers, with
 * errno.
 */
static inline int release_submit(job_desc_msg_t *desc, uint32_t *job_id)
{
	submit_response_msg_t *resp = NULL;
	int rc;

	desc->bitflags |= EXTERNAL_JOB;
	/*
	 * Slurm puts no such job back, but where slurm.conf has its exit code
	 * as RequeueExit: that would start it anew, without its pods.
	 */
	desc->requeue = 0;
	rc = slurm_submit_batch_job(desc, &resp);
	if (!rc && resp)
		*job_id = release_submitted(resp);
	slurm_free_submit_response_response_msg(resp);
	return rc;
}

#endif
