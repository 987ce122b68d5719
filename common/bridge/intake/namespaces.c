/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bridge/intake/namespaces.h"

#include <stdlib.h>
#include <string.h>

static void drop(struct bridge_spaces *s, struct bridge_space *x)
{
	HASH_DELETE(hh, s->all, x);
	free(x->labels);
	free(x);
}

void bridge_spaces_list(struct bridge_spaces *s)
{
	s->generation++;
}

void bridge_spaces_synced(struct bridge_spaces *s)
{
	struct bridge_space *x = NULL, *next = NULL;

	HASH_ITER(hh, s->all, x, next)
	{
		if (x->generation != s->generation)
			drop(s, x);
	}
}

struct bridge_space *bridge_spaces_find(struct bridge_spaces *s,
					const char *name)
{
	struct bridge_space *x;

	HASH_FIND_STR(s->all, name, x);
	return x;
}

static struct bridge_space *make(struct bridge_spaces *s, const char *name)
{
	const size_t size = strlen(name) + 1;
	struct bridge_space *x;

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

struct bridge_space *bridge_spaces_see(struct bridge_spaces *s,
				       const char *name)
{
	struct bridge_space *x = bridge_spaces_find(s, name);

	if (!x)
		x = make(s, name);
	if (x)
		x->generation = s->generation;
	return x;
}

void bridge_spaces_keep(struct bridge_spaces *s, const char *name)
{
	struct bridge_space *x = bridge_spaces_find(s, name);

	if (x)
		x->generation = s->generation;
}

void bridge_spaces_drop(struct bridge_spaces *s, const char *name)
{
	struct bridge_space *x = bridge_spaces_find(s, name);

	if (x)
		drop(s, x);
}

void bridge_spaces_clear(struct bridge_spaces *s)
{
	struct bridge_space *x = NULL, *next = NULL;

	HASH_ITER(hh, s->all, x, next)
	{
		drop(s, x);
	}
}
