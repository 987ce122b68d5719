/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bridge/intake/owner_cache.h"

#include <stdlib.h>
#include <string.h>
#include <utlist.h>

/*
 * Bytes that json-c allocates at most, for a part and for a letter of a text:
 * for "{}" some 750, for "0," 75 (see JX_PARTS_MAX).
 */
#define PART_BYTES 800
#define LETTER_BYTES 40

struct owner_parsed {
	UT_hash_handle hh;
	int failed;
	uint64_t stamp;
	size_t bytes;
	json_object *object;
	struct owner_parsed *prev, *next;
};

static void drop(struct owner_cache *c, struct owner_parsed *x)
{
	HASH_DELETE(hh, c->all, x);
	DL_DELETE(c->recent, x);
	c->bytes -= x->bytes;
	json_object_put(x->object);
	free(x);
}

json_object *owner_cache_find(struct owner_cache *c, uint64_t stamp)
{
	struct owner_parsed *x;

	HASH_FIND(hh, c->all, &stamp, sizeof(stamp), x);
	if (!x)
		return NULL;
	DL_DELETE(c->recent, x);
	DL_APPEND(c->recent, x);
	return x->object;
}

void owner_cache_put(struct owner_cache *c, uint64_t stamp, const char *text,
		     json_object *parsed)
{
	const size_t len = strlen(text);
	struct owner_parsed *x = calloc(1, sizeof(*x));

	if (!x)
		return;
	x->stamp = stamp;
	x->bytes = sizeof(*x) + len * LETTER_BYTES +
		   jx_parts(text, len) * PART_BYTES;
	while (c->recent && c->bytes + x->bytes > c->max)
		drop(c, c->recent);
	if (x->bytes <= c->max)
		HASH_ADD(hh, c->all, stamp, sizeof(x->stamp), x);
	if (x->bytes > c->max || x->failed) {
		free(x);
		return;
	}
	x->object = json_object_get(parsed);
	DL_APPEND(c->recent, x);
	c->bytes += x->bytes;
}

void owner_cache_clear(struct owner_cache *c)
{
	struct owner_parsed *x = NULL, *next = NULL;

	HASH_ITER(hh, c->all, x, next)
	{
		drop(c, x);
	}
}
