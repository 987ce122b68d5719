/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cluster/requests.h"

#include <stdlib.h>
#include <string.h>
#include <utlist.h>

struct lane {
	struct request *waiting;
	size_t begun;
};

struct kind_state {
	struct lane lanes[REQUEST_LANES];
	unsigned int turn; /* the lane that was taken from last */
	size_t n, begun;   /* requests in all; those under way */
};

struct requests {
	const struct requests_table *table;
	const void *room;
	struct request *all; /* by key */
	struct request *under_way;
	struct kind_state kinds[REQUEST_KINDS_MAX];
	uint64_t next_number;
};

struct requests *requests_new(const struct requests_table *table,
			      const void *room)
{
	struct requests *q = calloc(1, sizeof(*q));

	if (!q)
		return NULL;
	q->table = table;
	q->room = room;
	return q;
}

void requests_free(struct requests *q)
{
	requests_drop(q, NULL);
	free(q);
}

static struct lane *lane_of(struct requests *q, const struct request *r)
{
	return &q->kinds[r->kind].lanes[r->lane];
}

/*
 * Put a request into its lane, before one that waits there. NULL: behind all.
 */
static void wait_before(struct requests *q, struct request *r,
			struct request *one)
{
	struct lane *l = lane_of(q, r);

	r->begun = false;
	r->call = NULL;
	DL_PREPEND_ELEM(l->waiting, one, r);
}

/* Take a request out of its lane, or from those under way. */
static void leave(struct requests *q, struct request *r)
{
	struct lane *l = lane_of(q, r);

	if (!r->begun) {
		DL_DELETE(l->waiting, r);
		return;
	}
	DL_DELETE(q->under_way, r);
	q->kinds[r->kind].begun--;
	l->begun--;
}

static const struct request_kind *kind_of(const struct requests *q,
					  const struct request *r)
{
	return &q->table->kinds[r->kind];
}

static bool is_full(const struct requests *q, const struct request *r)
{
	const size_t max = r->max ? r->max : kind_of(q, r)->max;

	return (max && q->kinds[r->kind].n >= max) ||
	       (q->table->max && HASH_COUNT(q->all) >= q->table->max);
}

/* As requests_add(), but frees none that is not added. */
static enum request_added add(struct requests *q, struct request *r,
			      const char *key)
{
	struct request *there = key ? requests_find(q, key) : NULL;
	struct request *behind = NULL;

	if (there && (there->begun || !kind_of(q, there)->yields))
		return kind_of(q, r)->merge && kind_of(q, r)->merge(there, r)
			       ? REQUEST_MERGED
			       : REQUEST_REFUSED;
	if (there && there->kind == r->kind)
		behind = there->next;
	else if (is_full(q, r))
		return REQUEST_REFUSED;
	if (there)
		requests_end(q, there);
	/* Some byte of such a number is 0, so no text has it as its key. */
	r->number = q->next_number++;
	if (key)
		HASH_ADD_KEYPTR(hh, q->all, key, strlen(key), r);
	else
		HASH_ADD_KEYPTR(hh, q->all, &r->number, sizeof(r->number), r);
	if (r->failed)
		return REQUEST_REFUSED;
	q->kinds[r->kind].n++;
	wait_before(q, r, behind);
	return REQUEST_ADDED;
}

enum request_added requests_add(struct requests *q, struct request *r,
				const char *key, const char *ns)
{
	enum request_added added;

	r->lane = hash_bytes(ns, strlen(ns)) % REQUEST_LANES;
	added = add(q, r, key);
	if (added != REQUEST_ADDED)
		q->table->free(r);
	return added;
}

void *requests_find(const struct requests *q, const char *key)
{
	struct request *r;

	HASH_FIND_STR(q->all, key, r);
	return r;
}

void *requests_first(const struct requests *q)
{
	return q->all;
}

size_t requests_count(const struct requests *q, unsigned int kind)
{
	return q->kinds[kind].n;
}

size_t requests_begun(const struct requests *q, unsigned int first,
		      unsigned int last)
{
	size_t n = 0;

	for (unsigned int kind = first; kind <= last; kind++)
		n += q->kinds[kind].begun;
	return n;
}

/*
 * The next request: of the lane with the fewest under way, lanes by turns.
 * NULL: none waits.
 */
static struct request *next_of(struct kind_state *kind)
{
	struct lane *l, *least = NULL;

	for (unsigned int i = 1; i <= REQUEST_LANES; i++) {
		l = &kind->lanes[(kind->turn + i) % REQUEST_LANES];
		if (l->waiting && (!least || l->begun < least->begun))
			least = l;
	}
	return least ? least->waiting : NULL;
}

void *requests_next(struct requests *q)
{
	struct request *r = NULL;

	for (unsigned int kind = 0; kind < q->table->n_kinds && !r; kind++)
		if (q->table->may_begin(q->room, kind))
			r = next_of(&q->kinds[kind]);
	if (!r)
		return NULL;
	leave(q, r);
	r->begun = true;
	DL_APPEND(q->under_way, r);
	q->kinds[r->kind].turn = r->lane;
	q->kinds[r->kind].begun++;
	lane_of(q, r)->begun++;
	return r;
}

void requests_again(struct requests *q, struct request *r, bool before)
{
	leave(q, r);
	wait_before(q, r, before ? lane_of(q, r)->waiting : NULL);
}

void requests_end(struct requests *q, struct request *r)
{
	HASH_DELETE(hh, q->all, r);
	q->kinds[r->kind].n--;
	leave(q, r);
	q->table->free(r);
}

size_t requests_withdraw(struct requests *q, unsigned int kind,
			 bool (*is)(struct request *r, uint32_t id),
			 uint32_t id)
{
	const size_t n = q->kinds[kind].n;
	struct request *r = NULL, *next = NULL;

	for (unsigned int i = 0; i < REQUEST_LANES; i++)
		DL_FOREACH_SAFE(q->kinds[kind].lanes[i].waiting, r, next)
	if (is(r, id))
		requests_end(q, r);
	DL_FOREACH(q->under_way, r)
	if (r->kind == kind)
		is(r, id);
	return n - q->kinds[kind].n;
}

void requests_drop(struct requests *q, struct kube_client *client)
{
	struct request *r = NULL, *next = NULL;

	HASH_ITER(hh, q->all, r, next)
	{
		if (client && r->begun && kind_of(q, r)->cancel)
			kind_of(q, r)->cancel(r);
		else if (client && r->begun)
			kube_client_cancel(client, r->call);
		requests_end(q, r);
	}
}
