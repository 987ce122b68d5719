/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "leftover.h"
#include "paused.h"
#include "t.h"

static struct pod_row pod(void)
{
	return (struct pod_row){.ns = (char *)"slurm",
				.name = (char *)"a",
				.node = (char *)"a",
				.uid = (char *)"u",
				.manager = (char *)"slurm-k8s",
				.status = (char *)"Running",
				.created_ms = 1000};
}

static void only_what_is_ours_and_old_is_left_over(void)
{
	struct pod_row p = pod();

	T_STR(leftover_why(&p, NULL, 1000, 0), "Slurm has no such node");
	T_OK(!leftover_why(&p, NULL, 999, 0));
	p.created_ms = -1;
	T_OK(!leftover_why(&p, NULL, 1000, 0));
	p = pod();
	p.manager = (char *)"helm";
	T_OK(!leftover_why(&p, NULL, 1000, 0));
	p = pod();
	p.uid = (char *)"";
	T_OK(!leftover_why(&p, NULL, 1000, 0));
	p = pod();
	p.name = (char *)"";
	T_OK(!leftover_why(&p, NULL, 1000, 0));
	p = pod();
	p.node = (char *)"";
	T_OK(!leftover_why(&p, NULL, 1000, 0));
	p = pod();
	p.deleting = true;
	T_OK(!leftover_why(&p, NULL, 1000, 0));
}

/* Whoever gives gc a short time does not end a check that waits for it. */
static void a_probe_that_may_be_waited_for_is_spared(void)
{
	static const struct {
		int64_t needed_s, now_s, age_s;
		bool left;
	} rows[] = {
		{360, 1 + 359, 20, false},
		{360, 1 + 360, 20, true},
		{360, 1 + 360, 600, false},
		{360, 1 + 600, 600, true},
		{3660, 1 + 3659, 20, false},
		{3660, 1 + 3660, 20, true},
		/* it does not say, or nothing that can be */
		{0, 1 + 3659, 20, false},
		{0, 1 + 3660, 20, true},
		{-1, 1 + 3659, 20, false},
		{INT32_MAX, 1 + 3660, 20, true},
	};
	struct pod_row p = pod();

	p.node = (char *)"";
	p.probe = (char *)"site";
	p.name = (char *)"slurm-k8s-probe-cpu-0000000000000001";
	for (size_t i = 0; i < T_COUNT(rows); i++) {
		t_row("%zu", i);
		p.probe_s = rows[i].needed_s;
		T_INT(leftover_why(&p, NULL, rows[i].now_s * 1000,
				   rows[i].age_s) != NULL,
		      rows[i].left);
	}
}

static void a_probe_is_left_over_when_it_is_old(void)
{
	static const struct ctl_node up = {.power = CTL_UP};
	struct pod_row p = pod();

	p.node = (char *)"";
	p.probe = (char *)"site";
	p.probe_s = 60;
	p.name = (char *)"slurm-k8s-probe-cpu-0000000000000001";
	T_STR(leftover_why(&p, NULL, 61000, 0),
	      "slurm-k8s check --probe has left it");
	T_STR(leftover_why(&p, &up, 61000, 0),
	      "slurm-k8s check --probe has left it");
	T_OK(!leftover_why(&p, NULL, 60999, 0));
	p.name = (char *)"web-0";
	T_OK(!leftover_why(&p, NULL, 61000, 0));
	p.name = (char *)"slurm-k8s-probe-cpu-0000000000000001";
	p.manager = (char *)"helm";
	T_OK(!leftover_why(&p, NULL, 61000, 0));
	p.manager = (char *)"slurm-k8s";
	/* a node's pod is judged by its node, whatever else it is called */
	p.node = (char *)"a";
	T_OK(!leftover_why(&p, &up, 61000, 0));
	p.node = (char *)"";
	p.probe = (char *)"";
	T_OK(!leftover_why(&p, NULL, 61000, 0));
}

