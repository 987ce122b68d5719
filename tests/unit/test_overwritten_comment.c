/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Placeholders whose AdminComment is another one by now; slurmctld and the rest
 * of the bridge are the test's. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "bridge/reconcile/reconcile.h"
#include "bridge_fixture.h"
#include "lease_fixture.h"
#include "slurm/ctl_schedule.h"
#include "syntax/wellknown.h"
#include "t.h"

static struct placed jobs[2]; /* that slurmctld has; without an id: none */
static const struct placed *list[2]; /* of these, the last one */
static size_t n_list;
static int64_t now;
static struct queue_entry *q;	/* of the only group, */
static struct pod_group *group; /* whose pods are in view; or NULL */
static uint32_t cancelled;	/* the last one */
static int cancel_rc;
static uint32_t other; /* this job is not the bridge's, and has not ended */

int64_t __wrap_clock_ms(void);
int64_t __wrap_clock_ms(void)
{
	return now;
}

int ctl_placeholders_load(struct ctl_reader *r, struct ctl_placeholders **set,
			  const struct placed_known *known, struct err *err)
{
	(void)r;
	(void)err;
	n_list = 0;
	for (size_t i = 0; i < T_COUNT(jobs); i++)
		if (jobs[i].job_id &&
		    (str_starts(jobs[i].admin_comment, WK_BRIDGE_ID) ||
		     known->has(known->arg, jobs[i].job_id)))
			list[n_list++] = &jobs[i];
	*set = (struct ctl_placeholders *)list; /* (nobody looks) */
	return 1;
}

size_t ctl_placeholders_count(const struct ctl_placeholders *s)
{
	(void)s;
	return n_list;
}

const struct placed *ctl_placeholders_at(const struct ctl_placeholders *s,
					 size_t i)
{
	(void)s;
	return list[i];
}

bool ctl_placeholders_is_other(const struct ctl_placeholders *s,
			       uint32_t job_id)
{
	(void)s;
	return other && job_id == other;
}

void ctl_placeholders_free(struct ctl_placeholders *s)
{
	(void)s;
}

int ctl_placeholder_cancel(uint32_t job_id, struct err *err)
{
	(void)err;
	cancelled = job_id;
	return cancel_rc;
}

int ctl_placeholder_states(const uint32_t *ids, size_t n,
			   struct placed_status *out, struct err *err)
{
	(void)ids;
	(void)n;
	(void)out;
	return err_set(err, -EOPNOTSUPP, "lists only");
}

void ctl_layout_free(struct ctl_layout *l)
{
	(void)l;
}

int allocation_nodes(const struct queue_entry *x, struct hostlist *out)
{
	(void)x;
	(void)out;
	return -EAGAIN;
}

void ctl_schedule(void)
{
}

struct queue_entry *queue_entry_get(struct bridge *b, const char *key)
{
	(void)b;
	(void)key;
	return q;
}

struct queue_entry *queue_entry_find(struct bridge *b, const char *key)
{
	return queue_entry_get(b, key);
}

void queue_entry_touch(struct bridge *b, struct queue_entry *x)
{
	(void)b;
	x->look.touched = true;
}

void pod_groups_lock(struct pod_groups *v)
{
	(void)v;
}

void pod_groups_unlock(struct pod_groups *v)
{
	(void)v;
}

struct pod_group *pod_groups_find(struct pod_groups *v, const char *key)
{
	(void)v;
	(void)key;
	return group;
}

void bridge_requests_unbind(struct bridge_requests *w, uint32_t job_id)
{
	(void)w;
	(void)job_id;
}

/* --- */

static struct bridge_config config = {.cluster = (char *)"c",
				      .scheduler = (char *)"s"};
static const struct job_identity of = {
	.cluster = "c",
	.of = {.kind = WORKLOAD_POD, .ns = "ns", .name = "p", .uid = "u"},
	.options_digest = "0123456789abcdef",
	.pods = 1};

