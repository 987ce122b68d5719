/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What becomes of a binding that was refused. */
#include <stdlib.h>
#include <string.h>

#include "bridge/reconcile/reconcile.h"
#include "t.h"

static int64_t now = 1000000, later;
static struct group_pod member;
static char event[512];
static bool noted, touched;

int64_t __wrap_clock_ms(void);
int64_t __wrap_clock_ms(void)
{
	return now;
}

void queue_entry_touch(struct bridge *b, struct queue_entry *q)
{
	(void)b;
	(void)q;
	touched = true;
}

void queue_entry_later(struct bridge *b, struct queue_entry *q, int64_t ms)
{
	(void)b;
	(void)q;
	later = ms;
}

void pod_groups_lock(struct pod_groups *v)
{
	(void)v;
}

void pod_groups_unlock(struct pod_groups *v)
{
	(void)v;
}

struct group_pod *pod_groups_pod(struct pod_groups *v, const char *uid)
{
	(void)v;
	return strcmp(uid, "u1") ? NULL : &member;
}

bool bridge_requests_note(struct bridge_requests *w, const struct pod_ref *pod,
			  const struct pod_patch *note)
{
	(void)w;
	noted = !strcmp(pod->uid, "u1") && !note->job_id;
	return true;
}

void bridge_requests_event(struct bridge_requests *w, const struct pod_ref *pod,
			   bool warning, const char *reason,
			   const char *message)
{
	(void)w;
	(void)reason;
	T_OK(warning);
	T_STR(pod->name, "p1");
	snprintf(event, sizeof(event), "%s", message);
}

static struct queue_entry *job(void)
{
	struct queue_entry *q = calloc(1, sizeof(*q) + 8);

	strcpy(q->key, "ns/p1");
	q->job.id = 7;
	q->bound.until = now + 5000;
	return q;
}

static void what_is_free_is_tried_more_and_more_seldom(void)
{
	static const int64_t waits[] = {2000,  4000,  8000, 16000,
					32000, 60000, 60000};
	const struct bridge_request_failure f = {.what = BRIDGE_REQUEST_BIND,
						 .http = 409,
						 .look = POD_READ_FREE};
	struct bridge b = {0};
	struct queue_entry *q = job();

	for (unsigned int i = 0; i < T_COUNT(waits); i++) {
		t_row("%u", i);
		q->bound.tries = i;
		bind_failed(&b, q, &f);
		bind_failed(&b, q, &f); /* (another pod of the same gang) */
		T_INT(q->bound.until, now + waits[i]);
		T_INT(later, waits[i]);
	}
	T_INT(q->bound.taken, 0);
	free(q);
}

static void what_is_refused_for_good_is_tried_more_and_more_seldom(void)
{
	static const int codes[] = {400, 403, 422};
	struct bridge b = {0};

	for (size_t i = 0; i < T_COUNT(codes); i++) {
		const struct bridge_request_failure f = {
			.what = BRIDGE_REQUEST_BIND,
			.http = codes[i],
			.words = "POST /api/v1/pods/p1/binding: not: here"};
		struct queue_entry *q = job();

		t_row("%d", codes[i]);
		q->bound.tries = 1;
		bind_failed(&b, q, &f);
		bind_failed(&b, q, &f);
		T_STR(q->bound.denied,
		      "Kubernetes refuses to bind it: not: here");
		T_INT(q->bound.until, now + 4000);
		T_INT(later, 4000);
		T_INT(q->bound.denied_at, now);
		/* one that has lasted is decided on at once */
		q->bound.denied_at = now - BRIDGE_DENIED_MS;
		bind_failed(&b, q, &f);
		T_INT(q->bound.until, now);
		T_INT(later, 0);
		T_INT(q->bound.denied_at, now - BRIDGE_DENIED_MS);
		free(q->bound.denied);
		free(q);
	}
}

static void another_refusal_is_tried_again_at_once(void)
{
	const struct bridge_request_failure f = {.what = BRIDGE_REQUEST_BIND,
						 .http = 500};
	struct bridge b = {0};
	struct queue_entry *q = job();

	bind_failed(&b, q, &f);
	T_INT(q->bound.until, 0);
	T_OK(!q->bound.denied);
	free(q);
}

/* It is in view in a moment, and then the plan says what becomes of it. */
static void what_we_have_bound_before_is_looked_at(void)
{
	const struct bridge_request_failure f = {.what = BRIDGE_REQUEST_BIND,
						 .http = 409,
						 .look = POD_READ_EARLIER,
						 .uid = "u1",
						 .words = "p1: n2"};
	struct bridge b = {0};
	struct queue_entry *q = job();

	touched = noted = false;
	bind_failed(&b, q, &f);
	T_OK(touched && !noted && !member.foreign);
	T_INT(q->bound.taken, 0);
	T_INT(q->bound.until, now + 5000); /* (it is not bound again) */
	free(q);
}

static void what_somebody_else_has_bound_ends_the_job(void)
{
	struct bridge_request_failure f = {.what = BRIDGE_REQUEST_BIND,
					   .http = 409,
					   .look = POD_READ_OTHERS,
					   .uid = "u1",
					   .words = "p1: n2"};
	static const struct bridged_pod pod = {
		.name = "p1", .ns = "ns", .uid = "u1", .node = ""};
	struct bridge b = {0};
	struct queue_entry *q = job();

	member.pod = (struct bridged_pod *)&pod;
	t_log_clear();
	bind_failed(&b, q, &f);
	T_INT(q->bound.taken, 7);
	T_OK(touched && noted && member.foreign);
	T_INT(q->disowned.at, now + DISOWN_MIN_MS);
	T_STR(event, "bound by somebody else (p1: n2), so Slurm job 7 is "
		     "cancelled");
	T_HAS(t_log(), event);
	free(q);
}

T_MAIN("bind_conflict", T(what_we_have_bound_before_is_looked_at),
       T(what_is_free_is_tried_more_and_more_seldom),
       T(what_is_refused_for_good_is_tried_more_and_more_seldom),
       T(another_refusal_is_tried_again_at_once),
       T(what_somebody_else_has_bound_ends_the_job))
