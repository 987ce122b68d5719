/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bridge/placeholder/submit_backoff.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/backoff.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/log.h"
#include "bridge/placeholder/placeholder.h"

#define WINDOW_MAX 256	/* most groups that try at once */
#define TRY_MS 5000	/* until others try, if a group of a round does not */
#define NEW_MS 5000	/* longest pause for a group that never tried */
#define BRAKES_MAX 1000 /* most backoffs */

/*
 * The pause of a namespace's groups that ask for one user, account, QOS and
 * partition: Slurm's limits may be of each of these.
 */
struct submit_backoff {
	UT_hash_handle hh; /* by key */
	int failed;
	struct submit_backoff_key {
		char ns[BRIDGE_NS_MAX];
		uint32_t sum; /* sum of user, account and so on; not 0 */
	} key;
	int64_t until;	    /* monotonic: no group tries before */
	int64_t refused_at; /* monotonic: the last refusal */
	unsigned int tries; /* refusals in a row */
	bool open;	    /* the groups of `round` may try now */
	uint32_t round;
	size_t window;		 /* how many groups may try in a round */
	size_t asked, passed;	 /* groups of `round`; how many had a job */
	char words[ERR_MSG_MAX]; /* Slurm's words of the last refusal */
};

static uint32_t add_text(uint32_t sum, const struct job_spec *o,
			 enum job_option_key key)
{
	const char *text = job_options_text(&o->options, key);

	return text ? str_hash(sum, text, strlen(text) + 1)
		    : str_hash(sum, "", 1);
}

static void key_of(const struct queue_entry *q, const struct job_spec *o,
		   struct submit_backoff_key *key)
{
	static const enum job_option_key keys[] = {
		JOB_OPTION_USER, JOB_OPTION_ACCOUNT, JOB_OPTION_QOS,
		JOB_OPTION_PARTITION};
	uint32_t sum = STR_HASH;

	memset(key, 0, sizeof(*key));
	pod_group_key_ns(q->key, sizeof(key->ns), key->ns);
	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		sum = add_text(sum, o, keys[i]);
	key->sum = sum ? sum : 1;
}

static struct submit_backoff *submit_backoff_find(struct bridge *b,
						  const struct queue_entry *q,
						  const struct job_spec *o)
{
	struct submit_backoff_key key;
	struct submit_backoff *x;

	key_of(q, o, &key);
	HASH_FIND(hh, b->limits.backoffs, &key, sizeof(key), x);
	return x;
}

static void submit_backoff_drop(struct bridge *b, struct submit_backoff *x)
{
	HASH_DELETE(hh, b->limits.backoffs, x);
	free(x);
}

void submit_backoffs_free(struct bridge *b)
{
	while (b->limits.backoffs)
		submit_backoff_drop(b, b->limits.backoffs);
}

/* NULL: there are too many backoffs, or out of memory. */
static struct submit_backoff *submit_backoff_new(struct bridge *b,
						 const struct queue_entry *q,
						 const struct job_spec *o)
{
	struct submit_backoff *x;

	if (HASH_COUNT(b->limits.backoffs) >= BRAKES_MAX ||
	    !(x = calloc(1, sizeof(*x))))
		return NULL;
	key_of(q, o, &x->key);
	HASH_ADD(hh, b->limits.backoffs, key, sizeof(x->key), x);
	if (!x->failed)
		return x;
	free(x);
	return NULL;
}

bool submit_backoff_holds(struct bridge *b, struct queue_entry *q,
			  const struct job_spec *o, struct err *err)
{
	struct submit_backoff *x =
		b->limits.backoffs ? submit_backoff_find(b, q, o) : NULL;

	q->backoff.by = 0;
	if (!x || (x->open && q->backoff.round == x->round))
		return false;
	/*
	 * Slurm may refuse this job only, and not all of the user's:
	 * DenyOnLimit.
	 */
	if (!x->open && !q->backoff.round && x->until > x->refused_at + NEW_MS)
		x->until = x->refused_at + NEW_MS;
	q->backoff.by = x->key.sum;
	err_set(err, -EAGAIN, "%s", x->words);
	return true;
}

