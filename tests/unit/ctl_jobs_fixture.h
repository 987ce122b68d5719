/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What slurmctld says of its jobs is the test's: ctl_jobs_each() is wrapped. */
#ifndef SLURMK8S_TESTS_UNIT_CTL_JOBS_FIXTURE_H
#define SLURMK8S_TESTS_UNIT_CTL_JOBS_FIXTURE_H

#include <stddef.h>

#include "slurm/ctl_job_list.h"

static struct ctl_job jobs[12];
static size_t n_jobs;

int __wrap_ctl_jobs_each(const struct ctl_jobs *j,
			 int (*fn)(void *arg, const struct ctl_job *job),
			 void *arg);
int __wrap_ctl_jobs_each(const struct ctl_jobs *j,
			 int (*fn)(void *arg, const struct ctl_job *job),
			 void *arg)
{
	int rc = 0;

	(void)j;
	for (size_t i = 0; !rc && i < n_jobs; i++)
		rc = fn(arg, &jobs[i]);
	return rc;
}

/* A job of jane's that has no nodes. */
static struct ctl_job janes_job(uint32_t id, const char *state)
{
	return (struct ctl_job){.id = id,
				.state = state,
				.reason = "None",
				.user = "jane",
				.partition = "all",
				.nodes = "",
				.features = "",
				.admin_comment = ""};
}

#endif
