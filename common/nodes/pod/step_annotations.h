/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The steps that run on a node, as they are noted on its pod: an annotation,
 * which is a JSON array of them, and a label for kubectl's columns. Bounded,
 * however many there are. Pure. Any thread, one at a time for a struct.
 */
#ifndef SLURMK8S_NODES_POD_STEP_ANNOTATIONS_H
#define SLURMK8S_NODES_POD_STEP_ANNOTATIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

#define STEPNOTES_MAX 16 /* steps in the annotation; the others are counted */
#define STEPNOTES_TEXT_MAX 8192 /* bytes of the annotation */
#define STEPNOTES_LABEL_MAX 64	/* bytes of the label, with the NUL */
#define STEPNOTES_ID_MAX 48

/* A step. Texts are borrowed; NULL: not known. */
struct step_annotation {
	const char *id; /* "7.0", "7.batch" */
	const char *name, *user, *account;
	int64_t started_s; /* epoch; 0: not known */
	uint32_t tasks;	   /* on this node; 0: not known */
};

/* All zero at first. */
struct step_annotations {
	struct buf text;
	char label[STEPNOTES_LABEL_MAX];
	size_t n, more;	 /* steps in all; those not in the text */
	size_t more_ids; /* steps whose ids are not in the label */
	bool ended;	 /* the text has its closing bracket */
};

/*
 * Begin anew, without steps. To be called before the first step is added, too.
 */
void step_annotations_reset(struct step_annotations *s);

/* Free what is in it. */
void step_annotations_free(struct step_annotations *s);

/*
 * Add a step. The caller adds steps in an order that does not change from one
 * time to the next, or the pod would be written for nothing. Steps over
 * STEPNOTES_MAX, or that do not fit, are only counted.
 */
void step_annotations_add(struct step_annotations *s,
			  const struct step_annotation *step);

/*
 * End the annotation, and return its value, "" when there are no steps.
 * Borrowed until step_annotations_reset(); no more can be added before.
 */
const char *step_annotations_text(struct step_annotations *s);

/*
 * End the label, and return its value, as "7.0_7.1_and-3-more"; "" when there
 * are no steps. Borrowed until step_annotations_reset(); no more can be added
 * before.
 */
const char *step_annotations_label(struct step_annotations *s);

#endif
