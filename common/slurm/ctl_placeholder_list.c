/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "slurm/ctl_placeholder_list.h"

#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "slurm/ctl_reader.h"
#include "slurm/expected_start.h"
#include "slurm/job_reason.h"
#include "slurm/release.h"
#include "slurm/rpc.h"
#include "slurm/share.h"
#include "syntax/wellknown.h"

struct one {
	struct placed placed;
	char *texts; /* the memory of the texts of `placed` */
};

struct ctl_placeholders {
	time_t last_update;
	struct one *jobs;
	size_t n;
	/* ids of the jobs that are not in `jobs`, and have not ended */
	uint32_t *others;
	size_t n_others;
};

static enum placed_end end_of(uint32_t state)
{
	switch (state & JOB_STATE_BASE) {
	case JOB_PENDING:
	case JOB_RUNNING:
	case JOB_SUSPENDED:
		return PLACED_NOT_ENDED;
	case JOB_COMPLETE:
		return PLACED_COMPLETED;
	case JOB_FAILED:
		return PLACED_FAILED;
	case JOB_CANCELLED:
		return PLACED_CANCELLED;
	case JOB_TIMEOUT:
		return PLACED_TIMEOUT;
	case JOB_PREEMPTED:
		return PLACED_PREEMPTED;
	case JOB_NODE_FAIL:
		return PLACED_NODE_FAIL;
	case JOB_DEADLINE:
		return PLACED_DEADLINE;
	default:
		return PLACED_OTHER;
	}
}

/* A job that goes back into the queue is PENDING, or will be. */
static bool goes_back(uint32_t state)
{
	return (state & JOB_STATE_BASE) == JOB_PENDING ||
	       (state & (JOB_REQUEUE | JOB_REQUEUE_HOLD));
}

/* Source of the bits: slurm.h, enum job_states and the flags behind it. */
static struct placed_status status_of(uint32_t state)
{
	struct placed_status s = {
		.end = goes_back(state) ? PLACED_NOT_ENDED : end_of(state),
		.configuring = state & JOB_CONFIGURING,
	};

	if (state & (JOB_COMPLETING | JOB_STAGE_OUT)) {
		s.state = PLACED_COMPLETING;
		return s;
	}
	switch (state & JOB_STATE_BASE) {
	case JOB_PENDING:
		s.state = PLACED_PENDING;
		break;
	case JOB_RUNNING:
		s.state = PLACED_RUNNING;
		break;
	case JOB_SUSPENDED:
		s.state = PLACED_SUSPENDED;
		break;
	default:
		s.state = goes_back(state) ? PLACED_PENDING : PLACED_ENDED;
		break;
	}
	return s;
}

/* Copy `text` to *at, and move *at behind the copy. */
static const char *put(char **at, const char *text)
{
	const char *copy = *at;
	const size_t size = strlen(text) + 1;

	memcpy(*at, text, size);
	*at += size;
	return copy;
}

static bool copy_texts(struct one *o, const job_info_t *job)
{
	const char *nodes = job->nodes ? job->nodes : "";
	const char *comment = job->admin_comment ? job->admin_comment : "";
	char reason[PLACED_REASON_MAX], *at;

	job_reason(job, reason);
	at = o->texts =
		malloc(strlen(reason) + strlen(nodes) + strlen(comment) + 3);
	if (!at)
		return false;
	o->placed.reason = put(&at, reason);
	o->placed.nodes = put(&at, nodes);
	o->placed.admin_comment = put(&at, comment);
	return true;
}

/* True for a job that is pending until somebody releases it. */
static bool is_held(const job_info_t *job)
{
	return status_of(job->job_state).state == PLACED_PENDING &&
	       job->priority == 0;
}

static int take_job(struct one *o, const job_info_t *job,
		    const struct expected_starts *starts)
{
	o->placed = (struct placed){
		.job_id = release_job_id(job),
		.uid = job->user_id,
		.status = status_of(job->job_state),
		.restarts = job->restart_cnt,
		.external = release_is_external(job),
		.submit = job->submit_time,
		.start = job->start_time,
		.end = job->end_time,
		/* For a running job these are what it has, in each release. */
		.has = {.cpus = job->num_cpus,
			.memory_mib = share_memory(job->pn_min_memory,
						   job->num_cpus)},
	};
	if (o->placed.status.state == PLACED_PENDING) {
		o->placed.start = expected_start(starts, job);
		if (job->exc_nodes)
			o->placed.exclude = strlen(job->exc_nodes);
	}
	if (is_held(job))
		o->placed.status.state = PLACED_HELD;
	return copy_texts(o, job) ? 0 : -ENOMEM;
}

static bool is_ours(const job_info_t *job, const struct placed_known *known)
{
	return (job->admin_comment &&
		str_starts(job->admin_comment, WK_BRIDGE_ID)) ||
	       (known && known->has(known->arg, release_job_id(job)));
}

