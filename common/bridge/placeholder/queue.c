/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The groups of pods that the bridge remembers, by their keys, and when each is
 * to be looked at again.
 */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "bridge/reconcile/bridge_internal.h"

struct queued *queued_find(struct bridge_thread *b, const char *key)
{
	struct queued *q;

	HASH_FIND_STR(b->queue, key, q);
	return q;
}

struct queued *queued_get(struct bridge_thread *b, const char *key)
{
	const size_t size = strlen(key) + 1;
	struct queued *q = queued_find(b, key);

	if (q)
		return q;
	q = calloc(1, sizeof(*q) + size);
	if (!q)
		return NULL;
	memcpy(q->key, key, size);
	q->job = BRIDGE_NONE;
	q->state_at = clock_ms();
	HASH_ADD_KEYPTR(hh, b->queue, q->key, size - 1, q);
	if (!q->failed)
		return q;
	free(q);
	return NULL;
}

void queued_drop(struct bridge_thread *b, struct queued *q)
{
	HASH_DELETE(hh, b->queue, q);
	updates_leave(b, q);
	ctl_layout_freep(&q->layout);
	free(q->reason);
	free(q->nodes);
	free(q->refused);
	free(q->told.reason);
	free(q);
}

void queued_forget(struct bridge_thread *b, struct queued *q)
{
	caps_leave(b, q);
	queued_drop(b, q);
}

void queued_later(struct bridge_thread *b, struct queued *q, int64_t ms)
{
	const int64_t at = clock_ms() + ms;

	if (!q->again_at || at < q->again_at)
		q->again_at = at;
	if (!b->due_at || at < b->due_at)
		b->due_at = at;
}

void queued_touch_due(struct bridge_thread *b)
{
	const int64_t now = clock_ms();

	if (!b->due_at || now < b->due_at)
		return;
	b->due_at = 0;
	for (struct queued *q = b->queue; q; q = q->hh.next) {
		if (!q->again_at)
			continue;
		if (now >= q->again_at) {
			q->again_at = 0;
			queued_touch(b, q);
		} else if (!b->due_at || q->again_at < b->due_at) {
			b->due_at = q->again_at;
		}
	}
}
