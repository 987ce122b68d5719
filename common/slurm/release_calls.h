/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Calls and members that each release has, under another name or with another
 * argument. meson has found out which form of each this release has, one by one
 * (common/slurm/meson.build), for releases change them one by one. From 25.11
 * on some know a job by a slurm_step_id_t, of which we fill in its number; from
 * 26.05 on nearly all.
 *
 * Each function is the libslurm call or member that its name has, with that
 * one's result, ownership and cost. Any thread; what sends an RPC, and says so,
 * is never for a plugin callback.
 */
#ifndef SLURMK8S_SLURM_RELEASE_CALLS_H
#define SLURMK8S_SLURM_RELEASE_CALLS_H

#include <stdbool.h>
#include <unistd.h>

#include "slurm/probes.h"

/* The step id that stands for a job. */
static inline slurm_step_id_t release_step_id(uint32_t job_id)
{
#ifdef SLURM_STEP_ID_INITIALIZER
	slurm_step_id_t id = SLURM_STEP_ID_INITIALIZER;
#else
	slurm_step_id_t id = {.step_het_comp = NO_VAL, .step_id = NO_VAL};
#endif

	id.job_id = job_id;
	return id;
}

/* A job's id. */
static inline uint32_t release_job_id(const job_info_t *job)
{
#if PROBE_JOB_INFO_STEP_ID
	return job->step_id.job_id;
#else
	return job->job_id;
#endif
}

/* Set the job that an update is about. */
static inline void release_set_job_id(job_desc_msg_t *desc, uint32_t job_id)
{
#if PROBE_JOB_DESC_STEP_ID
	desc->step_id.job_id = job_id;
#else
	desc->job_id = job_id;
#endif
}

/* The id of a job that was submitted. */
static inline uint32_t release_submitted(const submit_response_msg_t *resp)
{
#if PROBE_SUBMIT_RESPONSE_STEP_ID
	return resp->step_id.job_id;
#else
	return resp->job_id;
#endif
}

/*
 * Load one job. SHOW_LOCAL is among the flags: without it slurm_load_job() asks
 * for the federation before each call, and in one asks all of its clusters.
 * Lists of jobs and of nodes ask for it only with SHOW_FEDERATION. One RPC; 0,
 * or -1 with errno; the caller frees *out by release_free_jobs().
 */
static inline int release_load(job_info_msg_t **out, uint32_t job_id,
			       uint16_t flags)
{
#if PROBE_LOAD_JOB_STEP_ID
	return slurm_load_job(out, release_step_id(job_id), flags);
#else
	return slurm_load_job(out, job_id, flags);
#endif
}

/* release_load() of all that a list of jobs tells. */
static inline int release_load_job(job_info_msg_t **out, uint32_t job_id)
{
	return release_load(out, job_id, SHOW_ALL | SHOW_LOCAL);
}

/* release_load(), with what the job has on each node. */
static inline int release_load_details(job_info_msg_t **out, uint32_t job_id)
{
	return release_load(out, job_id, SHOW_ALL | SHOW_DETAIL | SHOW_LOCAL);
}

/* Whether a job's nodes are ready: slurm_job_node_ready(). One RPC. */
static inline int release_job_node_ready(uint32_t job_id)
{
#if PROBE_JOB_NODE_READY_STEP_ID
	return slurm_job_node_ready(release_step_id(job_id));
#else
	return slurm_job_node_ready(job_id);
#endif
}

/* End a job: slurm_complete_job(). One RPC; 0, or -1 with errno. */
static inline int release_complete_job(uint32_t job_id, uint32_t wait_status)
{
#if PROBE_COMPLETE_JOB_STEP_ID
	slurm_step_id_t id = release_step_id(job_id);

	return slurm_complete_job(&id, wait_status);
#else
	return slurm_complete_job(job_id, wait_status);
#endif
}

/* Signal a job: slurm_kill_job(). One RPC; 0, or -1 with errno. */
static inline int release_kill_job(uint32_t job_id, uint16_t signal)
{
#if PROBE_KILL_JOB_STEP_ID
	return slurm_kill_job(release_step_id(job_id), signal, 0);
#else
	return slurm_kill_job(job_id, signal, 0);
#endif
}

/*
 * A running job's allocation: slurm_allocation_lookup(). One RPC; 0, or -1 with
 * errno.
 */
static inline int release_allocation(uint32_t job_id,
				     resource_allocation_response_msg_t **out)
{
#if PROBE_ALLOCATION_STEP_ID
	return slurm_allocation_lookup(release_step_id(job_id), out);
#else
	return slurm_allocation_lookup(job_id, out);
#endif
}

/* Free what slurm_load_ctl_conf() gave. */
static inline void release_free_conf(slurm_conf_t *conf)
{
#if PROBE_FREE_CONF
	slurm_free_conf(conf);
#else
	slurm_free_ctl_conf(conf);
#endif
}

/*
 * How long a PrologSlurmctld may run, in seconds; 0: for ever, for which
 * slurmscriptd.c takes 0 and NO_VAL16. From 25.05 on PrologEpilogTimeout is
 * what the two others are by default.
 */
static inline uint32_t release_prolog_timeout(const slurm_conf_t *conf)
{
#if PROBE_CONF_PROLOG_TIMEOUT
	const uint16_t s = conf->prolog_timeout;
#else
	const uint16_t s = conf->prolog_epilog_timeout;
#endif

	return s == NO_VAL16 ? 0 : s;
}

/* True if slurmctld counts memory: one of SelectTypeParameters=CR_*_Memory. */
static inline bool release_counts_memory(const slurm_conf_t *conf)
{
#ifdef CR_MEMORY /* from 25.11 on an enum, of another name */
	return conf->select_type_param & CR_MEMORY;
#else
	return conf->select_type_param & SELECT_MEMORY;
#endif
}

