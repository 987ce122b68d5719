/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "slurm/nodes_pace.h"
#include "t.h"

static void lists_take_a_bounded_part_of_the_time(void)
{
	static const struct {
		size_t n;
		int64_t took_ms;
		int stale;
		int64_t pause_ms;
	} rows[] = {
		{0, 0, 0, 1000},
		{10, 1, 0, 1000},
		{10000, 100, 0, 10000},
		{10000, 500, 0, 11000}, /* all of them are due by then */
		/* a small site sees at once what was changed for it */
		{10, 1, 1, 10},
		{10, 0, 1, 0},
		/* with many nodes there is always one that was changed */
		{10000, 100, 1, 1000},
		{10000, 2000, 1, 11000},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		t_row("%zu", i);
		T_INT(nodes_pause_ms(rows[i].n, rows[i].took_ms, rows[i].stale),
		      rows[i].pause_ms);
	}
}

T_MAIN("nodes_pace", T(lists_take_a_bounded_part_of_the_time))
