/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * When nodes that slurm.conf does not name are created or deleted; what is done
 * with one of them: test_create_nodes.c.
 */
#include <string.h>

#include "nodes/dynamic/dynamic_decide.h"
#include "nodes/watch/nodes.h"
#include "t.h"

#define AT 1000000

static void nodes_are_compared_in_time_and_when_their_number_changes(void)
{
	T_OK(!dynamic_is_due(AT, 7, 7, AT - 1));
	T_OK(dynamic_is_due(AT, 7, 7, AT));
	T_OK(dynamic_is_due(AT, 7, 6, AT - 1));
	T_OK(dynamic_is_due(AT, 7, 8, 0));
}

static void it_waits_for_its_cluster_and_after_a_refusal(void)
{
	static const struct {
		const char *row;
		int64_t until;
		bool has_cluster;
		enum create_turn turn;
	} rows[] = {
		{"never refused", 0, true, CREATE_MAY},
		{"no lease", 0, false, CREATE_SOON},
		{"refused lately", AT + 1, true, CREATE_NOT_YET},
		{"refused lately, no lease", AT + 1, false, CREATE_NOT_YET},
		{"refused, the pause is over", AT, true, CREATE_MAY},
		{"refused, the pause is over, no lease", AT, false,
		 CREATE_SOON},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		const struct create_backoff b = {.until = rows[i].until};

		t_row("%s", rows[i].row);
		T_INT(dynamic_turn(&b, rows[i].has_cluster, AT), rows[i].turn);
	}
}

static void a_refusal_is_logged_once_for_each_words(void)
{
	static const struct {
		const char *words;
		bool says;
		int64_t again_ms;
	} rows[] = {
		{"no such Gres", true, 5000},	{"no such Gres", false, 10000},
		{"no such Gres", false, 20000}, {"too many", true, 40000},
		{"too many", false, 80000},	{"too many", false, 160000},
		{"too many", false, 320000},	{"too many", false, 600000},
		{"no such Gres", true, 600000},
	};
	_cleanup_free_ char *often = t_repeat("no such Gres, ", 500);
	struct create_backoff b = {0};
	int64_t again_ms;

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		t_row("%zu", i);
		T_INT(dynamic_refused(&b, rows[i].words, AT, &again_ms),
		      rows[i].says);
		T_INT(again_ms, rows[i].again_ms);
		T_INT(b.until, AT + rows[i].again_ms);
	}
	t_row("it works");
	dynamic_worked(&b);
	T_INT(b.until, 0);
	T_OK(dynamic_refused(&b, "no such Gres", AT, &again_ms));
	T_INT(again_ms, 5000);
	t_row("words that are too long");
	T_OK(dynamic_refused(&b, often, AT, &again_ms));
	T_OK(!dynamic_refused(&b, often, AT, &again_ms));
}

T_MAIN("dynamic_decide",
       T(nodes_are_compared_in_time_and_when_their_number_changes),
       T(it_waits_for_its_cluster_and_after_a_refusal),
       T(a_refusal_is_logged_once_for_each_words))
