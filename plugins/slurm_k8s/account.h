/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What slurm-k8s explain prints: a paragraph for each thing, with the words of
 * Slurm and Kubernetes, and at the end what would help. One thread.
 */
#ifndef SLURMK8S_TOOL_ACCOUNT_H
#define SLURMK8S_TOOL_ACCOUNT_H

#include <stdio.h>

#define ACCOUNT_HELPS_MAX 16

struct account {
	FILE *out;
	const char *helps[ACCOUNT_HELPS_MAX]; /* static texts, each once */
	size_t n_helps;
};

/* Begin a paragraph: "node k8s-0 of nodeset cpu". */
void account_of(struct account *a, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * A fact, "reason: k8s: no room". Nothing where the text is empty. Name and
 * text may be foreign: control characters are replaced in both.
 */
void account_fact(struct account *a, const char *name, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * A fact that says why something waits or failed: what helps against it is
 * printed at the end.
 */
void account_why(struct account *a, const char *name, const char *text);

/* What would help; nothing where none is known. */
void account_end(struct account *a);

#endif
