/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bridge/reconcile/stale_decide.h"
#include "cluster/view_parts.h"
#include "t.h"

static void the_oldest_of_what_is_looked_at_counts(void)
{
	static const struct {
		struct view_parts s;
		enum view_part of;
		int64_t ms;
		bool stale; /* by 120 s */
	} rows[] = {
		{{{1000, 1000, 1000, 1000}}, VIEW_PODS, 500000, true},
		{{{501000, 501000, 501000, 501000}}, VIEW_PODS, 0, false},
		{{{500000, 381000, 0, 0}}, VIEW_NODES, 120000, false},
		{{{500000, 380999, 0, 0}}, VIEW_NODES, 120001, true},
		{{{500000, 500000, 300000, 0}}, VIEW_NAMESPACES, 201000, true},
		{{{500000, 500000, 0, 1}}, VIEW_OTHERS, 500999, true},
		/* (what was never seen is others' to know) */
		{{{0, 0, 0, 0}}, VIEW_PODS, 0, false},
	};
	struct view_age age;

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		t_row("%zu", i);
		view_age_of(&rows[i].s, 501000, &age);
		T_INT(age.of, rows[i].of);
		T_INT(age.ms, rows[i].ms);
		T_INT(view_is_stale(&age, 120000), rows[i].stale);
		T_OK(!view_is_stale(&age, 0)); /* (no bound) */
		T_OK(*view_part_name(age.of));
	}
}

/* What it says: all else is in test_stale_properties.c. */
static void the_words_name_the_job(void)
{
	const struct group_view v = {
		.job = PLACEHOLDER_ENDED, .job_id = 42, .pods = {.live = 1}};
	struct group_decision d;

	group_decide_stale(&v, &d);
	T_STR(d.row, "stale, ended");
	T_STR(d.words, "job 42 does not run any more");
}

T_MAIN("stale_decide", T(the_oldest_of_what_is_looked_at_counts),
       T(the_words_name_the_job))
