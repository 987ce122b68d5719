/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Objects above pods, and which namespace gives way when they are too many. */
#include "bridge/intake/owner_store.h"

#include <errno.h>
#include <stdio.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "t.h"

static struct owner_store store_of(size_t max)
{
	return (struct owner_store){.max = max};
}
#define _cleanup_store_ __attribute__((cleanup(owner_store_clear)))

static const char *gave; /* the namespace, after put(); or "" */

static int put_kind(struct owner_store *s, enum workload_kind kind,
		    const char *ns, int i, const char *text)
{
	char name[16];
	const struct owner_name of = {kind, ns, name};
	const struct owner_share *from;
	int rc;

	snprintf(name, sizeof(name), "j%d", i);
	rc = owner_store_put(s, &of, text, &from);
	gave = from ? from->ns : "";
	return rc;
}

static int put(struct owner_store *s, const char *ns, int i)
{
	return put_kind(s, WORKLOAD_JOB, ns, i, "{}");
}

static struct owner_entry *find(struct owner_store *s, const char *ns, int i)
{
	char name[16];
	const struct owner_name of = {WORKLOAD_JOB, ns, name};

	snprintf(name, sizeof(name), "j%d", i);
	return owner_store_find(s, &of);
}

static size_t has(struct owner_store *s, const char *ns)
{
	size_t n = 0;

	for (int i = 0; i < 1000; i++)
		n += find(s, ns, i) != NULL;
	return n;
}

static bool partial(struct owner_store *s, const char *ns)
{
	return owner_store_is_partial(s, WORKLOAD_JOB, ns);
}

static void drop(struct owner_store *s, const char *ns, int i)
{
	struct owner_entry *x = find(s, ns, i);

	T_NEED(x);
	owner_store_drop(s, x);
}

static void what_is_put_is_found_as_it_was_put_last(void)
{
	_cleanup_store_ struct owner_store s = store_of(9);

	T_INT(put_kind(&s, WORKLOAD_JOB, "a", 1, "x"), 1);
	T_INT(put_kind(&s, WORKLOAD_JOB, "a", 1, "x"), 0);
	T_INT(put_kind(&s, WORKLOAD_JOB, "a", 1, "y"), 1);
	T_STR(find(&s, "a", 1)->text, "y");
	T_INT(put_kind(&s, WORKLOAD_JOBSET, "a", 1, "z"), 1);
	T_INT(s.n, 2);
	T_OK(!find(&s, "a", 2) && !find(&s, "b", 1));
	drop(&s, "a", 1);
	T_INT(s.n, 1);
	T_OK(!partial(&s, "a"));
}

/* (one with 50,000 Jobs left no place for those of others) */
static void the_namespace_with_the_most_gives_way(void)
{
	_cleanup_store_ struct owner_store s = store_of(10);

	for (int i = 0; i < 10; i++)
		T_INT(put(&s, "hog", i), 1);
	T_INT(put(&s, "hog", 10), -EDQUOT);
	T_STR(gave, "hog");
	T_OK(partial(&s, "hog"));
	/* what is there may change */
	T_INT(put_kind(&s, WORKLOAD_JOB, "hog", 3, "{x}"), 1);
	/* the others come in, until all have as many */
	for (int i = 0; i < 5; i++) {
		T_INT(put(&s, "b", i), 1);
		T_STR(gave, "hog");
		T_INT(s.n, 10);
		T_OK(!find(&s, "hog", 9 - i)); /* the newest */
	}
	T_INT(put(&s, "b", 5), -EDQUOT);
	T_STR(gave, "b");
	T_INT(put(&s, "hog", 9), -EDQUOT);
	T_INT(has(&s, "hog"), 5);
	T_INT(has(&s, "b"), 5);
	for (int i = 0; i < 9; i++)
		put(&s, "c", i);
	T_INT(has(&s, "hog") + has(&s, "b") + has(&s, "c"), 10);
	T_OK(has(&s, "hog") >= 3 && has(&s, "b") >= 3 && has(&s, "c") >= 3);
	/* one that has less than these loses nothing */
	T_INT(put(&s, "d", 1), 1);
	T_OK(!partial(&s, "d"));
	for (int i = 0; i < 9; i++)
		T_OK(put(&s, "e", i) == 1 || !strcmp(gave, "e"));
	T_OK(find(&s, "d", 1) && !partial(&s, "d"));
	T_INT(s.n, 10);
}

#define MIB (1 << 20)
#define LARGE (64 * 1024)

/* All texts that it has, and that their sum is known. */
static size_t bytes(const struct owner_store *s)
{
	size_t sum = 0, counts = 0;

	const struct owner_entry *x = (void *)s->of[WORKLOAD_JOB].first;

	for (; x; x = x->item.hh.next) {
		sum += strlen(x->text);
		counts += x->counts;
	}
	T_INT(s->n, counts);
	return sum;
}

