/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which refused jobs wait by themselves, and for how long. */
#include <stdio.h>

#include "nodes/pod/refusal.h"
#include "t.h"

static struct feature wears[] = {{.name = (char *)"jax"},
				 {.name = (char *)"fast"}};
static const struct features known = {wears, 2};

static void who_has_chosen_what_was_refused_waits_twice_as_long_each_time(void)
{
	static const struct {
		size_t nodes;
		feature_set active;
		int64_t first_ms, most_ms;
		const char *before, *want;
	} rows[] = {
		{1, 0, 30000, 600000, NULL, "forbidden"},
		{1, 0, 30000, 600000, "k8s: again in 30 s (2 nodes): forbidden",
		 "forbidden"},
		{200, 0, 30000, 600000, NULL,
		 "again in 30 s (200 nodes): forbidden"},
		{200, 0, 30000, 600000, "k8s: its pod is gone",
		 "again in 30 s (200 nodes): forbidden"},
		{200, 0, 30000, 600000, "an administrator's words",
		 "again in 30 s (200 nodes): forbidden"},
		{200, 0, 30000, 600000,
		 "k8s: again in 30 s (200 nodes): forbidden k8s-pod: {}",
		 "again in 60 s (200 nodes): forbidden"},
		{200, 0, 30000, 600000, "k8s: again in 480 s (200 nodes): x",
		 "again in 600 s (200 nodes): forbidden"},
		{200, 0, 30000, 600000, "k8s: again in 600 s (200 nodes): x",
		 "again in 600 s (200 nodes): forbidden"},
		{2, 0, 30000, 20000, NULL,
		 "again in 20 s (2 nodes): forbidden"},
		{2, 0, 500, 2000, NULL, "again in 1 s (2 nodes): forbidden"},
		{2, 0, 0, 600000, "k8s: again in 60 s (2 nodes): x",
		 "forbidden"},
		{2, 0, 30000, 0, NULL, "forbidden"},
		{1, 1, 30000, 600000, NULL,
		 "again in 30 s (with features jax): forbidden"},
		{3, 3, 30000, 600000, NULL,
		 "again in 30 s (3 nodes with features jax,fast): forbidden"},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		const struct failover rules = {.cool_down_ms = rows[i].first_ms,
					       .cool_down_max_ms =
						       rows[i].most_ms};
		const struct refusal r = {.rules = &rules,
					  .nodes = rows[i].nodes,
					  .active = rows[i].active,
					  .known = &known};
		char out[100];

		t_row("%zu", i);
		refusal_note(&r, rows[i].before, "forbidden", out, sizeof(out));
		T_STR(out, rows[i].want);
	}
}

static void the_words_say_for_how_long(void)
{
	static const struct {
		const char *words;
		uint32_t s;
	} rows[] = {
		{NULL, 0},
		{"", 0},
		{"k8s: ", 0},
		{"forbidden", 0},
		{"again in 30 s (2 nodes): forbidden", 30},
		{"k8s: again in 600 s (with features jax): forbidden", 600},
		{"k8s: again in 30 s (200 nodes wi ... exceeded", 30},
		{"k8s: again in 86400 s (2 nodes): x", 86400},
		{"k8s: again in 86401 s (2 nodes): x", 0},
		{"k8s: again in -1 s (2 nodes): x", 0},
		{"k8s: again in 99999999999999999999 s (2 nodes): x", 0},
		{"k8s: again in 30 minutes", 0},
		{"k8s: again in ", 0},
		{"not again in 30 s (2 nodes): x", 0},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		t_row("%zu", i);
		T_INT(refusal_wait_s(rows[i].words), rows[i].s);
	}
}

/* A Reason has no room for many names; what is read of it stands first. */
static void long_names_leave_room_for_the_cause(void)
{
	char name[80], out[200];
	struct feature one = {.name = name};
	const struct features long_one = {&one, 1};
	const struct failover rules = {.cool_down_ms = 30000,
				       .cool_down_max_ms = 600000};
	const struct refusal r = {.rules = &rules,
				  .nodes = SIZE_MAX,
				  .active = 1,
				  .known = &long_one};

	snprintf(name, sizeof(name), "%079d", 0);
	refusal_note(&r, NULL, "forbidden", out, sizeof(out));
	T_HAS(out, "000): forbidden");
	T_INT(refusal_wait_s(out), 30);
}

T_MAIN("refusal",
       T(who_has_chosen_what_was_refused_waits_twice_as_long_each_time),
       T(the_words_say_for_how_long), T(long_names_leave_room_for_the_cause))
