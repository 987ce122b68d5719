/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lists of features, "a,b,c". Pure; libc only. Any thread. */
#ifndef SLURMK8S_NODE_FEATURES_MERGE_H
#define SLURMK8S_NODE_FEATURES_MERGE_H

#include <stdbool.h>

/*
 * The names of `old` that are not changeable, and then `fresh`, each name once.
 * Lists may be NULL. The caller frees. NULL: out of memory.
 */
char *merge_features(const char *old, const char *fresh,
		     bool (*changeable)(const char *name));

/*
 * `list` (may be NULL) and then `more`, each name once. The caller frees. NULL:
 * out of memory.
 */
char *merge_lists(const char *list, const char *more);

#endif
