/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What pods of one template have in common: kept once for all of them. A set
 * belongs to one thread at a time; a shape that is in use does not change.
 */
#ifndef SLURMK8S_BRIDGE_INTAKE_POD_CLASS_H
#define SLURMK8S_BRIDGE_INTAKE_POD_CLASS_H

#include <stdint.h>

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
	/* Set for a pod that is refused, too: it may run. */
	/* by pod_requests_roughly() if pod_requests_of() fails */
	struct pod_requests need;
	struct node_filter want;
	bool ports; /* wants ports of its host: no two such pods share a node */
	int64_t deadline_s; /* activeDeadlineSeconds; 0: none */
	char *notes; /* annotations that ask for something, as JSON; or NULL */
	char *refusal; /* why it can never be placed; or NULL */
	/* SHA-256 of the members above: authors choose what these are */
	char key[65];
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
 * The class of a pod that can only be read in part now: `there`, its class in
 * the set, with a reference more; or, if `s`, which was read from the part,
 * asks for other CPU or memory, what pod_class_intern() gives for `s`. Owns
 * `s`.
 */
struct pod_class *pod_class_keep(struct pod_class **set,
				 struct pod_class *there, struct pod_class *s);

/* Give a reference back; with the last one the shape is freed. */
void pod_class_release(struct pod_class **set, struct pod_class *s);

#endif
