/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "slurm/ctl_required.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "slurm/ctl_reader.h"
#include "slurm/named_nodes.h"
#include "slurm/release.h"
#include "slurm/rpc.h"
#include "slurm/text_set.h"

struct ctl_required {
	struct named_nodes nodes;
};

void ctl_required_free(struct ctl_required *r)
{
	if (!r)
		return;
	named_nodes_clear(&r->nodes);
	free(r);
}

/*
 * True while a job has not ended, or completes: which job is to begin anew
 * (RequeueExit=) Slurm does not say before it has completed.
 */
static bool has_not_ended(const job_info_t *job)
{
	const uint32_t base = job->job_state & JOB_STATE_BASE;

	return base == JOB_PENDING || base == JOB_RUNNING ||
	       base == JOB_SUSPENDED || (job->job_state & JOB_COMPLETING);
}

static int take(struct ctl_required *r, struct text_set *read,
		const job_info_t *job, struct err *err)
{
	char by[24];
	int rc;

	if (!job->req_nodes || !*job->req_nodes || !has_not_ended(job))
		return 0;
	rc = text_set_add(read, job->req_nodes);
	if (rc < 0)
		return err_oom(err);
	if (!rc)
		return 0;
	snprintf(by, sizeof(by), "job %u", release_job_id(job));
	rc = named_nodes_add(&r->nodes, job->req_nodes, by, err);
	return rc ? err_wrap(err, rc, "the ReqNodeList of %s", by) : 0;
}

int ctl_required_load(struct ctl_reader *reader, struct ctl_required **out,
		      struct err *err)
{
	_cleanup_(ctl_required_freep) struct ctl_required *r =
		calloc(1, sizeof(*r));
	struct text_set read = {0};
	struct ctl_jobs *jobs = NULL;
	struct ctl_read when;
	int rc;

	if (!r)
		return err_oom(err);
	rc = ctl_reader_jobs(reader, &jobs, &when, err);
	if (rc)
		return rc;
	for (uint32_t i = 0; !rc && i < jobs->msg->record_count; i++)
		rc = take(r, &read, &jobs->msg->job_array[i], err);
	text_set_clear(&read);
	ctl_jobs_free(jobs);
	if (!rc)
		*out = steal_ptr(r);
	return rc;
}

const char *ctl_required_by(const struct ctl_required *r, const char *node)
{
	return named_nodes_by(&r->nodes, node);
}
