/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What slurm-k8s explain prints: a paragraph for each thing, with the words of
 * Slurm and Kubernetes, and at the end what would help; or all of it as JSON.
 * One thread.
 */
#ifndef SLURMK8S_TOOL_ACCOUNT_H
#define SLURMK8S_TOOL_ACCOUNT_H

#include <stdbool.h>
#include <stdio.h>

#include "json/json.h"

#define ACCOUNT_HELPS_MAX 16

struct account {
	FILE *out;
	bool json;	    /* true: all is kept, and printed at the end */
	bool incomplete;    /* out of memory: something is missing */
	json_object *list;  /* the paragraphs; owned */
	json_object *facts; /* last paragraph's facts; borrowed from `list` */
	const char *helps[ACCOUNT_HELPS_MAX]; /* static texts, each once */
	size_t n_helps;
};

/*
 * Begin a paragraph: "node k8s-0 of nodeset cpu". For programs: what kind of
 * thing it is about ("slurm", "cluster", "node", "job", "pod" or "note"), and
 * its name; NULL: it has none.
 */
void account_of(struct account *a, const char *kind, const char *name,
		const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/*
 * Add a fact, "reason: k8s: no room", unless its text is empty. Name and text
 * may be foreign: control characters are replaced in both.
 */
void account_fact(struct account *a, const char *name, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * Add a fact that says why something waits or failed: what helps against it is
 * printed at the end. `text` may be NULL.
 */
void account_why(struct account *a, const char *name, const char *text);

/*
 * Print what would help, if anything is known; or the JSON: {"things":
 * [{"kind", "name", "text", "facts": [{"name", "text"}]}], "help": [], "found",
 * "exit"}. Frees what it owns. 0; -ENOMEM: nothing was printed.
 */
int account_end(struct account *a, bool found, int exit_code);

#endif
