/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bridge/placeholder/quota.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "bridge/placeholder/placeholder.h"

#define POD_JOBS_PART 2 /* jobs of pods have MaxJobCount / POD_JOBS_PART */
#define TOLD_MS 60000	/* between two logs, or Events, about a namespace */
#define WAIT_MS 2000	/* shortest wait for a turn that an Event tells */

/* What a namespace has. */
struct cap {
	UT_hash_handle hh; /* by ns */
	int failed;
	size_t jobs, pods;    /* jobs that wait or run, and the pods of these */
	size_t kept;	      /* jobs that Slurm has, ended ones included */
	size_t names;	      /* bytes of the ExcNodeLists of waiting jobs */
	size_t touched;	      /* groups that may submit, and have not yet */
	size_t touched_names; /* bytes of the ExcNodeLists of their jobs */
	int64_t told_at;      /* monotonic: the log has named it; 0: never */
	int64_t event_at;     /* monotonic: pods had an Event; 0: never */
	int64_t slot_us;      /* monotonic: the last turn that was given */
	int64_t used_us;      /* monotonic: the last turn that was used */
	int64_t step_us;      /* time between two turns */
	bool returned;	      /* a turn was given back */
	char ns[BRIDGE_NS_MAX];
};

/* What all namespaces have. */
struct quota {
	struct cap *by_ns;
	size_t kept; /* jobs of all namespaces that Slurm has */
	size_t names, touched, touched_names; /* sums of struct cap's */
	unsigned int lists; /* b->jobs.lists by which `kept` was counted */
	bool kept_known;    /* `kept` was counted once */
	bool counted;	    /* the queue was counted in this pass */
	bool waiting;	    /* a group waits for room */
	bool returned;	    /* a turn was given back */
	int64_t look_at;    /* monotonic: no look at waiting groups before */
};

static struct cap *cap_get(struct quota *c, const char *ns)
{
	struct cap *x;

	HASH_FIND_STR(c->by_ns, ns, x);
	if (x)
		return x;
	x = calloc(1, sizeof(*x));
	if (!x)
		return NULL;
	str_copy(x->ns, ns, sizeof(x->ns));
	HASH_ADD_STR(c->by_ns, ns, x);
	if (!x->failed)
		return x;
	free(x);
	return NULL;
}

static struct cap *cap_of(struct quota *c, const struct queue_entry *q)
{
	char ns[BRIDGE_NS_MAX];

	pod_group_key_ns(q->key, sizeof(ns), ns);
	return cap_get(c, ns);
}

/* True if `at` was less than a minute ago; 0: never. */
static bool was_told(int64_t at)
{
	return at && clock_ms() < at + TOLD_MS;
}

/* Free what is known of namespaces without jobs and turns. */
static void forget_idle(struct quota *c)
{
	const int64_t old = (clock_ms() - QUOTA_BURST_MS) * 1000;
	struct cap *x = NULL, *next = NULL;

	HASH_ITER(hh, c->by_ns, x, next)
	{
		if (x->jobs || x->kept || x->slot_us > old ||
		    was_told(x->told_at) || was_told(x->event_at))
			continue;
		HASH_DELETE(hh, c->by_ns, x);
		free(x);
	}
}

/*
 * Count the jobs that Slurm has: b->jobs.identities has those of its last
 * answer and those submitted since. They are counted once for each answer, as
 * they may be 100,000.
 */
static void count_kept(struct bridge *b, struct quota *c)
{
	char ns[BRIDGE_NS_MAX];

	if (c->kept_known && c->lists == b->jobs.lists)
		return;
	c->kept_known = true;
	c->lists = b->jobs.lists;
	c->kept = HASH_COUNT(b->jobs.identities);
	c->names = 0;
	for (struct cap *x = c->by_ns; x; x = x->hh.next)
		x->kept = x->names = 0;
	for (const struct known_placeholder *k = b->jobs.identities; k;
	     k = k->hh.next) {
		struct cap *x;

		c->names += k->exclude;
		if (!*k->key)
			continue;
		pod_group_key_ns(k->key, sizeof(ns), ns);
		x = cap_get(c, ns);
		if (!x)
			continue;
		x->kept++;
		x->names += k->exclude;
	}
}

