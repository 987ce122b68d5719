/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which job that waits is told other nodes next (see job_updates.c), and
 * when: for each such update slurmctld has its jobs locked.
 */
#include <utlist.h>

#include "base/clock.h"
#include "bridge/placeholder/placeholder.h"

#define SHARE 10	 /* pause after an update, as so many times its time */
#define SHARE_NAMED 2	 /* SHARE while a node waits to be deleted for it */
#define REST_MIN_MS 50	 /* shortest pause */
#define REST_MAX_MS 5000 /* longest pause */

void updates_leave(struct bridge *b, struct queue_entry *q)
{
	if (b->updates.turn == q)
		b->updates.turn = NULL;
	if (!q->update.waits)
		return;
	DL_DELETE2(b->updates.waiting, q, update.prev, update.next);
	q->update.waits = false;
}

bool updates_turn(struct bridge *b, struct queue_entry *q, int64_t now)
{
	if (b->updates.turn == q ||
	    (!updates_wait(b) && now >= b->updates.rest_until)) {
		updates_leave(b, q);
		return true;
	}
	if (!q->update.waits)
		DL_APPEND2(b->updates.waiting, q, update.prev, update.next);
	q->update.waits = true;
	return false;
}

void updates_pace(struct bridge *b, int64_t begin)
{
	const int64_t now = clock_ms();
	const int64_t ms =
		(now - begin) *
		(now < b->external.named.until ? SHARE_NAMED : SHARE);

	b->updates.rest_until = now + (ms < REST_MIN_MS	  ? REST_MIN_MS
				       : ms > REST_MAX_MS ? REST_MAX_MS
							  : ms);
}

struct queue_entry *updates_begin(struct bridge *b)
{
	struct queue_entry *q = b->updates.waiting;

	if (!q || clock_ms() < b->updates.rest_until)
		return NULL;
	updates_leave(b, q);
	b->updates.turn = q;
	return q;
}

void updates_end(struct bridge *b)
{
	b->updates.turn = NULL;
}

int64_t updates_next(const struct bridge *b)
{
	return b->updates.waiting ? b->updates.rest_until : INT64_MAX;
}
