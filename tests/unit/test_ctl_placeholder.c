/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What reaches Slurm's RPC: whichever one this release submits jobs by. */
#include <errno.h>
#include <string.h>

#include "slurm/ctl_placeholder.h"
#include "slurm/release.h"
#include "t.h"

int __wrap_slurm_allocate_resources(job_desc_msg_t *desc,
				    resource_allocation_response_msg_t **out);
int __wrap_slurm_submit_batch_job(job_desc_msg_t *desc,
				  submit_response_msg_t **out);

int __wrap_slurm_update_job(job_desc_msg_t *desc);

static job_desc_msg_t sent;
static int refusal; /* an error of Slurm's; 0: none */

int __wrap_slurm_allocate_resources(job_desc_msg_t *desc,
				    resource_allocation_response_msg_t **out)
{
	sent = *desc;
	*out = NULL;
	errno = refusal;
	return refusal ? -1 : 0;
}

int __wrap_slurm_submit_batch_job(job_desc_msg_t *desc,
				  submit_response_msg_t **out)
{
	sent = *desc;
	*out = NULL;
	errno = refusal;
	return refusal ? -1 : 0;
}

int __wrap_slurm_update_job(job_desc_msg_t *desc)
{
	sent = *desc;
	errno = refusal;
	return refusal ? -1 : 0;
}

static void submit(const struct placeholder *p)
{
	uint32_t job_id;
	struct err err = {0};

	/* (no answer: it may be queued) */
	T_ERR(ctl_placeholder_submit(p, &job_id, &err), &err, -EAGAIN,
	      "which job");
}

/* (26.05 has another number for MaxJobCount than those before it) */
static void a_full_queue_is_no_refusal_for_good(void)
{
	static const struct {
		int slurm, rc;
	} rows[] = {
		{ESLURM_ACCOUNTING_POLICY, -EDQUOT},
		{EAGAIN, -EDQUOT},
		{2007, -EDQUOT},
		{ESLURM_INVALID_QOS, -EINVAL},
		{SLURMCTLD_COMMUNICATIONS_CONNECTION_ERROR, -EAGAIN},
		{SLURM_PROTOCOL_SOCKET_IMPL_TIMEOUT, -EAGAIN},
		{SLURM_PROTOCOL_SOCKET_ZERO_BYTES_SENT, -EAGAIN},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		struct err err = {0};
		uint32_t job_id;

		t_row("%d", rows[i].slurm);
		refusal = rows[i].slurm;
		T_ERR(ctl_placeholder_submit(&(struct placeholder){0}, &job_id,
					     &err),
		      &err, rows[i].rc, "Slurm refuses the job");
	}
	refusal = 0;
}

static void a_refusal_says_what_can_be_changed(void)
{
	static const struct {
		int slurm;
		const char *words;
	} rows[] = {
		{ESLURM_INVALID_QOS,
		 "Slurm refuses the job: Invalid qos specification; ask for a "
		 "QOS that its account and partition allow (annotation qos)"},
		{ESLURM_ACCOUNTING_POLICY,
		 "Slurm refuses the job: Job violates accounting/QOS policy "
		 "(job submit limit, user's size and/or time limits)"},
		{SLURM_ERROR,
		 "Slurm refuses the job: it breaks a rule of this site; which "
		 "one is in slurmctld's log"},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		struct err err = {0};
		uint32_t job_id;

		refusal = rows[i].slurm;
		(void)ctl_placeholder_submit(&(struct placeholder){0}, &job_id,
					     &err);
		T_STR(err.msg, rows[i].words);
	}
	refusal = 0;
}

/* (it refuses each one of a job that names a node which was deleted) */
static void an_update_may_be_refused_for_a_node_that_slurm_has_not(void)
{
	static const struct {
		int slurm, rc;
	} rows[] = {
		{0, 0},
		{ESLURM_INVALID_NODE_NAME, -ENODEV},
		{ESLURM_INVALID_QOS, -EINVAL},
		{ESLURM_JOB_NOT_PENDING, -EAGAIN},
		{SLURM_PROTOCOL_SOCKET_IMPL_TIMEOUT, -EAGAIN},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		struct err err = {0};

		t_row("%d", rows[i].slurm);
		refusal = rows[i].slurm;
		T_INT(ctl_placeholder_update(
			      7, &(struct placeholder){.exclude = "n1"}, &err),
		      rows[i].rc);
		T_STR(sent.exc_nodes, "n1");
		T_INT(err.code, rows[i].rc);
	}
	refusal = 0;
}

