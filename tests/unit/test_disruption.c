/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cluster/disruption.h"
#include "t.h"

static void so_many_are_lost_that_it_is_not_they(void)
{
	static const struct {
		struct disruption_seen seen;
		bool is;
	} rows[] = {
		{{0, 0, 0}, false},
		{{0, 0, 5}, false},
		{{5, 0, 0}, false},
		/* all */
		{{1, 1, 0}, true},
		{{1, 1, 1}, false},
		{{2, 2, 0}, true},
		{{2, 2, 9}, true},
		{{100, 100, 9}, true},
		/* many */
		{{2, 1, 0}, false},
		{{3, 2, 0}, false},
		{{4, 2, 0}, false},
		{{4, 3, 0}, true},
		{{5, 3, 0}, true},
		{{6, 3, 0}, false},
		{{20, 10, 0}, false},
		{{20, 11, 0}, true},
		{{1000, 549, 0}, false},
		{{1000, 550, 0}, true},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		t_row("%zu of %zu", rows[i].seen.lost, rows[i].seen.nodes);
		T_INT(disruption_is(&rows[i].seen), rows[i].is);
	}
}

static void all_of_one_or_two_are_not_many(void)
{
	static const struct {
		struct disruption_seen seen;
		bool is;
	} rows[] = {
		{{0, 0, 0}, false},	 {{1, 1, 0}, false},
		{{2, 2, 0}, false},	 {{3, 3, 0}, true},
		{{3, 2, 0}, false},	 {{10, 2, 0}, false},
		{{10, 5, 0}, false},	 {{10, 6, 0}, true},
		{{1000, 549, 0}, false}, {{1000, 550, 0}, true},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		t_row("%zu of %zu", rows[i].seen.lost, rows[i].seen.nodes);
		T_INT(disruption_is_many(&rows[i].seen), rows[i].is);
	}
}

/* (two of the three that were lost have ended, say) */
static void what_is_left_of_it_may_be_few(void)
{
	static const struct {
		struct disruption_seen seen;
		bool is;
	} rows[] = {
		{{0, 0, 0}, false},	{{1, 1, 0}, true},
		{{2, 1, 0}, false},	{{3, 2, 0}, true},
		{{3, 0, 0}, false},	{{300, 300, 0}, true},
		{{300, 164, 0}, false}, {{300, 165, 0}, true},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		t_row("%zu of %zu", rows[i].seen.lost, rows[i].seen.nodes);
		T_INT(disruption_lasts(&rows[i].seen), rows[i].is);
	}
}

static void time_counts_from_its_end(void)
{
	const struct disruption_seen calm = {5, 1, 0}, storm = {5, 4, 0};
	struct disruption d = {0};

	T_INT(disruption_look(&d, &calm, 1000), DISRUPTION_NO_NEWS);
	T_INT(disruption_calm_for(&d, 400, 1000), 600);
	T_INT(disruption_look(&d, &storm, 2000), DISRUPTION_BEGINS);
	T_INT(disruption_look(&d, &storm, 3000), DISRUPTION_NO_NEWS);
	T_INT(disruption_calm_for(&d, 400, 3000), 0);
	T_INT(disruption_look(&d, &calm, 4000), DISRUPTION_ENDS);
	T_INT(disruption_look(&d, &calm, 5000), DISRUPTION_NO_NEWS);
	T_INT(disruption_calm_for(&d, 400, 5000), 1000);
	T_INT(disruption_calm_for(&d, 4700, 5000), 300);
}

static void what_is_counted_can_be_taken_back(void)
{
	struct disruption_seen seen = {0};

	disruption_count(&seen, true, 1);
	disruption_count(&seen, false, 1);
	disruption_count_other(&seen, true, 1);
	disruption_count_other(&seen, false, 1);
	T_INT(seen.nodes, 2);
	T_INT(seen.lost, 1);
	T_INT(seen.others_ready, 1);
	disruption_count(&seen, true, -1);
	disruption_count_other(&seen, true, -1);
	T_INT(seen.nodes, 1);
	T_INT(seen.lost, 0);
	T_INT(seen.others_ready, 0);
}

T_MAIN("disruption", T(so_many_are_lost_that_it_is_not_they),
       T(all_of_one_or_two_are_not_many), T(what_is_left_of_it_may_be_few),
       T(time_counts_from_its_end), T(what_is_counted_can_be_taken_back))
