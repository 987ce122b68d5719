/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * KEY=VALUE of a label or an annotation, as a user writes it, maybe as an item
 * "KIND KEY=VALUE". Pure, and libc only: the SPANK plugin, which is linked with
 * nothing else of ours, checks it before slurmctld does. Any thread.
 */
#ifndef SLURMK8S_SYNTAX_LABEL_KEY_H
#define SLURMK8S_SYNTAX_LABEL_KEY_H

#include <stdbool.h>
#include <stddef.h>

#define PODKEY_KEY_MAX 317   /* 253 of a domain, a slash, 63 of a name */
#define PODKEY_VALUE_MAX 256 /* bytes of an annotation's value: our bound */

/*
 * What is wrong with KEY=VALUE, in static words; NULL: nothing. `label`: else
 * it is an annotation. Source: kubernetes.io, "Labels and Selectors", "Syntax
 * and character set".
 */
const char *label_key_wrong(const char *item, bool label);

/* What is behind "KIND " of an item, borrowed; NULL: it is of another kind. */
const char *label_key_behind(const char *item, const char *kind);

/*
 * True if a label or an annotation may have this key, which need not end at
 * `len`.
 */
bool label_key_is(const char *key, size_t len);

#endif