/* Job 8 has just been submitted, and waits; no list has had it. */
static void begin(struct bridge *b, char id[BRIDGE_ID_MAX])
{
	T_INT(job_identity_make(&of, id, NULL), 0);
	*b = (struct bridge){.bridge = &config};
	q = calloc(1, sizeof(*q) + BRIDGE_KEY_MAX);
	pod_group_key(&of.of, q->key);
	q->job.state = PLACEHOLDER_NONE;
	HASH_ADD_KEYPTR(hh, b->queue, q->key, strlen(q->key), q);
	now = 1000000;
	memset(jobs, 0, sizeof(jobs));
	jobs[0] = (struct placed){.job_id = 8,
				  .uid = 5,
				  .submit = 60,
				  .status = {.state = PLACED_PENDING},
				  .reason = "",
				  .nodes = "",
				  .admin_comment = id};
	placeholders_submitted(b, q, 8, &of);
	cancelled = other = 0;
	cancel_rc = 0;
}

static void end(struct bridge *b)
{
	placeholders_free(b);
	HASH_DELETE(hh, b->queue, q);
	free(q->nodes.names);
	free(q->job.reason);
	free(q->refused.words);
	free(q);
}

static void next_list(struct bridge *b)
{
	t_log_clear();
	now += 60000;
	placeholders_refresh(b);
}

/* A job_submit plugin of the site writes its own words into each job. */
static void a_job_that_never_had_its_admin_comment_is_cancelled(void)
{
	static const int rcs[] = {0, -EAGAIN};

	for (size_t i = 0; i < T_COUNT(rcs); i++) {
		struct bridge b;
		char id[BRIDGE_ID_MAX];

		t_row("%d", rcs[i]);
		begin(&b, id);
		jobs[0].admin_comment = "the site's";
		cancel_rc = rcs[i];
		next_list(&b);
		T_INT(cancelled, 8);
		T_INT(q->job.state, PLACEHOLDER_NONE);
		T_OK(rcs[i] ? !q->refused.words
			    : q->refused.words && q->refused.submit_at > now &&
				      !strcmp(q->refused.options_digest,
					      "0123456789abcdef"));
		cancelled = 0;
		next_list(&b);
		T_INT(cancelled, rcs[i] ? 8 : 0); /* tried again, or done */
		end(&b);
	}
}

/* Another slurmctld may have taken over. */
static void nothing_is_cancelled_without_the_lease(void)
{
	struct bridge b;
	char id[BRIDGE_ID_MAX];

	begin(&b, id);
	jobs[0].admin_comment = "the site's";
	is_taken_over = true;
	next_list(&b);
	T_INT(cancelled, 0);
	is_taken_over = false;
	next_list(&b);
	T_INT(cancelled, 8);
	end(&b);
}

static void a_job_that_is_no_more_is_forgotten(void)
{
	struct bridge b;
	char id[BRIDGE_ID_MAX];

	begin(&b, id);
	jobs[0].job_id = 0;
	next_list(&b);
	T_INT(q->job.state, PLACEHOLDER_NONE);
	T_INT(cancelled, 0);
	T_OK(!q->refused.words && !b.jobs.identities);
	end(&b);
}

