/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Frees what slurmctld has answered. Slurm's own functions for that leave some
 * texts behind, which ones depends on the release
 * (slurm_free_job_info_members() and its like in slurm_protocol_defs.c, beside
 * what slurm_protocol_pack.c reads): admin_comment of a job, comment and extra
 * of a node in 22.05, parameters of a node in 25.11 and 26.05, groups of a
 * reservation in 22.05, submit_line of a step in all. Inside slurmctld they
 * would be lost at each look at its jobs, nodes and steps. So they are freed
 * here first: what is NULL then, Slurm leaves alone. Any thread. NULL is
 * nothing.
 */
#ifndef SLURMK8S_SLURM_RELEASE_FREE_H
#define SLURMK8S_SLURM_RELEASE_FREE_H

/*
 * The function that all of them are freed with, which no public header
 * declares: it makes the pointer NULL. Weak: where it is missing texts are
 * lost, and nothing else.
 */
void slurm_xfree(void **text) __attribute__((weak));

/* Free one text, and make it NULL. */
static inline void release_free_text(char **text)
{
	if (*text && slurm_xfree)
		slurm_xfree((void **)text);
}

/* Free jobs: an answer of slurmctld, with what Slurm's own function leaves. */
static inline void release_free_jobs(job_info_msg_t *msg)
{
	for (uint32_t i = 0; msg && i < msg->record_count; i++) {
		job_info_t *job = &msg->job_array[i];

		release_free_text(&job->admin_comment);
		release_free_text(&job->cluster_features);
		release_free_text(&job->cronspec);
		release_free_text(&job->prefer);
		release_free_text(&job->system_comment);
#if PROBE_JOB_INFO_RESV_PORTS
		release_free_text(&job->resv_ports);
#endif
#if PROBE_JOB_INFO_LICENSES_ALLOCATED
		release_free_text(&job->licenses_allocated);
#endif
	}
	slurm_free_job_info_msg(msg);
}

/* Free nodes. */
static inline void release_free_nodes(node_info_msg_t *msg)
{
	for (uint32_t i = 0; msg && i < msg->record_count; i++) {
		node_info_t *node = &msg->node_array[i];

		release_free_text(&node->bcast_address);
		release_free_text(&node->comment);
		release_free_text(&node->extra);
#if PROBE_NODE_INSTANCE_TYPE
		release_free_text(&node->instance_type);
#endif
#if PROBE_NODE_GPU_SPEC
		release_free_text(&node->gpu_spec);
#endif
#if PROBE_NODE_PARAMETERS
		release_free_text(&node->parameters);
#endif
	}
	slurm_free_node_info_msg(msg);
}

/* Free partitions. */
static inline void release_free_partitions(partition_info_msg_t *msg)
{
	for (uint32_t i = 0; msg && i < msg->record_count; i++)
		release_free_text(&msg->partition_array[i].nodesets);
	slurm_free_partition_info_msg(msg);
}

/* Free reservations. */
static inline void release_free_reservations(reserve_info_msg_t *msg)
{
	for (uint32_t i = 0; msg && i < msg->record_count; i++)
		release_free_text(&msg->reservation_array[i].groups);
	slurm_free_reservation_info_msg(msg);
}

/* Free steps. */
static inline void release_free_steps(job_step_info_response_msg_t *msg)
{
	for (uint32_t i = 0; msg && i < msg->job_step_count; i++) {
		release_free_text(&msg->job_steps[i].cpus_per_tres);
		release_free_text(&msg->job_steps[i].submit_line);
	}
	slurm_free_job_step_info_response_msg(msg);
}

#endif
