/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/clock.h"
#include "base/log.h"
#include "engine/engine_internal.h"

#define OFTEN_MS 50
#define SELDOM_MS 1000
#define OFTEN_FOR_MS 5000
#define GIVE_UP_MS 60000

void follow_add(struct engine *e, uint32_t job_id)
{
	for (size_t i = 0; i < e->n_follow; i++)
		if (e->follow[i].job_id == job_id)
			return;
	if (e->n_follow < FOLLOW_MAX)
		e->follow[e->n_follow++] = (struct follow){job_id, clock_ms()};
	e->follow_at = 0;
}

static void on_sent_back(void *arg, uint32_t job_id)
{
	follow_add(arg, job_id);
}

void follow_sent_back(struct engine *e)
{
	_cleanup_(ctl_jobs_freep) struct ctl_jobs *jobs = NULL;
	struct err err = {0};

	if (ctl_jobs_load(&jobs, &err))
		log_error("%s", err.msg);
	else
		ctl_jobs_sent_back(jobs, on_sent_back, e);
}

/* True: nothing is left to do for it. */
static bool follow_one(const struct follow *f, int64_t now)
{
	struct err err = {0};

	switch (ctl_job_wait(f->job_id)) {
	case CTL_JOB_ENDING:
		return now - f->since > GIVE_UP_MS;
	case CTL_JOB_DELAYED:
		if (ctl_job_begin_now(f->job_id, &err))
			log_error("job %u: %s", f->job_id, err.msg);
		else
			log_info("job %u is eligible again", f->job_id);
		return true;
	case CTL_JOB_FREE:
		return true;
	}
	return true;
}

void follow_step(struct engine *e)
{
	int64_t now = clock_ms(), next = now + SELDOM_MS;
	size_t kept = 0;

	if (!e->n_follow || now < e->follow_at)
		return;
	for (size_t i = 0; i < e->n_follow; i++) {
		struct follow f = e->follow[i];

		if (atomic_load(&e->stop))
			return;
		if (follow_one(&f, now))
			continue;
		if (now - f.since < OFTEN_FOR_MS)
			next = now + OFTEN_MS;
		e->follow[kept++] = f;
	}
	e->n_follow = kept;
	e->follow_at = next;
}
