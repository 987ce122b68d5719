/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config/node_index.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

struct entry {
	UT_hash_handle hh;
	const struct nodeset *set;
	int failed;
	char name[];
};

struct node_index {
	struct entry *entries;
};

struct node_index *node_index_new(void)
{
	return calloc(1, sizeof(struct node_index));
}

void node_index_free(struct node_index *x)
{
	struct entry *e, *next;

	if (!x)
		return;
	HASH_ITER(hh, x->entries, e, next)
	{
		HASH_DEL(x->entries, e);
		free(e);
	}
	free(x);
}

static struct entry *find(const struct node_index *x, const char *node)
{
	struct entry *e;

	HASH_FIND_STR(x->entries, node, e);
	return e;
}

int node_index_add(struct node_index *x, const char *node,
		   const struct nodeset *set, const struct nodeset **other)
{
	struct entry *e = find(x, node);
	size_t len = strlen(node);

	if (e) {
		*other = e->set;
		return -EEXIST;
	}
	e = calloc(1, sizeof(*e) + len + 1);
	if (!e)
		return -ENOMEM;
	e->set = set;
	memcpy(e->name, node, len + 1);
	HASH_ADD_STR(x->entries, name, e);
	if (e->failed) {
		free(e);
		return -ENOMEM;
	}
	return 0;
}

const struct nodeset *node_index_find(const struct node_index *x,
				      const char *node)
{
	const struct entry *e = find(x, node);

	return e ? e->set : NULL;
}
