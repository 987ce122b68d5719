/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What one more look at a node adds to what is remembered of it. */
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "nodes/reconcile/node_look.h"
#include "t.h"

/* One look after another, of one node; each has its row. */
static void power_states_have_their_begin(void)
{
	static const struct {
		struct slurm_node is;
		int64_t at;
		struct power_news news;
		int64_t since, down_at;
		bool was_up;
	} rows[] = {
		/* the first look: nobody saw it power up */
		{{.power = NODE_UP}, 10, {true, false, 1, 1}, 10, 1, true},
		{{.power = NODE_UP}, 20, {false, false, 10, 0}, 10, 1, true},
		{{.power = NODE_POWERING_DOWN},
		 30,
		 {true, false, 10, -1},
		 30,
		 25,
		 true},
		{{.power = NODE_POWERED_DOWN},
		 40,
		 {true, false, 30, 0},
		 40,
		 35,
		 true},
		{{.power = NODE_POWERED_DOWN},
		 50,
		 {false, false, 40, 0},
		 40,
		 45,
		 true},
		{{.power = NODE_POWERING_UP},
		 60,
		 {true, false, 40, 0},
		 60,
		 45,
		 false},
		{{.power = NODE_UP}, 70, {true, true, 60, 1}, 70, 45, true},
		/* a power-up that was given up */
		{{.power = NODE_POWERING_UP},
		 80,
		 {true, false, 70, -1},
		 80,
		 45,
		 false},
		{{.power = NODE_UP, .ending = true},
		 90,
		 {true, false, 80, 1},
		 90,
		 45,
		 false},
	};
	struct seen_power m = {.since = 1, .down_at = 1};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		const struct power_news n =
			look_power(&m, &rows[i].is, rows[i].at - 5, rows[i].at);

		t_row("%zu", i);
		T_INT(n.changed, rows[i].news.changed);
		T_INT(n.came_up, rows[i].news.came_up);
		T_INT(n.since, rows[i].news.since);
		T_INT(n.up, rows[i].news.up);
		T_INT(m.since, rows[i].since);
		T_INT(m.down_at, rows[i].down_at);
		T_INT(m.was_up, rows[i].was_up);
		T_INT(m.now, rows[i].is.power);
	}
}

static void it_comes_up_only_as_a_node_that_works(void)
{
	static const struct slurm_node rows[] = {
		{.power = NODE_UP, .down = true},
		{.power = NODE_UP, .ending = true},
		{.power = NODE_UP, .no_respond = true},
		{.power = NODE_POWERING_DOWN},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		struct seen_power m = {.now = NODE_POWERING_UP, .looked = true};

		t_row("%zu", i);
		T_OK(!look_power(&m, &rows[i], 5, 10).came_up);
	}
}

/* Slurm keeps a Reason of ours, and drains with it a minute later. */
static void an_old_reason_of_ours_is_not_our_drain(void)
{
	static const struct {
		struct slurm_node is;
		const char *reason;
		int64_t reason_ms;
	} rows[] = {
		{{.reason = "k8s: pod gone", .reason_ms = 7},
		 "k8s: pod gone",
		 7},
		{{.drained = true, .reason = "k8s: pod gone", .reason_ms = 7},
		 "drained by Slurm",
		 1002},
		{{.drained = true, .reason = "k8s: pod gone", .reason_ms = 7},
		 "drained by Slurm",
		 1002},
		{{.down = true, .reason = "k8s: pod gone", .reason_ms = 7},
		 WK_REASON_SILENT,
		 1002},
		/* it is neither: from now on it is new */
		{{.reason = "", .reason_ms = 0}, "", 0},
		{{.drained = true, .reason = "k8s: pod gone", .reason_ms = 9},
		 "k8s: pod gone",
		 9},
		{{.reason = "k8s: pod gone", .reason_ms = 9},
		 "k8s: pod gone",
		 9},
		/* we have done it again */
		{{.drained = true, .reason = "k8s: lost", .reason_ms = 11},
		 "k8s: lost",
		 11},
		{{.drained = true, .reason = "bad DIMM", .reason_ms = 12},
		 "bad DIMM",
		 12},
	};
	struct seen_reason m = {0};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		struct slurm_node node = rows[i].is;

		t_row("%zu", i);
		look_reason(&m, &node, 1001 + (int64_t)i);
		T_STR(node.reason, rows[i].reason);
		T_INT(node.reason_ms, rows[i].reason_ms);
	}
}

