/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Objects above bridged pods, each as a text, of all namespaces together at
 * most so many; a long text counts as several, so that their bytes are bounded,
 * too. When there is no room for one more the namespace that has the most gives
 * way: its objects are left out instead, or the new one if it is its own. So
 * nobody's Jobs, however many or large, keep those of others from being seen.
 * Of which kinds a namespace's objects are not all in view is known. No I/O, no
 * clock; the caller locks.
 */
#ifndef SLURMK8S_BRIDGE_INTAKE_OWNER_STORE_H
#define SLURMK8S_BRIDGE_INTAKE_OWNER_STORE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/hash.h"
#include "objects/workload.h"

/* What a namespace has. */
struct bridge_share {
	UT_hash_handle hh;
	int failed;
	size_t n;    /* as they count */
	size_t many; /* objects */
	/* What the largest one counts as that was left out since none was. */
	size_t large;
	struct bridge_stored *objects;
	/* Bits, by kind: some were left out since the last list began, and in
	 * the last list that is complete, or since. */
	unsigned int missing, partial;
	char ns[];
};

struct bridge_stored {
	UT_hash_handle hh;
	int failed;
	enum workload_kind kind;
	unsigned int generation; /* the last list that had it */
	size_t counts;		 /* as so many: see `part` of the store */
	char *text;
	struct bridge_share *of;
	struct bridge_stored *prev, *next; /* of it, the older first */
	char key[];
};

struct bridge_store {
	size_t max, n; /* as they count */
	/*
	 * A text counts as one more for so many bytes of it (0: however long it
	 * is): so all are less than max * part.
	 */
	size_t part;
	struct bridge_stored *all;
	struct bridge_share *shares;
	struct bridge_share *most; /* has the most; NULL: not known */
};

/* Which one; its texts are borrowed. */
struct bridge_named {
	enum workload_kind kind;
	const char *ns, *name;
};

struct bridge_stored *bridge_store_find(struct bridge_store *s,
					const struct bridge_named *of);

/*
 * It is so now. 1: it was otherwise, or was not there; 0; -EDQUOT: it is left
 * out, as its namespace has the most; -ENOMEM: also if there are more than
 * `max` namespaces. *gave: the namespace of which one is left out now; or NULL.
 */
int bridge_store_put(struct bridge_store *s, const struct bridge_named *of,
		     unsigned int generation, const char *text,
		     const struct bridge_share **gave);

void bridge_store_drop(struct bridge_store *s, struct bridge_stored *x);

/* A list of that kind begins. */
void bridge_store_list(struct bridge_store *s, enum workload_kind kind);
/* It is complete: what it did not have is gone. */
void bridge_store_synced(struct bridge_store *s, enum workload_kind kind,
			 unsigned int generation);

/* Are some of that kind and namespace not in view? */
bool bridge_store_is_partial(struct bridge_store *s, enum workload_kind kind,
			     const char *ns);

/*
 * Of that kind some were left out, of a namespace that may have a tenth more by
 * now. `any`: or one more.
 */
bool bridge_store_has_room_again(struct bridge_store *s,
				 enum workload_kind kind, bool any);

void bridge_store_clear(struct bridge_store *s);

#endif
