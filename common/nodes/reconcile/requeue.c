/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/str.h"
#include "nodes/jobs/blame.h"
#include "nodes/pod/refusal.h"
#include "nodes/reconcile/reconcile.h"

#define PAUSE_MIN_MS 50
#define PAUSE_MAX_MS 1000
#define GIVE_UP_MS 60000
#define SINGLE_MAX 16 /* jobs that are asked for one by one */
#define LIST_SHARE 20 /* lists of all jobs take at most this part of time */
#define LIST_REST_MAX_MS 30000
#define LIST_FAILED_MS 2000 /* after one that failed at once */
#define BEGIN_MAX 100 /* jobs that are made eligible at once, one RPC each */

static void add(struct nodes *nodes, uint32_t job_id, bool hold,
		int64_t begin_s)
{
	size_t i = 0;

	while (i < nodes->n_follow && nodes->follow[i].job_id != job_id)
		i++;
	if (i == REQUEUED_MAX)
		return;
	if (i == nodes->n_follow)
		nodes->follow[nodes->n_follow++] = (struct requeued_job){
			.job_id = job_id, .since = clock_ms()};
	else if (nodes->follow[i].hold || !hold)
		return;
	nodes->follow[i].hold = hold;
	nodes->follow[i].begin_s = begin_s;
	nodes->requeued_pause = 0;
	nodes->requeued_at = 0;
}

void requeued_add(struct nodes *nodes, uint32_t job_id, int64_t begin_s)
{
	if (begin_s != REQUEUED_NEVER)
		add(nodes, job_id, false, begin_s);
}

void requeued_hold(struct nodes *nodes, uint32_t job_id)
{
	add(nodes, job_id, true, REQUEUED_NOW);
}

/* Words about a pod with features: is what fails in it only to be waited for?
 */
static bool is_of_features(const char *words)
{
	return str_starts(words, WK_REASON_PREFIX WK_WITH_FEATURES);
}

/*
 * (Who has ended its pod keeps the pause that Slurm has given it; and of a
 * features that rest it is not told here for how long. A job that waits by
 * itself may be seen again while it does: then nothing changes.)
 */
static void on_sent_back(void *arg, uint32_t job_id, const char *words,
			 int64_t back_s)
{
	const uint32_t wait_s = refusal_wait_s(words);

	if (wait_s)
		requeued_add(arg, job_id, back_s + wait_s);
	else if (!blame_is(words) && !is_of_features(words))
		requeued_add(arg, job_id, REQUEUED_NOW);
}

void requeued_sent_back(struct nodes *nodes)
{
	nodes->sent_back = true;
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
	struct requeued_job *f = bsearch(&key, nodes->follow, nodes->n_follow,
					 sizeof(nodes->follow[0]), by_id);

	if (f)
		f->wait = wait;
}

/* So long no other list: slurmctld packs one with a lock held. */
static void rest_from_lists(struct nodes *nodes, int64_t begin, bool seen)
{
	const int64_t now = clock_ms();
	int64_t ms = (now - begin) * LIST_SHARE;

	if (!seen && ms < LIST_FAILED_MS)
		ms = LIST_FAILED_MS;
	nodes->requeued_rest =
		now + (ms < LIST_REST_MAX_MS ? ms : LIST_REST_MAX_MS);
}

/* All jobs by one list, and those that were sent back. */
static void see_by_list(struct nodes *nodes)
{
	_cleanup_(ctl_jobs_freep) struct ctl_jobs *jobs = NULL;
	const int64_t begin = clock_ms();
	struct err err = {0};
	const bool seen = !ctl_jobs_load(&jobs, &err);

	if (!seen)
		log_debug("%s", err.msg);
	if (seen && nodes->sent_back)
		ctl_jobs_sent_back(jobs, on_sent_back, nodes);
	nodes->sent_back &= !seen;
	for (size_t i = 0; i < nodes->n_follow; i++)
		nodes->follow[i].wait = seen ? CTL_JOB_FREE : CTL_JOB_ENDING;
	qsort(nodes->follow, nodes->n_follow, sizeof(nodes->follow[0]), by_id);
	if (seen)
		ctl_jobs_each_wait(jobs, see_one, nodes);
	rest_from_lists(nodes, begin, seen);
}

static void see_each(struct nodes *nodes)
{
	for (size_t i = 0; i < nodes->n_follow && !atomic_load(&nodes->stop);
	     i++)
		nodes->follow[i].wait = ctl_job_wait(nodes->follow[i].job_id);
}

static void begin(const struct requeued_job *f)
{
	const int64_t wait_s = f->begin_s - clock_real_ms() / 1000;
	struct err err = {0};

	if (ctl_job_begin(f->job_id, f->begin_s, &err))
		log_error("job %u: %s", f->job_id, err.msg);
	else if (wait_s > 0)
		log_info("job %u is eligible again in %lld s", f->job_id,
			 (long long)wait_s);
	else
		log_info("job %u is eligible again", f->job_id);
}

static void hold(const struct requeued_job *f)
{
	struct err err = {0};

	if (ctl_job_hold(f->job_id, &err))
		log_error("job %u: %s", f->job_id, err.msg);
	else
		log_warn("job %u is held: its pods have ended each time it "
			 "ran, its AdminComment says how",
			 f->job_id);
}

/* True: nothing is left to do for it. */
static bool requeued_one(const struct requeued_job *f, int64_t now,
			 size_t *begun)
{
	switch (f->wait) {
	case CTL_JOB_ENDING:
		return now - f->since > GIVE_UP_MS;
	case CTL_JOB_DELAYED:
		if (*begun == BEGIN_MAX)
			return false;
		(*begun)++;
		if (f->hold)
			hold(f);
		else
			begin(f);
		return true;
	case CTL_JOB_HELD:
	case CTL_JOB_FREE:
		return true;
	}
	return true;
}

/* (those that wait for long are asked for more and more seldom) */
static void rest(struct nodes *nodes, size_t begun)
{
	int64_t *pause = &nodes->requeued_pause;

	*pause = *pause * 2 < PAUSE_MAX_MS ? *pause * 2 : PAUSE_MAX_MS;
	if (*pause < PAUSE_MIN_MS || begun)
		*pause = PAUSE_MIN_MS;
	nodes->requeued_at = clock_ms() + *pause;
}

static bool are_many(const struct nodes *nodes)
{
	return nodes->n_follow > SINGLE_MAX;
}

static int64_t later(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/* (k8s_resume may give back thousands of jobs, one after the other) */
static int64_t next_list(const struct nodes *nodes)
{
	if (nodes->sent_back)
		return nodes->requeued_rest;
	return are_many(nodes) ? later(nodes->requeued_at, nodes->requeued_rest)
			       : INT64_MAX;
}

static int64_t next_singles(const struct nodes *nodes)
{
	return nodes->n_follow && !are_many(nodes) ? nodes->requeued_at
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
	for (size_t i = 0; i < nodes->n_follow; i++) {
		struct requeued_job f = nodes->follow[i];

		if (atomic_load(&nodes->stop))
			return;
		if (!requeued_one(&f, now, &begun))
			nodes->follow[kept++] = f;
	}
	nodes->n_follow = kept;
	rest(nodes, begun);
}
