/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pods whose job does not run any more end. What the API server does not do (no
 * right, a webhook that fails) is tried again more and more seldom.
 */
#include <string.h>

#include "base/backoff.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/str.h"
#include "bridge/reconcile/bridge_internal.h"

#define DELETE_MIN_MS 4000
#define DELETE_MAX_MS 60000
#define TELL_MS 60000 /* the same again */

/* By a view that is old: each is looked at first. */
static void end_pods(struct bridge_thread *b, const struct bridge_do *plan,
		     const struct choice *pods)
{
	for (size_t i = 0; i < pods->n; i++) {
		const struct chosen *c = &pods->v[i];
		const struct bridge_ref ref = {c->ns, c->name, c->uid};
		const uint32_t most = bridge_kill_wait(b->kill_wait_s);
		const struct bridge_end_of end = {
			.job_id = plan->job_id,
			.grace_s = c->grace_s < most ? c->grace_s : most,
			.words = plan->words};

		bridge_work_end(b->work, &ref, c->node, &end);
	}
	log_debug("bridge: %zu pods are looked at: %s", pods->n, plan->words);
}

/* The same pods and words, a moment ago: what was done then is not seen yet. */
static bool is_told(struct queued *q, const char *words,
		    const struct choice *pods)
{
	const int64_t now = clock_ms();
	const uint32_t sum =
		str_hash(STR_HASH, words, strlen(words)) + choice_sum(pods);

	if (sum == q->deleted_sum && now < q->deleted_at + TELL_MS)
		return true;
	q->deleted_sum = sum;
	q->deleted_at = now;
	return false;
}

void delete_pods(struct bridge_thread *b, struct queued *q,
		 const struct judged *j, const struct choice *pods)
{
	const struct bridge_do *plan = &j->plan;
	const char *reason = plan->grown_only ? "Resized" : "Slurm job ended";

	if (!pods->n)
		return;
	if (plan->look) {
		end_pods(b, plan, pods);
		return;
	}
	if (is_told(q, plan->words, pods))
		reason = NULL;
	else
		log_info("bridge: %zu pods deleted: %s", pods->n, plan->words);
	for (size_t i = 0; i < pods->n; i++) {
		const struct chosen *c = &pods->v[i];
		const struct bridge_ref ref = {c->ns, c->name, c->uid};
		/* (one that waits may be bound by now: then it ends like the
		 * others, and else the API server has it go at once. The plan's
		 * is of those that live.) */
		const uint32_t most = c->waiting || c->leaving
					      ? bridge_kill_wait(b->kill_wait_s)
					      : plan->grace_s;

		bridge_work_delete(b->work, &ref,
				   c->grace_s < most ? c->grace_s : most,
				   reason, plan->words);
	}
}

static struct queued *queued_of(struct bridge_thread *b, const char *uid)
{
	const struct bridge_member *m;
	struct queued *q;

	bridge_seen_lock(b->seen);
	m = bridge_seen_pod(b->seen, uid);
	q = m && m->group ? queued_find(b, m->group->key) : NULL;
	bridge_seen_unlock(b->seen);
	return q;
}

void delete_failed(struct bridge_thread *b, const struct bridge_failure *f)
{
	const int64_t now = clock_ms();
	struct queued *q = queued_of(b, f->uid);
	int64_t ms;

	/* (one of the same round has been counted) */
	if (!q || now < q->delete_again_at)
		return;
	ms = backoff_doubled(DELETE_MIN_MS, q->delete_tries++, DELETE_MAX_MS);
	q->delete_again_at = now + ms;
	q->deleted_sum = 0; /* (an Event is due when it is done) */
	queued_later(b, q, ms);
}
