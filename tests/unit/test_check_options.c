/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which options of check are refused before anything is looked at. */
#include <getopt.h>

#include "check.h"
#include "slurm_user.h"
#include "t.h"

#define RUNS 77
#define RUNS_TO_END 78

int __wrap_slurm_user_run(int (*command)(void *arg), void *arg);
int __wrap_slurm_user_run(int (*command)(void *arg), void *arg)
{
	(void)command;
	(void)arg;
	return RUNS;
}

int __wrap_slurm_user_run_to_end(int (*command)(void *arg), void *arg);
int __wrap_slurm_user_run_to_end(int (*command)(void *arg), void *arg)
{
	(void)command;
	(void)arg;
	return RUNS_TO_END;
}

static void an_empty_list_and_a_wrong_time_are_refused(void)
{
	static const struct {
		const char *option;
		int code;
	} rows[] = {
		{"--problems", RUNS},
		{"--probe", RUNS_TO_END},
		{"--probe=cpu,gpu", RUNS_TO_END},
		{"--probe=", 2},
		{"--probe=,", 2},
		{"--probe-timeout=10", RUNS},
		{"--probe-timeout=3600", RUNS},
		{"--probe-timeout=9", 2},
		{"--probe-timeout=3601", 2},
		{"--probe-timeout=", 2},
		{"--probe-timeout=1m", 2},
		{"cpu", 2},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		char *argv[] = {(char *)"check", (char *)rows[i].option, NULL};

		t_row("%s", rows[i].option);
		optind = 0; /* getopt_long() begins anew */
		T_INT(check_command(2, argv), rows[i].code);
	}
}

T_MAIN("check_options", T(an_empty_list_and_a_wrong_time_are_refused))