#define SETS(create)                                                           \
	"clusters: [{name: main, kubeconfig: k}]\n"                            \
	"nodesets: [{name: a, cluster: main, nodes: 'a-[0-9]', "               \
	"podTemplate: {spec: {containers: [{name: slurmd}]}}}, "               \
	"{name: b, cluster: main, nodes: 'b-[0-9]', " create                   \
	"podTemplate: {spec: {containers: [{name: slurmd}]}}}]\n"

static void a_node_that_is_created_again_keeps_its_pod(void)
{
	static const struct {
		const char *label;
		bool back, without; /* may it come back; without `create` */
	} rows[] = {
		{"a-1", false, false},
		{"b-1", true, false},
		{"other-1", false, false},
		/* whose label that is nobody knows */
		{"a-long-name-0a1b2c3d", true, false},
	};
	static const char created[] = SETS("create: {cpus: 1, memory: 100}, ");
	static const char named[] = SETS("");
	_cleanup_(config_freep) struct config *with = NULL;
	_cleanup_(config_freep) struct config *none = NULL;
	struct err err = {0};

	T_INT(config_parse("/k8s.yaml", created, sizeof(created) - 1, &with,
			   &err),
	      0);
	T_INT(config_parse("/k8s.yaml", named, sizeof(named) - 1, &none, &err),
	      0);
	T_STR(err.msg, "");
	T_NEED(with && none);
	for (size_t i = 0; i < T_COUNT(rows); i++) {
		t_row("%s", rows[i].label);
		T_OK(leftover_may_come_back(with, rows[i].label) ==
		     rows[i].back);
		T_OK(leftover_may_come_back(none, rows[i].label) ==
		     rows[i].without);
	}
}

static void a_node_that_may_use_it_keeps_its_pod(void)
{
	static const struct {
		struct ctl_node node;
		bool left_over;
	} rows[] = {
		{{.power = CTL_POWERED_DOWN}, true},
		{{.power = CTL_POWERED_DOWN, .down = true}, true},
		{{.power = CTL_POWERED_DOWN, .busy = true}, false},
		{{.power = CTL_POWERING_UP}, false},
		{{.power = CTL_POWERING_DOWN}, false},
		{{.power = CTL_UP}, false},
		{{.power = CTL_UP, .down = true}, false},
		{{.power = CTL_POWERED_DOWN, .external = true}, false},
	};
	struct pod_row p = pod();

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		t_row("%zu", i);
		T_INT(leftover_why(&p, &rows[i].node, 5000, 0) != NULL,
		      rows[i].left_over);
	}
}

#define POD "podTemplate: {spec: {containers: [{name: slurmd}]}}"

static void a_drain_that_would_end_a_job_waits(void)
{
	static const char text[] =
		"clusters: [{name: main, kubeconfig: k}]\n"
		"nodesets: [{name: a, cluster: main, nodes: a, " POD "}]\n";
	static const struct {
		struct ctl_node node;
		enum pause_verdict verdict;
	} rows[] = {
		{{.name = "a", .power = CTL_POWERED_DOWN}, PAUSE_DRAIN},
		{{.name = "a", .power = CTL_POWERED_DOWN, .busy = true},
		 PAUSE_LATER},
		{{.name = "a", .power = CTL_POWERING_DOWN, .busy = true},
		 PAUSE_LATER},
		{{.name = "a", .power = CTL_UP, .busy = true}, PAUSE_DRAIN},
	};
	_cleanup_(config_freep) struct config *c = NULL;
	struct err err = {0};

	T_INT(config_parse("/k8s.yaml", text, sizeof(text) - 1, &c, &err), 0);
	T_NEED(c);
	for (size_t i = 0; i < T_COUNT(rows); i++) {
		t_row("%zu", i);
		T_INT(paused_judge(c, &c->nodesets[0], &rows[i].node, true),
		      rows[i].verdict);
	}
}

T_MAIN("leftover", T(a_drain_that_would_end_a_job_waits),
       T(only_what_is_ours_and_old_is_left_over),
       T(a_probe_is_left_over_when_it_is_old),
       T(a_probe_that_may_be_waited_for_is_spared),
       T(a_node_that_is_created_again_keeps_its_pod),
       T(a_node_that_may_use_it_keeps_its_pod))
