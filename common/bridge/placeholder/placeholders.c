/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The placeholder jobs as Slurm has them. Which jobs are ours is told by a
 * list of all jobs only, so that is asked for seldom; how those that are known
 * are doing by a small RPC, often (Slurm 24.05 and later).
 */
#include <errno.h>
#include <string.h>

#include "base/backoff.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/str.h"
#include "bridge/placeholder/placeholder.h"
#include "slurm/ctl_schedule.h"
#include "slurm/jobs_pace.h"

#define STATES_MS 250	   /* how jobs that are known are doing */
#define HURRY_MS 500	   /* after a submission, */
#define HURRY_STATES_MS 10 /* so often, */
#define STATES_SHARE 10	   /* in at most this part of the time */
#define LIST_MS 5000	   /* the reasons of those that wait */
#define YOUNG_MS 10000	   /* a job without one is new, */
#define OLD_MS 10000	   /* or asked for so often */
#define STALE_MS 100	   /* something is known to have changed */
#define POLL_MS 500	   /* without that small RPC */
#define RETRY_MS 1000	   /* slurmctld does not answer */
#define LAYOUTS_MAX 16	   /* jobs that are asked for one by one */
#define LOAD_CHEAP_MS 20   /* unless a list takes longer than this */

/* --- a list of all jobs */

/* Two jobs of one group. True: the new one is the one to keep. */
static bool is_better(struct bridge *b, struct queue_entry *q,
		      const struct placed *p)
{
	const struct duplicate_job fresh = {
		.job = placeholder_state_of(&p->status),
		.job_id = p->job_id,
		.bound = placeholder_bound_by(b, q, p->job_id),
	};
	const struct duplicate_job old = {
		.job = q->job.state,
		.job_id = q->job.id,
		.bound = placeholder_bound_by(b, q, q->job.id),
	};

	return placeholder_to_keep(&fresh, &old);
}

static bool is_active(enum placeholder_state job)
{
	return job >= PLACEHOLDER_PENDING && job < PLACEHOLDER_COMPLETING;
}

/*
 * Slurm keeps jobs that have ended for a while (MinJobAge), and may name them
 * before the group's job of now: that one stays its job.
 */
static bool is_former(const struct bridge *b, const struct queue_entry *q,
		      const struct placed *p)
{
	const struct known_placeholder *k = NULL;

	if (q->job.load == b->jobs.load || p->job_id == q->job.id ||
	    !q->job.id || placeholder_state_of(&p->status) != PLACEHOLDER_ENDED)
		return false;
	HASH_FIND(hh, b->jobs.identities, &q->job.id, sizeof(q->job.id), k);
	return k && k->load == b->jobs.load && !strcmp(k->key, q->key);
}

static void take(struct bridge *b, struct queue_entry *q,
		 const struct known_placeholder *k, const struct placed *p)
{
	const enum placeholder_state job = placeholder_state_of(&p->status);

	if (is_former(b, q, p))
		return;
	if (q->job.load == b->jobs.load) {
		/* A job whose pods are not in view is no twin to cancel. */
		if (!is_better(b, q, p)) {
			if (is_active(job) && !k->other)
				q->job.twin = p->job_id;
			return;
		}
		q->job.twin = is_active(q->job.state) && !q->job.strange
				      ? q->job.id
				      : 0;
	} else {
		q->job.twin = 0;
	}
	q->job.load = b->jobs.load;
	placeholder_adopt(b, q, k, p->job_id);
	q->job.requeued |= p->restarts > 0;
	if (q->job.start_s != p->start || !str_eq(q->job.reason, p->reason)) {
		if (placeholder_waits(job))
			queue_entry_touch(b, q);
		q->job.start_s = p->start;
	}
	placeholder_set_reason(q, p->reason);
	placeholder_set_state(b, q, job, placeholder_end_of(&p->status));
	if (job == PLACEHOLDER_RUNNING) {
		placeholder_set_nodes(b, q, p->nodes);
		q->nodes.has = p->has;
	}
	if (q->job.twin)
		queue_entry_touch(b, q);
}

static void take_all(struct bridge *b)
{
	const size_t n = ctl_placeholders_count(b->jobs.list);

	b->jobs.load++;
	for (size_t i = 0; i < n; i++) {
		const struct placed *p = ctl_placeholders_at(b->jobs.list, i);
		struct known_placeholder *k = known_placeholder_of(b, p);

		if (!k)
			continue;
		k->load = b->jobs.load;
		k->exclude = p->exclude;
	}
	for (size_t i = 0; i < n; i++) {
		const struct placed *p = ctl_placeholders_at(b->jobs.list, i);
		struct known_placeholder *k = known_placeholder_of(b, p);
		struct queue_entry *q;

		if (!k || !*k->key || k->lost)
			continue;
		/*
		 * An ended job matters only to a group that is known: no entry
		 * is made for it.
		 */
		q = p->status.state == PLACED_ENDED
			    ? queue_entry_find(b, k->key)
			    : queue_entry_get(b, k->key);
		if (q)
			take(b, q, k, p);
	}
	known_placeholders_forget_gone(b);
	for (struct queue_entry *q = b->queue; q; q = q->hh.next)
		if (q->job.load != b->jobs.load) {
			q->job.twin = 0;
			placeholder_set_state(b, q, PLACEHOLDER_NONE,
					      q->job.end);
		}
}

