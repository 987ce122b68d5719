/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "event_line.h"
#include "paused.h"
#include "t.h"

static bool is_about(const char *line, const char *what)
{
	const uint32_t job = what ? (uint32_t)strtoul(what, NULL, 10) : 0;
	const struct event_topic topic = {
		.name = job ? NULL : what, .jobs = &job, .n_jobs = job != 0};

	return event_line_is_about(line, &topic);
}

static void a_line_is_about_each_of_several_jobs(void)
{
	static const uint32_t ids[] = {7, 12, 4000000000u};
	const struct event_topic jobs = {.jobs = ids, .n_jobs = 3};

	T_OK(event_line_is_about("k8s: job 7 runs", &jobs));
	T_OK(event_line_is_about("k8s: jobs 3,12: back", &jobs));
	T_OK(event_line_is_about("k8s: job 4000000000 runs", &jobs));
	T_OK(!event_line_is_about("k8s: job 8 runs", &jobs));
	T_OK(!event_line_is_about("k8s: job 4294967303 runs", &jobs));
	T_OK(!event_line_is_about("k8s: job 18446744073709551623", &jobs));
	T_OK(!event_line_is_about("job 7 runs", &jobs));
}

static void a_line_is_about_what_it_names(void)
{
	static const struct {
		const char *line, *what;
		bool is;
	} rows[] = {
		{"[2026] k8s: node a-1: pod made", "a-1", true},
		{"[2026] k8s: node a-12: pod made", "a-1", false},
		{"[2026] k8s: node ba-1: pod made", "a-1", false},
		{"[2026] k8s: nodes a-1: back to the queue", "a-1", true},
		{"[2026] k8s: nodes a-1,a-2.", "a-2", true},
		{"[2026] update_node: node a-1 state set to DRAIN", "a-1",
		 false},
		{"[2026] update_node: node a-1 reason set to: k8s: no room",
		 "a-1", true},
		/* within a hostlist */
		{"[2026] k8s: nodes a-[0-3,7],b-1: gone", "a-2", true},
		{"[2026] k8s: nodes a-[0-3,7],b-1: gone", "a-7", true},
		{"[2026] k8s: nodes a-[0-3,7],b-1: gone", "a-4", false},
		{"[2026] k8s: nodes a-[0-3: gone", "a-2", false},
		{"[2026] k8s: nodes c,a-[0-3]: gone", "a-2", true},
		{"[2026] k8s: nodes a-[8-11]: gone", "a-10", true},
		{"[2026] k8s: nodes a-[8-11]: gone", "a-08", false},
		{"[2026] k8s: nodes a-[8-11]: gone", "a-010", false},
		{"[2026] k8s: nodes a-[08-11]: gone", "a-08", true},
		{"[2026] k8s: nodes a-[08-11]: gone", "a-8", false},
		{"[2026] k8s: nodes a-[08-110]: gone", "a-101", true},
		{"[2026] k8s: nodes a-[08-110]: gone", "a-009", false},
		{"[2026] k8s: nodes a-[3,5]: gone", "a-5", true},
		{"[2026] k8s: nodes a-[0-99999999999]: gone", "a-7", true},
		{"[2026] k8s: nodes a-[3-0]: gone", "a-2", false},
		{"[2026] k8s: nodes a-[0-3]x: gone", "a-2x", true},
		{"[2026] k8s: nodes a-[0-3]x: gone", "a-2", false},
		{"[2026] k8s: nodes a-[0-3]x: gone", "x", false},
		{"[2026] k8s: nodes r[0-1]-a[0-3]: gone", "r1-a3", true},
		{"[2026] k8s: nodes r[0-1]-a[0-3]: gone", "r2-a3", false},
		{"[2026] k8s: nodes r[0-1]-a[0-3]: gone", "r1-a4", false},
		{"[2026] k8s: nodes r[0-1]-a[0-3]: gone", "r1", false},
		{"[2026] k8s: nodes r[1-11][1-11]: gone", "r111", true},
		{"[2026] k8s: nodes r[1-11][1-11]: gone", "r1111", true},
		{"[2026] k8s: nodes r[1-11][1-11]: gone", "r11111", false},
		{"[2026] k8s: nodes a-1[0-3]: gone", "a-1", false},
		{"[2026] k8s: nodes a-[0-3].", "a-3", true},
		{"[2026] k8s: node a-1[x]: gone", "a-1", true},
		{"[2026] k8s: node [a-1]", "a-1", true},
		{"[2026] k8s: node a-[", "a-1", false},
		/* jobs */
		{"[2026] k8s: job 12 is eligible again", "12", true},
		{"[2026] k8s: bridge: job 12: 2 pods bound", "12", true},
		{"[2026] k8s: bridge: job 123: 2 pods bound", "12", false},
		{"[2026] k8s: 12 pods in view", "12", false},
		{"[2026] k8s: job 12", "12", true},
		{"[2026] k8s: job 12.", "12", true},
		{"[2026] k8s: job 7 is eligible in 5 s", "5", false},
		{"[2026] k8s: job 7 is on cpu-[3,5]", "5", false},
		{"[2026] k8s: job 7, 5 pods", "5", false},
		{"[2026] k8s: jobs 3,5,12: back", "5", true},
		{"[2026] k8s: jobs 3, 5 of a", "5", true},
		{"[2026] k8s: jobs 3: 5 pods", "5", false},
		{"[2026] k8s: 2 jobs (job 5, for one)", "5", true},
		{"[2026] myjob 5: k8s: x", "5", false},
		{"[2026] sched: JobId=5 k8s: held", "5", true},
		{"[2026] sched: JobId=51 k8s: held", "5", false},
		/* pods */
		{"[2026] k8s: pod team/x: bound", "team/x", true},
		{"[2026] k8s: pod team/x-1: bound", "team/x", false},
		{"[2026] k8s: pod team/x: bound", "", false},
		{"[2026] k8s: engine runs", NULL, true},
		{"[2026] sched: Allocate JobId=12", NULL, false},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		t_row("%s: %s", rows[i].line,
		      rows[i].what ? rows[i].what : "any");
		T_INT(is_about(rows[i].line, rows[i].what), rows[i].is);
	}
}

