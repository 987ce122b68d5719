/* SPDX-License-Identifier: GPL-2.0-or-later */
/* 26.05: a job is known by a slurm_step_id_t, of which we fill in its number.
 */
#ifndef SLURMK8S_SLURM_RELEASE_26_05_H
#define SLURMK8S_SLURM_RELEASE_26_05_H

#include <stdbool.h>

static inline slurm_step_id_t release_step_id(uint32_t job_id)
{
	slurm_step_id_t id = SLURM_STEP_ID_INITIALIZER;

	id.job_id = job_id;
	return id;
}

static inline uint32_t release_job_id(const job_info_t *job)
{
	return job->step_id.job_id;
}

static inline void release_set_job_id(job_desc_msg_t *desc, uint32_t job_id)
{
	desc->step_id.job_id = job_id;
}

static inline int release_load_job(job_info_msg_t **out, uint32_t job_id)
{
	return slurm_load_job(out, release_step_id(job_id), SHOW_ALL);
}

/* With what it has on each node. */
static inline int release_load_details(job_info_msg_t **out, uint32_t job_id)
{
	return slurm_load_job(out, release_step_id(job_id),
			      SHOW_ALL | SHOW_DETAIL);
}

static inline int release_job_node_ready(uint32_t job_id)
{
	return slurm_job_node_ready(release_step_id(job_id));
}

static inline int release_complete_job(uint32_t job_id, uint32_t wait_status)
{
	slurm_step_id_t id = release_step_id(job_id);

	return slurm_complete_job(&id, wait_status);
}

static inline int release_kill_job(uint32_t job_id, uint16_t signal)
{
	return slurm_kill_job(release_step_id(job_id), signal, 0);
}

static inline int release_requeue(uint32_t job_id)
{
	return slurm_requeue(release_step_id(job_id), 0);
}

static inline int release_allocation(uint32_t job_id,
				     resource_allocation_response_msg_t **out)
{
	return slurm_allocation_lookup(release_step_id(job_id), out);
}

static inline uint32_t release_submitted(const submit_response_msg_t *resp)
{
	return resp->step_id.job_id;
}

static inline void release_free_conf(slurm_conf_t *conf)
{
	slurm_free_conf(conf);
}

/* All of them: it does not say what has changed since. */
static inline int release_get_steps(time_t since,
				    job_step_info_response_msg_t **out)
{
	(void)since;
	return slurm_get_job_steps(NULL, out, SHOW_ALL | SHOW_LOCAL);
}

/* slurmctld knows by itself whose a new Reason is. */
static inline void release_sign(update_node_msg_t *msg)
{
	(void)msg;
}

/* Nodes may come and go without slurm.conf. */
static inline bool release_creates_nodes(void)
{
	return true;
}

/* Does no job have a CPU there? */
static inline bool release_has_no_cpus_allocated(const node_info_t *info)
{
	return !info->alloc_cpus;
}

/* Has a job memory there? (A suspended one has, and no CPUs any more.) */
static inline bool release_has_memory_allocated(const node_info_t *info)
{
	return info->alloc_memory;
}

#endif
