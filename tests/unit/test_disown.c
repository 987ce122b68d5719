/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pods that somebody else has bound; the rest of the bridge is the test's. */
#include <stdlib.h>
#include <string.h>

#include "bridge/reconcile/reconcile.h"
#include "t.h"

static int64_t now = 1000000, later;
static int notes;

int64_t __wrap_clock_ms(void);
int64_t __wrap_clock_ms(void)
{
	return now;
}

void queue_entry_later(struct bridge *b, struct queue_entry *q, int64_t ms)
{
	(void)b;
	(void)q;
	later = ms;
}

bool bridge_requests_note(struct bridge_requests *w, const struct pod_ref *pod,
			  const struct pod_patch *note)
{
	(void)w;
	T_STR(pod->uid, "u1");
	T_OK(note->bound && !note->job_id && !note->reason);
	notes++;
	return true;
}

/* Whatever is lost on its way: as long as it is seen so it is told again. */
static void it_is_told_until_it_is_seen(void)
{
	static const int64_t waits[] = {10000,	20000,	40000,	80000, 160000,
					320000, 600000, 600000, 600000};
	struct bridged_pod theirs = {.name = "p1",
				     .ns = "ns",
				     .uid = "u1",
				     .node = "n2",
				     .disowned = true};
	struct bridged_pod ours = {
		.name = "p2", .ns = "ns", .uid = "u2", .node = "n1"};
	struct group_pod second = {.pod = &theirs};
	struct group_pod first = {.pod = &ours, .next = &second};
	struct pod_group g = {.members = &first, .n = 2};
	struct bridge b = {0};
	struct queue_entry *q = calloc(1, sizeof(*q) + 1);

	for (int i = 0; i < (int)T_COUNT(waits); i++) {
		t_row("%d", i);
		write_disowned(&b, q, &g);
		T_INT(notes, i + 1);
		T_INT(later, waits[i]);
		/* (not with each look) */
		now += waits[i] - 1;
		write_disowned(&b, q, &g);
		T_INT(notes, i + 1);
		T_INT(later, 1);
		now++;
	}
	theirs.disowned = false; /* the API server has it */
	later = notes = 0;
	write_disowned(&b, q, &g);
	T_INT(notes, 0);
	T_INT(later, 0);
	T_INT(q->disowned.tries, 0);
	free(q);
}

/* (of what runs no more nobody asks) */
static void what_ends_is_not_told(void)
{
	struct bridged_pod theirs = {.name = "p1",
				     .ns = "ns",
				     .uid = "u1",
				     .node = "n2",
				     .disowned = true,
				     .deleting = true};
	struct group_pod m = {.pod = &theirs};
	struct pod_group g = {.members = &m, .n = 1};
	struct bridge b = {0};
	struct queue_entry *q = calloc(1, sizeof(*q) + 1);

	notes = 0;
	write_disowned(&b, q, &g);
	theirs.deleting = false;
	theirs.ended = true;
	write_disowned(&b, q, &g);
	T_INT(notes, 0);
	free(q);
}

T_MAIN("disown", T(it_is_told_until_it_is_seen), T(what_ends_is_not_told))
