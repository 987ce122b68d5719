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
 * The pause between two looks is an eighth of the time waited so far: no start
 * is delayed by more than an eighth.
 */
#define NAP_MIN_MS 50
#define NAP_MAX_MS 5000
#define NAP_SHARE 8
/*
 * How long another process is waited for, which may hang: slurmctld itself
 * looks at its jobs' nodes each 30 s.
 */
#define OTHERS_MS 30000

#define TURNS 64	 /* processes of a host that may ask at a time */
#define TURN_MS 100	 /* how long a process keeps its turn after asking */
#define TURN_NAP_MS 150	 /* pause between two tries to get a turn */
#define NO_TURN_MS 10000 /* longest wait for a turn; then it asks without */

static int64_t least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

int64_t prolog_nap_ms(int64_t waited_ms)
{
	const int64_t ms = least(waited_ms / NAP_SHARE, NAP_MAX_MS);

	return ms < NAP_MIN_MS ? NAP_MIN_MS : ms;
}

/* Descriptors of notify.h; negative: not open. */
struct queue {
	int held;    /* place held: this process asks for all there */
	int awaited; /* connection to the process that holds the place */
	int turn;    /* turn held: this process may ask now */
};

static void close_if_open(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/*
 * Wait for the next look: for `ms`, or, where another process asks for all that
 * wait at the place, until it has seen the nodes.
 */
static void nap(const char *place, struct queue *q, int64_t ms, int64_t left_ms)
{
	int rc = -ECONNREFUSED;

	if (*place && q->held < 0 && q->awaited < 0)
		q->held = notify_hold(place);
	if (*place && (q->awaited >= 0 || q->held == -EADDRINUSE))
		rc = notify_await(place, &q->awaited,
				  least(OTHERS_MS, left_ms));
	/* Without a place to wait at each asks for itself, so not often. */
	if (rc == -EPERM || rc == -EAGAIN)
		ms = NAP_MAX_MS;
	if (rc && rc != -ETIMEDOUT)
		clock_nap(least(ms, left_ms));
}

/* End the turn TURN_MS after slurmctld's answer. */
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

/*
 * Tell the engine which nodes the job has got. Pods of which it does not learn
 * start when slurmctld's power saving looks at the nodes.
 */
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
	 * The hash of the nodes is cut to what a name has room for, behind the
	 * longest notify_name.
	 */
	snprintf(p->nodes, sizeof(p->nodes), "%s/prolog/%.32s", notify_name,
		 hex);
}
