/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "external/external_memo.h"

#include <stdlib.h>
#include <string.h>

#include "bridge/reconcile/bridge_internal.h"

static void drop(struct bridge *b, struct external_node_memo *m)
{
	HASH_DELETE(hh, b->node_memos, m);
	free(m);
}

void external_memos_free(struct bridge *b)
{
	struct external_node_memo *m = NULL, *next = NULL;

	HASH_ITER(hh, b->node_memos, m, next)
	{
		drop(b, m);
	}
}

struct external_node_memo *external_memo_of(struct bridge *b, const char *name)
{
	const size_t size = strlen(name) + 1;
	struct external_node_memo *m;

	HASH_FIND_STR(b->node_memos, name, m);
	if (m || !(m = calloc(1, sizeof(*m) + size)))
		return m;
	memcpy(m->name, name, size);
	HASH_ADD_KEYPTR(hh, b->node_memos, m->name, size - 1, m);
	if (!m->failed)
		return m;
	free(m);
	return NULL;
}

void external_memo_drop(struct bridge *b, const char *name)
{
	struct external_node_memo *m;

	HASH_FIND_STR(b->node_memos, name, m);
	if (m)
		drop(b, m);
}

void external_memos_forget_gone(struct bridge *b)
{
	struct external_node_memo *m = NULL, *next = NULL;
	struct ctl_node node;

	HASH_ITER(hh, b->node_memos, m, next)
	{
		if (!m->is_new && !ctl_nodes_find(b->nodes, m->name, &node) &&
		    !inventory_of_slurm(b->hosts, m->name) &&
		    !inventory_find(b->hosts, m->name))
			drop(b, m);
	}
}