/* (one with 50,000 Jobs of 64 KiB each took 3 GB) */
static void large_objects_leave_room_for_those_of_others(void)
{
	_cleanup_store_ struct owner_store s = store_of(200);
	_cleanup_free_ char *large = str_printf("%0*d", LARGE, 0);

	s.part = MIB / s.max;
	for (int i = 0; i < 20; i++)
		T_OK(put_kind(&s, WORKLOAD_JOB, "hog", i, large) == 1 ||
		     !strcmp(gave, "hog"));
	T_OK(partial(&s, "hog"));
	T_INT(has(&s, "hog"), 15);
	T_OK(bytes(&s) <= MIB);
	for (int i = 0; i < 90; i++)
		T_INT(put(&s, "b", i), 1);
	T_INT(has(&s, "b"), 90);
	T_OK(!partial(&s, "b") && has(&s, "hog") >= 7);
	T_OK(bytes(&s) <= MIB);
	/* one may become as large, but not at the cost of who has less */
	T_INT(put_kind(&s, WORKLOAD_JOB, "c", 0, "{}"), 1);
	T_INT(put_kind(&s, WORKLOAD_JOB, "c", 0, large), 1);
	T_STR(find(&s, "c", 0)->text, large);
	for (int i = 0; i < 20; i++)
		put_kind(&s, WORKLOAD_JOB, "hog", i, large);
	for (int i = 0; i < 90; i++)
		put_kind(&s, WORKLOAD_JOB, "b", i, large);
	T_OK(find(&s, "c", 0) && !partial(&s, "c"));
	T_OK(partial(&s, "b") && partial(&s, "hog"));
	T_OK(bytes(&s) <= MIB);
	/* and smaller again */
	T_INT(put_kind(&s, WORKLOAD_JOB, "c", 0, "{}"), 1);
	T_OK(bytes(&s) <= MIB);
}

static void one_that_becomes_too_large_is_left_out(void)
{
	_cleanup_store_ struct owner_store s = store_of(20);
	_cleanup_free_ char *large = str_printf("%0*d", LARGE, 0);

	s.part = LARGE / 10; /* it counts as 11 */
	T_INT(put_kind(&s, WORKLOAD_JOB, "a", 0, large), 1);
	T_INT(put(&s, "a", 1), 1);
	T_INT(put_kind(&s, WORKLOAD_JOB, "a", 1, large), -EDQUOT);
	T_STR(gave, "a");
	T_OK(find(&s, "a", 0) && !find(&s, "a", 1) && partial(&s, "a"));
	T_INT(s.n, 11);
	/* (it would have no room: all are not listed for it each 10 s) */
	T_OK(!owner_store_has_room_again(&s, WORKLOAD_JOB, false));
	T_OK(owner_store_has_room_again(&s, WORKLOAD_JOB, true));
	drop(&s, "a", 0);
	T_OK(owner_store_has_room_again(&s, WORKLOAD_JOB, false));
	T_INT(put_kind(&s, WORKLOAD_JOB, "a", 1, large), 1);
}

/* As an informer does it. */
static void list_some(struct owner_store *s, const char *ns, int from, int to)
{
	for (int i = from; i < to; i++)
		put(s, ns, i);
}

static void what_is_left_out_is_known_until_a_list_has_all(void)
{
	_cleanup_store_ struct owner_store s = store_of(10);

	list_some(&s, "hog", 0, 11);
	list_some(&s, "b", 0, 1);
	T_OK(partial(&s, "hog") && !partial(&s, "b"));
	owner_store_list(&s, WORKLOAD_JOB);
	T_OK(partial(&s, "hog")); /* (it is not complete) */
	list_some(&s, "b", 0, 1);
	list_some(&s, "hog", 5, 9);
	owner_store_synced(&s, WORKLOAD_JOB);
	T_OK(!partial(&s, "hog"));
	T_INT(s.n, 5);
	T_OK(!find(&s, "hog", 4));
	/* a list of others takes none of these away */
	owner_store_list(&s, WORKLOAD_JOBSET);
	owner_store_synced(&s, WORKLOAD_JOBSET);
	T_INT(s.n, 5);
	/* one that is gone is forgotten */
	owner_store_list(&s, WORKLOAD_JOB);
	owner_store_synced(&s, WORKLOAD_JOB);
	T_INT(s.n, 0);
	T_OK(!s.shares);
}

static bool again(struct owner_store *s, bool any)
{
	return owner_store_has_room_again(s, WORKLOAD_JOB, any);
}

static void they_are_listed_anew_when_that_is_worth_it(void)
{
	_cleanup_store_ struct owner_store s = store_of(100);

	list_some(&s, "hog", 0, 100);
	T_OK(!again(&s, true));
	list_some(&s, "hog", 100, 101);
	T_OK(!again(&s, true));
	drop(&s, "hog", 0);
	T_OK(!again(&s, false) && again(&s, true));
	for (int i = 1; i < 10; i++)
		drop(&s, "hog", i);
	T_OK(again(&s, false));
	/* another one, of which some were left out, has less by now */
	list_some(&s, "hog", 0, 10);
	list_some(&s, "b", 0, 60);
	T_INT(has(&s, "b"), 50);
	T_OK(!again(&s, true));
	drop(&s, "b", 0);
	list_some(&s, "c", 0, 1);
	T_OK(!again(&s, true));
	for (int i = 1; i < 20; i++)
		drop(&s, "b", i);
	list_some(&s, "d", 0, 19);
	T_INT(s.n, 100);
	T_OK(again(&s, false));
}

#define MANY 50000

/* (who is over his share may go on making objects) */
static void refusing_costs_no_more_with_many_namespaces(void)
{
	_cleanup_store_ struct owner_store s = store_of(MANY);
	clock_t begin = clock(), making;
	char ns[16];

	for (int i = 0; i < MANY / 2; i++) {
		snprintf(ns, sizeof(ns), "ns%d", i);
		put(&s, ns, 1);
	}
	list_some(&s, "hog", 0, MANY / 2);
	making = clock() - begin;
	begin = clock();
	for (int i = MANY; i < 2 * MANY; i++)
		T_INT(put(&s, "hog", i), -EDQUOT);
	T_OK(clock() - begin < making * 4);
}

T_MAIN("owner_store", T(what_is_put_is_found_as_it_was_put_last),
       T(the_namespace_with_the_most_gives_way),
       T(large_objects_leave_room_for_those_of_others),
       T(one_that_becomes_too_large_is_left_out),
       T(what_is_left_out_is_known_until_a_list_has_all),
       T(they_are_listed_anew_when_that_is_worth_it),
       T(refusing_costs_no_more_with_many_namespaces))
