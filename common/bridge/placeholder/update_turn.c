/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which job that waits is told other nodes next (see job_updates.c), and
 * when: for each such update slurmctld has its jobs locked.
 */
#include <utlist.h>

#include "base/clock.h"
#include "bridge/placeholder/placeholder.h"

#define SHARE 10	 /* after one none for so many times as long, */
#define SHARE_NAMED 2	 /* or, while a node is not deleted for the lists, */
#define REST_MIN_MS 50	 /* but for so long at least, */
#define REST_MAX_MS 5000 /* and at most */

void updates_leave(struct bridge *b, struct queue_entry *q)
{
	if (b->update_turn == q)
		b->update_turn = NULL;
	if (!q->update.waits)
		return;
	DL_DELETE2(b->updates, q, update.prev, update.next);
	q->update.waits = false;
}

bool updates_turn(struct bridge *b, struct queue_entry *q, int64_t now)
{
	if (b->update_turn == q ||
	    (!updates_wait(b) && now >= b->update_rest)) {
		updates_leave(b, q);
		return true;
	}
	if (!q->update.waits)
		DL_APPEND2(b->updates, q, update.prev, update.next);
	q->update.waits = true;
	return false;
}

void updates_pace(struct bridge *b, int64_t begin)
{
	const int64_t now = clock_ms();
	const int64_t ms =
		(now - begin) *
		(now < b->external.named_until ? SHARE_NAMED : SHARE);

	b->update_rest = now + (ms < REST_MIN_MS   ? REST_MIN_MS
				: ms > REST_MAX_MS ? REST_MAX_MS
						   : ms);
}

struct queue_entry *updates_begin(struct bridge *b)
{
	struct queue_entry *q = b->updates;

	if (!q || clock_ms() < b->update_rest)
		return NULL;
	updates_leave(b, q);
	b->update_turn = q;
	return q;
}

void updates_end(struct bridge *b)
{
	b->update_turn = NULL;
}

int64_t updates_next(const struct bridge *b)
{
	return b->updates ? b->update_rest : INT64_MAX;
}
