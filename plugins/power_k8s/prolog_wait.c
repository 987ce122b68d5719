/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "prolog_wait.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/digest.h"
#include "base/notify.h"
#include "slurm/ctl_ready.h"
#include "syntax/hostlist.h"
#include "syntax/wellknown.h"

/*
 * A pause is an eighth of the time that the wait takes already: it adds no more
 * than that to a start, however long it takes.
 */
#define NAP_MIN_MS 50
#define NAP_MAX_MS 5000
#define NAP_SHARE 8
/* Slurm itself looks so often: who is waited for may hang */
#define OTHERS_MS 30000

#define TURNS 64	 /* that many processes of a host ask at a time */
#define TURN_MS 100	 /* for which each keeps its turn */
#define TURN_NAP_MS 150	 /* between two tries to get one */
#define NO_TURN_MS 10000 /* then it asks all the same */

static int64_t least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

int64_t prolog_nap_ms(int64_t waited_ms)
{
	const int64_t ms = least(waited_ms / NAP_SHARE, NAP_MAX_MS);

	return ms < NAP_MIN_MS ? NAP_MIN_MS : ms;
}

/* Descriptors, or negative. */
struct queue {
	int held;    /* this one asks for all of the place */
	int awaited; /* who does */
	int turn;    /* this one may ask now */
};

static void close_if_open(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/* The next look is ours, or comes when somebody else has seen the nodes. */
static void nap(const char *place, struct queue *q, int64_t ms, int64_t left_ms)
{
	int rc = -ECONNREFUSED;

	if (*place && q->held < 0 && q->awaited < 0)
		q->held = notify_hold(place);
	if (*place && (q->awaited >= 0 || q->held == -EADDRINUSE))
		rc = notify_await(place, &q->awaited,
				  least(OTHERS_MS, left_ms));
	if (rc == -EPERM || rc == -EAGAIN) /* so many must not ask often */
		ms = NAP_MAX_MS;
	if (rc && rc != -ETIMEDOUT)
		clock_nap(least(ms, left_ms));
}

/* The turn is kept for its time behind the answer to the question. */
static void end_turn(struct queue *q, int64_t left_ms)
{
	if (q->turn >= 0)
		clock_nap(least(TURN_MS, left_ms));
	close_if_open(&q->turn);
}

static void wait_for_turn(const char *place, struct queue *q, int64_t left_ms)
{
	const int64_t until = clock_ms() + least(NO_TURN_MS, left_ms);

	while (*place && (q->turn = notify_hold(place)) == -EADDRINUSE &&
	       clock_ms() < until)
		clock_nap(TURN_NAP_MS);
}

/* What cannot be said, or is not heard, starts when power saving looks. */
static void say_allocated(const char *engine)
{
	const char *list = getenv("SLURM_JOB_NODELIST");
	char text[NOTIFY_TEXT_MAX];
	size_t n;
	int len;

	if (!engine || !list ||
	    hostlist_count(list, WK_EARLY_NODES_MAX, &n, NULL))
		return;
	len = snprintf(text, sizeof(text), WK_SAY_ALLOCATED "%s", list);
	if (len > 0 && (size_t)len < sizeof(text))
		notify_ring(engine, text);
}

void prolog_wait(uint32_t job_id, const struct prolog_places *p,
		 const char *engine, int64_t longest_ms)
{
	const int64_t start = clock_ms(), end = start + longest_ms;
	struct queue q = {.held = -1, .awaited = -1, .turn = -1};
	struct ctl_ready seen = {0};

	while (clock_ms() < end && ctl_job_is_waiting(job_id, &seen)) {
		say_allocated(engine);
		engine = NULL;
		end_turn(&q, end - clock_ms());
		nap(p->nodes, &q, prolog_nap_ms(clock_ms() - start),
		    end - clock_ms());
		wait_for_turn(p->turn, &q, end - clock_ms());
	}
	ctl_ready_clear(&seen);
	close_if_open(&q.held);
	close_if_open(&q.awaited);
	close_if_open(&q.turn);
}

void prolog_places(struct prolog_places *p, const char *notify_name,
		   uint32_t job_id)
{
	const char *list = getenv("SLURM_JOB_NODELIST");
	char hex[65];

	*p = (struct prolog_places){0};
	snprintf(p->turn, sizeof(p->turn), "%s/prolog-turn/%u", notify_name,
		 job_id % TURNS);
	if (!list || !*list || sha256_hex(list, strlen(list), hex))
		return;
	/*
	 * The hash is cut to what a name has room for, behind the longest
	 * notify_name.
	 */
	snprintf(p->nodes, sizeof(p->nodes), "%s/prolog/%.32s", notify_name,
		 hex);
}
