/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "slurm/text_set.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

struct text_entry {
	UT_hash_handle hh; /* the key is the text, which the caller owns */
	int failed;
};

int text_set_add(struct text_set *s, const char *text)
{
	const size_t len = strlen(text);
	struct text_entry *one = NULL;

	HASH_FIND(hh, s->all, text, len, one);
	if (one)
		return 0;
	one = calloc(1, sizeof(*one));
	if (!one)
		return -ENOMEM;
	HASH_ADD_KEYPTR(hh, s->all, text, len, one);
	if (!one->failed)
		return 1;
	free(one);
	return -ENOMEM;
}

void text_set_clear(struct text_set *s)
{
	struct text_entry *one = NULL, *next = NULL;

	HASH_ITER(hh, s->all, one, next)
	{
		HASH_DELETE(hh, s->all, one);
		free(one);
	}
}