void ctl_placeholders_free(struct ctl_placeholders *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->n; i++)
		free(s->jobs[i].texts);
	free(s->jobs);
	free(s->others);
	free(s);
}

static int take_others(struct ctl_placeholders *s, const job_info_msg_t *msg,
		       const struct placed_known *known)
{
	s->others = calloc(msg->record_count + (size_t)1, sizeof(*s->others));
	if (!s->others)
		return -ENOMEM;
	for (uint32_t i = 0; i < msg->record_count; i++) {
		const job_info_t *job = &msg->job_array[i];

		if (!is_ours(job, known) &&
		    status_of(job->job_state).state != PLACED_ENDED)
			s->others[s->n_others++] = release_job_id(job);
	}
	return 0;
}

static int take_all(struct ctl_placeholders *s, const job_info_msg_t *msg,
		    const struct placed_known *known)
{
	struct expected_starts starts;
	size_t n = 0;

	for (uint32_t i = 0; i < msg->record_count; i++)
		n += is_ours(&msg->job_array[i], known);
	expected_starts_of(msg, &starts);
	s->last_update = msg->last_update;
	s->jobs = calloc(n + 1, sizeof(*s->jobs));
	if (!s->jobs)
		return -ENOMEM;
	for (uint32_t i = 0; i < msg->record_count; i++) {
		struct one *o = &s->jobs[s->n];

		if (!is_ours(&msg->job_array[i], known))
			continue;
		s->n++;
		if (take_job(o, &msg->job_array[i], &starts))
			return -ENOMEM;
	}
	return 0;
}

/* 0: *out is a list of all jobs, or NULL if none has changed; or an error. */
static int load_changed(struct ctl_reader *r, time_t since,
			struct ctl_jobs **out, struct err *err)
{
	struct ctl_read read = {.asked = clock_ms()};
	const int rc = ctl_jobs_load_changed(since, out, err);

	read.took = clock_ms() - read.asked;
	if (*out)
		ctl_reader_jobs_offer(r, *out, &read);
	return rc;
}

int ctl_placeholders_load(struct ctl_reader *r, struct ctl_placeholders **set,
			  const struct placed_known *known, struct err *err)
{
	_cleanup_(ctl_placeholders_freep) struct ctl_placeholders *s = NULL;
	_cleanup_(ctl_jobs_freep) struct ctl_jobs *all = NULL;
	const time_t since = rpc_since(*set ? (*set)->last_update : 0);
	int rc = load_changed(r, since, &all, err);

	if (!all)
		return rc;
	s = calloc(1, sizeof(*s));
	rc = s ? take_all(s, all->msg, known) : -ENOMEM;
	if (!rc)
		rc = take_others(s, all->msg, known);
	if (rc)
		return err_oom(err);
	ctl_placeholders_free(*set);
	*set = steal_ptr(s);
	return 1;
}

size_t ctl_placeholders_count(const struct ctl_placeholders *s)
{
	return s ? s->n : 0;
}

const struct placed *ctl_placeholders_at(const struct ctl_placeholders *s,
					 size_t i)
{
	return s && i < s->n ? &s->jobs[i].placed : NULL;
}

bool ctl_placeholders_is_other(const struct ctl_placeholders *s,
			       uint32_t job_id)
{
	for (size_t i = 0; s && i < s->n_others; i++)
		if (s->others[i] == job_id)
			return true;
	return false;
}

int ctl_placeholder_states(const uint32_t *ids, size_t n,
			   struct placed_status *out, struct err *err)
{
	const struct placed_status gone = {.state = PLACED_GONE};
	_cleanup_free_ uint32_t *states = calloc(n + 1, sizeof(*states));

	if (!states)
		return err_oom(err);
	errno = 0;
	if (n && release_job_states(ids, n, states))
		return errno == ENOSYS
			       ? err_set(err, -EOPNOTSUPP,
					 "this Slurm tells states only with "
					 "all else")
			       : rpc_err(err, "cannot read the jobs' states");
	for (size_t i = 0; i < n; i++)
		out[i] = states[i] == NO_VAL ? gone : status_of(states[i]);
	return 0;
}

int ctl_placeholder_held(uint32_t job_id, bool *held,
			 char reason[PLACED_REASON_MAX], struct err *err)
{
	job_info_msg_t *msg = NULL;
	int rc = -ENOENT;

	errno = 0;
	if (release_load_job(&msg, job_id))
		return errno == ESLURM_INVALID_JOB_ID
			       ? err_set(err, rc, "Slurm has no such job")
			       : rpc_err(err, "cannot read the job");
	for (uint32_t i = 0; i < msg->record_count && rc; i++) {
		const job_info_t *job = &msg->job_array[i];

		if (release_job_id(job) != job_id)
			continue;
		*held = is_held(job);
		job_reason(job, reason);
		rc = 0;
	}
	release_free_jobs(msg);
	return rc ? err_set(err, rc, "Slurm has no such job") : 0;
}
