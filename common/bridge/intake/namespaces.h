/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Namespaces and their labels, as an informer tells of them: by these it is
 * known whose pods may enter. Not thread-safe: under the lock of who has it.
 */
#ifndef SLURMK8S_BRIDGE_INTAKE_NAMESPACES_H
#define SLURMK8S_BRIDGE_INTAKE_NAMESPACES_H

#include <stdbool.h>

#include "base/hash.h"

#define BRIDGE_SPACES_MAX 20000 /* in view; of more no labels are known */

struct namespace
{
	UT_hash_handle hh;
	int failed;
	unsigned int generation;
	bool enters;  /* by its labels */
	char *labels; /* the namespace's, as JSON; or NULL */
	char name[];
};

struct namespaces {
	struct namespace *all;
	unsigned int generation;
};

/* A list begins, and has ended: what was not seen in between is gone. */
void namespaces_list(struct namespaces *s);
void namespaces_synced(struct namespaces *s);

/* NULL: it is not known. */
struct namespace *namespaces_find(struct namespaces *s, const char *name);

/* It is there: the one that is known, or a new one. NULL: too many, or no
 * memory. */
struct namespace *namespaces_see(struct namespaces *s, const char *name);

/* It is there, and no more can be read of it: what was known stays. */
void namespaces_keep(struct namespaces *s, const char *name);

void namespaces_drop(struct namespaces *s, const char *name);
void namespaces_clear(struct namespaces *s);

#endif
