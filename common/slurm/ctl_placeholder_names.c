/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "slurm/ctl_placeholder_names.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/hash.h"
#include "base/str.h"
#include "slurm/ctl_reader.h"
#include "slurm/release.h"
#include "slurm/rpc.h"
#include "syntax/wellknown.h"

#define LISTS_MAX ((size_t)4 << 20) /* bytes of different lists */

/* A list of nodes that has been read: most jobs have the same one. */
struct list {
	UT_hash_handle hh; /* by its text, which is the message's */
	int failed;
};

struct names {
	const char *const *nodes;
	size_t n;
	enum ctl_named by, *named;
	struct list *read;
	size_t bytes; /* of these */
};

static void names_clear(struct names *s)
{
	struct list *l = NULL, *next = NULL;

	HASH_ITER(hh, s->read, l, next)
	{
		HASH_DELETE(hh, s->read, l);
		free(l);
	}
}

/* 0: it is to be read; 1: it has been; -ENOMEM. */
static int is_read(struct names *s, const char *text, size_t len)
{
	struct list *l = NULL;

	HASH_FIND(hh, s->read, text, len, l);
	if (l)
		return 1;
	l = calloc(1, sizeof(*l));
	if (!l)
		return -ENOMEM;
	HASH_ADD_KEYPTR(hh, s->read, text, len, l);
	if (!l->failed)
		return 0;
	free(l);
	return -ENOMEM;
}

static int read_list(struct names *s, const char *text)
{
	const size_t len = text ? strlen(text) : 0;
	int rc = len && s->bytes <= LISTS_MAX ? is_read(s, text, len) : 1;
	release_hostlist list;

	if (rc)
		return rc < 0 ? rc : 0;
	s->bytes += len;
	list = slurm_hostlist_create(text);
	for (size_t i = 0; i < s->n && list; i++)
		if (slurm_hostlist_find(list, s->nodes[i]) >= 0)
			s->named[i] = s->by;
	if (list)
		slurm_hostlist_destroy(list);
	return 0;
}

static bool waits(const job_info_t *job)
{
	return (job->job_state & JOB_STATE_BASE) == JOB_PENDING &&
	       job->admin_comment &&
	       str_starts(job->admin_comment, WK_BRIDGE_ID);
}

static bool runs(const job_info_t *job)
{
	const uint32_t base = job->job_state & JOB_STATE_BASE;

	return base == JOB_RUNNING || base == JOB_SUSPENDED;
}

static int read_job(struct names *s, const job_info_t *job)
{
	int rc;

	if (s->by == CTL_NAMED_BY_RUNNING)
		return runs(job) ? read_list(s, job->req_nodes) : 0;
	if (!waits(job))
		return 0;
	rc = read_list(s, job->exc_nodes);
	return rc ? rc : read_list(s, job->req_nodes);
}

static int read_all(struct names *s, const job_info_msg_t *msg)
{
	int rc = 0;

	for (uint32_t i = 0; i < msg->record_count && !rc; i++)
		rc = read_job(s, &msg->job_array[i]);
	for (size_t i = 0; i < s->n && s->bytes > LISTS_MAX; i++)
		s->named[i] = s->by;
	names_clear(s);
	s->bytes = 0;
	return rc;
}

int ctl_placeholders_name(struct ctl_reader *r, const char *const *nodes,
			  size_t n, enum ctl_named *named, struct err *err)
{
	struct names s = {.nodes = nodes, .n = n};
	_cleanup_free_ enum ctl_named *found = calloc(n + 1, sizeof(*found));
	struct ctl_jobs *jobs = NULL;
	struct ctl_read read;
	int rc;

	if (!found)
		return err_oom(err);
	rc = ctl_reader_jobs(r, &jobs, &read, err);
	if (rc)
		return rc;
	s.named = found;
	for (s.by = CTL_NAMED_BY_WAITING; !rc && s.by <= CTL_NAMED_BY_RUNNING;
	     s.by++)
		rc = read_all(&s, jobs->msg);
	ctl_jobs_free(jobs);
	if (rc)
		return err_oom(err);
	memcpy(named, found, n * sizeof(*found));
	return 0;
}
