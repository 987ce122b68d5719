/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How jobs end; slurmctld and the rest of the bridge are the test's. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "bridge/reconcile/reconcile.h"
#include "t.h"

static int64_t now;
static int answer;	/* to an update */
static int cannot;	/* to a cancellation */
static char sent[2048]; /* to Slurm, in its order */
static struct pod_group *group;
static int later;

int64_t __wrap_clock_ms(void);
int64_t __wrap_clock_ms(void)
{
	return now;
}

__attribute__((format(printf, 1, 2))) static void add(const char *fmt, ...)
{
	const size_t n = strlen(sent);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(sent + n, sizeof(sent) - n, fmt, ap);
	va_end(ap);
}

int ctl_placeholder_update(uint32_t job_id, const struct placeholder *p,
			   struct err *err)
{
	const struct placeholder only = {.admin_comment = p->admin_comment};

	T_OK(!memcmp(p, &only, sizeof(only))); /* all else stays */
	add("update %u %s; ", job_id, p->admin_comment);
	return answer ? err_set(err, answer, "no update") : 0;
}

int ctl_placeholder_end(uint32_t job_id, uint32_t wait_status, struct err *err)
{
	(void)err;
	add("end %u %u; ", job_id, wait_status);
	return 0;
}

int ctl_placeholder_cancel(uint32_t job_id, struct err *err)
{
	add("cancel %u; ", job_id);
	return cannot ? err_set(err, cannot, "no") : 0;
}

static bool is_held;	     /* by an administrator, as slurmctld says now */
static const char *held_for; /* or by others, for that reason */
static int no_word;	     /* of it: an error, or 0 */
static int asked;	     /* so often */
static bool held_known;	     /* to the bridge, by that */

int ctl_placeholder_held(uint32_t job_id, bool *held,
			 char reason[PLACED_REASON_MAX], struct err *err)
{
	T_INT(job_id, 7);
	asked++;
	if (no_word)
		return err_set(err, no_word, "no word");
	*held = is_held || held_for;
	strcpy(reason, is_held	  ? "JobHeldAdmin"
		       : held_for ? held_for
				  : "Priority");
	return 0;
}

