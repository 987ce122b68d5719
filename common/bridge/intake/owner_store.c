/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bridge/intake/owner_store.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <utlist.h>

#define KEY_MAX 400 /* "team-a/train" */

static void key_of(const struct owner_name *of, char out[KEY_MAX])
{
	snprintf(out, KEY_MAX, "%s/%s", of->ns, of->name);
}

static struct owner_share *share_find(struct owner_store *s, const char *ns)
{
	struct owner_share *h;

	HASH_FIND_STR(s->shares, ns, h);
	return h;
}

static struct owner_share *share_of(struct owner_store *s, const char *ns)
{
	const size_t size = strlen(ns) + 1;
	struct owner_share *h = share_find(s, ns);

	if (h || HASH_COUNT(s->shares) >= s->max)
		return h;
	h = calloc(1, sizeof(*h) + size);
	if (!h)
		return NULL;
	memcpy(h->ns, ns, size);
	HASH_ADD_KEYPTR(hh, s->shares, h->ns, size - 1, h);
	if (!h->failed)
		return h;
	free(h);
	return NULL;
}

/* Drop a share if nothing is known of its namespace any more. */
static void share_drop(struct owner_store *s, struct owner_share *h)
{
	if (h->n || h->missing || h->partial)
		return;
	if (s->most == h)
		s->most = NULL;
	HASH_DELETE(hh, s->shares, h);
	free(h);
}

/* The share of the namespace that has the most. NULL: none has any. */
static struct owner_share *share_most(struct owner_store *s)
{
	if (s->most)
		return s->most;
	for (struct owner_share *h = s->shares; h; h = h->hh.next)
		if (h->n > (s->most ? s->most->n : 0))
			s->most = h;
	return s->most;
}

/* How many objects one of this length counts as. */
static size_t counts_as(const struct owner_store *s, const char *text)
{
	return 1 + (s->part ? strlen(text) / s->part : 0);
}

/* Note that an object of this size has been left out. */
static void leave_out(struct owner_share *h, enum workload_kind kind,
		      size_t counts)
{
	h->missing |= 1U << kind;
	h->partial |= 1U << kind;
	if (counts > h->large)
		h->large = counts;
}

/* Take an object out; its namespace's share stays. A store_fn. */
static void take_out(void *store, void *object)
{
	struct owner_store *s = store;
	struct owner_entry *x = object;
	struct owner_share *h = x->of;

	store_remove(&s->of[x->kind], &x->item);
	DL_DELETE(h->objects, x);
	h->many--;
	h->n -= x->counts;
	s->n -= x->counts;
	if (s->most == h)
		s->most = NULL;
	free(x->text);
	free(x);
}

/*
 * Make room for `more` of this namespace: the newest objects of the namespace
 * that has the most are left out, as pods below older ones may run already.
 * -EDQUOT: there is no room, as that namespace would then have fewer than this
 * one.
 */
static int make_room(struct owner_store *s, const struct owner_share *h,
		     size_t more, const struct owner_share **gave)
{
	while (s->n + more > s->max) {
		struct owner_share *most = share_most(s);
		struct owner_entry *newest =
			most && most != h ? most->objects->prev : NULL;

		if (!newest || most->n < h->n + more + newest->counts)
			return -EDQUOT;
		leave_out(most, newest->kind, newest->counts);
		take_out(s, newest);
		*gave = most;
	}
	return 0;
}

/* Count an object that has become larger or smaller. */
static void count_anew(struct owner_store *s, struct owner_entry *x,
		       size_t counts)
{
	struct owner_share *h = x->of;

	h->n += counts - x->counts;
	s->n += counts - x->counts;
	if (s->most == h && counts < x->counts)
		s->most = NULL;
	if (s->most && h->n > s->most->n)
		s->most = h;
	x->counts = counts;
}

static struct owner_entry *add(struct owner_store *s,
			       const struct owner_name *of,
			       struct owner_share *h, char *text)
{
	struct owner_entry *x;
	char key[KEY_MAX];

	key_of(of, key);
	x = store_new(&s->of[of->kind], offsetof(struct owner_entry, key), key);
	if (!x)
		return NULL;
	x->kind = of->kind;
	x->text = text;
	x->stamp = ++s->stamps;
	x->of = h;
	DL_APPEND(h->objects, x);
	h->many++;
	count_anew(s, x, counts_as(s, text));
	return x;
}

