/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/backoff.h"
#include "t.h"

#define BASE 100
#define MAX 5000

static void a_wait_is_between_a_half_and_the_whole_of_the_doubled_base(void)
{
	for (uint64_t seed = 0; seed < 200; seed++) {
		int64_t whole = BASE;
		struct backoff b;

		t_row("seed %d", (int)seed);
		backoff_init(&b, BASE, MAX, seed);
		for (int i = 0; i < 100; i++) {
			int64_t ms = backoff_next(&b, 0);

			T_OK(ms >= whole / 2 && ms <= whole);
			whole = whole * 2 < MAX ? whole * 2 : MAX;
		}
	}
}

static void seeds_spread_callers_apart(void)
{
	struct backoff a, b;
	int same = 0;

	backoff_init(&a, BASE, MAX, 1234);
	backoff_init(&b, BASE, MAX, 98765);
	for (int i = 0; i < 50; i++)
		same += backoff_next(&a, 0) == backoff_next(&b, 0);
	T_OK(same < 10);
}

static void the_servers_retry_after_is_a_lower_bound(void)
{
	struct backoff b;

	backoff_init(&b, BASE, MAX, 7);
	for (int i = 0; i < 20; i++)
		T_OK(backoff_next(&b, 8000) >= 8000);
}

static void a_huge_retry_after_is_bounded(void)
{
	struct backoff b;

	backoff_init(&b, BASE, MAX, 7);
	for (int i = 0; i < 20; i++) {
		int64_t ms = backoff_next(&b, INT64_MAX);

		T_OK(ms >= 10 * MAX && ms <= 11 * MAX);
	}
}

static void a_reset_starts_from_the_base_again(void)
{
	struct backoff b;

	backoff_init(&b, BASE, MAX, 7);
	for (int i = 0; i < 10; i++)
		backoff_next(&b, 0);
	backoff_reset(&b);
	T_OK(backoff_next(&b, 0) <= BASE);
}

static void a_base_over_the_maximum_waits_the_maximum(void)
{
	struct backoff b;

	backoff_init(&b, 10 * MAX, MAX, 7);
	T_OK(backoff_next(&b, 0) <= MAX);
}

static void a_doubled_wait_ends_at_its_limit(void)
{
	T_INT(backoff_doubled(5, 0, 60), 5);
	T_INT(backoff_doubled(5, 3, 60), 40);
	T_INT(backoff_doubled(5, 4, 60), 60);
	T_INT(backoff_doubled(5, 4000000000u, 60), 60);
	T_INT(backoff_doubled(90, 0, 60), 60);
	T_INT(backoff_doubled(0, 4000000000u, 60), 0);
}

static void what_is_refused_is_tried_ever_more_seldom(void)
{
	unsigned int n = 0;

	T_INT(backoff_until(1000, 0, &n, 5, 20), 1005);
	T_INT(backoff_until(1004, 1005, &n, 5, 20), 1005); /* it lasts */
	T_INT(backoff_until(1005, 1005, &n, 5, 20), 1015);
	T_INT(backoff_until(1015, 1015, &n, 5, 20), 1035);
	T_INT(backoff_until(1055, 1035, &n, 5, 20), 1075);
	T_INT(n, 4);
	/* it went well for long */
	T_INT(backoff_until(1096, 1075, &n, 5, 20), 1101);
	T_INT(n, 1);
}

T_MAIN("backoff", T(what_is_refused_is_tried_ever_more_seldom),
       T(a_wait_is_between_a_half_and_the_whole_of_the_doubled_base),
       T(a_doubled_wait_ends_at_its_limit), T(seeds_spread_callers_apart),
       T(the_servers_retry_after_is_a_lower_bound),
       T(a_huge_retry_after_is_bounded), T(a_reset_starts_from_the_base_again),
       T(a_base_over_the_maximum_waits_the_maximum))
