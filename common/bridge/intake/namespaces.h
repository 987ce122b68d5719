/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Namespaces and their labels, as an informer tells of them: by these it is
 * known whose pods may enter. They are in a store of the caller, who locks.
 */
#ifndef SLURMK8S_BRIDGE_INTAKE_NAMESPACES_H
#define SLURMK8S_BRIDGE_INTAKE_NAMESPACES_H

#include "runtime/store.h"

/* namespaces in view; labels of others are not known */
#define BRIDGE_SPACES_MAX 20000

struct namespace
{
	struct store_item item;
	bool enters;  /* k8s.yaml lets its pods enter */
	char *labels; /* as JSON; NULL: none, or too long */
	char name[];
};

/*
 * Note that a namespace is there: the one that is known, or a new one, is
 * returned, and belongs to `s`. NULL: there are too many, or memory is short.
 */
struct namespace *namespaces_see(struct store *s, const char *name);

/* A store_fn; `s`: the store. Forget this namespace. */
void namespaces_drop(void *s, void *item);

#endif
