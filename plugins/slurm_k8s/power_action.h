/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * PowerAction lines of slurm.conf(5), from 26.05 on: slurmctld does not tell
 * them, so they are read in the file. Pure. Any thread.
 */
#ifndef SLURMK8S_TOOL_POWER_ACTION_H
#define SLURMK8S_TOOL_POWER_ACTION_H

#include <stdbool.h>
#include <stddef.h>

struct power_action {
	bool in_slurmd;	    /* Location=slurmd; else slurmctld runs it */
	char program[1024]; /* path without arguments; cut */
};

enum power_action_found {
	POWER_ACTION_FOUND,
	POWER_ACTION_NONE,
	/* another file, which is included, may have it; or its line has no
	   program that could be read */
	POWER_ACTION_UNKNOWN,
};

/*
 * Find the line "PowerAction=NAME Location=... Program=..." in the text of
 * slurm.conf. *out is written if there is one; it counts if that is found.
 */
enum power_action_found power_action_find(const char *text, const char *name,
					  struct power_action *out);

#endif
