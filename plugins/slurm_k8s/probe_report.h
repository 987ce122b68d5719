/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a probe's container says at its end. It comes from the worker image, so
 * it is foreign text: all is bounded, and what is not understood is passed
 * over. Pure. Any thread.
 *
 * A line for each thing, made by probe.sh:
 *
 *   probe HELLO
 *   version WORDS                    what slurmd -V prints; nothing: no slurmd
 *   key ok|missing|unreadable FILE   of AuthType
 *   name NUMBER ok|fail|unknown WORDS   whether a target's host has an address
 *   port NUMBER ok|fail|unknown WORDS   whether its port is reached
 *   file NUMBER ok|missing|unreadable   one of struct probe_needs
 *   listen ok|silent|fail|unknown WORDS   whether the controller came
 *   end
 */
#ifndef SLURMK8S_TOOL_PROBE_REPORT_H
#define SLURMK8S_TOOL_PROBE_REPORT_H

#include <stdbool.h>

#include "probe_needs.h"
#include "probe_targets.h"

#define PROBE_WORDS_MAX 128

enum probe_answer {
	PROBE_UNTOLD, /* there is no such line */
	PROBE_OK,
	PROBE_FAIL,
	PROBE_SILENT,  /* nobody came */
	PROBE_MISSING, /* no such file */
	/* a file that is empty, or cannot be read; a program that cannot be run
	 */
	PROBE_UNREADABLE,
	PROBE_UNKNOWN, /* the image lacks what is needed to know */
};

/* Words have no control characters; "" where there are none. */
struct probe_line {
	enum probe_answer answer;
	char words[PROBE_WORDS_MAX];
};

struct probe_report {
	bool begun; /* the text is the report of this very probe */
	bool whole; /* the report is there up to its end */
	struct probe_line version; /* PROBE_OK: words; PROBE_MISSING */
	struct probe_line key;
	struct probe_line name[PROBE_TARGETS_MAX];
	struct probe_line port[PROBE_TARGETS_MAX];
	struct probe_line file[PROBE_NEEDS_MAX];
	struct probe_line listen;
};

/*
 * Read `message`, of a probe whose hello this is. Of two lines about one thing
 * the first holds. Never fails: `begun` is false where it is another text.
 */
void probe_report_read(struct probe_report *r, const char *message,
		       const char *hello);

/*
 * The release of Slurm in words such as "slurm-wlm 22.05.8": 2205, with the
 * micro release in *micro (-1: none). 0: there is none.
 */
int probe_release(const char *words, int *micro);

/*
 * How many releases of Slurm `older` is behind `newer`, such as 2205 and 2411;
 * negative: it is ahead. Releases come in May and November (slurm.schedmd.com,
 * "Upgrades"); those before were 23.11, 23.02, 22.05, 21.08 and 20.11.
 */
int probe_releases_behind(int older, int newer);

#endif