/* Slurm ends every drain as a power-down that was asked for begins. */
static void a_drain_that_came_after_a_power_down_was_asked_for_is_known(void)
{
#define FREE                                                                   \
	{                                                                      \
		.power = NODE_UP, .ending = true                               \
	}
#define BY(why)                                                                \
	{                                                                      \
		.power = NODE_UP, .ending = true, .drained = true,             \
		.reason = why                                                  \
	}
#define GOES(why)                                                              \
	{                                                                      \
		.power = NODE_POWERING_DOWN, .reason = why                     \
	}
	static const struct {
		struct slurm_node is[4];
		bool undrained;
	} rows[] = {
		{{FREE, BY("bad DIMM"), GOES("bad DIMM"), GOES("bad DIMM")},
		 true},
		{{BY("k8s: old"), BY("bad DIMM"), BY("bad DIMM"),
		  GOES("bad DIMM")},
		 true},
		/* (scontrol update state=power_down_asap reason=...) */
		{{{.power = NODE_UP},
		  BY("bad DIMM"),
		  BY("bad DIMM"),
		  GOES("bad DIMM")},
		 false},
		{{FREE, BY("k8s: old"), BY("k8s: old"), GOES("k8s: old")},
		 false},
		{{FREE, BY("POWER_DOWN_ASAP"), BY("POWER_DOWN_ASAP"),
		  GOES("POWER_DOWN_ASAP")},
		 false},
		/* undrained, by whom it was drained */
		{{FREE, BY("bad DIMM"), FREE, GOES(NULL)}, false},
		{{FREE, BY("bad DIMM"), FREE, GOES("rack 7")}, false},
		/* the power-down was called off, and is asked for anew */
		{{FREE, BY("bad DIMM"), {.power = NODE_UP}, GOES("bad DIMM")},
		 false},
		/* Slurm has left it */
		{{FREE,
		  BY("bad DIMM"),
		  BY("bad DIMM"),
		  {.power = NODE_POWERING_DOWN,
		   .drained = true,
		   .reason = "bad DIMM"}},
		 false},
		{{FREE,
		  BY("bad DIMM"),
		  GOES("bad DIMM"),
		  {.power = NODE_POWERED_DOWN, .reason = "bad DIMM"}},
		 false},
		/* it was set again, and ended by an administrator */
		{{FREE,
		  BY("bad DIMM"),
		  {.power = NODE_POWERING_DOWN,
		   .drained = true,
		   .reason = "bad DIMM"},
		  GOES(NULL)},
		 false},
		/* Slurm has drained it, for a job that ended there */
		{{FREE,
		  {.power = NODE_UP,
		   .ending = true,
		   .busy = true,
		   .drained = true,
		   .reason = "Epilog error"},
		  {.power = NODE_UP,
		   .ending = true,
		   .busy = true,
		   .drained = true,
		   .reason = "Epilog error"},
		  GOES("Epilog error")},
		 false},
		/* (from 24.11 on that stays until it begins) */
		{{{.power = NODE_POWERED_DOWN, .ending = true},
		  {.power = NODE_POWERED_DOWN,
		   .ending = true,
		   .drained = true,
		   .reason = "bad DIMM"},
		  GOES("bad DIMM"),
		  GOES("bad DIMM")},
		 true},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		struct seen_reason m = {0};
		struct slurm_node node = {0};

		t_row("%zu", i);
		for (size_t k = 0; k < T_COUNT(rows->is); k++) {
			node = rows[i].is[k];
			look_drain(&m, &node, 1);
		}
		T_INT(node.undrained, rows[i].undrained);
	}
}

