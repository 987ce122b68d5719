/* SPDX-License-Identifier: GPL-2.0-or-later */
/* slurmctld's answer is the test's: see __wrap_slurm_get_job_steps(). */
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "slurm/ctl_steps.h"
#include "slurm/release.h"
#include "t.h"

int __wrap_slurm_get_job_steps(time_t since, uint32_t job_id, uint32_t step_id,
			       job_step_info_response_msg_t **out,
			       uint16_t flags);
void __wrap_slurm_free_job_step_info_response_msg(
	job_step_info_response_msg_t *msg);
void __wrap_slurm_xfree(void **text);

#define ID(job, step, het)                                                     \
	{                                                                      \
		.job_id = (job), .step_id = (step), .step_het_comp = (het)     \
	}

static job_step_info_t sample[] = {
	{.step_id = ID(7, SLURM_EXTERN_CONT, NO_VAL),
	 .state = JOB_RUNNING,
	 .nodes = (char *)"n[1-2]"},
	{.step_id = ID(7, SLURM_BATCH_SCRIPT, NO_VAL),
	 .state = JOB_RUNNING,
	 .name = (char *)"batch",
	 .nodes = (char *)"n1",
	 .num_tasks = 1,
	 .start_time = 1000,
	 .user_id = 42},
	{.step_id = ID(7, 3, NO_VAL),
	 .state = JOB_SUSPENDED,
	 .nodes = (char *)"n[1-2]"},
	{.step_id = ID(7, SLURM_PENDING_STEP, NO_VAL),
	 .state = JOB_PENDING,
	 .nodes = (char *)"n1"},
	{.step_id = ID(8, 0, 1), .state = JOB_RUNNING, .nodes = (char *)"n2"},
	{.step_id = ID(9, SLURM_INTERACTIVE_STEP, NO_VAL),
	 .state = JOB_RUNNING,
	 .nodes = (char *)"n2"},
	{.step_id = ID(9, 1, NO_VAL), .state = JOB_RUNNING},
	{.step_id = ID(9, 2, NO_VAL),
	 .state = JOB_COMPLETE,
	 .nodes = (char *)"n2"},
};
static job_step_info_response_msg_t message = {.last_update = 500,
					       .job_step_count =
						       T_COUNT(sample),
					       .job_steps = sample};
static int messages; /* given out and not freed */
static int refuse;   /* an errno */
static time_t asked_since;

int __wrap_slurm_get_job_steps(time_t since, uint32_t job_id, uint32_t step_id,
			       job_step_info_response_msg_t **out,
			       uint16_t flags)
{
	(void)flags;
	T_INT(job_id, NO_VAL);
	T_INT(step_id, NO_VAL);
	asked_since = since;
	if (refuse) {
		errno = refuse;
		return -1;
	}
	messages++;
	sample[1].submit_line = (char *)"sbatch x";
	*out = &message;
	return 0;
}

/* (those of the test are in no memory of Slurm's) */
void __wrap_slurm_xfree(void **text)
{
	*text = NULL;
}

/* No release of Slurm frees the line of the command. */
void __wrap_slurm_free_job_step_info_response_msg(
	job_step_info_response_msg_t *msg)
{
	T_OK(msg == &message);
	T_OK(!msg->job_steps[1].submit_line);
	messages--;
}

static void only_what_users_run_counts(void)
{
	static const char *const names[] = {NULL, "7.batch", "7.3",
					    NULL, "8.0-1",   "9.interactive",
					    NULL, NULL};
	struct ctl_steps *steps = NULL;
	struct ctl_step step;
	char name[48];

	T_INT(ctl_steps_refresh(&steps, NULL), 1);
	for (size_t i = 0; i < T_COUNT(names); i++) {
		t_row("%zu", i);
		T_OK(ctl_steps_at(steps, i, &step));
		T_OK(!step.nodes == !names[i]);
		ctl_step_name(&step, name, sizeof(name));
		if (names[i])
			T_STR(name, names[i]);
	}
	T_OK(!ctl_steps_at(steps, T_COUNT(names), &step));
	ctl_steps_at(steps, 1, &step);
	T_STR(step.name, "batch");
	T_STR(step.nodes, "n1");
	T_INT(step.uid, 42);
	T_INT(step.tasks, 1);
	T_INT(step.started_s, 1000);
	ctl_steps_free(steps);
	T_INT(messages, 0);
}

static void no_change_leaves_what_is_there(void)
{
	struct ctl_steps *steps = NULL, *first;
	struct err err = {0};

	T_INT(ctl_steps_refresh(&steps, NULL), 1);
	T_INT(asked_since, 0);
	first = steps;
	refuse = SLURM_NO_CHANGE_IN_DATA;
	T_INT(ctl_steps_refresh(&steps, NULL), 0);
	T_INT(asked_since, 500);
	T_OK(steps == first);
	refuse = SLURM_ERROR;
	T_ERR(ctl_steps_refresh(&steps, &err), &err, -EIO,
	      "cannot read slurmctld's steps");
	T_OK(steps == first);
	refuse = 0;
	T_INT(ctl_steps_refresh(&steps, NULL), 1);
	T_INT(messages, 1);
	/* the controller's clock was set back after its last answer */
	message.last_update = time(NULL) + 3600;
	T_INT(ctl_steps_refresh(&steps, NULL), 1);
	T_INT(asked_since, 0);
	message.last_update = 500;
	ctl_steps_free(steps);
	T_INT(messages, 0);
}

static void on_node(void *arg, const char *node)
{
	strcat(arg, node);
}

static void each_node_of_a_list_is_there(void)
{
	char all[64] = "";

	ctl_hostlist_each("n[1-3],m", on_node, all);
	T_STR(all, "n1n2n3m");
}

T_MAIN("ctl_steps", T(only_what_users_run_counts),
       T(no_change_leaves_what_is_there), T(each_node_of_a_list_is_there))
