/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "prolog_wait.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/digest.h"
#include "base/notify.h"
#include "base/str.h"
#include "slurm/ctl_ready.h"

#define FIRST_NAP_MS 200
#define LAST_NAP_MS 1000
#define LATE_NAP_MS 5000 /* when it takes longer than this: */
#define LATE_MS 15000
/* Slurm itself looks so often: who is waited for may hang */
#define OTHERS_MS 30000

static int64_t least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* Descriptors, or negative. */
struct queue_turn {
	int held;    /* this one asks for all of the place */
	int awaited; /* who does */
};

/* The next look is ours, or comes when somebody else has seen the nodes. */
static void nap(const char *place, struct queue_turn *t, int64_t ms,
		int64_t left_ms)
{
	int rc = -ECONNREFUSED;

	if (place && t->held < 0 && t->awaited < 0)
		t->held = notify_hold(place);
	if (place && (t->awaited >= 0 || t->held == -EADDRINUSE))
		rc = notify_await(place, &t->awaited,
				  least(OTHERS_MS, left_ms));
	if (rc == -EPERM || rc == -EAGAIN) /* so many must not ask often */
		ms = LATE_NAP_MS;
	if (rc && rc != -ETIMEDOUT)
		clock_nap(least(ms, left_ms));
}

void prolog_wait(uint32_t job_id, const char *place, int64_t longest_ms)
{
	int64_t start = clock_ms(), waited = 0, ms = FIRST_NAP_MS;
	struct queue_turn turn = {.held = -1, .awaited = -1};
	struct ctl_ready seen = {0};

	while (waited < longest_ms && ctl_job_is_waiting(job_id, &seen)) {
		nap(place, &turn, waited > LATE_MS ? LATE_NAP_MS : ms,
		    longest_ms - waited);
		ms = least(ms * 3 / 2, LAST_NAP_MS);
		waited = clock_ms() - start;
	}
	ctl_ready_clear(&seen);
	if (turn.held >= 0)
		close(turn.held);
	if (turn.awaited >= 0)
		close(turn.awaited);
}

char *prolog_place(const char *notify_name)
{
	const char *list = getenv("SLURM_JOB_NODELIST");
	char hex[65];

	if (!list || !*list || sha256_hex(list, strlen(list), hex))
		return NULL;
	/*
	 * The hash is cut to what a name has room for, behind the longest
	 * notify_name.
	 */
	return str_printf("%s/prolog/%.32s", notify_name, hex);
}
