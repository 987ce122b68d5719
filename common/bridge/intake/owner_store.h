/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Objects above bridged pods, each as a text. All namespaces together have
 * `max` objects at most; a long text counts as several, so that the bytes are
 * bounded, too. When there is no room for one more the namespace that has the
 * most gives way: its objects are left out instead, or the new one if it is its
 * own. So nobody's Jobs, however many or large, keep those of others from being
 * seen. It is known of which kinds not all objects of a namespace are in view.
 * No I/O, no clock; the caller locks.
 */
#ifndef SLURMK8S_BRIDGE_INTAKE_OWNER_STORE_H
#define SLURMK8S_BRIDGE_INTAKE_OWNER_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "objects/workload.h"
#include "runtime/store.h"

/* What a namespace has in the store. */
struct owner_share {
	UT_hash_handle hh;
	int failed;
	size_t n;    /* sum of what its objects count as */
	size_t many; /* number of its objects */
	/* What the largest object that is left out counts as; 0: none is. */
	size_t large;
	struct owner_entry *objects;
	/*
	 * Bits by kind. missing: some objects were left out since the last list
	 * began; partial: in the last list that is complete, or since.
	 */
	unsigned int missing, partial;
	char ns[];
};

struct owner_entry {
	/* in the store of its kind, by "namespace/name" */
	struct store_item item;
	enum workload_kind kind;
	size_t counts; /* as so many objects: see `part` of the store */
	char *text;
	uint64_t stamp; /* number of the text; no other text ever has it */
	struct owner_share *of;
	/* in its namespace's list, the oldest first */
	struct owner_entry *prev, *next;
	char key[];
};

struct owner_store {
	size_t max, n; /* most and present sum of what objects count as */
	/*
	 * An object counts as one, and as one more for each `part` bytes of its
	 * text (0: however long that is): so all texts have less than max *
	 * part bytes.
	 */
	size_t part;
	struct store of[WORKLOAD_KINDS]; /* struct owner_entry */
	struct owner_share *shares;
	/* the share with the largest n; NULL: to be found */
	struct owner_share *most;
	uint64_t stamps; /* the last stamp that was given */
};

/* The identity of an object; its texts are borrowed. */
struct owner_name {
	enum workload_kind kind;
	const char *ns, *name;
};

/* The object of this name; it belongs to the store. NULL: it is not in view. */
struct owner_entry *owner_store_find(struct owner_store *s,
				     const struct owner_name *of);

/*
 * Note that an object is there whose present state cannot be read: what was
 * known of it stays.
 */
void owner_store_keep(struct owner_store *s, const struct owner_name *of);

/*
 * Note what an object is now; `text` is copied. 1: the text is new, or has
 * changed; 0: it has not; -EDQUOT: the object is left out, as its namespace has
 * the most; -ENOMEM: also if there are more than `max` namespaces. *gave: the
 * namespace of which an object is left out now; or NULL.
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
 * True if objects of that kind were left out of a namespace that may now have a
 * tenth more than it has, and as much more as the largest object left out
 * counts as. `any`: also if it may have one more.
 */
bool owner_store_has_room_again(struct owner_store *s, enum workload_kind kind,
				bool any);

/* Forget all. */
void owner_store_clear(struct owner_store *s);

#endif
