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

/* Does an annotation of this key ask for something? */
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
 * NULL. NULL: out of memory. The caller gives it to pod_class_intern().
 */
struct pod_class *pod_class_of(const json_object *pod, const char *words);
void pod_class_free(struct pod_class *s);

/* The set's own one that is like `s`, with a reference more. Owns `s`. */
struct pod_class *pod_class_intern(struct pod_class **set, struct pod_class *s);
/*
 * The same for a pod that has become unreadable: it keeps `there`, which is in
 * the set, unless `s`, of the part of it that is read, asks for other CPU or
 * memory.
 */
struct pod_class *pod_class_keep(struct pod_class **set,
				 struct pod_class *there, struct pod_class *s);
void pod_class_release(struct pod_class **set, struct pod_class *s);

#endif
