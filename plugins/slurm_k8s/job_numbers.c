/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "job_numbers.h"

#include <errno.h>
#include <stdlib.h>

struct search {
	const struct job_ref *ref;
	struct job_numbers *out;
};

static int add(struct job_numbers *j, uint32_t id)
{
	uint32_t *v = reallocarray(j->v, j->n + 1, sizeof(*v));

	if (!v)
		return -ENOMEM;
	j->v = v;
	j->v[j->n++] = id;
	return 0;
}

static int on_job(void *arg, const struct ctl_job *job)
{
	const struct search *s = arg;

	return job_ref_is(s->ref, job) ? add(s->out, job->id) : 0;
}

static int by_number(const void *a, const void *b)
{
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

int job_numbers_of(const struct ctl_jobs *jobs, const struct job_ref *ref,
		   struct job_numbers *out)
{
	struct search s = {ref, out};
	size_t n = 0;
	int rc = 0;

	*out = (struct job_numbers){0};
	if (jobs)
		rc = ctl_jobs_each(jobs, on_job, &s);
	if (!rc && ref->part == JOB_ANY)
		rc = add(out, ref->id);
	if (rc || !out->n)
		return rc;
	qsort(out->v, out->n, sizeof(*out->v), by_number);
	for (size_t i = 0; i < out->n; i++)
		if (!n || out->v[n - 1] != out->v[i])
			out->v[n++] = out->v[i];
	out->n = n;
	return 0;
}

void job_numbers_clear(struct job_numbers *j)
{
	free(j->v);
	*j = (struct job_numbers){0};
}
