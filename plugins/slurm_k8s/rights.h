/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rights in Kubernetes that slurm-k8s uses: etc/kubernetes, as
 * docs/security.md has them. Pure. Any thread.
 */
#ifndef SLURMK8S_TOOL_RIGHTS_H
#define SLURMK8S_TOOL_RIGHTS_H

#include <stdbool.h>
#include <stddef.h>

#include "json/json.h"

struct right {
	const char *group; /* "": the core's */
	const char *resource, *sub;
	const char *verbs; /* comma-separated */
	const char *why;   /* what does not work without it */
	bool all;	   /* in all namespaces; else in the pods' */
	bool bridge;	   /* only with `bridge` in k8s.yaml */
	bool selectors;	   /* only with namespaces by labels there */
	bool may_lack;	   /* slurm-k8s works without, not as well */
	bool fences;	   /* two slurmctlds do not work without */
};

extern const struct right rights[];
extern const size_t n_rights;

/*
 * True if slurm-k8s does not work without; `has_backup`: there are two
 * slurmctlds.
 */
bool right_is_needed(const struct right *r, bool has_backup);

/*
 * The body of a SelfSubjectAccessReview (authorization.k8s.io/v1) for one verb
 * (`len` bytes); `ns` NULL: in all namespaces. The caller puts. NULL: out of
 * memory.
 */
json_object *right_review(const struct right *r, const char *verb, size_t len,
			  const char *ns);

/* 1: the answer to a review allows it; 0: it does not; -1: it is no answer. */
int right_answer(const json_object *review);

#endif
