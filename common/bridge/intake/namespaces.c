/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bridge/intake/namespaces.h"

#include <stdlib.h>
#include <string.h>

static void drop(struct namespaces *s, struct namespace *x)
{
	HASH_DELETE(hh, s->all, x);
	free(x->labels);
	free(x);
}

void namespaces_list(struct namespaces *s)
{
	s->generation++;
}

void namespaces_synced(struct namespaces *s)
{
	struct namespace *x = NULL, *next = NULL;

	HASH_ITER(hh, s->all, x, next)
	{
		if (x->generation != s->generation)
			drop(s, x);
	}
}

struct namespace *namespaces_find(struct namespaces *s, const char *name)
{
	struct namespace *x;

	HASH_FIND_STR(s->all, name, x);
	return x;
}

static struct namespace *make(struct namespaces *s, const char *name)
{
	const size_t size = strlen(name) + 1;
	struct namespace *x;

	if (HASH_COUNT(s->all) >= BRIDGE_SPACES_MAX)
		return NULL;
	x = calloc(1, sizeof(*x) + size);
	if (!x)
		return NULL;
	memcpy(x->name, name, size);
	HASH_ADD_KEYPTR(hh, s->all, x->name, size - 1, x);
	if (!x->failed)
		return x;
	free(x);
	return NULL;
}

struct namespace *namespaces_see(struct namespaces *s, const char *name)
{
	struct namespace *x = namespaces_find(s, name);

	if (!x)
		x = make(s, name);
	if (x)
		x->generation = s->generation;
	return x;
}

void namespaces_keep(struct namespaces *s, const char *name)
{
	struct namespace *x = namespaces_find(s, name);

	if (x)
		x->generation = s->generation;
}

void namespaces_drop(struct namespaces *s, const char *name)
{
	struct namespace *x = namespaces_find(s, name);

	if (x)
		drop(s, x);
}

void namespaces_clear(struct namespaces *s)
{
	struct namespace *x = NULL, *next = NULL;

	HASH_ITER(hh, s->all, x, next)
	{
		drop(s, x);
	}
}
