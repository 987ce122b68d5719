/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "power_action.h"
#include "t.h"

static void lines_of_slurm_conf_are_found_by_name(void)
{
	static const struct {
		const char *text, *name;
		enum power_action_found found;
		bool in_slurmd;
		const char *program;
	} rows[] = {
		{"", "up", POWER_ACTION_NONE},
		{"PowerAction=up Location=slurmctld Program=/a/k8s_resume\n",
		 "up", POWER_ACTION_FOUND, false, "/a/k8s_resume"},
		{"ClusterName=c\n  poweraction=UP\tlocation=slurmd "
		 "program=\"/a/b c d\"",
		 "up", POWER_ACTION_FOUND, true, "/a/b"},
		{"#PowerAction=up Location=slurmctld Program=/a\n", "up",
		 POWER_ACTION_NONE},
		{"PowerAction=upper Location=slurmctld Program=/a\n", "up",
		 POWER_ACTION_NONE},
		{"XPowerAction=up Program=/a\n", "up", POWER_ACTION_NONE},
		{"Include other.conf\n", "up", POWER_ACTION_UNKNOWN},
		{"Include other.conf\nPowerAction=up Program=/a", "up",
		 POWER_ACTION_FOUND, false, "/a"},
		{"PowerAction=up # Program=/a", "up", POWER_ACTION_UNKNOWN},
		{"PowerAction=up Program=\n", "up", POWER_ACTION_UNKNOWN},
		{"PowerAction = up  Location\t= slurmd Program =\"/a b\"\n",
		 "up", POWER_ACTION_FOUND, true, "/a"},
		{"PowerAction=up \\\n  Location=slurmd\\ \n Program=/a\n", "up",
		 POWER_ACTION_FOUND, true, "/a"},
		{"# PowerAction=x \\\nPowerAction=up Program=/a\n", "up",
		 POWER_ACTION_FOUND, false, "/a"},
		{"NodeName=n \\\n PowerAction=up Program=/a\\", "up",
		 POWER_ACTION_FOUND, false, "/a"},
		{"PowerAction=up Program=\"/a", "up", POWER_ACTION_FOUND, false,
		 "/a"},
		{"PowerAction=", "up", POWER_ACTION_NONE},
		{"PowerAction=\"", "up", POWER_ACTION_NONE},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		struct power_action a = {0};

		t_row("%s", rows[i].text);
		T_INT(power_action_find(rows[i].text, rows[i].name, &a),
		      rows[i].found);
		if (rows[i].found != POWER_ACTION_FOUND)
			continue;
		T_INT(a.in_slurmd, rows[i].in_slurmd);
		T_STR(a.program, rows[i].program);
	}
}

T_MAIN("power_action", T(lines_of_slurm_conf_are_found_by_name))
