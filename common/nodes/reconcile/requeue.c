/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>

#include "base/clock.h"
#include "base/log.h"
#include "nodes/reconcile/reconcile.h"
#include "nodes/reconcile/requeue_decide.h"
#include "slurm/ctl_reader.h"
#include "slurm/jobs_pace.h"

static int64_t now_s(void)
{
	return clock_real_ms() / 1000;
}

/* True if Slurm's own pause before a requeued job runs is long enough. */
static bool slurm_pauses(const struct nodes *nodes)
{
	return nodes->site.requeue_delay_s >= REQUEUED_PAUSE_S &&
	       !nodes->site.expedites;
}

static void add(struct nodes *nodes, uint32_t job_id, bool hold,
		int64_t begin_s)
{
	size_t i = 0;

	while (i < nodes->requeued.n && nodes->requeued.v[i].job_id != job_id)
		i++;
	if (i == REQUEUED_MAX)
		return;
	if (i == nodes->requeued.n)
		nodes->requeued.v[nodes->requeued.n++] = (struct requeued_job){
			.job_id = job_id, .since = clock_ms()};
	else if (nodes->requeued.v[i].hold || !hold)
		return;
	nodes->requeued.v[i].hold = hold;
	nodes->requeued.v[i].begin_s = begin_s;
	nodes->requeued.pause = 0;
	nodes->requeued.at = 0;
}

static void follow(struct nodes *nodes, uint32_t job_id, int64_t begin_s,
		   int64_t back_s)
{
	if (begin_s != REQUEUED_NEVER || !slurm_pauses(nodes))
		add(nodes, job_id, false, requeue_at_s(begin_s, back_s));
}

void requeued_add(struct nodes *nodes, uint32_t job_id, int64_t begin_s)
{
	follow(nodes, job_id, begin_s, now_s());
}

void requeued_hold(struct nodes *nodes, uint32_t job_id)
{
	add(nodes, job_id, true, REQUEUED_NOW);
}

static void on_sent_back(void *arg, uint32_t job_id, const char *words,
			 enum ctl_job_wait wait, int64_t back_s)
{
	const int64_t begin_s = requeue_begin_s(words, back_s);

	/* The AdminComment may have words of long ago. */
	if (wait == CTL_JOB_ELIGIBLE &&
	    requeue_at_s(begin_s, back_s) <= now_s())
		return;
	follow(arg, job_id, begin_s, back_s);
}

void requeued_sent_back(struct nodes *nodes)
{
	nodes->requeued.sent_back = true;
}

static int by_id(const void *a, const void *b)
{
	const struct requeued_job *x = a, *y = b;

	return x->job_id < y->job_id ? -1 : x->job_id > y->job_id;
}

static void see_one(void *arg, uint32_t job_id, enum ctl_job_wait wait)
{
	struct nodes *nodes = arg;
	const struct requeued_job key = {.job_id = job_id};
	struct requeued_job *f =
		bsearch(&key, nodes->requeued.v, nodes->requeued.n,
			sizeof(nodes->requeued.v[0]), by_id);

	if (f)
		f->wait = wait;
}

/*
 * Look at all jobs that are followed, and at those that were sent back, by one
 * list. slurmctld itself is asked, for jobs are held, or may begin, by what it
 * says.
 */
static void see_by_list(struct nodes *nodes)
{
	_cleanup_(ctl_jobs_freep) struct ctl_jobs *jobs = NULL;
	struct ctl_read read = {0};
	struct err err = {0};
	const bool seen = !ctl_reader_jobs(nodes->reader, &jobs, &read, &err);
	int64_t now;

	if (!seen)
		log_debug("%s", err.msg);
	if (seen && nodes->requeued.sent_back)
		ctl_jobs_sent_back(jobs, nodes->site.requeue_delay_s,
				   on_sent_back, nodes);
	nodes->requeued.sent_back &= !seen;
	for (size_t i = 0; i < nodes->requeued.n; i++)
		nodes->requeued.v[i].wait =
			seen ? CTL_JOB_FREE : CTL_JOB_ENDING;
	qsort(nodes->requeued.v, nodes->requeued.n,
	      sizeof(nodes->requeued.v[0]), by_id);
	if (seen)
		ctl_jobs_each_wait(jobs, nodes->site.requeue_delay_s, see_one,
				   nodes);
	now = clock_ms();
	nodes->requeued.rest = now + jobs_rest_ms(now - read.asked, !seen);
}