/* (else a federation's other clusters get it, too) */
static void a_job_is_for_this_cluster_alone(void)
{
	submit(&(struct placeholder){.slurm_cluster = "alpha"});
	T_STR(sent.clusters, "alpha");
}

static void each_option_has_its_place(void)
{
	submit(&(struct placeholder){
		.prefer = "fast",
		.mcs_label = "blue",
		.node_cpus = 4,
		.node_tmp = 1024,
		.contiguous = true,
		.switches = 2,
		.switches_wait_s = 3600,
		.time_limit = 60,
		.time_min = 30,
		.invalid_dep = PLACEHOLDER_DEP_KILL,
	});
	T_STR(sent.prefer, "fast");
	T_STR(sent.mcs_label, "blue");
	T_INT(sent.pn_min_cpus, 4);
	T_INT(sent.pn_min_tmp_disk, 1024);
	T_INT(sent.contiguous, 1);
	T_INT(sent.req_switch, 2);
	T_INT(sent.wait4switch, 3600);
	T_INT(sent.time_limit, 60);
	T_INT(sent.time_min, 30);
	T_INT(sent.bitflags & (KILL_INV_DEP | NO_KILL_INV_DEP), KILL_INV_DEP);
	submit(&(struct placeholder){.invalid_dep = PLACEHOLDER_DEP_KEEP});
	T_INT(sent.bitflags & (KILL_INV_DEP | NO_KILL_INV_DEP),
	      NO_KILL_INV_DEP);
}

static void what_is_not_said_is_left_to_slurm(void)
{
	job_desc_msg_t none;

	slurm_init_job_desc_msg(&none);
	submit(&(struct placeholder){.tasks = 1});
	T_OK(!sent.prefer && !sent.mcs_label);
	T_INT(sent.pn_min_cpus, none.pn_min_cpus);
	T_INT(sent.pn_min_tmp_disk, none.pn_min_tmp_disk);
	T_INT(sent.contiguous, none.contiguous);
	T_INT(sent.req_switch, none.req_switch);
	T_INT(sent.wait4switch, none.wait4switch);
	T_INT(sent.time_min, none.time_min);
	T_INT(sent.priority, none.priority);
	T_OK(sent.pn_min_memory == none.pn_min_memory);
	T_INT(sent.bitflags & (KILL_INV_DEP | NO_KILL_INV_DEP), 0);
}

static void memory_is_of_nodes_or_of_tasks(void)
{
	submit(&(struct placeholder){.memory_per_node = 1024,
				     .memory_per_task = 7});
	T_OK(sent.pn_min_memory == 1024);
	submit(&(struct placeholder){.memory_per_node = UINT64_MAX});
	T_OK(sent.pn_min_memory == 0); /* sbatch --mem=0 */
	submit(&(struct placeholder){.memory_per_task = 7, .cpus_per_task = 2});
	T_OK(sent.pn_min_memory == (4 | MEM_PER_CPU));
}

static void who_may_share_its_nodes(void)
{
	static const uint16_t shared[] = {
		[PLACEHOLDER_EXCLUSIVE] = JOB_SHARED_NONE,
		[PLACEHOLDER_SHARED] = JOB_SHARED_OK,
		[PLACEHOLDER_SHARED_USER] = JOB_SHARED_USER,
		[PLACEHOLDER_SHARED_MCS] = JOB_SHARED_MCS,
	};
	job_desc_msg_t none;

	slurm_init_job_desc_msg(&none);
	submit(&(struct placeholder){.tasks = 1});
	T_INT(sent.shared, none.shared);
	for (int e = PLACEHOLDER_EXCLUSIVE; e <= PLACEHOLDER_SHARED_MCS; e++) {
		submit(&(struct placeholder){
			.exclusive = (enum placeholder_exclusive)e});
		T_INT(sent.shared, shared[e]);
	}
}

static void a_held_one_has_no_priority(void)
{
	submit(&(struct placeholder){.hold = PLACEHOLDER_HOLD, .priority = 5});
	T_INT(sent.priority, 0);
	submit(&(struct placeholder){.priority = 5});
	T_INT(sent.priority, 5);
}

T_MAIN("ctl_placeholder", T(a_full_queue_is_no_refusal_for_good),
       T(a_refusal_says_what_can_be_changed),
       T(an_update_may_be_refused_for_a_node_that_slurm_has_not),
       T(a_job_is_for_this_cluster_alone), T(each_option_has_its_place),
       T(what_is_not_said_is_left_to_slurm), T(memory_is_of_nodes_or_of_tasks),
       T(who_may_share_its_nodes), T(a_held_one_has_no_priority))
