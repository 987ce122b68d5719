/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which group is looked at next. A look may take long (which nodes fit, an RPC
 * to slurmctld), and one namespace may have thousands of groups: so namespaces
 * take turns, by the time that they have used (deficit round robin). Within a
 * namespace the group that was touched first comes first.
 */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "bridge/placeholder/placeholder.h"

#define TURN_MS 10    /* time that a namespace has in a turn */
#define OWES_MAX 2000 /* most ms that a namespace owes after a long look */
#define RETRY_MS 1000 /* until a group is touched again, without memory */

/* A namespace in the ring of turns. */
struct queue_turn {
	UT_hash_handle hh; /* by namespace */
	int failed;
	struct queue_turn *next;	  /* in the ring */
	struct queue_entry *first, *last; /* the namespace's touched groups */
	int64_t used_ms; /* time used of this turn, or owed of later ones */
	char ns[BRIDGE_NS_MAX];
};

/* Put a turn behind all others. */
static void enter(struct bridge *b, struct queue_turn *t)
{
	t->next = NULL;
	if (b->turns.last)
		b->turns.last->next = t;
	else
		b->turns.first = t;
	b->turns.last = t;
}

/* Take the first turn out of the ring. */
static struct queue_turn *leave(struct bridge *b)
{
	struct queue_turn *t = b->turns.first;

	b->turns.first = t->next;
	if (!b->turns.first)
		b->turns.last = NULL;
	return t;
}

static void turn_free(struct bridge *b, struct queue_turn *t)
{
	HASH_DELETE(hh, b->turns.by_ns, t);
	free(t);
}

/* The turn of the group's namespace. NULL: out of memory. */
static struct queue_turn *turn_of(struct bridge *b, const struct queue_entry *q)
{
	char ns[BRIDGE_NS_MAX];
	struct queue_turn *t;

	pod_group_key_ns(q->key, sizeof(ns), ns);
	HASH_FIND_STR(b->turns.by_ns, ns, t);
	if (t || !(t = calloc(1, sizeof(*t))))
		return t;
	str_copy(t->ns, ns, sizeof(t->ns));
	HASH_ADD_STR(b->turns.by_ns, ns, t);
	if (t->failed) {
		free(t);
		return NULL;
	}
	enter(b, t);
	return t;
}

void queue_entry_touch(struct bridge *b, struct queue_entry *q)
{
	struct queue_turn *t = q->look.touched ? NULL : turn_of(b, q);

	if (q->look.touched)
		return;
	if (!t) {
		queue_entry_later(b, q, RETRY_MS);
		return;
	}
	q->look.touched = true;
	q->look.next_touched = NULL;
	if (t->last)
		t->last->look.next_touched = q;
	else
		t->first = q;
	t->last = q;
	b->turns.n_touched++;
}

/* End the first turn: all other namespaces get theirs before its next one. */
static void pay(struct bridge *b)
{
	struct queue_turn *t = leave(b);

	t->used_ms -= TURN_MS;
	enter(b, t);
}

/*
 * The turn of the namespace that is next; a group waits. A namespace that has
 * used more time than it had passes so many turns. The turn of a namespace
 * without a waiting group is kept until its time is paid for: groups that are
 * touched again and again would owe nothing otherwise.
 */
static struct queue_turn *choose_turn(struct bridge *b)
{
	while (!b->turns.first->first || (b->turns.first != b->turns.last &&
					  b->turns.first->used_ms >= TURN_MS)) {
		if (b->turns.first->used_ms >= TURN_MS)
			pay(b);
		else
			turn_free(b, leave(b));
	}
	return b->turns.first;
}

struct queue_entry *queue_turn_begin(struct bridge *b)
{
	struct queue_turn *t = b->turns.n_touched ? choose_turn(b) : NULL;
	struct queue_entry *q = t ? t->first : NULL;

	if (!q)
		return NULL;
	t->first = q->look.next_touched;
	if (!t->first)
		t->last = NULL;
	q->look.touched = false;
	b->turns.n_touched--;
	b->turns.at = clock_ms();
	return q;
}

void queue_turn_end(struct bridge *b)
{
	struct queue_turn *t = b->turns.first;

	t->used_ms += clock_ms() - b->turns.at;
	if (t->used_ms > OWES_MAX)
		t->used_ms = OWES_MAX;
	if (!b->turns.n_touched) /* no group waits: no namespace owes time */
		queue_turns_free(b);
	else if (t->used_ms >= TURN_MS)
		pay(b);
	else if (!t->first)
		turn_free(b, leave(b));
}

void queue_turns_free(struct bridge *b)
{
	struct queue_turn *t = NULL, *next = NULL;

	HASH_ITER(hh, b->turns.by_ns, t, next)
	{
		turn_free(b, t);
	}
	b->turns.first = b->turns.last = NULL;
}
