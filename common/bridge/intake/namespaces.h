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

/* Note that a list of all namespaces begins. */
void namespaces_list(struct namespaces *s);

/* Note that the list has ended: forget what was not seen since it began. */
void namespaces_synced(struct namespaces *s);

/* The namespace of this name; it belongs to `s`. NULL: it is not known. */
struct namespace *namespaces_find(struct namespaces *s, const char *name);

/*
 * Note that a namespace is there: the one that is known, or a new one, is
 * returned. NULL: there are too many, or memory is short.
 */
struct namespace *namespaces_see(struct namespaces *s, const char *name);

/*
 * Note that a namespace is there of which no more can be read: what was known
 * of it stays.
 */
void namespaces_keep(struct namespaces *s, const char *name);

/* Forget a namespace, if it is known. */
void namespaces_drop(struct namespaces *s, const char *name);

/* Forget all. */
void namespaces_clear(struct namespaces *s);

#endif
