/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "runtime/store.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void *store_find(const struct store *s, const char *key)
{
	struct store_item *x;

	HASH_FIND_STR(s->first, key, x);
	return x;
}

size_t store_count(const struct store *s)
{
	return HASH_COUNT(s->first);
}

int store_add(struct store *s, struct store_item *x, const char *key)
{
	x->failed = 0;
	x->generation = s->generation;
	HASH_ADD_KEYPTR(hh, s->first, key, strlen(key), x);
	return x->failed ? -ENOMEM : 0;
}

/* All of its struct is there, for that ends where the array begins, aligned. */
void *store_new(struct store *s, size_t offset, const char *key)
{
	const size_t align = _Alignof(struct store_item);
	const size_t len = strlen(key) + 1;
	struct store_item *x =
		calloc((offset + len + align - 1) / align, align);
	char *copy;

	if (!x)
		return NULL;
	copy = (char *)x + offset;
	memcpy(copy, key, len);
	if (!store_add(s, x, copy))
		return x;
	free(x);
	return NULL;
}

void store_seen(const struct store *s, struct store_item *x)
{
	x->generation = s->generation;
}

void *store_keep(struct store *s, const char *key)
{
	struct store_item *x = store_find(s, key);

	if (x)
		store_seen(s, x);
	return x;
}

void store_remove(struct store *s, struct store_item *x)
{
	HASH_DELETE(hh, s->first, x);
}

void store_each(struct store *s, store_fn on, void *arg)
{
	struct store_item *x = NULL, *next = NULL;

	HASH_ITER(hh, s->first, x, next)
	{
		on(arg, x);
	}
}

void store_list_begins(struct store *s)
{
	s->generation++;
}

void store_list_ends(struct store *s, store_fn gone, void *arg)
{
	struct store_item *x = NULL, *next = NULL;

	HASH_ITER(hh, s->first, x, next)
	{
		if (x->generation != s->generation)
			gone(arg, x);
	}
	s->synced = true;
}
