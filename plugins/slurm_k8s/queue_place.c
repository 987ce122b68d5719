/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "queue_place.h"

#include "base/str.h"

struct count {
	const struct ctl_job *job;
	struct queue_place *place;
};

/* Tasks of an array are in the order of their array's number, then their own.
 */
static uint32_t number_of(const struct ctl_job *job)
{
	return job->array_id ? job->array_id : job->id;
}

static bool comes_before(const struct ctl_job *a, const struct ctl_job *b)
{
	if (a->priority != b->priority)
		return a->priority > b->priority;
	if (a->submit != b->submit)
		return a->submit < b->submit;
	if (number_of(a) != number_of(b))
		return number_of(a) < number_of(b);
	return a->array_id && a->task < b->task;
}

static int count(void *arg, const struct ctl_job *other)
{
	struct count *c = arg;
	const struct ctl_job *job = c->job;

	if (!other->queued || other->id == job->id || other->het_offset ||
	    (other->het_id && other->het_id == job->het_id) ||
	    !comes_before(other, job) ||
	    !str_lists_meet(other->partition, job->partition))
		return 0;
	c->place->before++;
	c->place->of_account += str_eq(other->account, job->account);
	return 0;
}

void queue_place_of(const struct ctl_jobs *all, const struct ctl_job *job,
		    struct queue_place *out)
{
	struct count c = {.job = job, .place = out};

	*out = (struct queue_place){0};
	ctl_jobs_each(all, count, &c);
}
