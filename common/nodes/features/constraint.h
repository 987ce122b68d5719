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
 * Take a request apart, with the changeable features `all`; each alternative is
 * there once; an operator at the end is as if it were not there, as in Slurm.
 * out->other points into `out`. 0; -EINVAL without words: it is no expression;
 * -E2BIG with words: it is too long.
 */
int constraint_parse(const struct features *all, const char *text,
		     struct constraint *out, struct err *err);

/* True if it names a changeable feature. */
bool constraint_is_ours(const struct constraint *r);

/*
 * Check whether a pod can be made for a request. `one_only`: this Slurm cannot
 * choose among alternatives. 0; also for a request that names no changeable
 * feature, or is longer than Slurm takes, which are Slurm's to judge. -EINVAL
 * with words: features exclude each other, no nodeset offers them together, or
 * it is written in a way that cannot be followed, be it one that some release
 * of Slurm takes; -E2BIG as constraint_parse(). The words end with the request,
 * fit for a log.
 */
int constraint_check(const struct config *c, const char *text, bool one_only,
		     struct err *err);

/*
 * Write the changeable features that these nodes (a hostlist; NULL: any of a
 * nodeset) should have for a request, as a list: the first alternative that all
 * of them offer. False, and "": there is none, it asks for none, or `nodes`
 * cannot be read.
 */
bool constraint_choose(const struct config *c, const char *text,
		       const char *nodes, char out[FEATURES_TEXT_MAX]);

#endif
