/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How nodes are powered down that have not registered. Slurm is the test's. */
#include <errno.h>
#include <string.h>

#include "base/buf.h"
#include "slurm/ctl.h"
#include "t.h"

bool __wrap_ctl_nodes_find(const struct ctl_nodes *n, const char *name,
			   struct ctl_node *out);
int __wrap_ctl_node_try(const char *nodes, enum ctl_node_update what,
			const char *text);

/* c1, c2 ... are of State=CLOUD, n1, n2 ... are not; others there are none. */
bool __wrap_ctl_nodes_find(const struct ctl_nodes *n, const char *name,
			   struct ctl_node *out)
{
	(void)n;
	*out = (struct ctl_node){.name = name, .cloud = *name == 'c'};
	return *name == 'c' || *name == 'n';
}

static char said[200]; /* each update: its list, and "new" or "force" */
static enum ctl_node_update refused;

int __wrap_ctl_node_try(const char *nodes, enum ctl_node_update what,
			const char *text)
{
	T_OK(!text);
	T_OK(what == CTL_POWER_DOWN_NEW || what == CTL_POWER_DOWN_FORCE);
	strncat(said, nodes, sizeof(said) - strlen(said) - 1);
	strncat(said, what == CTL_POWER_DOWN_NEW ? " new;" : " force;",
		sizeof(said) - strlen(said) - 1);
	return what == refused ? -EIO : 0;
}

/* Slurm takes an address back from a node of State=CLOUD only. */
static void only_cloud_nodes_get_another_address(void)
{
	static const struct {
		const char *nodes, *said;
	} rows[] = {
		{"c1", "c1 new;"},
		{"n1", "n1 force;"},
		{"c1,n1,c2,x,n2", "c1,c2 new;n1,n2 force;"},
		{"x", ""},
	};

	refused = CTL_DRAIN;
	for (size_t i = 0; i < T_COUNT(rows); i++) {
		t_row("%zu", i);
		*said = '\0';
		T_INT(ctl_nodes_power_down_new(NULL, rows[i].nodes), 0);
		T_STR(said, rows[i].said);
	}
}

static void an_error_of_either_is_one(void)
{
	static const enum ctl_node_update each[] = {CTL_POWER_DOWN_NEW,
						    CTL_POWER_DOWN_FORCE};

	for (size_t i = 0; i < T_COUNT(each); i++) {
		t_row("%zu", i);
		*said = '\0';
		refused = each[i];
		T_INT(ctl_nodes_power_down_new(NULL, "n1,c1"), -EIO);
		T_STR(said, "c1 new;n1 force;");
	}
}

T_MAIN("power_down_new", T(only_cloud_nodes_get_another_address),
       T(an_error_of_either_is_one))
