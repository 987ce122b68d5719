/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a user asks for with --k8s-annotation, --k8s-label and --k8s-feature,
 * before slurmctld has seen it: one item each, "label KEY=VALUE". One thread.
 */
#ifndef SLURMK8S_SPANK_ASKS_H
#define SLURMK8S_SPANK_ASKS_H

#include <stdbool.h>
#include <stddef.h>

#include "syntax/wellknown.h"

struct asks {
	char *v[WK_ASKS_MAX]; /* owned */
	size_t n;
};

/*
 * Add an item, or set another value for a key that is there. `kind` is
 * WK_ASK_LABEL, WK_ASK_ANNOTATION or WK_ASK_FEATURE. NULL: done; else static
 * words that say why not.
 */
const char *asks_add(struct asks *a, const char *kind, const char *value);

/* True if this item is there. */
bool asks_has(const struct asks *a, const char *kind, const char *value);

/*
 * Take over the items that an environment has in variables which asks_name()
 * gives, with `prefix` before them. Bad ones are passed over.
 */
void asks_inherit(struct asks *a, char *const env[], const char *prefix);

/* The name of the variable for the i-th item. */
void asks_name(size_t i, char out[32]);

/*
 * True if job_submit/k8s, for which all items are, is among slurmctld's
 * JobSubmitPlugins (NULL: none), with the prefix or without (slurm.conf(5)).
 */
bool job_submit_is_loaded(const char *plugins);

/* Free all items. */
void asks_clear(struct asks *a);

#endif
