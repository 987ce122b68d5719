/* SPDX-License-Identifier: GPL-2.0-or-later */
/* minRunning and minRunningSchedule of k8s.yaml. */
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "config/config.h"
#include "t.h"

#define _cleanup_config_ _cleanup_(config_freep)

/* One nodeset of eight nodes, with these lines from column 3 of line 3 on. */
static int parse(const char *lines, struct config **out, struct err *err)
{
	_cleanup_free_ char *text = str_printf(
		"clusters: [{name: main, kubeconfig: k}]\n"
		"nodesets: [{name: s, cluster: main, nodes: 'n[1-8]',\n"
		"  %s,\n"
		"  podTemplate: {spec: {containers: [{name: slurmd}]}}}]\n",
		lines);

	return config_parse("k8s.yaml", text, strlen(text), out, err);
}

static uint32_t at(const struct config *c, int day, int hour, int minute)
{
	const struct tm local = {
		.tm_wday = day, .tm_hour = hour, .tm_min = minute};

	return min_running_at(&c->nodesets[0].min_running, &local);
}

static struct config *accepted(const char *lines)
{
	struct config *c = NULL;
	struct err err = {0};

	T_INT(parse(lines, &c, &err), 0);
	T_STR(err.msg, "");
	return c;
}

static void without_it_no_node_is_to_run(void)
{
	_cleanup_config_ struct config *c = accepted("maxUnavailable: 1");
	_cleanup_config_ struct config *zero = accepted("minRunning: 0");

	T_NEED(c && zero);
	T_OK(!c->nodesets[0].min_running.where);
	T_OK(!zero->nodesets[0].min_running.where);
	T_INT(at(c, 1, 12, 0), 0);
}

static void a_number_holds_at_any_time(void)
{
	_cleanup_config_ struct config *c = accepted("minRunning: 8");

	T_NEED(c);
	T_INT(at(c, 0, 0, 0), 8);
	T_INT(at(c, 6, 23, 59), 8);
}

static void the_most_of_all_that_applies_counts(void)
{
	_cleanup_config_ struct config *c = accepted(
		"minRunning: 1, minRunningSchedule: ["
		"{nodes: 6, days: [mon, fri], from: '08:00', to: '18:30'}, "
		"{nodes: 3, from: '17:00'}, "
		"{nodes: 0, days: [mon], from: '09:00', to: '10:00'}]");
	static const struct {
		int day, hour, minute;
		uint32_t want;
	} rows[] = {
		{1, 7, 59, 1},	{1, 8, 0, 6}, {1, 9, 30, 6}, {1, 18, 29, 6},
		{1, 18, 30, 3}, {2, 9, 0, 1}, {2, 17, 0, 3}, {2, 16, 59, 1},
		{2, 23, 59, 3}, {3, 0, 0, 1}, {5, 12, 0, 6}, {0, 12, 0, 1},
	};

	T_NEED(c);
	for (size_t i = 0; i < T_COUNT(rows); i++) {
		t_row("%zu", i);
		T_INT(at(c, rows[i].day, rows[i].hour, rows[i].minute),
		      rows[i].want);
	}
}

static void hours_past_midnight_belong_to_the_day_before(void)
{
	_cleanup_config_ struct config *c =
		accepted("minRunningSchedule: [{nodes: 4, days: [sat], "
			 "from: '22:00', to: '06:00'}]");

	T_NEED(c);
	T_INT(at(c, 6, 21, 59), 0);
	T_INT(at(c, 6, 22, 0), 4);
	T_INT(at(c, 0, 5, 59), 4);
	T_INT(at(c, 0, 6, 0), 0);
	T_INT(at(c, 0, 22, 0), 0);
	T_INT(at(c, 6, 5, 0), 0);
}

