/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is remembered of each node begins and ends. */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "nodes/watch/nodes.h"

struct node_state *node_state_of(struct nodes *nodes, const char *name)
{
	struct node_state *m = node_state_find(nodes, name);
	size_t size;

	if (m)
		return m;
	size = strlen(name) + 1;
	m = calloc(1, sizeof(*m) + size);
	if (!m)
		return NULL;
	memcpy(m->name, name, size);
	m->power.since = m->power.down_at = clock_ms();
	buf_limit(&m->jobs.jobs, WK_NOTE_MAX - 1);
	buf_limit(&m->jobs.users, WK_NOTE_MAX - 1);
	buf_limit(&m->jobs.accounts, WK_NOTE_MAX - 1);
	HASH_ADD_KEYPTR(hh, nodes->memos, m->name, strlen(m->name), m);
	if (m->failed) {
		free(m);
		return NULL;
	}
	return m;
}

static void drop(struct nodes *nodes, struct node_state *m)
{
	HASH_DELETE(hh, nodes->memos, m);
	if (m->busy)
		nodes->count.busy--;
	if (m->power.now == NODE_UP)
		nodes->count.up--;
	nodes->count.missing -= m->missing;
	step_annotations_free(&m->steps.notes);
	json_object_put(m->jobs.asked);
	buf_free(&m->jobs.jobs);
	buf_free(&m->jobs.users);
	buf_free(&m->jobs.accounts);
	free(m);
}

/*
 * Up to NODES_SINGLE_MAX nodes are asked for one by one; more of them by a
 * list.
 */
void node_states_allocated(struct nodes *nodes, const char *name)
{
	struct node_state *m = node_state_of(nodes, name);
	struct nodes_allocated *a = &nodes->allocated;

	if (!m || (m->power.looked && (m->power.now == NODE_UP ||
				       m->power.now == NODE_POWERING_UP)))
		return;
	m->allocated_at = clock_ms();
	for (size_t i = 0; i < a->n; i++)
		if (a->v[i] == m)
			return;
	if (a->n < NODES_SINGLE_MAX) {
		a->v[a->n++] = m;
		return;
	}
	nodes_ask_again(nodes);
	nodes_look_now(nodes);
}

void node_states_begin_pass(struct nodes *nodes)
{
	nodes->pass++;
}

void node_states_reload(struct nodes *nodes)
{
	atomic_store(&nodes->reload, true);
}

void node_states_configure(struct nodes *nodes, struct config *config)
{
	struct node_state *m = NULL, *next = NULL;

	config_free(nodes->config);
	nodes->config = config;
	HASH_ITER(hh, nodes->memos, m, next)
	{
		*m->hash = '\0';
		if (!config_nodeset_of(nodes->config, m->name))
			drop(nodes, m);
	}
}

void node_states_free(struct nodes *nodes)
{
	struct node_state *m = NULL, *next = NULL;

	HASH_ITER(hh, nodes->memos, m, next)
	{
		drop(nodes, m);
	}
}