static void see_each(struct nodes *nodes)
{
	for (size_t i = 0; i < nodes->requeued.n && !atomic_load(&nodes->stop);
	     i++)
		nodes->requeued.v[i].wait =
			ctl_job_wait(nodes->requeued.v[i].job_id,
				     nodes->site.requeue_delay_s);
}

static void begin(const struct requeued_job *f)
{
	const int64_t wait_s = f->begin_s - now_s();
	struct err err = {0};

	if (ctl_job_begin(f->job_id, f->begin_s, &err))
		log_error("job %u: %s", f->job_id, err.msg);
	else if (wait_s > 0)
		log_info("job %u is eligible again in %lld s", f->job_id,
			 (long long)wait_s);
	else
		log_info("job %u is eligible again", f->job_id);
}

static void hold(const struct nodes *nodes, const struct requeued_job *f)
{
	const enum ctl_job_wait wait =
		ctl_job_wait(f->job_id, nodes->site.requeue_delay_s);
	struct err err = {0};

	/*
	 * A job that an administrator holds by now is left alone: our hold
	 * would let others release it.
	 */
	if (wait != CTL_JOB_DELAYED && wait != CTL_JOB_ELIGIBLE)
		return;
	if (ctl_job_hold(f->job_id, &err))
		log_error("job %u: %s", f->job_id, err.msg);
	else
		log_warn("job %u is held: its pods have ended each time it "
			 "ran, its AdminComment says how",
			 f->job_id);
}

/* Do what is due for a job. True: nothing is left to do for it. */
static bool requeued_one(const struct nodes *nodes,
			 const struct requeued_job *f, int64_t now,
			 size_t *begun)
{
	const enum requeue_do what = requeue_decide(
		f->wait, f->hold, f->begin_s > now_s(), now - f->since, *begun);

	*begun += what == REQUEUE_HOLD || what == REQUEUE_BEGIN;
	if (what == REQUEUE_HOLD)
		hold(nodes, f);
	else if (what == REQUEUE_BEGIN)
		begin(f);
	return what != REQUEUE_WAIT;
}

static void rest(struct nodes *nodes, size_t begun)
{
	nodes->requeued.pause = requeue_pause(nodes->requeued.pause, begun);
	nodes->requeued.at = clock_ms() + nodes->requeued.pause;
}

static bool are_many(const struct nodes *nodes)
{
	return requeue_by_list(nodes->requeued.n);
}

static int64_t later(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/*
 * When the next list is due; never before `rest`: k8s_resume may give back
 * thousands of jobs, one by one.
 */
static int64_t next_list(const struct nodes *nodes)
{
	if (nodes->requeued.sent_back)
		return nodes->requeued.rest;
	return are_many(nodes) ? later(nodes->requeued.at, nodes->requeued.rest)
			       : INT64_MAX;
}

static int64_t next_singles(const struct nodes *nodes)
{
	return nodes->requeued.n && !are_many(nodes) ? nodes->requeued.at
						     : INT64_MAX;
}

int64_t requeued_next(const struct nodes *nodes)
{
	const int64_t list = next_list(nodes), singles = next_singles(nodes);

	return list < singles ? list : singles;
}

void requeued_step(struct nodes *nodes)
{
	size_t kept = 0, begun = 0;
	int64_t now = clock_ms();

	if (now < requeued_next(nodes))
		return;
	if (now >= next_list(nodes))
		see_by_list(nodes);
	else
		see_each(nodes);
	now = clock_ms();
	for (size_t i = 0; i < nodes->requeued.n; i++) {
		struct requeued_job f = nodes->requeued.v[i];

		if (atomic_load(&nodes->stop))
			return;
		if (!requeued_one(nodes, &f, now, &begun))
			nodes->requeued.v[kept++] = f;
	}
	nodes->requeued.n = kept;
	rest(nodes, begun);
}
