/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "nodes/pod/resume_file.h"

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "json/json.h"

#define JOB_ID_MAX (UINT32_MAX - 3) /* federations have such ids */

void resumefile_clear(struct resumefile *f)
{
	for (size_t i = 0; i < f->n_jobs; i++)
		free(f->jobs[i].nodes);
	free(f->jobs);
	free(f->all);
	memset(f, 0, sizeof(*f));
}

/* The text of the first of two names that is there. */
static const char *either(const json_object *o, const char *a, const char *b)
{
	const char *s = jx_str(o, a);

	return s ? s : jx_str(o, b);
}

static int read_job(const json_object *o, size_t i, struct resume_job *job,
		    struct err *err)
{
	int64_t id = jx_int(jx_get(o, "job_id"), -1);
	const char *nodes = either(o, "nodes_resume", "nodes");

	if (id <= 0 || id > JOB_ID_MAX)
		return err_set(err, -EINVAL,
			       "resume file: jobs[%zu].job_id is not a job id",
			       i);
	if (!nodes)
		return err_set(
			err, -EINVAL,
			"resume file: jobs[%zu] (job %lld) has no nodes_resume",
			i, (long long)id);
	job->job_id = (uint32_t)id;
	job->nodes = strdup(nodes);
	return job->nodes ? 0 : err_oom(err);
}

int resumefile_parse(const char *text, size_t len, struct resumefile *out,
		     struct err *err)
{
	_cleanup_resumefile_ struct resumefile f = {0};
	_cleanup_json_ json_object *o = NULL;
	json_object *jobs;
	const char *all;
	/* One user's --extra must not cost the jobs of all others. */
	int rc = jx_parse_bytes(text, len, RESUMEFILE_JOBS_MAX, &o, err);

	if (rc)
		return err_wrap(err, rc, "resume file");
	all = either(o, "all_nodes_resume", "all_nodes");
	jobs = jx_get(o, "jobs");
	if (!all)
		return err_set(err, -EINVAL,
			       "resume file: all_nodes_resume is missing");
	if (jobs && !jx_is(jobs, json_type_array))
		return err_set(err, -EINVAL, "resume file: jobs is not a list");
	f.all = strdup(all);
	f.jobs = calloc(jobs ? json_object_array_length(jobs) + 1 : 1,
			sizeof(*f.jobs));
	if (!f.all || !f.jobs)
		return err_oom(err);
	for (size_t i = 0; jobs && i < json_object_array_length(jobs); i++) {
		rc = read_job(json_object_array_get_idx(jobs, i), i, &f.jobs[i],
			      err);
		if (rc)
			return rc;
		f.n_jobs = i + 1;
	}
	*out = f;
	memset(&f, 0, sizeof(f));
	return 0;
}