static void count(struct bridge *b, struct quota *c)
{
	c->touched = c->touched_names = 0;
	for (struct cap *x = c->by_ns; x; x = x->hh.next)
		x->jobs = x->pods = x->touched = x->touched_names = 0;
	count_kept(b, c);
	for (const struct queue_entry *q = b->queue; q; q = q->hh.next) {
		struct cap *x = job_is_active(q) ? cap_of(c, q) : NULL;

		if (!x)
			continue;
		x->jobs++;
		x->pods += q->job.made_for;
	}
	forget_idle(c);
	c->counted = true;
}

static struct quota *quota_get(struct bridge *b)
{
	if (!b->limits.caps)
		b->limits.caps = calloc(1, sizeof(*b->limits.caps));
	if (b->limits.caps && !b->limits.caps->counted)
		count(b, b->limits.caps);
	return b->limits.caps;
}

/* --- what it may have */

/* What a namespace has no room for. */
enum lack { LACKS_NOTHING, LACKS_JOBS, LACKS_PODS, LACKS_KEPT, LACKS_NAMES };

/*
 * True if there is room for one job more. Slurm takes MaxJobCount jobs from the
 * whole site, with those that ended less than MinJobAge ago, and refuses sbatch
 * to everybody beyond that. Jobs of pods get half of MaxJobCount. A namespace
 * may have as many of these as stay free: alone it has half of them, each of
 * two a third, and one that comes later still finds some. So short jobs get in
 * as fast as Slurm forgets those before them.
 */
static bool has_kept_room(const struct bridge *b, const struct quota *c,
			  const struct cap *x)
{
	const size_t most =
		b->max_jobs > POD_JOBS_PART ? b->max_jobs / POD_JOBS_PART : 1;

	return !b->max_jobs ||
	       c->kept + c->touched + x->kept + x->touched < most;
}

/*
 * True if there is room for such an ExcNodeList. slurmctld keeps one for each
 * job, sends it with each list of jobs to whoever asks (squeue), and writes it
 * with each save of its state: 5,000 of 32 KiB are 160 MB. Lists of jobs that
 * have started or ended are bounded by the number of these jobs. Namespaces
 * share QUOTA_NAMES_MAX as they share jobs in has_kept_room().
 */
static bool has_names_room(const struct quota *c, const struct cap *x,
			   size_t need)
{
	return !need || c->names + c->touched_names + x->names +
					x->touched_names + need <=
				QUOTA_NAMES_MAX;
}

/*
 * What keeps this group's job out. A namespace without jobs may have one job
 * for more pods than its limit.
 */
static enum lack lack_of(const struct bridge *b, const struct quota *c,
			 const struct cap *x, const struct queue_entry *q)
{
	if (x->jobs >= q->quota.jobs)
		return LACKS_JOBS;
	if (x->jobs && x->pods + q->quota.need > q->quota.pods)
		return LACKS_PODS;
	if (!has_kept_room(b, c, x))
		return LACKS_KEPT;
	return has_names_room(c, x, q->quota.names) ? LACKS_NOTHING
						    : LACKS_NAMES;
}

/* Log the words, at most once a minute for a namespace. */
static void log_full(struct cap *x, const char *words)
{
	if (was_told(x->told_at))
		return;
	x->told_at = clock_ms();
	log_warn("bridge: %s", words);
}

/*
 * The words have no number of jobs: it changes often, and pods would be told
 * anew each time.
 */
static void say_kept(const struct bridge *b, struct cap *x, size_t size,
		     char *words)
{
	snprintf(words, size,
		 "namespace %s has as many jobs in Slurm as it may have, ended "
		 "ones too, for %u s (MinJobAge): pods have half of "
		 "MaxJobCount (%u), a namespace half of what others leave of "
		 "that",
		 x->ns, (unsigned)b->min_job_age_s, (unsigned)b->max_jobs);
	log_full(x, words);
}

static void say_names(struct cap *x, size_t size, char *words)
{
	snprintf(words, size,
		 "no room for another ExcNodeList of namespace %s's waiting "
		 "jobs: " EXCLUDE_CURE,
		 x->ns);
	log_full(x, words);
}

static void say_full(const struct bridge *b, enum lack lack, struct cap *x,
		     const struct queue_entry *q, size_t size, char *words)
{
	const bool jobs = lack == LACKS_JOBS;

	if (lack == LACKS_KEPT) {
		say_kept(b, x, size, words);
		return;
	}
	if (lack == LACKS_NAMES) {
		say_names(x, size, words);
		return;
	}
	snprintf(words, size,
		 "namespace %s has as many %s in Slurm's queue as it may have: "
		 "%u (%s in k8s.yaml)",
		 x->ns, jobs ? "jobs" : "pods",
		 jobs ? q->quota.jobs : q->quota.pods,
		 jobs ? "maxJobs" : "maxPods");
}

