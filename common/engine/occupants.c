/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who runs on which node, to be noted on its pod. Slurm tells that only with
 * all its jobs at once: they are asked for when a node has become busy or
 * idle, and the more seldom the more there are.
 */
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/str.h"
#include "engine/engine_internal.h"

#define SOON_MS 1000
#define SELDOM_MS 30000 /* a second job on a node that was busy */

/* Append, unless it is there. What does not fit is left out. */
static void add_once(struct buf *b, const char *item)
{
	if (*item && !str_list_has(buf_str(b), item, strlen(item)))
		buf_add_item(b, item);
}

static void on_job(void *arg, const struct ctl_occupant *job)
{
	struct engine *e = arg;
	struct memo *m;
	char id[16];

	HASH_FIND_STR(e->memos, job->node, m);
	if (!m || !m->busy)
		return;
	snprintf(id, sizeof(id), "%u", job->job_id);
	add_once(&m->jobs, id);
	add_once(&m->users, job->user ? job->user : users_name(e, job->uid));
	add_once(&m->accounts, job->account);
}

void occupants_forget(struct memo *m)
{
	buf_reset(&m->jobs);
	buf_reset(&m->users);
	buf_reset(&m->accounts);
}

uint32_t note_sum(const struct memo *m)
{
	uint32_t sum = 2166136261u + m->busy; /* FNV-1a */

	for (const char *at = buf_str(&m->jobs); *at; at++)
		sum = (sum ^ (unsigned char)*at) * 16777619u;
	return sum;
}

static bool is_due(const struct engine *e)
{
	int64_t since = clock_ms() - e->jobs_at;

	if (!e->n_busy)
		return false;
	return since >= SELDOM_MS ||
	       (e->jobs_stale && since >= SOON_MS + (int64_t)e->n_jobs);
}

bool occupants_refresh(struct engine *e)
{
	_cleanup_(ctl_jobs_freep) struct ctl_jobs *jobs = NULL;
	struct memo *m = NULL, *next = NULL;
	struct err err = {0};

	if (!is_due(e))
		return false;
	e->jobs_at = clock_ms();
	if (ctl_jobs_load(&jobs, &err)) {
		log_debug("%s", err.msg);
		return false;
	}
	e->jobs_stale = false;
	e->n_jobs = ctl_jobs_count(jobs);
	HASH_ITER(hh, e->memos, m, next)
	{
		occupants_forget(m);
	}
	ctl_jobs_on_nodes(jobs, on_job, e);
	return true;
}
