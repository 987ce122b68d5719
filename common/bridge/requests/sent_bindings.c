/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bridge/requests/sent_bindings.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"

#define UNANSWERED_MS 25000 /* the deadline of a request, and UNCLEAR_MS */
/* until the watch has told of a binding, or none was made */
#define UNCLEAR_MS 10000
#define UNSEEN_MS 60000 /* a watch may lag so much behind an answer */
#define WATCH_MS 20000	/* until an old view is noticed as such */

static void drop(struct sent_binding **all, struct sent_binding *s)
{
	HASH_DELETE(hh, *all, s);
	free(s);
}

/*
 * Forget those that are believed no longer. uthash keeps the order: the oldest
 * come first.
 */
static void drop_old(struct sent_binding **all)
{
	const int64_t now = clock_ms();

	while (*all && now >= (*all)->until)
		drop(all, *all);
}

static struct sent_binding *find(struct sent_binding *all, const char *uid)
{
	struct sent_binding *s;

	HASH_FIND_STR(all, uid, s);
	return s;
}

void sent_binding_note(struct sent_binding **all, const char *uid,
		       const char *node, uint32_t job_id)
{
	const size_t n_uid = strlen(uid) + 1, n_node = strlen(node) + 1;
	struct sent_binding *s;

	drop_old(all);
	s = find(*all, uid);
	if (s)
		drop(all, s);
	s = calloc(1, sizeof(*s) + n_uid + n_node);
	if (!s)
		return;
	s->uid = memcpy(s->text, uid, n_uid);
	s->node = memcpy(s->text + n_uid, node, n_node);
	s->job_id = job_id;
	s->at = clock_ms();
	s->until = s->at + UNANSWERED_MS;
	HASH_ADD_KEYPTR(hh, *all, s->uid, n_uid - 1, s);
	if (s->failed)
		free(s);
}

void sent_binding_answered(struct sent_binding **all, const char *uid,
			   enum sent_answer answer, int64_t stale_after_ms)
{
	struct sent_binding *s = find(*all, uid);
	int64_t most = UNCLEAR_MS;

	if (!s)
		return;
	if (answer == SENT_REFUSED) {
		drop(all, s);
		return;
	}
	/*
	 * A view that does not show the binding yet may be acted by for so
	 * long.
	 */
	if (answer == SENT_DONE)
		most = stale_after_ms + WATCH_MS > UNSEEN_MS
			       ? stale_after_ms + WATCH_MS
			       : UNSEEN_MS;
	s->until = clock_ms() + most;
}

void sent_binding_each(struct sent_binding **all,
		       bool (*keep)(void *arg, const struct sent_binding *one),
		       void *arg)
{
	struct sent_binding *s = NULL, *next = NULL;
	const int64_t now = clock_ms();

	HASH_ITER(hh, *all, s, next)
	{
		if (now >= s->until || !keep(arg, s))
			drop(all, s);
	}
}

void sent_binding_free(struct sent_binding **all)
{
	struct sent_binding *s = NULL, *next = NULL;

	HASH_ITER(hh, *all, s, next)
	{
		drop(all, s);
	}
}
