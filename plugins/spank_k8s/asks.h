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
 * Another one, or another value for a key that is there. NULL: done; else
 * static words that say why not. kind is WK_ASK_LABEL or one of its sisters.
 */
const char *asks_add(struct asks *a, const char *kind, const char *value);

bool asks_has(const struct asks *a, const char *kind, const char *value);

/* Take over what an environment has from asks_name()d variables. */
void asks_inherit(struct asks *a, char *const env[], const char *prefix);

/* The name of the i-th one's variable. */
void asks_name(size_t i, char out[32]);

/*
 * Of slurmctld's JobSubmitPlugins (NULL: none): is job_submit/k8s among them,
 * which is whom all this is for? (slurm.conf(5): with the prefix or without)
 */
bool asks_are_heard(const char *plugins);

void asks_clear(struct asks *a);

#endif