void placeholders_held(struct bridge *b, struct queue_entry *q,
		       const char *reason)
{
	(void)b;
	T_STR(reason, "JobHeldAdmin");
	q->job.state = PLACEHOLDER_HELD;
	held_known = true;
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

void queue_entry_later(struct bridge *b, struct queue_entry *q, int64_t ms)
{
	(void)b;
	(void)q;
	(void)ms;
	later++;
}

/* --- */

#define MARKED                                                                 \
	"update 7 {\"k8s\":{\"cluster\":\"c\",\"scheduler\":\"s\","            \
	"\"kind\":\"Pod\","                                                    \
	"\"namespace\":\"ns\",\"name\":\"p\",\"uid\":\"u\",\"pods\":3,"        \
	"\"wish\":\"0123456789abcdef\",\"again\":true}}; "

static struct bridge_config config = {.cluster = (char *)"c",
				      .scheduler = (char *)"s"};

static bool gang;
static unsigned int asked_before; /* in this step */

/* Job 7 of a group of which so many pods wait is to end so. */
static void do_it(struct queue_entry *q, enum group_action action,
		  uint32_t waiting)
{
	struct pod_group g = {.of = {.ns = "ns", .name = "p", .uid = "v"}};
	struct bridge b = {.bridge = &config, .jobs.held_asked = asked_before};
	struct group_observation j = {.plan = {.action = action,
					       .row = "x",
					       .job_id = 7,
					       .exit_code = 3}};

	j.view.pods.waiting = waiting;
	j.view.gang = gang;
	q->job.id = 7;
	q->job.made_for = 3;
	strcpy(q->job.uid,
	       "u"); /* (of that object it was made; see disown()) */
	strcpy(q->job.options_digest, "0123456789abcdef");
	group = &g;
	*sent = '\0';
	later = 0;
	end_job(&b, q, &j);
	T_OK(b.jobs.stale);
	group = NULL;
}

static void what_is_cancelled_to_begin_anew_says_so_first(void)
{
	struct queue_entry *q = calloc(1, sizeof(*q) + 1);

	do_it(q, GROUP_CANCEL, 1);
	T_STR(sent, MARKED "cancel 7; ");
	T_OK(q->job.by_us);
	/* (it says so by now) */
	do_it(q, GROUP_CANCEL, 1);
	T_STR(sent, "cancel 7; ");
	free(q);
}

static void it_costs_nothing_where_no_pod_is_left(void)
{
	struct queue_entry *q = calloc(1, sizeof(*q) + 1);

	do_it(q, GROUP_CANCEL, 0);
	T_STR(sent, "cancel 7; ");
	T_OK(q->job.by_us);
	q->job.by_us = false;
	do_it(q, GROUP_COMPLETE, 0);
	T_STR(sent, "end 7 768; ");
	T_OK(!q->job.by_us);
	free(q);
}

/* Else the next engine would take its pods for cancelled. */
static void what_cannot_say_so_is_not_cancelled_yet(void)
{
	struct queue_entry *q = calloc(1, sizeof(*q) + 1);

	now = q->row.at = 1000000;
	answer = -EAGAIN;
	do_it(q, GROUP_CANCEL, 1);
	T_STR(sent, MARKED);
	T_OK(!q->job.by_us && later);
	/* (but its nodes are not held for ever) */
	now += 30000;
	do_it(q, GROUP_CANCEL, 1);
	T_STR(sent, MARKED "cancel 7; ");
	T_OK(q->job.by_us);
	/* one that Slurm will never take is none to wait for */
	q->job.by_us = false;
	q->row.at = now;
	answer = -EINVAL;
	do_it(q, GROUP_CANCEL, 1);
	T_STR(sent, MARKED "cancel 7; ");
	T_OK(q->job.by_us);
	answer = 0;
	free(q);
}

static void what_slurm_did_not_cancel_is_not_ours(void)
{
	struct queue_entry *q = calloc(1, sizeof(*q) + 1);

	cannot = -EAGAIN;
	do_it(q, GROUP_CANCEL, 1);
	T_OK(!q->job.by_us && later);
	cannot = 0;
	free(q);
}

/*
 * The last list of jobs had it as one that nobody holds. (The next one would
 * not be held; an empty gang may get new pods.)
 */
static void what_somebody_holds_by_now_stays(void)
{
	static const struct {
		enum placeholder_state job;
		uint32_t waiting;
		bool gang, by_us, held;
		int no_word;
		int asked;
		const char *sent;
	} rows[] = {
		{PLACEHOLDER_PENDING, 1, false, false, true, 0, 1, ""},
		{PLACEHOLDER_PENDING, 1, false, false, false, 0, 1,
		 MARKED "cancel 7; "},
		/* no answer: not yet */
		{PLACEHOLDER_PENDING, 1, false, false, false, -EIO, 1, ""},
		{PLACEHOLDER_PENDING, 1, false, false, false, -ENOENT, 1,
		 MARKED "cancel 7; "},
		{PLACEHOLDER_PENDING, 0, true, false, true, 0, 1, ""},
		{PLACEHOLDER_PENDING, 0, true, false, false, 0, 1,
		 "cancel 7; "},
		{PLACEHOLDER_PENDING, 0, false, false, true, 0, 0,
		 "cancel 7; "},
		/* by its pods, when it was listed; by an administrator now */
		{PLACEHOLDER_HELD, 1, false, false, true, 0, 1, ""},
		/* (all its pods have been gone for long) */
		{PLACEHOLDER_HELD, 0, true, false, true, 0, 0, "cancel 7; "},
		{PLACEHOLDER_RUNNING, 1, false, false, true, 0, 0,
		 MARKED "cancel 7; "},
		{PLACEHOLDER_PENDING, 1, false, true, true, 0, 0, "cancel 7; "},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		struct queue_entry *q = calloc(1, sizeof(*q) + 1);

		t_row("%zu", i);
		q->job.state = rows[i].job;
		q->job.by_us = rows[i].by_us;
		is_held = rows[i].held;
		no_word = rows[i].no_word;
		gang = rows[i].gang;
		held_known = false;
		asked = 0;
		do_it(q, GROUP_CANCEL, rows[i].waiting);
		T_STR(sent, rows[i].sent);
		T_INT(asked, rows[i].asked);
		T_INT(held_known, rows[i].asked && rows[i].held);
		T_INT(later, rows[i].no_word == -EIO); /* (else nobody asks) */
		T_INT(q->job.by_us, *rows[i].sent != '\0');
		free(q);
	}
	is_held = gang = false;
	no_word = 0;
}

/* That is known already, and the plan is made by it. */
static void what_its_own_pods_or_slurm_hold_is_begun_anew(void)
{
	static const char *const rows[] = {"JobHeldUser", "BadConstraints",
					   "Reservation r was deleted"};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		struct queue_entry *q = calloc(1, sizeof(*q) + 1);

		t_row("%s", rows[i]);
		held_for = rows[i];
		q->job.state = PLACEHOLDER_HELD;
		do_it(q, GROUP_CANCEL, 1);
		T_STR(sent, MARKED "cancel 7; ");
		free(q);
	}
	held_for = NULL;
}

/* Nodes change for thousands of jobs at once, and each costs an RPC. */
static void a_step_asks_for_a_few_jobs_only(void)
{
	struct queue_entry *q = calloc(1, sizeof(*q) + 1);

	asked = 0;
	q->job.state = PLACEHOLDER_PENDING;
	q->did.acted_until = now + 2000;
	asked_before = 63;
	do_it(q, GROUP_CANCEL, 1);
	T_STR(sent, MARKED "cancel 7; ");
	q->job.by_us = false;
	asked_before = 64;
	do_it(q, GROUP_CANCEL, 1);
	T_STR(sent, "");
	T_INT(asked, 1);
	T_OK(!q->job.by_us && later && !q->did.acted_until);
	asked_before = 0;
	free(q);
}

T_MAIN("job_end", T(what_somebody_holds_by_now_stays),
       T(what_its_own_pods_or_slurm_hold_is_begun_anew),
       T(a_step_asks_for_a_few_jobs_only),
       T(what_is_cancelled_to_begin_anew_says_so_first),
       T(it_costs_nothing_where_no_pod_is_left),
       T(what_cannot_say_so_is_not_cancelled_yet),
       T(what_slurm_did_not_cancel_is_not_ours))
