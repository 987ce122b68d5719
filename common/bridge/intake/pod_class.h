/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What pods of one template have in common: kept once for all of them. A set
 * belongs to one thread at a time; a shape that is in use does not change.
 */
#ifndef SLURMK8S_BRIDGE_INTAKE_POD_CLASS_H
#define SLURMK8S_BRIDGE_INTAKE_POD_CLASS_H

#include "base/hash.h"
#include "objects/node_filter.h"
#include "objects/pod_requests.h"
#include "json/json.h"

#define BRIDGE_NOTES_MAX (16 * 1024) /* bytes of a pod's annotations for us */

/* True if an annotation of this key asks for something. */
bool pod_class_asks(const char *key);

struct pod_class {
	UT_hash_handle hh;
	int failed;
	size_t refs;
	/* These also of one that is refused: it may run. */
	struct pod_requests need; /* roughly, if pod_requests_of() fails */
	struct node_filter want;
	bool ports;  /* no two of these share a node */
	char *notes; /* annotations that ask for something, as JSON; or NULL */
	char *refusal; /* why it can never be placed; or NULL */
	char key[65];  /* SHA-256 of all this: authors choose what it is of */
};

/*
 * Read a pod. `words`: why it cannot be placed, as far as the caller knows; or
 * NULL. The caller gives what it gets to pod_class_intern(), pod_class_keep()
 * or pod_class_free(). NULL: out of memory. No set is touched: any thread.
 */
struct pod_class *pod_class_of(const json_object *pod, const char *words);

/* Free one that is in no set. NULL: nothing. */
void pod_class_free(struct pod_class *s);

/*
 * The set's own shape that is like `s`, with a reference more; `s` is put into
 * the set, or freed. The caller gives the reference back by
 * pod_class_release(). NULL: out of memory, and `s` is freed.
 */
struct pod_class *pod_class_intern(struct pod_class **set, struct pod_class *s);

/*
 * The set's shape of a pod that has become unreadable: it keeps `there`, which
 * is in the set, with a reference more, unless `s`, of the part of it that is
 * read, asks for other CPU or memory; then it is that of pod_class_intern().
 * Owns `s`.
 */
struct pod_class *pod_class_keep(struct pod_class **set,
				 struct pod_class *there, struct pod_class *s);

/* Give a reference back; with the last one the shape is freed. */
void pod_class_release(struct pod_class **set, struct pod_class *s);

#endif
