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
#include <stdint.h>

#include "objects/workload.h"
#include "runtime/store.h"

/* What a namespace has. */
struct owner_share {
	UT_hash_handle hh;
	int failed;
	size_t n;    /* as they count */
	size_t many; /* objects */
	/* What the largest one counts as that was left out since none was. */
	size_t large;
	struct owner_entry *objects;
	/* Bits, by kind: some were left out since the last list began, and in
	 * the last list that is complete, or since. */
	unsigned int missing, partial;
	char ns[];
};

struct owner_entry {
	struct store_item item; /* of those of its kind, by "namespace/name" */
	enum workload_kind kind;
	size_t counts; /* as so many: see `part` of the store */
	char *text;
	uint64_t stamp; /* of its text: no other one has had it */
	struct owner_share *of;
	struct owner_entry *prev, *next; /* of it, the older first */
	char key[];
};

struct owner_store {
	size_t max, n; /* as they count */
	/*
	 * A text counts as one more for so many bytes of it (0: however long it
	 * is): so all are less than max * part.
	 */
	size_t part;
	struct store of[WORKLOAD_KINDS]; /* struct owner_entry */
	struct owner_share *shares;
	struct owner_share *most; /* has the most; NULL: not known */
	uint64_t stamps;	  /* the last one that was given */
};

/* Which one; its texts are borrowed. */
struct owner_name {
	enum workload_kind kind;
	const char *ns, *name;
};

/* The object of this name; it belongs to the store. NULL: it is not in view. */
struct owner_entry *owner_store_find(struct owner_store *s,
				     const struct owner_name *of);

/*
 * Note that an object is there of which no more can be read: what was known of
 * it stays.
 */
void owner_store_keep(struct owner_store *s, const struct owner_name *of);

/*
 * Note what an object is now; `text` is copied. 1: it was otherwise, or was not
 * there; 0: it was so; -EDQUOT: it is left out, as its namespace has the most;
 * -ENOMEM: also if there are more than `max` namespaces. *gave: the namespace
 * of which one is left out now; or NULL.
 */
int owner_store_put(struct owner_store *s, const struct owner_name *of,
		    const char *text, const struct owner_share **gave);

/* Free an object, which is gone. */
void owner_store_drop(struct owner_store *s, struct owner_entry *x);

/* Note that a list of that kind begins. */
void owner_store_list(struct owner_store *s, enum workload_kind kind);

/*
 * Note that the list is complete: objects of that kind that were not seen since
 * it began are gone, and what it left out is what is not in view.
 */
void owner_store_synced(struct owner_store *s, enum workload_kind kind);

/* True if some objects of that kind and namespace are not in view. */
bool owner_store_is_partial(struct owner_store *s, enum workload_kind kind,
			    const char *ns);

/*
 * True if of that kind some were left out, of a namespace that may have a tenth
 * more by now, and as much as the largest of them counts; with `any`: or one
 * more.
 */
bool owner_store_has_room_again(struct owner_store *s, enum workload_kind kind,
				bool any);

/* Forget all. */
void owner_store_clear(struct owner_store *s);

#endif
