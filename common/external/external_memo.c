/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "external/external_memo.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "external/external_nodes.h"

static void drop(struct external_nodes *e, struct external_node_memo *m)
{
	HASH_DELETE(hh, e->memos, m);
	free(m);
}

void external_memos_free(struct external_nodes *e)
{
	struct external_node_memo *m = NULL, *next = NULL;

	HASH_ITER(hh, e->memos, m, next)
	{
		drop(e, m);
	}
}

struct external_node_memo *external_memo_of(struct external_nodes *e,
					    const char *name)
{
	const size_t size = strlen(name) + 1;
	struct external_node_memo *m;

	HASH_FIND_STR(e->memos, name, m);
	if (m || !(m = calloc(1, sizeof(*m) + size)))
		return m;
	memcpy(m->name, name, size);
	HASH_ADD_KEYPTR(hh, e->memos, m->name, size - 1, m);
	if (!m->failed)
		return m;
	free(m);
	return NULL;
}

int64_t external_memo_renews(struct external_nodes *e, const char *name)
{
	struct external_node_memo *m = external_memo_of(e, name);

	if (!m)
		return clock_ms();
	if (!m->renew_since)
		m->renew_since = clock_ms();
	return m->renew_since;
}

void external_memo_renews_not(struct external_node_memo *m)
{
	if (m)
		m->renew_since = 0;
}

void external_memo_deleted(struct external_nodes *e, const char *name)
{
	struct external_node_memo *m = external_memo_of(e, name);

	if (m)
		m->deleted = true;
}

void external_memo_is_there(struct external_node_memo *m)
{
	if (m)
		m->was_there = true;
}

void external_memo_drop(struct external_nodes *e, const char *name)
{
	struct external_node_memo *m;

	HASH_FIND_STR(e->memos, name, m);
	if (m)
		drop(e, m);
}

void external_memos_forget_gone(struct external_nodes *e)
{
	struct external_node_memo *m = NULL, *next = NULL;
	struct ctl_node node;

	HASH_ITER(hh, e->memos, m, next)
	{
		if (!m->settling.is_new &&
		    !ctl_nodes_find(e->slurm.nodes, m->name, &node) &&
		    !inventory_of_slurm(e->inventory, m->name) &&
		    !inventory_find(e->inventory, m->name))
			drop(e, m);
	}
}
