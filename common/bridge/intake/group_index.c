/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bridge/intake/group_index.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <utlist.h>

#define OBJECT_MAX (WORKLOAD_NAME_MAX + 80) /* "6 team-a train" */

/* The groups to which one object matters. */
struct pod_tied {
	UT_hash_handle hh;
	int failed;
	struct pod_tie *ties;
	char key[];
};

static void object_key(enum workload_kind kind, const char *ns,
		       const char *name, char out[OBJECT_MAX])
{
	snprintf(out, OBJECT_MAX, "%d %s %s", (int)kind, ns, name);
}

static struct pod_tied *tied_to(struct group_index *s, const char *key)
{
	const size_t size = strlen(key) + 1;
	struct pod_tied *x;

	HASH_FIND_STR(s->tied, key, x);
	if (x)
		return x;
	x = calloc(1, sizeof(*x) + size);
	if (!x)
		return NULL;
	memcpy(x->key, key, size);
	HASH_ADD_KEYPTR(hh, s->tied, x->key, size - 1, x);
	if (!x->failed)
		return x;
	free(x);
	return NULL;
}

static void untie(struct group_index *s, struct pod_tie *t)
{
	struct pod_tied *x = t->to;

	if (!x || !s->tied) /* no object has ties */
		return;
	DL_DELETE(x->ties, t);
	t->to = NULL;
	if (x->ties)
		return;
	HASH_DELETE(hh, s->tied, x);
	free(x);
}

int group_index_tie(struct group_index *s, struct pod_group *g,
		    enum pod_tie_as as, enum workload_kind kind,
		    const char *name)
{
	struct pod_tie *t = &g->ties[as];
	char key[OBJECT_MAX];

	object_key(kind, g->of.ns, name, key);
	if (t->to && !strcmp(t->to->key, key))
		return 0;
	untie(s, t);
	if (!*name)
		return 0;
	t->to = tied_to(s, key);
	if (!t->to)
		return -ENOMEM;
	t->group = g;
	DL_APPEND(t->to->ties, t);
	return 0;
}

/* Tie a group to the objects that its pods themselves name. */
static int tie_all(struct group_index *s, struct pod_group *g)
{
	const struct workload *of = &g->of;
	int rc = 0;

	if (of->kind != WORKLOAD_POD)
		rc = group_index_tie(s, g, BRIDGE_TIE_ITSELF, of->kind,
				     of->name);
	if (!rc && of->top != WORKLOAD_POD)
		rc = group_index_tie(s, g, BRIDGE_TIE_TOP, of->top,
				     of->top_name);
	return rc ? rc
		  : group_index_tie(s, g, BRIDGE_TIE_IN, WORKLOAD_GROUP,
				    of->group);
}

static void free_group(struct group_index *s, struct pod_group *g)
{
	for (int i = 0; i < BRIDGE_TIES; i++)
		untie(s, &g->ties[i]);
	free(g);
}

struct pod_group *group_index_find(struct group_index *s, const char *key)
{
	struct pod_group *g;

	HASH_FIND_STR(s->all, key, g);
	return g;
}

struct pod_group *group_index_get(struct group_index *s,
				  const struct workload *of)
{
	struct pod_group *g;
	char key[BRIDGE_KEY_MAX];
	size_t size;

	pod_group_key(of, key);
	g = group_index_find(s, key);
	if (g)
		return g;
	size = strlen(key) + 1;
	g = calloc(1, sizeof(*g) + size);
	if (!g)
		return NULL;
	memcpy(g->key, key, size);
	g->of = *of;
	if (tie_all(s, g)) {
		free_group(s, g);
		return NULL;
	}
	HASH_ADD_KEYPTR(hh, s->all, g->key, size - 1, g);
	if (!g->failed)
		return g;
	free_group(s, g);
	return NULL;
}

void group_index_drop(struct group_index *s, struct pod_group *g)
{
	if (g->n || g->dirty || g->vanished)
		return;
	HASH_DELETE(hh, s->all, g);
	free_group(s, g);
}

void group_index_mark(struct group_index *s, struct pod_group *g)
{
	if (g->dirty)
		return;
	g->dirty = true;
	g->next_dirty = NULL;
	if (s->last_dirty)
		s->last_dirty->next_dirty = g;
	else
		s->dirty = g;
	s->last_dirty = g;
	s->n_dirty++;
}

void group_index_mark_all(struct group_index *s)
{
	for (struct pod_group *g = s->all; g; g = g->hh.next)
		group_index_mark(s, g);
}

size_t group_index_take(struct group_index *s, char **keys, size_t max)
{
	size_t n = 0;

	while (s->dirty && n < max && (keys[n] = strdup(s->dirty->key))) {
		struct pod_group *g = s->dirty;

		s->dirty = g->next_dirty;
		if (!s->dirty)
			s->last_dirty = NULL;
		g->dirty = false;
		s->n_dirty--;
		group_index_drop(s, g);
		n++;
	}
	return n;
}

bool group_index_touch(struct group_index *s, enum workload_kind kind,
		       const char *ns, const char *name)
{
	struct pod_tied *x = NULL;
	char key[OBJECT_MAX];

	object_key(kind, ns, name, key);
	HASH_FIND_STR(s->tied, key, x);
	for (struct pod_tie *t = x ? x->ties : NULL; t; t = t->next)
		group_index_mark(s, t->group);
	return x != NULL;
}

void group_index_clear(struct group_index *s)
{
	struct pod_group *g = NULL, *next = NULL;

	HASH_ITER(hh, s->all, g, next)
	{
		HASH_DELETE(hh, s->all, g);
		free_group(s, g);
	}
}
