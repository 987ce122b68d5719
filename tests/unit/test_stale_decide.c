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

/* By an old view nothing is done but to pods of a job that does not run. */
static void no_combination_does_more_than_end_pods(void)
{
	unsigned int deletes = 0;

	for (unsigned int n = 0; n < 9 * 4 * 64; n++) {
		const bool live = n & 1, waits = n & 2, back = n & 4,
			   bound = n & 8, refused = n & 16, done = n & 32;
		const struct group_view v = {
			.job = (n >> 6) % 9,
			.end = (n >> 6) / 9 % 2 ? PLACEHOLDER_CANCELLED
						: PLACEHOLDER_NOT_ENDED,
			.strange = (n >> 6) / 18,
			.job_id = 42,
			.made_for = 2,
			.members = 1,
			.requeued = back,
			.bound = bound,
			.room = true,
			.pods_known = true,
			.state_ms = 3600000,
			.kill_wait_s = 30,
			.reason = "Priority",
			.refusal = refused ? "no" : NULL,
			.pods = {.live = live,
				 .waiting = waits,
				 .succeeded = done,
				 .grace_s = 20},
		};
		const bool over =
			!v.strange && (v.job == PLACEHOLDER_ENDED ||
				       v.job == PLACEHOLDER_COMPLETING ||
				       (v.job == PLACEHOLDER_NONE && v.end) ||
				       (placeholder_waits(v.job) && back));
		struct group_decision d;

		group_decide_stale(&v, &d);
		t_row("%u", n);
		T_OK(d.row && *d.row);
		if (d.action == GROUP_KEEP) {
			T_OK(!over || !(live || (waits && bound)));
			T_STR(d.words, "");
			continue;
		}
		deletes++;
		T_INT(d.action, GROUP_DELETE_PODS);
		T_OK(over && d.look && d.job_id == 42 && d.grace_s == 20);
		T_OK(live || d.waiting_too);
		T_STR(d.words, "job 42 does not run any more");
	}
	T_OK(deletes > 100);
}

T_MAIN("stale_decide", T(the_oldest_of_what_is_looked_at_counts),
       T(no_combination_does_more_than_end_pods))