static void answered(struct bridge *b, bool known, const struct err *err)
{
	if (known == b->jobs.known)
		return;
	b->jobs.known = known;
	if (!known)
		log_warn("the bridge waits for slurmctld: %s", err->msg);
	for (struct queue_entry *q = b->queue; q; q = q->hh.next)
		queue_entry_touch(b, q);
}

/*
 * One waits, and its reason is not known. Slurm may have one by now, and not
 * count that as a change. (In a long queue it has none for those at its end.)
 */
static bool lacks_a_reason(const struct bridge *b)
{
	const int64_t now = clock_ms();
	const bool often = now < b->jobs.reasons_at + OLD_MS;

	for (const struct queue_entry *q = b->queue; q; q = q->hh.next)
		if (q->job.state == PLACEHOLDER_PENDING && !q->job.reason &&
		    (!often || now - q->job.state_at < YOUNG_MS))
			return true;
	return false;
}

static void load(struct bridge *b)
{
	const struct placed_known known = {known_placeholder_has, b};
	struct err err = {0};
	const int64_t begin = clock_ms();
	int64_t took;
	int rc;

	if (lacks_a_reason(b)) { /* all jobs, whatever has changed */
		ctl_placeholders_free(b->jobs.list);
		b->jobs.list = NULL;
		b->jobs.reasons_at = begin;
	}
	rc = ctl_placeholders_load(b->external.reader, &b->jobs.list, &known,
				   &err);
	b->jobs.loaded_at = clock_ms();
	if (rc >= 0) {
		b->jobs.stale = false;
		b->jobs.lists++;
	}
	if (rc > 0) {
		took = b->jobs.loaded_at - begin;
		/* The shorter of two counts: one may be slow by chance. */
		b->jobs.load_took =
			took < b->jobs.load_before ? took : b->jobs.load_before;
		b->jobs.load_before = took;
		take_all(b);
	}
	answered(b, rc >= 0, &err);
}

void placeholders_reload(struct bridge *b)
{
	ctl_placeholders_free(b->jobs.list);
	b->jobs.list = NULL;
	load(b);
}

/* --- the small RPC */

static int ask_states(struct bridge *b, const uint32_t *ids, size_t n,
		      struct placed_status *out)
{
	struct err err = {0};
	int rc = ctl_placeholder_states(ids, n, out, &err);

	if (rc == -EOPNOTSUPP)
		b->jobs.no_states = true;
	else if (rc)
		log_debug("%s", err.msg);
	return rc;
}

/* What became of a job in the end only the list tells. */
static void take_state(struct bridge *b, struct queue_entry *q,
		       const struct placed_status *s)
{
	const enum placeholder_state job = placeholder_state_of(s);

	/* Only a job's priority, not told here, says that it is held. */
	if (job == PLACEHOLDER_PENDING && q->job.state == PLACEHOLDER_HELD)
		return;
	if (job == q->job.state || job == PLACEHOLDER_NONE) {
		b->jobs.stale |= job == PLACEHOLDER_NONE;
		return;
	}
	/* The nodes of a running job are asked for when they are needed. */
	b->jobs.stale |= job != PLACEHOLDER_RUNNING;
	placeholder_set_state(b, q, job, placeholder_end_of(s));
}

/* How those are doing of whom `which` is true. Negative: no answer. */
static int look_at_states(struct bridge *b,
			  bool (*which)(const struct queue_entry *q))
{
	_cleanup_free_ uint32_t *ids =
		calloc(b->jobs.n_active + 1, sizeof(*ids));
	_cleanup_free_ struct queue_entry **of =
		calloc(b->jobs.n_active + 1, sizeof(struct queue_entry *));
	_cleanup_free_ struct placed_status *out =
		calloc(b->jobs.n_active + 1, sizeof(*out));
	size_t n = 0;
	int rc;

	if (!ids || !of || !out)
		return -ENOMEM;
	for (struct queue_entry *q = b->queue; q && n < b->jobs.n_active;
	     q = q->hh.next) {
		if (!which(q))
			continue;
		of[n] = q;
		ids[n++] = q->job.id;
	}
	rc = n ? ask_states(b, ids, n, out) : 0;
	for (size_t i = 0; i < n && !rc; i++)
		take_state(b, of[i], &out[i]);
	return rc;
}

static int64_t list_at(const struct bridge *b)
{
	const int64_t share = b->jobs.load_took * JOBS_SHARE;
	int64_t gap = b->jobs.no_states ? POLL_MS : LIST_MS;

	if (!b->jobs.known)
		gap = RETRY_MS;
	else if (b->jobs.stale)
		gap = STALE_MS;
	return b->jobs.loaded_at
		       ? b->jobs.loaded_at + (gap > share ? gap : share)
		       : 0;
}

