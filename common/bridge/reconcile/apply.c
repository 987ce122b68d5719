/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Doing what the plan says. Nothing is done twice while it may still work. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/backoff.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/str.h"
#include "bridge/reconcile/bridge_internal.h"
#include "slurm/ctl_schedule.h"

#define AGAIN_MS 2000	    /* the same action on the same job */
#define LOOK_AGAIN_MS 30000 /* at pods of an ended job, by an old view */
#define BUSY_MIN_MS 500	    /* Slurm does not take the job just now */
#define BUSY_MAX_MS 30000

/* What Slurm would refuse its user, but not us; and how long it may be. */
static int check_partition(struct bridge_thread *b, struct order *o,
			   struct err *err)
{
	int rc = ctl_parts_refresh(&b->parts, err);

	if (!rc)
		rc = ctl_parts_check(b->parts, o->p.partition, err);
	if (!rc && o->wish.most_minutes)
		o->p.time_limit =
			ctl_parts_shorten(b->parts, o->p.partition,
					  (uint32_t)o->wish.most_minutes);
	return rc;
}

/* --- the job */

/* Not just now: its pods are told, if it lasts. */
void act_tell_busy(struct bridge_thread *b, struct queued *q, struct judged *j,
		   const struct choice *pods, const struct err *err)
{
	j->plan.action = BRIDGE_WAIT;
	str_copy(j->plan.words, err->msg, sizeof(j->plan.words));
	tell_pods(b, q, j, pods);
}

static void try_later(struct bridge_thread *b, struct queued *q,
		      struct judged *j, const struct choice *pods,
		      const struct err *err)
{
	const int64_t ms =
		backoff_doubled(BUSY_MIN_MS, q->failures++, BUSY_MAX_MS);

	log_debug("bridge: %s: %s", q->key, err->msg);
	if (j->order.places && !q->jobless_at)
		q->jobless_at = clock_ms();
	b->jobs_stale = true; /* the answer may be lost, not the job */
	q->submit_at = clock_ms() + ms;
	queued_later(b, q, ms);
	act_tell_busy(b, q, j, pods, err);
}

/* What its namespace may have; else its pods are told. */
static bool may_submit(struct bridge_thread *b, struct queued *q,
		       struct judged *j, const struct choice *pods)
{
	struct err err = {0};
	enum caps_say said;

	if (j->order.places) /* they run: it had a job */
		return true;
	said = caps_ask(b, q, &j->order, sizeof(err.msg), err.msg);
	if (said == CAPS_GO)
		return true;
	j->too_many = said == CAPS_FULL ? "Too many jobs" : NULL;
	queued_later(b, q,
		     said == CAPS_FULL ? CAPS_AGAIN_MS
				       : q->slot_at - clock_ms());
	act_tell_busy(b, q, j, pods, &err);
	return false;
}

/* Its last jobs were of no use (see rest_if_in_vain() of bridge_jobs.c). */
static void tell_vain(struct bridge_thread *b, struct queued *q,
		      struct judged *j, const struct choice *pods)
{
	static const char words[] =
		"its Slurm jobs end before its pods are bound, see "
		"slurmctld.log: the next one comes within a minute";
	struct err err = {0};

	err_set(&err, -EAGAIN, "%s", words);
	say(&b->says, LOG_LEVEL_WARN, &j->order.id.of, words);
	act_tell_busy(b, q, j, pods, &err);
}

/*
 * Its pods run, and had a job. What Slurm lacks for another one may still come:
 * their user's name (sssd), say, or their nodes. They would be deleted for it.
 */
static void refused_running(struct bridge_thread *b, struct queued *q,
			    struct judged *j, const struct choice *pods,
			    const struct err *err)
{
	char words[ERR_MSG_MAX + 64];

	snprintf(words, sizeof(words),
		 "its pods run, and Slurm has not taken a job for them yet: %s",
		 err->msg);
	say(&b->says, LOG_LEVEL_WARN, &j->order.id.of, words);
	try_later(b, q, j, pods, err);
}