static int put_new(struct owner_store *s, const struct owner_name *of,
		   const char *text, const struct owner_share **gave)
{
	const size_t counts = counts_as(s, text);
	struct owner_share *h = share_of(s, of->ns);
	char *copy;

	if (!h)
		return -ENOMEM;
	if (make_room(s, h, counts, gave)) {
		leave_out(h, of->kind, counts);
		*gave = h;
		return -EDQUOT;
	}
	copy = strdup(text);
	if (copy && add(s, of, h, copy))
		return 1;
	free(copy);
	share_drop(s, h);
	return -ENOMEM;
}

struct owner_entry *owner_store_find(struct owner_store *s,
				     const struct owner_name *of)
{
	char key[KEY_MAX];

	key_of(of, key);
	return store_find(&s->of[of->kind], key);
}

void owner_store_keep(struct owner_store *s, const struct owner_name *of)
{
	char key[KEY_MAX];

	key_of(of, key);
	store_keep(&s->of[of->kind], key);
}

/*
 * Store another text of an object; without room for that the object is left
 * out.
 */
static int put_again(struct owner_store *s, struct owner_entry *x,
		     const char *text, const struct owner_share **gave)
{
	const size_t counts = counts_as(s, text);
	struct owner_share *h = x->of;
	char *copy;

	if (counts > x->counts && make_room(s, h, counts - x->counts, gave)) {
		leave_out(h, x->kind, counts);
		take_out(s, x);
		*gave = h;
		return -EDQUOT;
	}
	copy = strdup(text);
	if (!copy)
		return -ENOMEM;
	free(x->text);
	x->text = copy;
	x->stamp = ++s->stamps;
	count_anew(s, x, counts);
	return 1;
}

int owner_store_put(struct owner_store *s, const struct owner_name *of,
		    const char *text, const struct owner_share **gave)
{
	struct owner_entry *x = owner_store_find(s, of);

	*gave = NULL;
	if (!x)
		return put_new(s, of, text, gave);
	store_seen(&s->of[of->kind], &x->item);
	return strcmp(x->text, text) ? put_again(s, x, text, gave) : 0;
}

void owner_store_drop(struct owner_store *s, struct owner_entry *x)
{
	struct owner_share *h = x->of;

	take_out(s, x);
	share_drop(s, h);
}

void owner_store_list(struct owner_store *s, enum workload_kind kind)
{
	store_list_begins(&s->of[kind]);
	for (struct owner_share *h = s->shares; h; h = h->hh.next) {
		h->missing &= ~(1U << kind);
		h->large = h->missing ? h->large : 0;
	}
}

void owner_store_synced(struct owner_store *s, enum workload_kind kind)
{
	const unsigned int bit = 1U << kind;
	struct owner_share *h = NULL, *next = NULL;

	store_list_ends(&s->of[kind], take_out, s);
	HASH_ITER(hh, s->shares, h, next)
	{
		h->partial = (h->partial & ~bit) | (h->missing & bit);
		share_drop(s, h);
	}
}

bool owner_store_is_partial(struct owner_store *s, enum workload_kind kind,
			    const char *ns)
{
	const struct owner_share *h = share_find(s, ns);

	return h && h->partial & 1U << kind;
}

/*
 * How many more the namespace may have: what is free, and half of what the
 * namespace with the most is ahead of it.
 */
static size_t ns_room_left(struct owner_store *s, const struct owner_share *h)
{
	const struct owner_share *most = share_most(s);
	const size_t more = most ? most->n : 0;

	return s->max - s->n + (more > h->n ? (more - h->n) / 2 : 0);
}

bool owner_store_has_room_again(struct owner_store *s, enum workload_kind kind,
				bool any)
{
	for (const struct owner_share *h = s->shares; h; h = h->hh.next) {
		const size_t room =
			h->missing & 1U << kind ? ns_room_left(s, h) : 0;

		/* With less room a list would show hardly any more. */
		if ((room * 10 > h->n && room >= h->large) || (any && room))
			return true;
	}
	return false;
}

void owner_store_clear(struct owner_store *s)
{
	struct owner_share *h = NULL, *next = NULL;

	for (int kind = 0; kind < WORKLOAD_KINDS; kind++)
		store_each(&s->of[kind], take_out, s);
	HASH_ITER(hh, s->shares, h, next)
	{
		HASH_DELETE(hh, s->shares, h);
		free(h);
	}
	s->most = NULL;
}
