/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "slurm/ctl_placeholder_names.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "slurm/ctl_reader.h"
#include "slurm/release.h"
#include "slurm/rpc.h"
#include "slurm/text_set.h"
#include "syntax/wellknown.h"

#define LISTS_MAX ((size_t)4 << 20) /* bytes of different lists */

struct names {
	const char *const *nodes;
	size_t n;
	enum ctl_named by, *named;
	struct text_set read; /* most jobs have the same list */
	size_t bytes;	      /* length of the texts in `read` */
};

static int read_list(struct names *s, const char *text)
{
	const size_t len = text ? strlen(text) : 0;
	int rc =
		len && s->bytes <= LISTS_MAX ? text_set_add(&s->read, text) : 0;
	release_hostlist list;

	if (rc <= 0)
		return rc;
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
	text_set_clear(&s->read);
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
