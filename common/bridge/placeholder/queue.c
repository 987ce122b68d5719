/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The groups of pods that the bridge remembers, by their keys, and when each is
 * to be looked at again.
 */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "bridge/placeholder/placeholder.h"

struct queue_entry *queue_entry_find(struct bridge *b, const char *key)
{
	struct queue_entry *q;

	HASH_FIND_STR(b->queue, key, q);
	return q;
}

struct queue_entry *queue_entry_get(struct bridge *b, const char *key)
{
	const size_t size = strlen(key) + 1;
	struct queue_entry *q = queue_entry_find(b, key);

	if (q)
		return q;
	q = calloc(1, sizeof(*q) + size);
	if (!q)
		return NULL;
	memcpy(q->key, key, size);
	q->job = PLACEHOLDER_NONE;
	q->state_at = clock_ms();
	HASH_ADD_KEYPTR(hh, b->queue, q->key, size - 1, q);
	if (!q->failed)
		return q;
	free(q);
	return NULL;
}

void queue_entry_drop(struct bridge *b, struct queue_entry *q)
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

void queue_entry_forget(struct bridge *b, struct queue_entry *q)
{
	quota_leave(b, q);
	queue_entry_drop(b, q);
}

void queue_entry_later(struct bridge *b, struct queue_entry *q, int64_t ms)
{
	const int64_t at = clock_ms() + ms;

	if (!q->again_at || at < q->again_at)
		q->again_at = at;
	if (!b->due_at || at < b->due_at)
		b->due_at = at;
}

void queue_entry_touch_due(struct bridge *b)
{
	const int64_t now = clock_ms();

	if (!b->due_at || now < b->due_at)
		return;
	b->due_at = 0;
	for (struct queue_entry *q = b->queue; q; q = q->hh.next) {
		if (!q->again_at)
			continue;
		if (now >= q->again_at) {
			q->again_at = 0;
			queue_entry_touch(b, q);
		} else if (!b->due_at || q->again_at < b->due_at) {
			b->due_at = q->again_at;
		}
	}
}
