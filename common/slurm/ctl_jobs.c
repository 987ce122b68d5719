/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A snapshot of all jobs: loading it, and freeing it. */
#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "slurm/ctl.h"
#include "slurm/release.h"
#include "slurm/rpc.h"

int ctl_jobs_load_changed(time_t since, struct ctl_jobs **out, struct err *err)
{
	_cleanup_(ctl_jobs_freep) struct ctl_jobs *j = calloc(1, sizeof(*j));

	*out = NULL;
	if (!j)
		return err_oom(err);
	errno = 0;
	if (slurm_load_jobs(since, &j->msg, SHOW_ALL))
		return since && errno == SLURM_NO_CHANGE_IN_DATA
			       ? 0
			       : rpc_err(err, "cannot read slurmctld's jobs");
	*out = steal_ptr(j);
	return 0;
}

int ctl_jobs_load(struct ctl_jobs **out, struct err *err)
{
	return ctl_jobs_load_changed(0, out, err);
}

void ctl_jobs_free(struct ctl_jobs *j)
{
	if (!j || !ctl_shared_last(&j->shared))
		return;
	release_free_jobs(j->msg);
	free(j);
}
