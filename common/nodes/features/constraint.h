/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a job asks for with --constraint, as far as changeable features of
 * k8s.yaml are in it. Pure, no memory is kept. Any thread.
 */
#ifndef SLURMK8S_NODES_FEATURES_CONSTRAINT_H
#define SLURMK8S_NODES_FEATURES_CONSTRAINT_H

#include "config/config.h"

#define CONSTRAINT_TEXT_MAX 1024
#define CONSTRAINT_MAX 64 /* alternatives, and other features */

/* Features that are to be there together. */
struct alternative {
	feature_set set; /* changeable ones */
	uint64_t others; /* bit i: other[i] of the request */
};

/* "gpu&(pytorch|jax)": one alternative of two */
struct constraint {
	struct alternative v[CONSTRAINT_MAX];
	size_t n;
	const char *other[CONSTRAINT_MAX]; /* in `text` */
	size_t n_others;
	bool has_count; /* "[", "]" or "*" */
	char text[CONSTRAINT_TEXT_MAX];
};

/*
 * Take it apart; each alternative is there once. -EINVAL: it is no expression
 * as Slurm knows them, and Slurm will say so; -E2BIG with words: it is too
 * long.
 */
int constraint_parse(const struct features *all, const char *text,
		     struct constraint *out, struct err *err);

/* Does it name a changeable feature? */
bool constraint_is_ours(const struct constraint *r);

/*
 * Can a pod be made for it? A request without changeable features is Slurm's
 * to judge. Else -EINVAL with words when features exclude each other, when no
 * nodeset offers them together, or when it is written in a way that cannot
 * be followed. `one_only`: this Slurm cannot choose among alternatives. The
 * words end with the request, fit for a log.
 */
int constraint_check(const struct config *c, const char *text, bool one_only,
		     struct err *err);

/*
 * The changeable features that these nodes (a hostlist; NULL: any of a
 * nodeset) should have for it, as a list: the first alternative that all of
 * them offer. False: none, or it asks for none.
 */
bool constraint_choose(const struct config *c, const char *text,
		       const char *nodes, char out[FEATURES_TEXT_MAX]);

#endif
