/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The jobs of each node, to be noted on its pod. Slurm tells them only with all
 * its jobs at once: a list is asked for when a node has become busy or idle,
 * and the more seldom the more jobs there are; unless somebody else asks for
 * one.
 */
#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/str.h"
#include "nodes/jobs/jobs.h"
#include "slurm/ctl_reader.h"
#include "slurm/jobs_pace.h"

#define SOON_MS 1000
#define SOONER_MS 200 /* pause when steps show a job that is not known */
#define SOONER_SHARE 4
#define SELDOM_MS 30000 /* longest pause: a busy node may get a second job */

/* Append an item, unless it is there. What does not fit is left out. */
static void add_once(struct buf *b, const char *item)
{
	if (*item && !str_list_has(buf_str(b), item, strlen(item)))
		buf_add_item(b, item);
}

const struct node_job *node_job_of(const struct nodes *nodes, uint32_t job_id)
{
	struct node_job *f;

	HASH_FIND(hh, nodes->jobs.facts, &job_id, sizeof(job_id), f);
	return f;
}

void node_jobs_forget(struct nodes *nodes)
{
	struct node_job *f = NULL, *next = NULL;

	HASH_ITER(hh, nodes->jobs.facts, f, next)
	{
		HASH_DELETE(hh, nodes->jobs.facts, f);
		json_object_put(f->asked);
		free(f);
	}
}

/* A job comes once for each of its nodes, and is added once. */
static const struct node_job *
add_fact(struct nodes *nodes, const struct ctl_occupant *job, const char *user)
{
	const struct node_job *known = node_job_of(nodes, job->job_id);
	struct node_job *f;

	if (known)
		return known;
	f = calloc(1, sizeof(*f));
	if (!f)
		return NULL;
	f->asked = pod_metadata_read(&nodes->config->jobs, job->admin_comment);
	f->job_id = job->job_id;
	str_copy(f->user, user, sizeof(f->user));
	str_copy(f->account, job->account, sizeof(f->account));
	HASH_ADD(hh, nodes->jobs.facts, job_id, sizeof(f->job_id), f);
	if (!f->failed)
		return f;
	json_object_put(f->asked);
	free(f);
	return NULL;
}

/* Add what one more job on a node asks for; the first job's values win. */
static void add_asked(struct node_state *m, const struct node_job *f)
{
	_cleanup_json_ json_object *both = NULL;

	if (!f || !f->asked)
		return;
	if (!m->jobs.asked) {
		m->jobs.asked = json_object_get(f->asked);
	} else {
		/* The object may be a job's own. */
		both = jx_copy(m->jobs.asked);
		if (!both || pod_metadata_merge(both, f->asked))
			return;
		json_object_put(m->jobs.asked);
		m->jobs.asked = steal_ptr(both);
	}
	m->jobs.asked_sum = pod_metadata_sum(m->jobs.asked);
}

const char *node_user_name(struct nodes *nodes, uint32_t uid)
{
	const char *name;

	engine_beat_waits(&nodes->beat, ENGINE_NAMES);
	name = user_name_of(&nodes->user_names, uid);
	engine_beat_waits(&nodes->beat, ENGINE_WAITS_SLURMCTLD);
	return name;
}

static void on_job(void *arg, const struct ctl_occupant *job)
{
	struct nodes *nodes = arg;
	const struct node_job *f;
	const char *user;
	struct node_state *m;
	char id[16];

	m = node_state_find(nodes, job->node);
	if (!m)
		return;
	user = job->user ? job->user : node_user_name(nodes, job->uid);
	f = add_fact(nodes, job, user);
	if (!m->busy)
		return;
	snprintf(id, sizeof(id), "%u", job->job_id);
	add_once(&m->jobs.jobs, id);
	add_once(&m->jobs.users, user);
	add_once(&m->jobs.accounts, job->account);
	add_asked(m, f);
}

void job_index_forget(struct node_state *m)
{
	buf_reset(&m->jobs.jobs);
	buf_reset(&m->jobs.users);
	buf_reset(&m->jobs.accounts);
	json_object_put(m->jobs.asked);
	m->jobs.asked = NULL;
	m->jobs.asked_sum = 0;
}

uint32_t note_sum(const struct node_state *m)
{
	const char *jobs = buf_str(&m->jobs.jobs);

	return str_hash(STR_HASH + m->busy + m->steps.sum + m->jobs.asked_sum +
				m->pod.sum,
			jobs, strlen(jobs));
}

static int64_t soon(const struct nodes *nodes)
{
	const int64_t n = (int64_t)nodes->jobs.n;
	const int64_t ms = SOON_MS + n, sooner = SOONER_MS + SOONER_SHARE * n;

	return nodes->jobs.facts_stale && sooner < ms ? sooner : ms;
}

static bool is_due(const struct nodes *nodes)
{
	int64_t since = clock_ms() - nodes->jobs.at;

	if (clock_ms() < nodes->jobs.rest)
		return false;
	return since >= SELDOM_MS ||
	       (nodes->jobs.stale && since >= soon(nodes));
}

void job_index_expire(struct nodes *nodes)
{
	nodes->jobs.stale = true;
	nodes->jobs.stale_at = clock_ms();
}

/*
 * Take another reader's list, if it was asked for later than the last change of
 * nodes or steps that is not known of jobs. It costs slurmctld nothing, so it
 * is taken before a list is due.
 */
static int take_shared(struct nodes *nodes, struct ctl_jobs **jobs)
{
	struct ctl_read read;
	int rc;

	if (!nodes->jobs.stale)
		return -ENOENT;
	rc = ctl_reader_jobs_shared(nodes->reader, nodes->jobs.stale_at, jobs,
				    &read);
	if (!rc)
		nodes->jobs.at = read.asked;
	return rc;
}

static int ask(struct nodes *nodes, struct ctl_jobs **jobs)
{
	struct ctl_read read;
	struct err err = {0};
	const int rc = ctl_reader_jobs(nodes->reader, jobs, &read, &err);

	ctl_reader_jobs_unwanted(nodes->reader);
	nodes->jobs.at = read.asked;
	nodes->jobs.rest = clock_ms() + jobs_rest_ms(read.took, rc != 0);
	if (rc)
		log_debug("%s", err.msg);
	return rc;
}

bool job_index_refresh(struct nodes *nodes)
{
	_cleanup_(ctl_jobs_freep) struct ctl_jobs *jobs = NULL;
	struct node_state *m = NULL, *next = NULL;

	if (!nodes->count.busy && !nodes->jobs.facts_stale)
		return false;
	if (take_shared(nodes, &jobs) && (!is_due(nodes) || ask(nodes, &jobs)))
		return false;
	nodes->jobs.stale = nodes->jobs.facts_stale = false;
	nodes->jobs.n = ctl_jobs_count(jobs);
	node_jobs_forget(nodes);
	HASH_ITER(hh, nodes->memos, m, next)
	{
		job_index_forget(m);
	}
	ctl_jobs_on_nodes(jobs, on_job, nodes);
	return true;
}