/* (in the moment before Slurm's nodes are read again) */
static void nor_is_one_lost_that_came_at_once_after_our_power_down(void)
{
	/* (the second look is at what was read before) */
	struct slurm_node node[] = {{.power = NODE_UP},
				    {.power = NODE_UP},
				    BY("bad DIMM"),
				    GOES("bad DIMM")};

	for (int64_t late = 0; late < 2; late++) {
		struct seen_reason m = {0};

		look_drain(&m, &node[0], 1);
		m.told_at = 1;
		look_drain(&m, &node[1], 100);
		look_drain(&m, &node[2], late ? 10001 : 10000);
		look_drain(&m, &node[3], 20000);
		T_INT(node[3].undrained, !late);
	}
}

static void a_host_is_lost_without_a_break(void)
{
	static const struct {
		bool known, ready, silent, drained;
		int64_t since;
	} rows[] = {
		{true, true, true, false, 0},
		{true, false, false, false, 0},
		{false, false, true, false, 0},
		{true, false, true, false, 4},
		{true, false, true, false, 4},
		{true, false, true, true, 6}, /* drained, or undrained */
		{true, false, true, true, 6},
		{true, false, true, false, 8},
		{true, true, true, false, 0},
		{true, false, true, false, 10},
	};
	struct seen_host m = {0};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		const struct slurm_node node = {.no_respond = rows[i].silent,
						.drained = rows[i].drained};
		const struct kube_node_state host = {.known = rows[i].known,
						     .ready = rows[i].ready};

		t_row("%zu", i);
		T_INT(look_lost(&m, &node, &host, (int64_t)i + 1),
		      rows[i].since);
	}
}

static void restarts_before_its_jobs_count(void)
{
	const struct seen_power up = {.now = NODE_UP, .since = 1000};
	struct seen_pod m = {0};

	T_INT(look_restarts(&m, &up, false, 1, 2, 1000), 2);
	T_INT(look_restarts(&m, &up, true, 1, 3, 10999), 3);
	/* it is settled, and has a job */
	T_INT(look_restarts(&m, &up, true, 1, 4, 11000), 3);
	T_INT(look_restarts(&m, &up, false, 1, 4, 11000), 4);
	T_INT(look_restarts(&m, &up, true, 1, 5, 11000), 4);
	/* another pod, and another power state */
	T_INT(look_restarts(&m, &up, true, 2, 0, 12000), 0);
	T_INT(look_restarts(&m, &(struct seen_power){.now = NODE_POWERING_UP},
			    true, 2, 1, 12000),
	      1);
}

static void a_pod_is_absent_where_pods_are_seen(void)
{
	static const struct {
		bool has, in_view, elsewhere;
		int64_t since;
	} rows[] = {
		{true, true, false, 0},	  {false, true, false, 2},
		{false, true, false, 2},  {false, false, false, 0},
		{false, true, false, 5},  {false, true, true, 0},
		{false, true, false, 7},  {true, true, false, 0},
		{false, false, false, 0},
	};
	struct seen_pod m = {0};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		t_row("%zu", i);
		T_INT(look_absent(&m, rows[i].has, rows[i].in_view,
				  rows[i].elsewhere, (int64_t)i + 1),
		      rows[i].since);
		T_INT(m.has, rows[i].has);
		T_INT(m.in_view, rows[i].in_view);
	}
}

static void a_pod_went_in_this_state_of_its_node(void)
{
	static const struct {
		struct slurm_node is;
		int64_t gone, born;
		bool now;
	} rows[] = {
		{{.power = NODE_POWERING_UP}, 100, 0, true},
		{{.power = NODE_POWERING_UP}, 99, 99, false},
		{{.power = NODE_UP}, 99, 50, true},
		{{.power = NODE_UP}, 99, 49, false},
		{{.power = NODE_UP, .ending = true}, 99, 50, false},
	};
	const struct seen_power m = {.since = 100, .down_at = 50};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		t_row("%zu", i);
		T_INT(look_is_gone(&m, &rows[i].is, rows[i].gone, rows[i].born),
		      rows[i].now);
	}
}