#define POD "podTemplate: {spec: {containers: [{name: slurmd}]}}"

static void a_pause_leaves_what_others_have_drained(void)
{
	static const char text[] =
		"clusters: [{name: main, kubeconfig: k}]\n"
		"nodesets: [{name: a, cluster: main, nodes: 'a-[0-9]', " POD
		"}, "
		"{name: b, cluster: main, nodes: b, " POD "}]\n";
	static const struct {
		struct ctl_node node;
		bool pause;
		enum pause_verdict verdict;
	} rows[] = {
		{{.name = "b"}, true, PAUSE_NOT_ITS},
		{{.name = "else"}, true, PAUSE_NOT_ITS},
		{{.name = "a-1", .power = CTL_UP}, true, PAUSE_DRAIN},
		{{.name = "a-1", .power = CTL_UP, .busy = true},
		 true,
		 PAUSE_DRAIN},
		{{.name = "a-1"}, true, PAUSE_DRAIN},
		{{.name = "a-1", .power = CTL_POWERING_UP}, true, PAUSE_LATER},
		{{.name = "a-1", .drained = true, .reason = "disk"},
		 true,
		 PAUSE_THEIRS},
		{{.name = "a-1", .drained = true}, true, PAUSE_THEIRS},
		{{.name = "a-1", .drained = true, .reason = "slurm-k8s pause"},
		 true,
		 PAUSE_DONE},
		{{.name = "a-1",
		  .drained = true,
		  .reason = "slurm-k8s pause: new image"},
		 false,
		 PAUSE_UNDRAIN},
		{{.name = "a-1", .drained = true, .reason = "disk"},
		 false,
		 PAUSE_DONE},
		/* a Reason that is left over is no drain */
		{{.name = "a-1", .reason = "slurm-k8s pause"},
		 false,
		 PAUSE_DONE},
	};
	_cleanup_(config_freep) struct config *c = NULL;
	struct err err = {0};

	T_INT(config_parse("/k8s.yaml", text, sizeof(text) - 1, &c, &err), 0);
	T_STR(err.msg, "");
	T_NEED(c);
	for (size_t i = 0; i < T_COUNT(rows); i++) {
		t_row("%zu", i);
		T_INT(paused_judge(c, config_nodeset_named(c, "a"),
				   &rows[i].node, rows[i].pause),
		      rows[i].verdict);
	}
}

static void what_is_long_is_looked_at(void)
{
	_cleanup_free_ char *brackets = t_repeat("[0-9]", 10000);
	_cleanup_free_ char *ones = t_repeat("1", 300);
	_cleanup_free_ char *longer = t_repeat("a", 5000);
	_cleanup_free_ char *line = str_printf("k8s: node a%s", brackets);
	_cleanup_free_ char *name = str_printf("a%s", ones);

	T_NEED(line && name);
	T_OK(!is_about(line, name));
	line[strlen("k8s: node a") + 300 * strlen("[0-9]")] = '\0';
	T_OK(is_about(line, name));
	T_OK(!is_about(line, longer));
}

T_MAIN("event_line", T(a_line_is_about_what_it_names),
       T(a_line_is_about_each_of_several_jobs), T(what_is_long_is_looked_at),
       T(a_pause_leaves_what_others_have_drained))
