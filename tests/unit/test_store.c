/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What lists and watches tell of. Linked with --wrap for allocations. */
#include "runtime/store.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fake_malloc.h"
#include "t.h"

struct thing {
	struct store_item item;
	int value;
	char tail; /* no multiple of what aligns the struct */
	char name[];
};

static char gone[64]; /* their names, in order */

static void drop(void *arg, void *item)
{
	struct thing *x = item;

	strncat(gone, x->name, sizeof(gone) - strlen(gone) - 1);
	store_remove(arg, &x->item);
	free(x);
}

static struct thing *make(struct store *s, const char *name)
{
	return store_new(s, offsetof(struct thing, name), name);
}

static void end(struct store *s)
{
	*gone = '\0';
	store_list_ends(s, drop, s);
}

static void clear(struct store *s)
{
	store_each(s, drop, s);
	T_INT(store_count(s), 0);
	T_OK(!s->first);
}

static void a_key_finds_what_was_made_of_it(void)
{
	struct store s = {0};
	struct thing *a, *long_one;
	char key[] = "a";

	T_OK(!store_find(&s, "a"));
	T_INT(store_count(&s), 0);
	a = make(&s, key);
	long_one = make(&s, "a-name-of-many-letters");
	T_NEED(a && long_one && make(&s, ""));
	*key = 'b'; /* it was copied */
	T_STR(a->name, "a");
	T_INT(a->value, 0);
	T_OK(store_find(&s, "a") == a);
	T_OK(store_find(&s, "a-name-of-many-letters") == long_one);
	T_OK(store_find(&s, "") != NULL);
	T_OK(!store_find(&s, "b"));
	T_INT(store_count(&s), 3);
	T_OK(s.first == &a->item && a->item.hh.next == long_one);
	clear(&s);
}

/* As an informer tells: a list, a watch, and another list. */
static void what_a_list_does_not_have_is_gone(void)
{
	struct store s = {0};

	store_list_begins(&s);
	T_NEED(make(&s, "a") && make(&s, "b") && make(&s, "c"));
	T_OK(!s.synced);
	end(&s);
	T_OK(s.synced);
	T_STR(gone, "");
	T_NEED(make(&s, "d") && make(&s, "e")); /* by the watch */
	store_list_begins(&s);
	T_OK(s.synced); /* what was known is so until the list has ended */
	store_seen(&s, store_find(&s, "b"));
	T_OK(store_keep(&s, "d") == store_find(&s, "d"));
	T_OK(!store_keep(&s, "f"));
	T_NEED(make(&s, "g") != NULL);
	T_INT(store_count(&s), 6);
	end(&s);
	T_STR(gone, "ace");
	T_INT(store_count(&s), 3);
	end(&s); /* a list that ends begins first */
	T_STR(gone, "");
	store_list_begins(&s);
	end(&s);
	T_STR(gone, "bdg");
	T_OK(s.synced && !s.first);
}

/* One list ended in the middle: what only the first part had may be gone. */
static void a_list_that_begins_anew_begins_from_nothing(void)
{
	struct store s = {0};

	store_list_begins(&s);
	T_NEED(make(&s, "a") && make(&s, "b"));
	store_list_begins(&s);
	store_keep(&s, "b");
	end(&s);
	T_STR(gone, "a");
	clear(&s);
}

static int calls;

static void count(void *arg, void *item)
{
	const struct thing *x = item;

	T_OK(arg == &calls);
	calls += x->value;
}

/* An owner may keep what is gone. */
static void one_that_is_not_removed_stays(void)
{
	struct store s = {0};
	struct thing *a, *b;

	a = make(&s, "a");
	b = make(&s, "b");
	T_NEED(a && b);
	a->value = 1;
	b->value = 10;
	store_list_begins(&s);
	store_seen(&s, &b->item);
	calls = 0;
	store_list_ends(&s, count, &calls);
	T_INT(calls, 1);
	store_each(&s, count, &calls);
	T_INT(calls, 12);
	T_INT(store_count(&s), 2);
	clear(&s);
}

static void one_may_be_put_in_again_by_another_key(void)
{
	struct store s = {0};
	struct thing x = {.value = 1};

	T_INT(store_add(&s, &x.item, "a"), 0);
	store_remove(&s, &x.item);
	T_OK(!store_find(&s, "a") && !s.first);
	store_list_begins(&s);
	T_INT(store_add(&s, &x.item, "b"), 0);
	T_OK(!store_find(&s, "a") && store_find(&s, "b") == &x);
	end(&s); /* it counts as seen */
	T_STR(gone, "");
	store_remove(&s, &x.item);
}

/* So without memory for the new one the old one stays. */
static void the_new_one_of_a_key_is_found(void)
{
	struct store s = {0};
	struct thing old = {.value = 1}, young = {.value = 2};

	T_INT(store_add(&s, &old.item, "a"), 0);
	T_INT(store_add(&s, &young.item, "a"), 0);
	T_OK(store_find(&s, "a") == &young);
	store_remove(&s, &old.item);
	T_OK(store_find(&s, "a") == &young);
	T_INT(store_count(&s), 1);
	store_remove(&s, &young.item);
}

static void without_memory_nothing_is_put_in(void)
{
	static struct thing things[400];
	static char names[T_COUNT(things)][8];
	struct store s = {0};
	int failed = 0, in = 0;

	for (left = 0; !make(&s, "a"); left = ++failed) {
		T_OK(!s.first && !store_find(&s, "a"));
		T_NEED(failed < 10);
	}
	left = -1;
	T_INT(failed, 3); /* the item, the table, its buckets */
	for (size_t i = 0; i < T_COUNT(things); i++) {
		snprintf(names[i], sizeof(names[i]), "%zu", i);
		left = 0; /* one is enough for a larger table */
		in += !store_add(&s, &things[i].item, names[i]);
		left = -1;
	}
	T_OK(in > 0 && in < (int)T_COUNT(things));
	T_INT(store_count(&s), in + 1);
	for (size_t i = 0; i < T_COUNT(things); i++) {
		struct thing *x = store_find(&s, names[i]);

		T_OK(!x || x == &things[i]);
		in -= x != NULL;
		if (!x) /* there is memory again */
			T_INT(store_add(&s, &things[i].item, names[i]), 0);
		T_OK(store_find(&s, names[i]) == &things[i]);
	}
	T_INT(in, 0);
	for (size_t i = 0; i < T_COUNT(things); i++)
		store_remove(&s, &things[i].item);
	clear(&s);
}

/* Pods are many: an item costs what its owner's own table would. */
static void an_item_is_no_larger_than_its_parts(void)
{
	T_INT(sizeof(struct store_item),
	      sizeof(UT_hash_handle) + 2 * sizeof(int));
}

T_MAIN("store", T(a_key_finds_what_was_made_of_it),
       T(what_a_list_does_not_have_is_gone),
       T(a_list_that_begins_anew_begins_from_nothing),
       T(one_that_is_not_removed_stays),
       T(one_may_be_put_in_again_by_another_key),
       T(the_new_one_of_a_key_is_found), T(without_memory_nothing_is_put_in),
       T(an_item_is_no_larger_than_its_parts))
