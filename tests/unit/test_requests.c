/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The queue of requests: which is next, bounds, and what becomes of a second.
 */
#include <stdlib.h>
#include <string.h>

#include "cluster/requests.h"
#include "t.h"

enum { FIRST, YIELDING, MERGING, FREE };

struct one {
	struct request base;
	char key[16];
	uint32_t id;
};

static size_t n_freed, n_cancelled;
static int closed; /* a kind of which none may begin; -1: none */

static void one_free(struct request *r)
{
	n_freed++;
	free(r);
}

static void cancel(struct request *r)
{
	(void)r;
	n_cancelled++;
}

static bool take_id(struct request *there, struct request *later)
{
	((struct one *)there)->id = ((struct one *)later)->id;
	return ((struct one *)later)->id != 0;
}

static bool may_begin(const void *room, unsigned int kind)
{
	(void)room;
	return (int)kind != closed;
}

static const struct request_kind kinds[] = {
	[FIRST] = {.max = 2, .cancel = cancel},
	[YIELDING] = {.max = 2, .yields = true, .cancel = cancel},
	[MERGING] = {.merge = take_id, .cancel = cancel},
	[FREE] = {.cancel = cancel},
};
static const struct requests_table table = {.kinds = kinds,
					    .n_kinds = T_COUNT(kinds),
					    .max = 6,
					    .may_begin = may_begin,
					    .free = one_free};

static struct requests *queue(void)
{
	n_freed = n_cancelled = 0;
	closed = -1;
	return requests_new(&table, NULL);
}

/* key "": no other is like it */
static enum request_added add_to(struct requests *q, unsigned int kind,
				 const char *key, uint32_t id, size_t max,
				 const char *ns)
{
	struct one *o = calloc(1, sizeof(*o));

	o->base.kind = kind;
	o->base.max = max;
	o->id = id;
	strncpy(o->key, key, sizeof(o->key) - 1);
	return requests_add(q, &o->base, *key ? o->key : NULL, ns);
}

static enum request_added add(struct requests *q, unsigned int kind,
			      const char *key, uint32_t id)
{
	return add_to(q, kind, key, id, 0, "ns");
}

/* The id of the next one; 0: there is none now. */
static uint32_t next(struct requests *q)
{
	const struct one *o = requests_next(q);

	return o ? o->id : 0;
}

static void the_most_important_kind_that_may_is_first(void)
{
	struct requests *q = queue();

	T_INT(add(q, FREE, "", 1), REQUEST_ADDED);
	T_INT(add(q, MERGING, "m", 2), REQUEST_ADDED);
	T_INT(add(q, FIRST, "f", 3), REQUEST_ADDED);
	T_INT(add(q, FIRST, "g", 4), REQUEST_ADDED);
	T_INT(next(q), 3);
	closed = FIRST;
	T_INT(next(q), 2);
	T_INT(next(q), 1);
	T_INT(next(q), 0);
	T_INT(requests_begun(q, FIRST, FREE), 3);
	T_INT(requests_begun(q, FIRST, FIRST), 1);
	T_INT(requests_count(q, FIRST), 2);
	closed = -1;
	T_INT(next(q), 4);
	requests_free(q);
	T_INT(n_freed, 4);
}

static void a_second_one_is_refused_merged_or_takes_its_place(void)
{
	struct requests *q = queue();

	T_INT(add(q, FIRST, "f", 1), REQUEST_ADDED);
	T_INT(add(q, FIRST, "f", 2), REQUEST_REFUSED);
	T_INT(add(q, MERGING, "m", 3), REQUEST_ADDED);
	T_INT(add(q, MERGING, "m", 4), REQUEST_MERGED);
	T_INT(add(q, YIELDING, "y", 5), REQUEST_ADDED);
	T_INT(add(q, YIELDING, "z", 6), REQUEST_ADDED);
	T_INT(add(q, YIELDING, "y", 7), REQUEST_ADDED); /* (its turn, too) */
	T_INT(requests_count(q, YIELDING), 2);
	T_INT(next(q), 1);
	T_INT(next(q), 7);
	T_INT(add(q, YIELDING, "y", 8), REQUEST_REFUSED); /* (under way) */
	T_INT(add(q, FREE, "z", 9), REQUEST_ADDED);
	T_INT(requests_count(q, YIELDING), 1);
	T_INT(next(q), 4);
	T_INT(add(q, MERGING, "m", 0), REQUEST_REFUSED);
	T_INT(next(q), 9);
	requests_free(q);
	T_INT(n_freed, 10);
}