/*
 * Load all steps, if any has changed since; 25.11 and later do not tell
 * whether. One RPC; 0, or -1 with errno.
 */
static inline int release_get_steps(time_t since,
				    job_step_info_response_msg_t **out)
{
#if PROBE_JOB_STEPS_STEP_ID
	(void)since;
	return slurm_get_job_steps(NULL, out, SHOW_ALL | SHOW_LOCAL);
#else
	return slurm_get_job_steps(since, NO_VAL, NO_VAL, out,
				   SHOW_ALL | SHOW_LOCAL);
#endif
}

/*
 * Say that a new Reason is ours. Where that cannot be said slurmctld knows it
 * from the RPC.
 */
static inline void release_sign(update_node_msg_t *msg)
{
#if PROBE_UPDATE_NODE_REASON_UID
	msg->reason_uid = getuid();
#else
	(void)msg;
#endif
}

/*
 * When Slurm is to resume a drained or down node (ResumeAfter=), epoch; 0: it
 * is not to, or the release has no such time.
 */
static inline int64_t release_resume_at(const node_info_t *info)
{
#if PROBE_NODE_RESUME_AFTER
	return info->resume_after;
#else
	(void)info;
	return 0;
#endif
}

/*
 * After how many idle seconds a node is powered down, by all that slurm.conf
 * says; INFINITE: never; NO_VAL: the release does not tell it of a node.
 */
static inline uint32_t release_suspend_time(const node_info_t *info)
{
#if PROBE_NODE_SUSPEND_TIME
	return info->suspend_time;
#else
	(void)info;
	return NO_VAL;
#endif
}

/* Have Slurm resume the nodes of an update after so many seconds. */
static inline void release_set_resume_after(update_node_msg_t *msg, uint32_t s)
{
#if PROBE_NODE_RESUME_AFTER
	msg->resume_after = s;
#else
	(void)msg, (void)s;
#endif
}

/*
 * True if nodes may come and go without slurm.conf. In 24.11 a node that is
 * created in the place of a deleted one gets no jobs but exclusive ones
 * (share_node_bitmap); 22.05 deletes any node.
 */
static inline bool release_creates_nodes(void)
{
	return SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(26, 5, 0);
}

/* True if SchedulerParameters=requeue_delay= counts; before, cred_expire does.
 */
static inline bool release_has_requeue_delay(void)
{
	return SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(25, 11, 0);
}

/* True if the job's user has asked that it does not wait after a requeue. */
static inline bool release_is_expedited(const job_info_t *job)
{
#ifdef EXPEDITED_REQUEUE
	return job->bitflags & EXPEDITED_REQUEUE;
#else
	(void)job;
	return false;
#endif
}

/*
 * True if a partition's ResumeTimeout is for reboots, too; check_reboot_nodes()
 * of earlier releases goes by slurm.conf's for all.
 */
static inline bool release_reboots_by_partition(void)
{
	return SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(26, 5, 0);
}

/*
 * True if no job has a CPU on the node; before 25.05 slurmctld does not tell
 * it: false.
 */
static inline bool release_has_no_cpus_allocated(const node_info_t *info)
{
#if PROBE_NODE_ALLOC_CPUS
	return !info->alloc_cpus;
#else
	(void)info;
	return false;
#endif
}

/*
 * True if a job has memory on the node: a suspended one has, and no CPUs any
 * more. Before 25.05 the data is 64 bits wide, whatever slurm.h says.
 */
static inline bool release_has_memory_allocated(const node_info_t *info)
{
#if PROBE_NODE_ALLOC_MEMORY
	return info->alloc_memory;
#else
	uint64_t mib = 0;

	return info->select_nodeinfo &&
	       !slurm_get_select_nodeinfo(info->select_nodeinfo,
					  SELECT_NODEDATA_MEM_ALLOC,
					  NODE_STATE_ALLOCATED, &mib) &&
	       mib;
#endif
}

/* The reservation that a node is in; of several it is one. NULL: not told. */
static inline const char *release_reservation(const node_info_t *node)
{
#if PROBE_NODE_RESV_NAME
	return node->resv_name;
#else
	(void)node;
	return NULL;
#endif
}

/*
 * Where a node is in Slurm's topology, borrowed; NULL: as topology.yaml says.
 */
static inline const char *release_topology(const node_info_t *node)
{
#if PROBE_NODE_TOPOLOGY
	return node->topology_str;
#else
	(void)node;
	return NULL;
#endif
}

/*
 * True if SuspendExcNodes may be changed at run time, and slurm.conf is read by
 * a new process.
 */
static inline bool release_changes_suspend_exc(void)
{
	return PROBE_UPDATE_SUSPEND_EXC_NODES &&
	       SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(23, 11, 0);
}

/*
 * Add nodes to SuspendExcNodes, or take them out:
 * slurm_update_suspend_exc_nodes(). One RPC; 0, or -1 with errno; -1, too,
 * where the release has no such call.
 */
static inline int release_change_suspend_exc(const char *nodes, bool adds)
{
#if PROBE_UPDATE_SUSPEND_EXC_NODES
	return slurm_update_suspend_exc_nodes(
		(char *)nodes, adds ? UPDATE_ADD : UPDATE_REMOVE);
#else
	(void)nodes;
	(void)adds;
	return -1;
#endif
}

/* Set a node's place in Slurm's topology, where the release has one. */
static inline void release_set_topology(update_node_msg_t *msg,
					const char *topology)
{
#if PROBE_UPDATE_NODE_TOPOLOGY
	msg->topology_str = (char *)topology;
#else
	(void)msg;
	(void)topology;
#endif
}

#endif
