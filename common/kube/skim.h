/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Find out which object a JSON text is, piece by piece, without holding it: for
 * objects that are too big to be held, or that no parser takes. Pure. One
 * thread at a time.
 *
 * Only what identifies an object is kept, from its "metadata" (API conventions,
 * "Metadata"), and of a pod its "spec.nodeName" and "status.phase"; what is
 * longer than Kubernetes allows, or written with escapes, counts as missing. Of
 * broken JSON it may say anything that fits the sizes.
 */
#ifndef SLURMK8S_KUBE_SKIM_H
#define SLURMK8S_KUBE_SKIM_H

#include <stdbool.h>
#include <stddef.h>

#define SKIM_MAX 254 /* a name of 253 characters, and NUL */

/* Texts that are missing are empty. */
struct object_id {
	char name[SKIM_MAX];
	char ns[SKIM_MAX];
	char uid[SKIM_MAX];
	char version[SKIM_MAX]; /* resourceVersion */
	char node[SKIM_MAX];	/* a pod's spec.nodeName */
	char phase[SKIM_MAX];	/* a pod's status.phase */
	/* object_parse() could not read the object */
	bool unreadable;
	/*
	 * If unreadable: the object's JSON, without a NUL, valid in the
	 * callback.
	 */
	const char *text;
	size_t text_len;
};

struct skim {
	struct object_id id;
	char type[SKIM_MAX]; /* type of a frame, "ADDED" and so on */
	/* The place in the text. */
	const char *const *path; /* keys that lead to "metadata" */
	/* `depth`: open brackets; `inside`: those of them on the path */
	size_t depth, inside;
	/*
	 * The member of the object in which the place is, if it is on the path
	 * in one.
	 */
	enum skim_in { SKIM_METADATA, SKIM_SPEC, SKIM_STATUS } in;
	char key[SKIM_MAX];
	size_t at;  /* bytes that were fed */
	char *into; /* the text that is being read; NULL: none is kept */
	size_t n;
	bool in_string, escaped, want_key;
	/*
	 * Where the object itself begins and ends, in bytes of the text; 0, 0:
	 * it has not ended.
	 */
	size_t object_from, object_to;
};

/*
 * Begin with an object; or with a frame of a watch, where the object is the
 * member "object".
 */
void skim_object(struct skim *s);
void skim_frame(struct skim *s);

/* True if `s` began with skim_frame(). */
bool skim_is_frame(const struct skim *s);

/* Read the next piece. */
void skim_feed(struct skim *s, const char *data, size_t len);

/* True if it is known which object this is; its version may be missing. */
bool skim_known(const struct skim *s);

#endif