static void bounds_are_of_a_kind_of_all_and_of_one(void)
{
	struct requests *q = queue();

	T_INT(add_to(q, YIELDING, "a", 1, 1, "ns"), REQUEST_ADDED);
	T_INT(add_to(q, YIELDING, "b", 2, 1, "ns"), REQUEST_REFUSED);
	T_INT(add_to(q, YIELDING, "a", 3, 1, "ns"), REQUEST_ADDED);
	T_INT(add(q, YIELDING, "b", 4), REQUEST_ADDED);
	T_INT(add(q, YIELDING, "c", 5), REQUEST_REFUSED);
	for (uint32_t i = 6; i < 10; i++)
		T_INT(add(q, FREE, "", i), REQUEST_ADDED);
	T_INT(add(q, FREE, "", 10), REQUEST_REFUSED);
	T_INT(next(q), 3);
	T_INT(add(q, FREE, "", 10), REQUEST_REFUSED); /* (still there) */
	requests_free(q);
}

static void the_namespace_with_the_fewest_under_way_is_next(void)
{
	static const char *const names[] = {"b", "c", "d", "e", "f", "g"};
	struct requests *q = queue();
	size_t i = 0;

#define LANE(ns) (hash_bytes(ns, 1) % REQUEST_LANES)
	while (i < T_COUNT(names) - 1 && LANE(names[i]) == LANE("a"))
		i++;
	for (uint32_t n = 1; n < 4; n++)
		add_to(q, FREE, "", n, 0, "a");
	T_INT(next(q), 1);
	T_INT(next(q), 2);
	for (uint32_t n = 4; n < 6; n++)
		add_to(q, FREE, "", n, 0, names[i]);
	T_INT(next(q), 4);
	T_INT(next(q), 5);
	T_INT(next(q), 3);
	requests_free(q);
}

static void one_may_wait_again(void)
{
	struct requests *q = queue();
	struct one *o;

	add(q, FREE, "a", 1);
	add(q, FREE, "b", 2);
	o = requests_next(q);
	requests_again(q, &o->base, true);
	T_INT(requests_begun(q, FREE, FREE), 0);
	T_INT(next(q), 1);
	requests_again(q, &o->base, false);
	T_INT(next(q), 2);
	T_INT(next(q), 1);
	requests_end(q, &o->base);
	T_OK(!requests_find(q, "a"));
	T_OK(requests_find(q, "b") == requests_first(q));
	requests_free(q);
}

static size_t n_asked;

static bool is_7_and_waits(struct request *r, uint32_t id)
{
	n_asked++;
	return !r->begun && ((struct one *)r)->id == id;
}

static void what_waits_can_be_taken_back(void)
{
	struct requests *q = queue();

	for (int i = 0; i < 3; i++)
		add_to(q, FREE, "", 7, 0, i ? "a" : "b");
	add(q, FREE, "", 8);
	add(q, MERGING, "m", 7);
	T_INT(next(q), 7); /* (of another kind) */
	n_asked = 0;
	T_INT(requests_withdraw(q, FREE, is_7_and_waits, 7), 3);
	T_INT(n_asked, 4);
	T_INT(requests_withdraw(q, MERGING, is_7_and_waits, 7), 0);
	T_INT(n_asked, 5);
	T_INT(next(q), 8);
	requests_free(q);
}

static void what_is_under_way_is_cancelled(void)
{
	struct requests *q = queue();

	add(q, FREE, "", 1);
	add(q, FIRST, "f", 2);
	T_INT(next(q), 2);
	/* (the client is not used where the kind has its own cancel) */
	requests_drop(q, (struct kube_client *)q);
	T_INT(n_cancelled, 1);
	T_INT(n_freed, 2);
	T_INT(requests_begun(q, FIRST, FREE), 0);
	T_INT(requests_count(q, FIRST), 0);
	T_OK(!requests_first(q));
	T_INT(next(q), 0);
	add(q, FIRST, "f", 3);
	T_INT(next(q), 3);
	requests_free(q);
	T_INT(n_cancelled, 1);
}

T_MAIN("requests", T(the_most_important_kind_that_may_is_first),
       T(a_second_one_is_refused_merged_or_takes_its_place),
       T(bounds_are_of_a_kind_of_all_and_of_one),
       T(the_namespace_with_the_fewest_under_way_is_next),
       T(one_may_wait_again), T(what_waits_can_be_taken_back),
       T(what_is_under_way_is_cancelled))
