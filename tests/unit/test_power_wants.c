/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which pods k8s_suspend and k8s_resume_fail leave alone. slurmctld's answer is
 * ours. */
#include "power.h"
#include "slurm/ctl.h"
#include "t.h"

static const struct ctl_node *is; /* NULL: there is no such node */

bool __wrap_ctl_nodes_find(const struct ctl_nodes *n, const char *name,
			   struct ctl_node *out);
bool __wrap_ctl_nodes_find(const struct ctl_nodes *n, const char *name,
			   struct ctl_node *out)
{
	(void)n, (void)name;
	if (is)
		*out = *is;
	return is != NULL;
}

static void a_pod_is_wanted_by_a_node_that_is_up_or_has_a_job(void)
{
	static const struct {
		struct ctl_node node;
		bool wants;
	} rows[] = {
		{{.power = CTL_UP}, true},
		{{.power = CTL_POWERING_UP}, true},
		{{.power = CTL_UP, .down = true}, false},
		{{.power = CTL_POWERING_DOWN}, false},
		{{.power = CTL_POWERING_DOWN, .busy = true}, false},
		{{.power = CTL_POWERED_DOWN}, false},
		/* the engine has made it, before power saving has looked */
		{{.power = CTL_POWERED_DOWN, .busy = true}, true},
		{{.power = CTL_POWERED_DOWN, .busy = true, .ending = true},
		 false},
		{{.power = CTL_POWERED_DOWN, .busy = true, .down = true},
		 false},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		t_row("%zu", i);
		is = &rows[i].node;
		T_INT(power_wants_pod(NULL, "n"), rows[i].wants);
	}
	is = NULL;
	T_OK(!power_wants_pod(NULL, "n"));
}

T_MAIN("power_wants", T(a_pod_is_wanted_by_a_node_that_is_up_or_has_a_job))
