/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "slurm/ctl_job_list.h"

#include "slurm/expected_start.h"
#include "slurm/job_reason.h"
#include "slurm/release.h"
#include "slurm/rpc.h"

/* slurm.h, enum job_states, in the words of squeue. */
static const char *const base_states[] = {
	[JOB_PENDING] = "PENDING",     [JOB_RUNNING] = "RUNNING",
	[JOB_SUSPENDED] = "SUSPENDED", [JOB_COMPLETE] = "COMPLETED",
	[JOB_CANCELLED] = "CANCELLED", [JOB_FAILED] = "FAILED",
	[JOB_TIMEOUT] = "TIMEOUT",     [JOB_NODE_FAIL] = "NODE_FAIL",
	[JOB_PREEMPTED] = "PREEMPTED", [JOB_BOOT_FAIL] = "BOOT_FAIL",
	[JOB_DEADLINE] = "DEADLINE",   [JOB_OOM] = "OUT_OF_MEMORY",
};

static const char *state_name(uint32_t state)
{
	const uint32_t base = state & JOB_STATE_BASE;

	if (state & JOB_COMPLETING)
		return "COMPLETING";
	if (state & JOB_CONFIGURING)
		return "CONFIGURING";
	if (base < sizeof(base_states) / sizeof(*base_states) &&
	    base_states[base])
		return base_states[base];
	return "UNKNOWN";
}

static bool has_ended(uint32_t state)
{
	return (state & JOB_STATE_BASE) > JOB_SUSPENDED &&
	       !(state & JOB_COMPLETING);
}

static bool is_pending(const job_info_t *job)
{
	return (job->job_state & JOB_STATE_BASE) == JOB_PENDING &&
	       !(job->job_state & JOB_COMPLETING);
}

/* Other reasons are those of jobs that slurmctld does not try to start. */
static bool is_queued(const job_info_t *job)
{
	if (!is_pending(job) || !job->priority)
		return false;
	switch (job->state_reason) {
	case WAIT_NO_REASON:
	case WAIT_PRIORITY:
	case WAIT_RESOURCES:
	case WAIT_NODE_NOT_AVAIL:
		return true;
	default:
		return false;
	}
}

static const char *text(const char *s)
{
	return s ? s : "";
}

/* squeue's _print_job_job_id() asks in this order. */
static void read_part(const job_info_t *job, struct ctl_job *out)
{
	if (job->array_task_str && *job->array_task_str) {
		out->array_id = job->array_job_id;
		out->tasks = job->array_task_str;
	} else if (job->array_task_id != NO_VAL) {
		out->array_id = job->array_job_id;
		out->task = job->array_task_id;
	}
	out->het_id = job->het_job_id;
	out->het_offset = job->het_job_offset;
}

int ctl_jobs_each(const struct ctl_jobs *j,
		  int (*fn)(void *arg, const struct ctl_job *job), void *arg)
{
	int rc = 0;

	for (uint32_t i = 0; !rc && i < j->msg->record_count; i++) {
		const job_info_t *job = &j->msg->job_array[i];
		char reason[PLACED_REASON_MAX];
		struct ctl_job out = {
			.id = release_job_id(job),
			.state = state_name(job->job_state),
			.ended = has_ended(job->job_state),
			.queued = is_queued(job),
			.submit = job->submit_time,
			.priority = job->priority,
			.reason = reason,
			.uid = job->user_id,
			.user = text(job->user_name),
			.account = text(job->account),
			.partition = text(job->partition),
			.nodes = text(job->nodes),
			.features = text(job->features),
			.admin_comment = text(job->admin_comment),
		};

		read_part(job, &out);
		job_reason(job, reason);
		rc = fn(arg, &out);
	}
	return rc;
}

int64_t ctl_jobs_expected_start(const struct ctl_jobs *j, uint32_t job_id)
{
	struct expected_starts starts;

	for (uint32_t i = 0; i < j->msg->record_count; i++) {
		const job_info_t *job = &j->msg->job_array[i];

		if (release_job_id(job) != job_id || !is_pending(job))
			continue;
		expected_starts_of(j->msg, &starts);
		return expected_start(&starts, job);
	}
	return 0;
}