/* Slurm has taken it. */
static void accepted(struct queued *q)
{
	q->failures = 0;
	q->submit_at = q->jobless_at = 0;
	free(q->refused);
	q->refused = NULL;
	free(q->told.reason);
	q->told = (struct told){0};
}

static void submit(struct bridge_thread *b, struct queued *q, struct judged *j,
		   const struct choice *pods)
{
	struct order *o = &j->order;
	struct err err = {0};
	uint32_t job_id = 0;
	int rc;

	if (clock_ms() < q->submit_at && !q->refused) {
		queued_later(b, q, q->submit_at - clock_ms());
		if (q->in_vain > 1)
			tell_vain(b, q, j, pods);
		return;
	}
	/* (those whose pods run had a job) */
	if (!o->places && brake_holds(b, q, o, &err)) {
		act_tell_busy(b, q, j, pods, &err);
		return;
	}
	if (!may_submit(b, q, j, pods))
		return;
	rc = order_set_user(b, o, &err);
	if (!rc)
		rc = check_partition(b, o, &err);
	if (!rc)
		rc = ctl_placeholder_submit(&o->p, &job_id, &err);
	if (rc == -EDQUOT && !o->places && brake_full(b, q, o, &err)) {
		b->jobs_stale = true; /* (as below) */
		act_tell_busy(b, q, j, pods, &err);
		return;
	}
	if (rc == -EAGAIN || rc == -ENOMEM || rc == -EDQUOT) {
		try_later(b, q, j, pods, &err);
		return;
	}
	if (rc && o->places) {
		refused_running(b, q, j, pods, &err);
		return;
	}
	if (rc) {
		act_refused(b, q, j, err.msg);
		return;
	}
	accepted(q);
	log_debug("bridge: job %u is %s %s/%s, %u pods", job_id,
		  workload_api(o->id.of.kind)->kind, o->id.of.ns, o->id.of.name,
		  o->id.pods);
	caps_submitted(b, q, o);
	brake_passed(b, q, o);
	jobs_submitted(b, q, job_id, &o->id);
	if (!o->places)
		return;
	q->pinned = job_id;
	log_info("bridge: job %u is for %u pods that run on %.200s: Slurm has "
		 "no job of theirs",
		 job_id, o->id.pods, o->places);
}

/* Who holds a job ends that himself. Told once. */
static void tell_held(struct bridge_thread *b, const struct judged *j,
		      const struct choice *pods)
{
	for (size_t i = 0; i < pods->n; i++) {
		const struct chosen *c = &pods->v[i];
		const struct bridge_ref ref = {c->ns, c->name, c->uid};

		bridge_work_event(b->work, &ref, true, "Held", j->plan.words);
	}
	log_warn("bridge: %s", j->plan.words);
}

/*
 * It has run before: what it was to wait for then is past, but for a hold. (It
 * may not start elsewhere, while its pods are where they are.)
 */
static void pin(struct bridge_thread *b, struct queued *q,
		const struct judged *j, const struct choice *pods)
{
	const struct placeholder to = {.nodelist = j->order.places,
				       .dependency = ""};
	struct err err = {0};
	int rc = to.nodelist ? ctl_placeholder_update(q->job_id, &to, &err)
			     : -EAGAIN;

	b->jobs_stale = true;
	if (rc == -EAGAIN || rc == -ENOMEM) {
		queued_later(b, q, AGAIN_MS);
		return;
	}
	/*
	 * It names a node that was deleted: Slurm takes no change of it, and
	 * may start it anywhere. Its pods, which run, get another one (row
	 * "lost"), also when the bridge has not just begun: early_jobless().
	 * (Who holds it ends that himself, by scancel here.)
	 */
	if (rc == -ENODEV && q->job != BRIDGE_HELD) {
		q->jobless_at = clock_ms();
		end_and_replace(b, q, err.msg);
		return;
	}
	q->pinned = q->job_id;
	if (rc)
		log_warn("bridge: job %u cannot start where its pods run: %s",
			 q->job_id, err.msg);
	else
		log_info("bridge: job %u is to start on %.200s again, where "
			 "its pods run",
			 q->job_id, to.nodelist);
	if (q->job == BRIDGE_HELD)
		tell_held(b, j, pods);
	ctl_schedule();
}

