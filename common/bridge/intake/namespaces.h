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

struct bridge_space {
	UT_hash_handle hh;
	int failed;
	unsigned int generation;
	bool enters;  /* by its labels */
	char *labels; /* the namespace's, as JSON; or NULL */
	char name[];
};

struct bridge_spaces {
	struct bridge_space *all;
	unsigned int generation;
};

/* A list begins, and has ended: what was not seen in between is gone. */
void bridge_spaces_list(struct bridge_spaces *s);
void bridge_spaces_synced(struct bridge_spaces *s);

/* NULL: it is not known. */
struct bridge_space *bridge_spaces_find(struct bridge_spaces *s,
					const char *name);

/* It is there: the one that is known, or a new one. NULL: too many, or no
 * memory. */
struct bridge_space *bridge_spaces_see(struct bridge_spaces *s,
				       const char *name);

/* It is there, and no more can be read of it: what was known stays. */
void bridge_spaces_keep(struct bridge_spaces *s, const char *name);

void bridge_spaces_drop(struct bridge_spaces *s, const char *name);
void bridge_spaces_clear(struct bridge_spaces *s);

#endif