/*
 * True if the wait for a turn is to be told by an Event: one a minute for a
 * namespace, as an Event for each of thousands of groups would say no more.
 */
static bool has_event(struct cap *x, int64_t wait_ms)
{
	if (wait_ms < WAIT_MS || was_told(x->event_at))
		return false;
	x->event_at = clock_ms();
	return true;
}

/*
 * True if it is the group's turn to submit. A group that has no turn gets the
 * next one of its namespace, and waits for it.
 */
static bool has_turn(struct cap *x, struct queue_entry *q,
		     const struct job_spec *o)
{
	const int64_t now = clock_ms();
	const int64_t least = (now - QUOTA_BURST_MS) * 1000;

	if (!q->quota.slot_at) {
		if (x->slot_us < least)
			x->slot_us = least;
		x->step_us = 1000000 / o->ns->submits_per_s;
		x->slot_us += x->step_us;
		q->quota.slot_at = x->slot_us / 1000;
		q->quota.event = has_event(x, q->quota.slot_at - now);
	}
	if (now < q->quota.slot_at)
		return false;
	if (x->used_us < q->quota.slot_at * 1000)
		x->used_us = q->quota.slot_at * 1000;
	q->quota.slot_at = 0;
	q->quota.event = false;
	return true;
}

/* --- turns that are given back */

void quota_leave(struct bridge *b, struct queue_entry *q)
{
	struct cap *x = b->limits.caps && q->quota.slot_at
				? cap_of(b->limits.caps, q)
				: NULL;

	/* The Event may not be written yet, so another group may have one. */
	if (x && q->quota.event)
		x->event_at = 0;
	q->quota.slot_at = 0;
	q->quota.event = false;
	if (x)
		x->returned = b->limits.caps->returned = true;
}

/* A group that waits for a turn of a namespace where one was given back. */
struct waiter {
	struct queue_entry *q;
	struct cap *of;
};

static int by_turn(const void *a, const void *b)
{
	const struct waiter *x = a, *y = b;

	return (x->q->quota.slot_at > y->q->quota.slot_at) -
	       (x->q->quota.slot_at < y->q->quota.slot_at);
}

/* Give the waiters the turns that follow the last one that was used. */
static void give_turns(struct bridge *b, struct waiter *turns, size_t n)
{
	const int64_t now = clock_ms();
	const int64_t least = (now - QUOTA_BURST_MS) * 1000;

	qsort(turns, n, sizeof(*turns), by_turn);
	for (size_t i = 0; i < n; i++) {
		struct cap *x = turns[i].of;
		struct queue_entry *q = turns[i].q;

		if (x->returned)
			x->slot_us = x->used_us > least ? x->used_us : least;
		x->returned = false;
		x->slot_us += x->step_us;
		if (x->slot_us / 1000 >= q->quota.slot_at)
			continue;
		q->quota.slot_at = x->slot_us / 1000;
		queue_entry_later(
			b, q,
			q->quota.slot_at > now ? q->quota.slot_at - now : 0);
	}
}

static void move_up(struct bridge *b, struct quota *c)
{
	_cleanup_free_ struct waiter *turns =
		calloc(HASH_COUNT(b->queue) + 1, sizeof(*turns));
	size_t n = 0;

	if (!turns)
		return; /* without memory the next call does it */
	for (struct queue_entry *q = b->queue; q; q = q->hh.next) {
		struct cap *x = q->quota.slot_at ? cap_of(c, q) : NULL;

		if (x && x->returned)
			turns[n++] = (struct waiter){q, x};
	}
	give_turns(b, turns, n);
	/* Where nobody waits the next job gets the first of these turns. */
	for (struct cap *x = c->by_ns; x; x = x->hh.next) {
		if (x->returned)
			x->slot_us = x->used_us;
		x->returned = false;
	}
	c->returned = false;
}

