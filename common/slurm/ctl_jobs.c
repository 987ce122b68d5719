/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A snapshot of all jobs: who asks for one, and frees it. */
#include <stdlib.h>

#include "base/cleanup.h"
#include "slurm/ctl.h"
#include "slurm/release.h"
#include "slurm/rpc.h"

int ctl_jobs_load(struct ctl_jobs **out, struct err *err)
{
	_cleanup_(ctl_jobs_freep) struct ctl_jobs *j = calloc(1, sizeof(*j));

	if (!j)
		return err_oom(err);
	if (slurm_load_jobs(0, &j->msg, SHOW_ALL))
		return rpc_err(err, "cannot read slurmctld's jobs");
	*out = steal_ptr(j);
	return 0;
}

void ctl_jobs_free(struct ctl_jobs *j)
{
	if (!j || !ctl_shared_last(&j->shared))
		return;
	release_free_jobs(j->msg);
	free(j);
}
