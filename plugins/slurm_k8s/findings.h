/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What checks have found, in their order, and how it is printed. Pure but for
 * the printing. One thread.
 */
#ifndef SLURMK8S_TOOL_FINDINGS_H
#define SLURMK8S_TOOL_FINDINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* How a fix ends that a reconfigure puts in force. */
#define RELOAD ", then: scontrol reconfigure"

enum finding_state {
	FINDING_OK,
	FINDING_WARN,	 /* all works, but not as well as it could */
	FINDING_WRONG,	 /* jobs will not run, or rights are missing */
	FINDING_UNKNOWN, /* what could not be looked at, and should be */
	FINDING_SKIPPED, /* not looked at: what it needs is wrong already */
};

/* Texts are owned; `fix` is NULL where there is nothing to do. */
struct finding {
	enum finding_state state;
	const char *check; /* what was looked at; static */
	char *text, *fix;
};

struct findings {
	struct finding *v;
	size_t n;
	bool incomplete; /* out of memory: something is missing */
};

/*
 * Add one; `check` is static text, `fix` (may be NULL) is copied: the one thing
 * to do that makes it right. Out of memory sets `incomplete`.
 */
void findings_add(struct findings *f, enum finding_state state,
		  const char *check, const char *fix, const char *fmt, ...)
	__attribute__((format(printf, 5, 6)));

/* For the shell: 0: nothing is wrong; 1: something is; 2: not all was seen. */
int findings_exit_code(const struct findings *f);

/*
 * Print a line for each, with the fix below it, and a closing line; `colour`:
 * with the escape sequences of a terminal; `all` false: without what is in
 * order.
 */
void findings_print(const struct findings *f, FILE *out, bool colour, bool all);

/*
 * Print {"checks": [{"check", "state", "text", "fix"}], "exit": N}. 0; -ENOMEM.
 */
int findings_print_json(const struct findings *f, FILE *out);

/* Free what it owns; it is empty then. */
void findings_clear(struct findings *f);

#endif