enum quota_say quota_ask(struct bridge *b, struct queue_entry *q,
			 const struct job_spec *o, size_t size, char *words)
{
	struct quota *c = o->ns ? quota_get(b) : NULL;
	struct cap *x = c ? cap_of(c, q) : NULL;
	enum lack lack;

	q->quota.capped = false;
	if (!x) /* without memory a submission fails anyway */
		return QUOTA_GO;
	q->quota.jobs = o->ns->max_jobs;
	q->quota.pods = o->ns->max_pods;
	q->quota.need = o->id.pods;
	q->quota.names = o->exclude ? strlen(o->exclude) : 0;
	lack = lack_of(b, c, x, q);
	if (lack) {
		q->quota.capped = c->waiting = true;
		say_full(b, lack, x, q, size, words);
		return lack == LACKS_NAMES ? QUOTA_NAMES : QUOTA_FULL;
	}
	if (has_turn(x, q, o))
		return QUOTA_GO;
	snprintf(words, size,
		 "namespace %s submits as many jobs as it may: %u a second "
		 "(submitsPerSecond in k8s.yaml)",
		 x->ns, o->ns->submits_per_s);
	return QUOTA_RATE;
}

void quota_sent(struct bridge *b, const struct queue_entry *q)
{
	struct cap *x = b->limits.caps ? cap_of(b->limits.caps, q) : NULL;

	if (!x)
		return;
	x->kept++;
	b->limits.caps->kept++;
}

void quota_submitted(struct bridge *b, const struct queue_entry *q,
		     const struct job_spec *o)
{
	struct cap *x = b->limits.caps ? cap_of(b->limits.caps, q) : NULL;

	if (!x)
		return;
	x->jobs++;
	x->pods += o->id.pods;
}

/* --- lists of nodes that jobs are not to get */

static struct known_placeholder *known_of(struct bridge *b,
					  const struct queue_entry *q)
{
	struct known_placeholder *k = NULL;

	HASH_FIND(hh, b->jobs.identities, &q->job.id, sizeof(q->job.id), k);
	return k;
}

bool quota_may_exclude(struct bridge *b, const struct queue_entry *q,
		       const struct job_spec *o, size_t size, char *words)
{
	const size_t need = o->exclude ? strlen(o->exclude) : 0;
	const struct known_placeholder *k = known_of(b, q);
	struct quota *c = o->ns ? quota_get(b) : NULL;
	struct cap *x = c ? cap_of(c, q) : NULL;

	/* A list that gets shorter needs no room. */
	if (!x || !k || need <= k->exclude ||
	    has_names_room(c, x, need - k->exclude))
		return true;
	say_names(x, size, words);
	return false;
}

void quota_excludes(struct bridge *b, const struct queue_entry *q,
		    const struct job_spec *o)
{
	const size_t has = o->exclude ? strlen(o->exclude) : 0;
	struct known_placeholder *k = known_of(b, q);
	struct quota *c = b->limits.caps;
	struct cap *x = k && c && c->kept_known && c->lists == b->jobs.lists
				? cap_of(c, q)
				: NULL;

	if (x) {
		x->names = x->names - k->exclude + has;
		c->names = c->names - k->exclude + has;
	}
	if (k)
		k->exclude = has;
}

/*
 * Touch as many groups as there is room for. Each is counted as if it had
 * submitted, until its look counts anew.
 */
static void touch_capped(struct bridge *b, struct quota *c)
{
	c->waiting = false;
	for (struct queue_entry *q = b->queue; q; q = q->hh.next) {
		struct cap *x = q->quota.capped ? cap_of(c, q) : NULL;

		c->waiting |= q->quota.capped;
		if (!x || lack_of(b, c, x, q))
			continue;
		x->jobs++;
		x->pods += q->quota.need;
		x->touched++;
		c->touched++;
		x->touched_names += q->quota.names;
		c->touched_names += q->quota.names;
		q->quota.capped = false;
		queue_entry_touch(b, q);
	}
}

void quota_step(struct bridge *b)
{
	struct quota *c = b->limits.caps;

	if (!c)
		return;
	c->counted = false;
	if (c->returned)
		move_up(b, c);
	if (!c->waiting || clock_ms() < c->look_at)
		return;
	c->look_at = clock_ms() + QUOTA_LOOK_MS;
	count(b, c);
	touch_capped(b, c);
	/* jobs that are submitted now are not counted yet */
	c->counted = false;
}

void quota_free(struct quota *c)
{
	struct cap *x = NULL, *next = NULL;

	if (!c)
		return;
	HASH_ITER(hh, c->by_ns, x, next)
	{
		HASH_DELETE(hh, c->by_ns, x);
		free(x);
	}
	free(c);
}
