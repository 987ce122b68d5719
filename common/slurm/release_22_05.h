/* SPDX-License-Identifier: GPL-2.0-or-later */
/* 22.05 and later: a job is known by its number. */
#ifndef SLURMK8S_SLURM_RELEASE_22_05_H
#define SLURMK8S_SLURM_RELEASE_22_05_H

#include <stdbool.h>
#include <unistd.h>

static inline slurm_step_id_t release_step_id(uint32_t job_id)
{
	return (slurm_step_id_t){
		.job_id = job_id, .step_het_comp = NO_VAL, .step_id = NO_VAL};
}

static inline uint32_t release_job_id(const job_info_t *job)
{
	return job->job_id;
}

static inline void release_set_job_id(job_desc_msg_t *desc, uint32_t job_id)
{
	desc->job_id = job_id;
}

static inline int release_load_job(job_info_msg_t **out, uint32_t job_id)
{
	return slurm_load_job(out, job_id, SHOW_ALL);
}

/* With what it has on each node. */
static inline int release_load_details(job_info_msg_t **out, uint32_t job_id)
{
	return slurm_load_job(out, job_id, SHOW_ALL | SHOW_DETAIL);
}

static inline int release_job_node_ready(uint32_t job_id)
{
	return slurm_job_node_ready(job_id);
}

static inline int release_complete_job(uint32_t job_id, uint32_t wait_status)
{
	return slurm_complete_job(job_id, wait_status);
}

static inline int release_kill_job(uint32_t job_id, uint16_t signal)
{
	return slurm_kill_job(job_id, signal, 0);
}

static inline int release_requeue(uint32_t job_id)
{
	return slurm_requeue(job_id, 0);
}

static inline int release_allocation(uint32_t job_id,
				     resource_allocation_response_msg_t **out)
{
	return slurm_allocation_lookup(job_id, out);
}

static inline uint32_t release_submitted(const submit_response_msg_t *resp)
{
	return resp->job_id;
}

static inline void release_free_conf(slurm_conf_t *conf)
{
	slurm_free_ctl_conf(conf);
}

/* All of them, if anything has changed since. */
static inline int release_get_steps(time_t since,
				    job_step_info_response_msg_t **out)
{
	return slurm_get_job_steps(since, NO_VAL, NO_VAL, out,
				   SHOW_ALL | SHOW_LOCAL);
}

/* Whose the new Reason is: ours. */
static inline void release_sign(update_node_msg_t *msg)
{
	msg->reason_uid = getuid();
}

/*
 * In 24.11 a node that is created in the place of a deleted one gets no jobs
 * but exclusive ones (share_node_bitmap); 22.05 deletes any node.
 */
static inline bool release_creates_nodes(void)
{
	return false;
}

/* (not told) */
static inline bool release_has_no_cpus_allocated(const node_info_t *info)
{
	(void)info;
	return false;
}

/* As in release_26_05.h. (The data is 64 bits wide, whatever slurm.h says.) */
static inline bool release_has_memory_allocated(const node_info_t *info)
{
	uint64_t mib = 0;

	return info->select_nodeinfo &&
	       !slurm_get_select_nodeinfo(info->select_nodeinfo,
					  SELECT_NODEDATA_MEM_ALLOC,
					  NODE_STATE_ALLOCATED, &mib) &&
	       mib;
}

#endif