/* (scancel --admin-comment writes it first, and then ends the job) */
static void a_job_whose_admin_comment_is_overwritten_stays_its_groups(void)
{
	static const struct {
		enum placed_state state;
		enum placeholder_state job;
		bool listed; /* with what the bridge wrote, before */
		uint32_t user, restarts;
		int64_t submit;
		bool told;
	} rows[] = {
		{PLACED_ENDED, PLACEHOLDER_ENDED, true, 5, 0, 60, false},
		{PLACED_COMPLETING, PLACEHOLDER_COMPLETING, true, 5, 0, 60,
		 false},
		{PLACED_RUNNING, PLACEHOLDER_RUNNING, true, 5, 0, 60, true},
		{PLACED_PENDING, PLACEHOLDER_PENDING, true, 5, 0, 60, true},
		{PLACED_PENDING, PLACEHOLDER_PENDING, true, 5, 1, 90, true},
		/* before a list had it */
		{PLACED_ENDED, PLACEHOLDER_ENDED, false, 5, 0, 60, false},
		/* Slurm has given its number to somebody else's job */
		{PLACED_RUNNING, PLACEHOLDER_NONE, true, 6, 0, 60, false},
		{PLACED_RUNNING, PLACEHOLDER_NONE, true, 5, 0, 90, false},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		struct bridge b;
		char id[BRIDGE_ID_MAX];

		t_row("%zu", i);
		begin(&b, id);
		if (rows[i].listed)
			next_list(&b);
		jobs[0].status.state = rows[i].state;
		jobs[0].admin_comment = i % 2 ? "spam" : "";
		jobs[0].uid = rows[i].user;
		jobs[0].submit = rows[i].submit;
		jobs[0].restarts = rows[i].restarts;
		for (int n = 0; n < 2; n++) { /* (told once) */
			next_list(&b);
			T_INT(q->job.state, rows[i].job);
			T_INT(strstr(t_log(), "the AdminComment of job 8 was "
					      "overwritten") != NULL,
			      rows[i].told && !n);
		}
		T_INT(cancelled, 0);
		T_STR(q->job.options_digest, "0123456789abcdef");
		end(&b);
	}
}

/* It is written back, or it is another cluster's. */
static void a_job_that_says_whose_it_is_is_believed(void)
{
	struct bridge b;
	char id[BRIDGE_ID_MAX], theirs[BRIDGE_ID_MAX];
	struct job_identity more = of;

	begin(&b, id);
	next_list(&b);
	jobs[0].admin_comment = "spam";
	next_list(&b);
	more.pods = 2;
	T_INT(job_identity_make(&more, id, NULL), 0);
	jobs[0].admin_comment = id;
	next_list(&b);
	T_INT(q->job.state, PLACEHOLDER_PENDING);
	T_INT(q->job.made_for, 2);
	/* a job that this engine has never known */
	strcpy(more.cluster, "d");
	T_INT(job_identity_make(&more, theirs, NULL), 0);
	jobs[1] = jobs[0];
	jobs[1].job_id = 9;
	jobs[1].admin_comment = theirs;
	next_list(&b);
	T_INT(q->job.id, 8);
	T_INT(q->job.duplicate, 0);
	end(&b);
}

/* A slurmctld that was started anew does not know that it was ours. */
static void pods_of_a_job_that_is_none_of_ours_any_more_are_told_of(void)
{
	static const struct {
		const char *row;
		uint32_t other;
		bool told;
	} rows[] = {
		{"lost", 8, true},  {"orphan?", 8, true},  {"lost", 9, false},
		{"lost", 0, false}, {"running", 8, false},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		struct bridge b;
		char id[BRIDGE_ID_MAX];

		t_row("%zu", i);
		begin(&b, id);
		group = calloc(1, sizeof(*group) + 8);
		fixture_pod(group, "v", "", 0);
		fixture_pod(group, "u", "n1", 8);
		other = rows[i].other;
		t_log_clear();
		overwritten_tell(&b, q, rows[i].row);
		if (rows[i].told)
			T_HAS(t_log(), "bridge: Pod ns u: its pods run by job "
				       "8, and Slurm's job of that number has "
				       "another AdminComment");
		else
			T_STR(t_log(), "");
		fixture_no_pods(group);
		free(group);
		group = NULL;
		end(&b);
	}
}

T_MAIN("overwritten_comment",
       T(a_job_that_never_had_its_admin_comment_is_cancelled),
       T(nothing_is_cancelled_without_the_lease),
       T(a_job_that_is_no_more_is_forgotten),
       T(a_job_whose_admin_comment_is_overwritten_stays_its_groups),
       T(a_job_that_says_whose_it_is_is_believed),
       T(pods_of_a_job_that_is_none_of_ours_any_more_are_told_of))
