/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "leftover.h"
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

	T_STR(leftover_why(&p, NULL, 1000), "Slurm has no such node");
	T_OK(!leftover_why(&p, NULL, 999));
	p.created_ms = -1;
	T_OK(!leftover_why(&p, NULL, 1000));
	p = pod();
	p.manager = (char *)"helm";
	T_OK(!leftover_why(&p, NULL, 1000));
	p = pod();
	p.uid = (char *)"";
	T_OK(!leftover_why(&p, NULL, 1000));
	p = pod();
	p.node = (char *)"";
	T_OK(!leftover_why(&p, NULL, 1000));
	p = pod();
	p.status = (char *)"Terminating";
	T_OK(!leftover_why(&p, NULL, 1000));
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
		T_INT(leftover_why(&p, &rows[i].node, 5000) != NULL,
		      rows[i].left_over);
	}
}

T_MAIN("leftover", T(only_what_is_ours_and_old_is_left_over),
       T(a_node_that_may_use_it_keeps_its_pod))
