/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kube/conn_activity.h"
#include "t.h"

static void
a_connection_is_dead_when_nothing_came_since_what_had_no_answer(void)
{
	static const struct {
		const char *what;
		int64_t heard_1, heard_2, missed_1;
		bool dead;
	} rows[] = {
		{"never heard of", 0, 0, 100, true},
		{"heard before", 99, 0, 100, true},
		{"it was sent as that came", 100, 0, 100, true},
		{"heard after", 101, 0, 100, false},
		{"the other one was heard", 99, 101, 100, true},
		{"nothing is missed", 99, 50, 0, false},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		struct conn_activity h = {0};

		t_row("%s", rows[i].what);
		conn_activity_note(&h, 1, rows[i].heard_1);
		conn_activity_note(&h, 2, rows[i].heard_2);
		if (rows[i].missed_1)
			conn_activity_miss(&h, 1, rows[i].missed_1);
		T_INT(conn_activity_dead(&h), rows[i].dead);
	}
}

static void the_newest_of_what_is_missed_counts(void)
{
	struct conn_activity h = {0};

	conn_activity_miss(&h, 1, 100);
	conn_activity_miss(&h, 1, 50);
	conn_activity_note(&h, 1, 70);
	T_OK(conn_activity_dead(&h));
	conn_activity_note(&h, 1, 101);
	T_OK(!conn_activity_dead(&h));
}

static void the_one_heard_longest_ago_makes_room(void)
{
	struct conn_activity h = {0};

	for (long port = 1; port <= CONN_ACTIVITY_MAX; port++)
		conn_activity_note(&h, port, 100 + port);
	conn_activity_miss(&h, 1, 1000);
	T_OK(conn_activity_dead(&h));
	conn_activity_note(&h, CONN_ACTIVITY_MAX + 1, 2000);
	T_INT(h.n, CONN_ACTIVITY_MAX);
	T_OK(!conn_activity_dead(&h));
	conn_activity_miss(&h, 2, 101);
	T_OK(!conn_activity_dead(&h));
}

T_MAIN("conn_activity",
       T(a_connection_is_dead_when_nothing_came_since_what_had_no_answer),
       T(the_newest_of_what_is_missed_counts),
       T(the_one_heard_longest_ago_makes_room))
