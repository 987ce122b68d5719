/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which pods are not as their templates, and how that is printed. Pure but for
 * the printing. One thread.
 */
#ifndef SLURMK8S_TOOL_POD_DIFFS_H
#define SLURMK8S_TOOL_POD_DIFFS_H

#include <stdbool.h>
#include <stdio.h>

#include "json/json.h"

enum pod_state {
	POD_DIFFERS,  /* a rollout replaces the pod, or deletes it */
	POD_AS_MADE,  /* the pod is as its template, or has gone */
	POD_NOT_SEEN, /* the pod was not compared: `words` say why */
};

/* What stands at a path of the pod, and what its template has; NULL: nothing */
struct pod_change {
	char *path;
	json_object *now, *wanted;
};

/* All texts are owned, and fit for a terminal. */
struct pod_diff {
	char *node, *pod, *ns, *cluster;
	char *nodeset; /* NULL: none */
	char *words;   /* what is to be said beside changes; or NULL */
	bool busy;
	enum pod_state state;
	struct pod_change *changes;
	size_t n;
};

struct pod_diffs {
	struct pod_diff *v;
	size_t n;
	size_t as_made;	 /* pods that are as their templates, not among `v` */
	char **problems; /* words about what could not be looked at */
	size_t n_problems;
	bool incomplete; /* out of memory: something is missing */
};

/* Where a pod belongs. Texts are borrowed, any bytes; `nodeset` may be NULL. */
struct pod_id {
	const char *node, *pod, *ns, *cluster, *nodeset;
	bool busy;
};

/*
 * Add a pod, whose texts are copied; it is borrowed until the next one is
 * added. NULL: out of memory, which sets `incomplete`.
 */
struct pod_diff *pod_diffs_add(struct pod_diffs *d, const struct pod_id *id);

/*
 * Say more of a pod: its state, and words, any bytes, instead of earlier ones.
 * `words` NULL: it has none. Out of memory: it has none.
 */
void pod_diff_is(struct pod_diff *p, enum pod_state state, const char *words);

/* Add a change, a manifest_change_fn for `arg` a struct pod_diff. 0; -ENOMEM.
 */
int pod_diff_change(void *arg, const char *path, const json_object *now,
		    const json_object *wanted);

/* Add words, any bytes, about what could not be looked at. */
void pod_diffs_problem(struct pod_diffs *d, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* For the shell: 0: all are as made; 1: some are not; 2: not all was seen. */
int pod_diffs_exit_code(const struct pod_diffs *d);

/* Print the pods, sorted by node, with their changes, and a closing line. */
void pod_diffs_print(struct pod_diffs *d, FILE *out);

/*
 * Print {"pods": [{"node", "pod", "namespace", "cluster", "nodeset", "busy",
 * "state", "words", "changes": [{"path", "now", "template"}]}], "asTemplate":
 * N, "problems": [], "exit": N}. 0; -ENOMEM.
 */
int pod_diffs_print_json(struct pod_diffs *d, FILE *out);

/* Free what it owns; it is empty then. */
void pod_diffs_clear(struct pod_diffs *d);

#endif
