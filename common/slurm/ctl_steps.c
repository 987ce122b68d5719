/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "slurm/ctl_steps.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "slurm/release.h"
#include "slurm/rpc.h"

struct ctl_steps {
	job_step_info_response_msg_t *msg;
};

int ctl_steps_refresh(struct ctl_steps **steps, struct err *err)
{
	struct ctl_steps *s = *steps, *fresh = calloc(1, sizeof(*fresh));
	int rc;

	if (!fresh)
		return err_oom(err);
	errno = 0;
	rc = release_get_steps(rpc_since(s ? s->msg->last_update : 0),
			       &fresh->msg);
	if (!rc && fresh->msg) {
		ctl_steps_free(s);
		*steps = fresh;
		return 1;
	}
	rc = errno;
	ctl_steps_free(fresh);
	if (s && rc == SLURM_NO_CHANGE_IN_DATA)
		return 0;
	errno = rc;
	return rpc_err(err, "cannot read slurmctld's steps");
}

void ctl_steps_free(struct ctl_steps *s)
{
	if (!s)
		return;
	if (s->msg)
		release_free_steps(s->msg);
	free(s);
}

static bool is_users(const job_step_info_t *step)
{
	uint32_t base = step->state & JOB_STATE_BASE;

	return (base == JOB_RUNNING || base == JOB_SUSPENDED) && step->nodes &&
	       step->step_id.step_id != SLURM_EXTERN_CONT &&
	       step->step_id.step_id != SLURM_PENDING_STEP;
}

bool ctl_steps_at(const struct ctl_steps *s, size_t i, struct ctl_step *out)
{
	const job_step_info_t *step;

	if (i >= s->msg->job_step_count)
		return false;
	step = &s->msg->job_steps[i];
	*out = (struct ctl_step){
		.job_id = step->step_id.job_id,
		.step_id = step->step_id.step_id,
		.het = step->step_id.step_het_comp,
		.name = step->name ? step->name : "",
		.nodes = is_users(step) ? step->nodes : NULL,
		.uid = step->user_id,
		.tasks = step->num_tasks,
		.started_s = step->start_time,
	};
	return true;
}

void ctl_step_name(const struct ctl_step *step, char *out, size_t size)
{
	if (step->step_id == SLURM_BATCH_SCRIPT)
		snprintf(out, size, "%u.batch", step->job_id);
	else if (step->step_id == SLURM_INTERACTIVE_STEP)
		snprintf(out, size, "%u.interactive", step->job_id);
	else if (step->het != NO_VAL)
		snprintf(out, size, "%u.%u-%u", step->job_id, step->step_id,
			 step->het);
	else
		snprintf(out, size, "%u.%u", step->job_id, step->step_id);
}

int ctl_step_tasks(const struct ctl_step *step, uint32_t *tasks, size_t *n,
		   struct err *err)
{
	slurm_step_id_t id = release_step_id(step->job_id);
	slurm_step_layout_t *layout;

	id.step_id = step->step_id;
	id.step_het_comp = step->het;
	errno = 0;
	layout = slurm_job_step_layout_get(&id);
	if (!layout)
		return rpc_err(err, "cannot read a step's tasks");
	if (!layout->tasks)
		*n = 0;
	else if (*n > layout->node_cnt)
		*n = layout->node_cnt;
	for (size_t i = 0; i < *n; i++)
		tasks[i] = layout->tasks[i];
	slurm_job_step_layout_free(layout);
	return 0;
}

void ctl_hostlist_each(const char *nodes,
		       void (*fn)(void *arg, const char *node), void *arg)
{
	release_hostlist list = slurm_hostlist_create(nodes);
	char *node;

	while (list && (node = slurm_hostlist_shift(list))) {
		fn(arg, node);
		free(node);
	}
	if (list)
		slurm_hostlist_destroy(list);
}