/* Pods that run have the id of a job that Slurm has lost. Told once. */
static void adopt_pods(struct bridge_thread *b, struct queued *q,
		       const struct choice *pods)
{
	const bool first = q->adopted != q->job_id;
	char mark[BRIDGE_KEY_MAX];

	bridge_seen_mark(q->key, mark);
	for (size_t i = 0; i < pods->n; i++) {
		const struct chosen *c = &pods->v[i];
		const struct bridge_ref ref = {c->ns, c->name, c->uid};
		const struct bridge_note note = {.job_id = q->job_id,
						 .bound = true,
						 .node = c->node,
						 .group = mark,
						 .by = b->bound_by,
						 .queue = ""};

		bridge_work_note(b->work, &ref, &note);
		if (first)
			bridge_work_event(b->work, &ref, false, "Adopted",
					  "Slurm has a new job for it");
	}
	if (first)
		log_info("bridge: job %u: has %zu pods that run", q->job_id,
			 pods->n);
	q->adopted = q->job_id;
}

/* Is the last one of this kind still having its effect? */
static bool is_repeated(struct bridge_thread *b, struct queued *q,
			const struct bridge_do *plan)
{
	const int64_t now = clock_ms(),
		      again = plan->look ? LOOK_AGAIN_MS : AGAIN_MS;

	if (plan->action == BRIDGE_SUBMIT || plan->action == BRIDGE_UPDATE)
		return false;
	if (plan->action == BRIDGE_DELETE_PODS && now < q->delete_again_at) {
		queued_later(b, q, q->delete_again_at - now);
		return true;
	}
	if (q->acted == plan->action && now < q->acted_until) {
		queued_later(b, q, q->acted_until - now);
		return true;
	}
	q->acted = plan->action;
	q->acted_until = now + again;
	queued_later(b, q, again);
	return false;
}

void act(struct bridge_thread *b, struct queued *q, struct judged *j,
	 const struct choice *pods)
{
	const struct bridge_do *plan = &j->plan;

	if (plan->action != BRIDGE_DELETE_PODS)
		q->delete_tries = 0;
	switch (plan->action) {
	case BRIDGE_KEEP:
		return;
	case BRIDGE_REFUSE:
	case BRIDGE_WAIT:
	case BRIDGE_NOTE:
		tell_pods(b, q, j, pods);
		return;
	case BRIDGE_SUBMIT:
	case BRIDGE_UPDATE:
	case BRIDGE_BIND:
	case BRIDGE_PIN:
	case BRIDGE_ADOPT:
	case BRIDGE_COMPLETE:
	case BRIDGE_CANCEL:
	case BRIDGE_DELETE_PODS:
		break;
	}
	if (is_repeated(b, q, plan))
		return;
	if (plan->action == BRIDGE_SUBMIT)
		submit(b, q, j, pods);
	else if (plan->action == BRIDGE_UPDATE)
		updates_do(b, q, j, pods);
	else if (plan->action == BRIDGE_BIND)
		bind_pods(b, q, j, pods);
	else if (plan->action == BRIDGE_PIN)
		pin(b, q, j, pods);
	else if (plan->action == BRIDGE_ADOPT)
		adopt_pods(b, q, pods);
	else if (plan->action == BRIDGE_DELETE_PODS)
		delete_pods(b, q, j, pods);
	else
		end_job(b, q, j);
}
