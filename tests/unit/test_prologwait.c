/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How long k8s_prolog may wait, by PrologEpilogTimeout. */
#include "t.h"
#include "slurm/prolog_wait.h"

static void it_ends_before_slurmctld_kills_it(void)
{
	static const struct {
		uint32_t limit_s;
		int64_t age_ms, want;
	} rows[] = {
		{0, 0, PROLOG_WAIT_MAX_MS},
		{0, 86400000, PROLOG_WAIT_MAX_MS},
		{10, 0, 5000},
		{10, 1200, 3800}, /* (what the start, and the site, took) */
		{10, 5000, 0},
		{10, 60000, 0},
		{10, -7, 5000},
		{5, 0, 0},
		{1, 0, 0},
		{3605, 0, PROLOG_WAIT_MAX_MS},
		{65533, 0, PROLOG_WAIT_MAX_MS},
		{65533, 65000000, 528000},
		{UINT32_MAX, 0, PROLOG_WAIT_MAX_MS},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		t_row("%zu", i);
		T_INT(prolog_wait_left_ms(rows[i].limit_s, rows[i].age_ms),
		      rows[i].want);
	}
}

static void it_asks_no_longer_than_slurmctld_lets_it_run(void)
{
	static const struct {
		uint32_t limit_s;
		int64_t age_ms;
		unsigned int want;
	} rows[] = {
		{0, 0, 20},	  {0, 86400000, 20}, {300, 0, 20},
		{300, 290000, 7}, {23, 0, 20},	     {22, 0, 19},
		{10, 0, 7},	  {10, 1200, 5},     {10, 60000, 2},
		{5, 0, 2},	  {3, 0, 2},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		t_row("%u s, %lld ms", rows[i].limit_s,
		      (long long)rows[i].age_ms);
		T_INT(prolog_wait_ask_s(rows[i].limit_s, rows[i].age_ms),
		      rows[i].want);
	}
}

static void it_is_short_when_nodes_may_take_longer(void)
{
	T_OK(!prolog_wait_is_short(0, 300));
	T_OK(prolog_wait_is_short(1, 0));
	T_OK(prolog_wait_is_short(300, 300));
	T_OK(prolog_wait_is_short(304, 300));
	T_OK(!prolog_wait_is_short(305, 300));
}

static void the_start_of_a_process_is_read(void)
{
	T_INT(prolog_wait_start_ticks(
		      "17 (prolog) S 1 17 17 0 -1 4194304 1 2 3 4 5 6 7 8 20 0 "
		      "1 0 98765 4096 77 18446744073709551615"),
	      98765);
	T_INT(prolog_wait_start_ticks(
		      "17 (a) 9 (b) S 1 17 17 0 -1 4194304 1 2 3 4 5 6 7 8 20 "
		      "0 1 0 98765 4096\n"),
	      98765);
	T_INT(prolog_wait_start_ticks(""), -1);
	T_INT(prolog_wait_start_ticks("17 (prolog) S 1 17"), -1);
	T_INT(prolog_wait_start_ticks(
		      "17 (x) S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 "
		      "15 16 17 18 x"),
	      -1);
	T_INT(prolog_wait_start_ticks(
		      "17 (x) S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 "
		      "15 16 17 18 99999999999999999999"),
	      -1);
}

T_MAIN("prologwait", T(it_ends_before_slurmctld_kills_it),
       T(it_asks_no_longer_than_slurmctld_lets_it_run),
       T(it_is_short_when_nodes_may_take_longer),
       T(the_start_of_a_process_is_read))