static void what_is_wrong_is_said_with_its_place(void)
{
	static const struct {
		const char *lines, *words;
	} rows[] = {
		{"minRunning: 9",
		 "k8s.yaml:3:15: minRunning must be a whole number from 0 to "
		 "8"},
		{"minRunning: some",
		 "minRunning must be a whole number from 0 to 8"},
		{"minRunningSchedule: {}", "minRunningSchedule"},
		{"minRunningSchedule: [{}]",
		 "k8s.yaml:3:24: minRunningSchedule needs nodes"},
		{"minRunningSchedule: [{nodes: 9}]",
		 "nodes must be a whole number from 0 to 8"},
		{"minRunningSchedule: [{nodes: 1, day: mon}]", "day"},
		{"minRunningSchedule: [{nodes: 1, days: mon}]", "days"},
		{"minRunningSchedule: [{nodes: 1, days: []}]",
		 "days names no day"},
		{"minRunningSchedule: [{nodes: 1, days: [Monday]}]",
		 "k8s.yaml:3:42: a day must be one of mon, tue, wed, thu, fri, "
		 "sat and sun"},
		{"minRunningSchedule: [{nodes: 1, from: 8}]",
		 "from must be a time of the day in quotes"},
		{"minRunningSchedule: [{nodes: 1, from: '8:00'}]",
		 "from must be a time of the day in quotes"},
		{"minRunningSchedule: [{nodes: 1, to: '24:01'}]",
		 "to must be a time of the day in quotes"},
		{"minRunningSchedule: [{nodes: 1, to: '10:60'}]",
		 "to must be a time of the day in quotes"},
		{"minRunningSchedule: [{nodes: 1, to: '1a:00'}]",
		 "to must be a time of the day in quotes"},
		{"minRunningSchedule: [{nodes: 1, from: '10:00', to: "
		 "'10:00'}]",
		 "from and to are one time"},
		{"minRunningSchedule: [{nodes: 1, from: '24:00', to: "
		 "'10:00'}]",
		 "from is the end of the day"},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_config_ struct config *c = NULL;
		struct err err = {0};

		t_row("%s", rows[i].lines);
		T_ERR(parse(rows[i].lines, &c, &err), &err, -EINVAL,
		      rows[i].words);
	}
}

static void a_schedule_has_a_bound(void)
{
	_cleanup_free_ char *lines = NULL;
	_cleanup_config_ struct config *c = NULL;
	char times[1024] = "";
	struct err err = {0};

	for (int i = 0; i <= MIN_RUNNING_WINDOWS_MAX; i++)
		strcat(times, "{nodes: 1}, ");
	lines = str_printf("minRunningSchedule: [%s]", times);
	T_ERR(parse(lines, &c, &err), &err, -EINVAL,
	      "minRunningSchedule has more than 32 times");
}

static void a_release_that_cannot_is_named_with_the_place(void)
{
	_cleanup_config_ struct config *c = accepted("minRunning: 1");
	_cleanup_config_ struct config *hours =
		accepted("minRunningSchedule: [{nodes: 1}]");
	const struct slurm_abilities able = {.keeps_nodes_up = true},
				     unable = {.version = "22.05.8"};
	struct err err = {0};

	T_NEED(c && hours);
	T_INT(config_check_release(c, &able, &err), 0);
	T_ERR(config_check_release(c, &unable, &err), &err, -EOPNOTSUPP,
	      "k8s.yaml:3:15: nodeset 's': minRunning needs Slurm 23.11 or "
	      "later, this is 22.05.8");
	err = (struct err){0};
	T_ERR(config_check_release(hours, &unable, &err), &err, -EOPNOTSUPP,
	      "nodeset 's': minRunningSchedule needs Slurm 23.11 or later");
}

T_MAIN("min_running_config", T(without_it_no_node_is_to_run),
       T(a_number_holds_at_any_time), T(the_most_of_all_that_applies_counts),
       T(hours_past_midnight_belong_to_the_day_before),
       T(what_is_wrong_is_said_with_its_place), T(a_schedule_has_a_bound),
       T(a_release_that_cannot_is_named_with_the_place))