static void features_are_what_the_pod_has(void)
{
	static struct feature all[] = {{.name = (char *)"a"},
				       {.name = (char *)"b"}};
	static const struct features known = {all, T_COUNT(all)};
	static const struct {
		struct slurm_node node;
		const char *available, *active, *pod;
		enum features_look is;
		const char *words;
	} rows[] = {
		{{.power = NODE_UP}, "x,a,b", "x,a", "a", FEATURES_STAY, NULL},
		{{.power = NODE_UP},
		 "x,a,b",
		 "x,a,b",
		 "a",
		 FEATURES_CHANGE,
		 "x,a"},
		{{.power = NODE_UP},
		 "x,a,b",
		 "x,a,b",
		 "?",
		 FEATURES_STAY,
		 NULL},
		{{.power = NODE_UP},
		 "x,a,b",
		 "x,a,b",
		 NULL,
		 FEATURES_STAY,
		 NULL},
		/* the pod has what slurm.conf does not know */
		{{.power = NODE_UP}, "x,a", "x", "b", FEATURES_STAY, NULL},
		{{.power = NODE_POWERED_DOWN},
		 "x,a,b",
		 "x,a",
		 NULL,
		 FEATURES_CHANGE,
		 "x"},
		{{.power = NODE_POWERED_DOWN, .busy = true},
		 "x,a,b",
		 "x,a",
		 NULL,
		 FEATURES_STAY,
		 NULL},
		{{.power = NODE_POWERING_DOWN},
		 "x,a,b",
		 "x,a",
		 NULL,
		 FEATURES_CHANGE,
		 "x"},
		{{.power = NODE_POWERING_DOWN},
		 "x,a,b",
		 "x,a",
		 "a",
		 FEATURES_STAY,
		 NULL},
		{{.power = NODE_POWERING_UP},
		 "x,a,b",
		 "x,a,b",
		 "a",
		 FEATURES_STAY,
		 NULL},
		/* Slurm 22.05 names them once more */
		{{.power = NODE_UP},
		 "x,a,a,b",
		 "x,a",
		 "a",
		 FEATURES_CHANGE,
		 "x,a x,a,b"},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		const struct features_seen f = {.known = &known,
						.available = rows[i].available,
						.active = rows[i].active,
						.pod = rows[i].pod};
		char out[NODE_WORDS_MAX];

		t_row("%zu", i);
		T_INT(look_features(&f, &rows[i].node, out), rows[i].is);
		if (rows[i].words)
			T_STR(out, rows[i].words);
	}
}

static void features_that_do_not_fit_are_not_cut(void)
{
	static struct feature all[] = {{.name = (char *)"a"},
				       {.name = (char *)"b"}};
	static const struct features known = {all, T_COUNT(all)};
	static const struct {
		size_t others; /* bytes of other features */
		const char *twice, *active;
		enum features_look is;
	} rows[] = {
		{NODE_WORDS_MAX, "", "a,b", FEATURES_TOO_LONG},
		{600, ",a", "a,b", FEATURES_CHANGE_TOO_LONG},
		{600, ",a", "a", FEATURES_TOO_LONG},
		{400, ",a", "a", FEATURES_CHANGE},
		{600, "", "a", FEATURES_STAY},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_free_ char *x = t_repeat("x", (int)rows[i].others);
		_cleanup_free_ char *available =
			str_printf("%s,a,b%s", x, rows[i].twice);
		_cleanup_free_ char *active =
			str_printf("%s,%s", x, rows[i].active);
		const struct slurm_node up = {.power = NODE_UP};
		const struct features_seen f = {.known = &known,
						.available = available,
						.active = active,
						.pod = "a"};
		char out[NODE_WORDS_MAX];

		t_row("%zu", i);
		T_INT(look_features(&f, &up, out), rows[i].is);
		T_OK(rows[i].is == FEATURES_TOO_LONG ||
		     strlen(out) < sizeof(out));
	}
}

T_MAIN("node_look", T(power_states_have_their_begin),
       T(it_comes_up_only_as_a_node_that_works),
       T(an_old_reason_of_ours_is_not_our_drain),
       T(a_drain_that_came_after_a_power_down_was_asked_for_is_known),
       T(nor_is_one_lost_that_came_at_once_after_our_power_down),
       T(a_host_is_lost_without_a_break), T(restarts_before_its_jobs_count),
       T(a_pod_is_absent_where_pods_are_seen),
       T(a_pod_went_in_this_state_of_its_node),
       T(features_are_what_the_pod_has),
       T(features_that_do_not_fit_are_not_cut))
