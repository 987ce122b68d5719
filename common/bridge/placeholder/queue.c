/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The groups of pods that the bridge remembers, by their keys, and when each is
 * to be looked at again.
 */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "bridge/placeholder/placeholder.h"

#define TAKE_MAX 256 /* groups that are taken in one hold of the pods' lock */

struct queue_entry *queue_entry_find(struct bridge *b, const char *key)
{
	struct queue_entry *q;

	HASH_FIND_STR(b->queue, key, q);
	return q;
}

struct queue_entry *queue_entry_of_pod(struct bridge *b, const char *uid)
{
	const struct group_pod *m;
	struct queue_entry *q;

	pod_groups_lock(b->groups);
	m = pod_groups_pod(b->groups, uid);
	q = m && m->group ? queue_entry_find(b, m->group->key) : NULL;
	pod_groups_unlock(b->groups);
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
	queue_entry_has_no_job(q);
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
	ctl_layout_freep(&q->nodes.layout);
	free(q->job.reason);
	free(q->nodes.names);
	free(q->refused.words);
	free(q->bound.denied);
	free(q->told.reason);
	free(q);
}

void queue_entry_forget(struct bridge *b, struct queue_entry *q)
{
	quota_leave(b, q);
	queue_entry_drop(b, q);
}

static void touch_key(struct bridge *b, const char *key)
{
	struct queue_entry *q = queue_entry_get(b, key);

	if (q)
		queue_entry_touch(b, q);
	else
		pod_groups_touch(b->groups, key);
}

void queue_touch_changed(struct bridge *b)
{
	char *keys[TAKE_MAX];
	size_t left;

	pod_groups_lock(b->groups);
	left = pod_groups_dirty(b->groups);
	pod_groups_unlock(b->groups);
	while (left && !atomic_load(&b->stop)) {
		const size_t n = pod_groups_take_dirty(
			b->groups, keys, left < TAKE_MAX ? left : TAKE_MAX);

		for (size_t i = 0; i < n; i++) {
			touch_key(b, keys[i]);
			free(keys[i]);
		}
		if (!n) /* out of memory: the next call takes them */
			return;
		left -= n;
	}
}

void queue_entry_later(struct bridge *b, struct queue_entry *q, int64_t ms)
{
	const int64_t at = clock_ms() + ms;

	if (!q->look.again_at || at < q->look.again_at)
		q->look.again_at = at;
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
		if (!q->look.again_at)
			continue;
		if (now >= q->look.again_at) {
			q->look.again_at = 0;
			queue_entry_touch(b, q);
		} else if (!b->due_at || q->look.again_at < b->due_at) {
			b->due_at = q->look.again_at;
		}
	}
}
