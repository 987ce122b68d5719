/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How slurmctld is asked for one job. Its answers are the test's. */
#include <errno.h>

#include "slurm/ctl.h"
#include "slurm/ctl_placeholder_list.h"
#include "slurm/release.h"
#include "t.h"

int __wrap_slurm_load_job(job_info_msg_t **out, uint32_t job_id,
			  uint16_t flags);
int __wrap_slurm_allocation_lookup(uint32_t job_id,
				   resource_allocation_response_msg_t **out);
void __wrap_slurm_free_resource_allocation_response_msg(
	resource_allocation_response_msg_t *msg);

static resource_allocation_response_msg_t allocation = {.node_list =
								(char *)"n1"};
static int asked;
static uint16_t asked_with;

int __wrap_slurm_load_job(job_info_msg_t **out, uint32_t job_id, uint16_t flags)
{
	(void)out;
	T_INT(job_id, 7);
	asked++;
	asked_with = flags;
	errno = ESLURM_INVALID_JOB_ID;
	return -1;
}

int __wrap_slurm_allocation_lookup(uint32_t job_id,
				   resource_allocation_response_msg_t **out)
{
	(void)job_id;
	*out = &allocation;
	return 0;
}

void __wrap_slurm_free_resource_allocation_response_msg(
	resource_allocation_response_msg_t *msg)
{
	(void)msg;
}

/* (slurm_load_job() asks all clusters of a federation otherwise) */
static void only_this_cluster_is_asked(void)
{
	struct ctl_layout *layout = NULL;
	struct err err = {0};

	T_INT(ctl_job_wait(7), CTL_JOB_FREE);
	T_INT(asked, 1);
	T_INT(asked_with, SHOW_ALL | SHOW_LOCAL);
	T_OK(ctl_layout_load(7, &layout, &err) < 0);
	T_INT(asked, 2);
	T_INT(asked_with, SHOW_ALL | SHOW_DETAIL | SHOW_LOCAL);
}

T_MAIN("ctl_job", T(only_this_cluster_is_asked))