/* Jobs that were just submitted start soon, if there is room. */
static int64_t states_at(const struct bridge *b)
{
	const int64_t gap = b->jobs.states_at < b->jobs.hurry_until
				    ? HURRY_STATES_MS
				    : STATES_MS;
	const int64_t share = b->jobs.states_took * STATES_SHARE;

	return b->jobs.states_at + (gap > share ? gap : share);
}

int64_t placeholders_next(const struct bridge *b)
{
	const int64_t list = list_at(b);
	const int64_t states = states_at(b);

	if (b->jobs.no_states || !b->jobs.n_active || !b->jobs.known)
		return list;
	return list < states ? list : states;
}

void placeholders_refresh(struct bridge *b)
{
	const int64_t now = clock_ms();

	if (b->jobs.known && !b->jobs.no_states && b->jobs.n_active &&
	    now >= states_at(b)) {
		look_at_states(b, job_is_active);
		b->jobs.states_at = clock_ms();
		b->jobs.states_took = b->jobs.states_at - now;
	}
	if (now >= list_at(b))
		load(b);
}

/* --- jobs that are a moment old */

void placeholders_submitted(struct bridge *b, struct queue_entry *q,
			    uint32_t job_id, const struct job_identity *id)
{
	struct known_placeholder *k = NULL;

	HASH_FIND(hh, b->jobs.identities, &job_id, sizeof(job_id), k);
	if (k) /* the number was another job's */
		known_placeholder_drop(b, k);
	k = known_placeholder_new(b, job_id, id);
	if (!k) {
		b->jobs.stale = true;
		return;
	}
	k->load = b->jobs.load;
	k->made = true;
	placeholder_adopt(b, q, k, job_id);
	q->job.load = b->jobs.load;
	q->job.end = PLACEHOLDER_NOT_ENDED;
	placeholder_set_reason(q, "");
	q->job.start_s = 0;
	placeholder_set_state(b, q, PLACEHOLDER_PENDING, PLACEHOLDER_NOT_ENDED);
	q->job.state_at = clock_ms();
	if (b->jobs.n_fresh < BRIDGE_FRESH_MAX)
		b->jobs.fresh[b->jobs.n_fresh++] = job_id;
}

void placeholders_held(struct bridge *b, struct queue_entry *q,
		       const char *reason)
{
	placeholder_set_reason(q, reason);
	placeholder_set_state(b, q, PLACEHOLDER_HELD, q->job.end);
	b->jobs.stale = true;
}

struct queue_entry *placeholders_queued_of(struct bridge *b, uint32_t job_id)
{
	struct known_placeholder *k = NULL;
	struct queue_entry *q;

	HASH_FIND(hh, b->jobs.identities, &job_id, sizeof(job_id), k);
	q = k && *k->key ? queue_entry_find(b, k->key) : NULL;
	return q && q->job.id == job_id ? q : NULL;
}

static bool has_nodes(const struct queue_entry *q)
{
	return placeholder_had_nodes(q->job.state);
}

static bool any_started(const struct placed_status *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (s[i].state == PLACED_RUNNING)
			return true;
	return false;
}

/*
 * Those that have started may have the CPUs of jobs that have ended since those
 * were looked at, and whose pods are still there (see nodes_are_free()).
 */
static int ask_fresh(struct bridge *b, size_t n,
		     struct placed_status out[BRIDGE_FRESH_MAX])
{
	const int rc = b->jobs.no_states ? -EOPNOTSUPP
					 : ask_states(b, b->jobs.fresh, n, out);

	return rc || !any_started(out, n) ? rc : look_at_states(b, has_nodes);
}

void placeholders_look_at_fresh(struct bridge *b)
{
	struct placed_status out[BRIDGE_FRESH_MAX];
	const size_t n = b->jobs.n_fresh;
	size_t running = 0;

	b->jobs.n_fresh = 0;
	b->jobs.hurry_until = clock_ms() + HURRY_MS;
	ctl_schedule();
	if (ask_fresh(b, n, out)) {
		b->jobs.stale = true; /* a list takes its share of time */
		placeholders_refresh(b);
		return;
	}
	for (size_t i = 0; i < n; i++) {
		struct queue_entry *q =
			placeholders_queued_of(b, b->jobs.fresh[i]);

		if (q)
			take_state(b, q, &out[i]);
		running += q && q->job.state == PLACEHOLDER_RUNNING;
	}
	/* The nodes of a few jobs are asked for one by one. */
	if (running > LAYOUTS_MAX && b->jobs.load_took <= LOAD_CHEAP_MS)
		load(b);
}

void placeholders_look_for_room(struct bridge *b)
{
	if (b->jobs.freed)
		ctl_schedule();
	b->jobs.freed = false;
}

void placeholders_free(struct bridge *b)
{
	struct known_placeholder *k = NULL, *next = NULL;

	HASH_ITER(hh, b->jobs.identities, k, next)
	{
		known_placeholder_drop(b, k);
	}
	ctl_placeholders_free(b->jobs.list);
}