bool submit_backoff_begin(struct bridge *b, struct queue_entry *q,
			  const struct job_spec *o, const struct err *why)
{
	const int64_t now = clock_ms();
	struct submit_backoff *x = submit_backoff_find(b, q, o);

	if (!x && !(x = submit_backoff_new(b, q, o)))
		return false;
	if (!x->tries)
		log_info("bridge: Slurm's queue is full for namespace %s: %s",
			 x->key.ns, why->msg);
	x->refused_at = now;
	x->until =
		now + backoff_doubled(BRAKE_MIN_MS, x->tries++, BRAKE_MAX_MS);
	x->open = false;
	x->window = 1;
	str_copy(x->words, why->msg, sizeof(x->words));
	q->backoff.by = x->key.sum;
	return true;
}

void submit_backoff_passed(struct bridge *b, struct queue_entry *q,
			   const struct job_spec *o)
{
	struct submit_backoff *x =
		b->limits.backoffs ? submit_backoff_find(b, q, o) : NULL;

	q->backoff.by = 0;
	if (!x || !x->open || ++x->passed < x->asked)
		return;
	x->tries = 0;
	x->open = false;
	x->until = 0;
	x->window = x->window < WINDOW_MAX ? x->window * 2 : x->window;
}

void submit_backoff_wake(struct bridge *b, const struct queue_entry *q)
{
	char ns[BRIDGE_NS_MAX];

	if (!b->limits.backoffs)
		return;
	pod_group_key_ns(q->key, sizeof(ns), ns);
	for (struct submit_backoff *x = b->limits.backoffs; x; x = x->hh.next) {
		const int64_t at = x->refused_at + BRAKE_MIN_MS;

		if (!x->open && at < x->until && !strcmp(x->key.ns, ns))
			x->until = at;
	}
}

static bool waits_for(const struct queue_entry *q,
		      const struct submit_backoff *x)
{
	char ns[BRIDGE_NS_MAX];

	if (q->backoff.by != x->key.sum)
		return false;
	pod_group_key_ns(q->key, sizeof(ns), ns);
	return !strcmp(ns, x->key.ns);
}

/* A group that waits for a backoff. */
struct waiter {
	struct queue_entry *q;
	size_t at; /* place in the queue */
};

/*
 * Groups that never tried come first, and then those that tried longest ago.
 */
static int by_turn(const void *a, const void *b)
{
	const struct waiter *x = a, *y = b;

	if (x->q->backoff.round != y->q->backoff.round)
		return x->q->backoff.round < y->q->backoff.round ? -1 : 1;
	return x->at < y->at ? -1 : x->at > y->at;
}

/* Let some of the waiting groups try. False: none waits. */
static bool open_it(struct bridge *b, struct submit_backoff *x)
{
	_cleanup_free_ struct waiter *v =
		calloc(HASH_COUNT(b->queue) + 1, sizeof(*v));
	size_t n = 0;

	x->until = clock_ms() + TRY_MS;
	if (!v)
		return true;
	for (struct queue_entry *q = b->queue; q; q = q->hh.next)
		if (waits_for(q, x)) {
			v[n].q = q;
			v[n].at = n;
			n++;
		}
	if (n)
		qsort(v, n, sizeof(*v), by_turn);
	x->round = ++b->limits.rounds;
	x->asked = n < x->window ? n : x->window;
	x->passed = 0;
	x->open = true;
	for (size_t i = 0; i < x->asked; i++) {
		v[i].q->backoff.by = 0;
		v[i].q->backoff.round = x->round;
		queue_entry_touch(b, v[i].q);
	}
	return n > 0;
}

void submit_backoffs_step(struct bridge *b)
{
	const int64_t now = clock_ms();
	struct submit_backoff *x = NULL, *next = NULL;

	HASH_ITER(hh, b->limits.backoffs, x, next)
	{
		if (now >= x->until && !open_it(b, x))
			submit_backoff_drop(b, x);
	}
}

int64_t submit_backoffs_next(const struct bridge *b)
{
	int64_t at = INT64_MAX;

	for (const struct submit_backoff *x = b->limits.backoffs; x;
	     x = x->hh.next)
		if (x->until < at)
			at = x->until;
	return at;
}
