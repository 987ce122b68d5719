/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which object is it? Read from its JSON text piece by piece, without holding
 * it: for objects that are too big to be held, or that no parser takes. Pure,
 * not thread-safe.
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
	char node[SKIM_MAX];	/* a pod's, as the next one */
	char phase[SKIM_MAX];
	bool unreadable; /* it is not too big: object_parse() fails */
	/* Then: the object's JSON, without a NUL, while it is handed on. */
	const char *text;
	size_t text_len;
};

struct skim {
	struct object_id id;
	char type[SKIM_MAX]; /* of a frame: ADDED and so on */
	/* where we are */
	const char *const *path; /* keys that lead to "metadata" */
	size_t depth, inside;	 /* brackets; of these, on the path */
	/* In which member of the object, if we are on the path in one. */
	enum skim_in { SKIM_METADATA, SKIM_SPEC, SKIM_STATUS } in;
	char key[SKIM_MAX];
	size_t at;  /* bytes that were fed */
	char *into; /* the text that is being read; NULL: none is kept */
	size_t n;
	bool in_string, escaped, want_key;
	/* The array metadata.managedFields, by bytes; 0, 0: there is none. */
	size_t fields_from, fields_to;
	/* The object itself, alike. */
	size_t object_from, object_to;
};

/* For an object; for a frame of a watch, where it is the member "object". */
void skim_object(struct skim *s);
void skim_frame(struct skim *s);

/* The next piece. */
void skim_feed(struct skim *s, const char *data, size_t len);

/* Is it known which object this is? (Its version may be missing.) */
bool skim_known(const struct skim *s);

#endif
