/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Objects by a key, as lists and watches tell of them: what a list that has
 * ended did not name is gone. An item is a struct of its owner, whose first
 * member is a struct store_item. What an item is, how many there may be, and
 * what becomes of one that is gone, the owner says.
 *
 * Not thread-safe: a store is used under its owner's lock. No I/O, no clock.
 */
#ifndef SLURMK8S_RUNTIME_STORE_H
#define SLURMK8S_RUNTIME_STORE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/hash.h"

struct store_item {
	UT_hash_handle hh; /* hh.next: the item after it; NULL: none */
	int failed;
	unsigned int generation; /* generation when it was last seen */
};

/* All zero: no item. */
struct store {
	struct store_item *first;
	unsigned int generation; /* number of the list that began last */
	bool synced;		 /* a list has ended; or the owner says so */
};

/* Called with an item of a store, which it may remove and free, but no other.
 */
typedef void (*store_fn)(void *arg, void *item);

/* The item of this key; it stays the owner's. NULL: there is none. */
void *store_find(const struct store *s, const char *key);

/* How many items there are. */
size_t store_count(const struct store *s);

/*
 * Put an item in, as one that is seen now. `key` is borrowed while it is in.
 * One of the same key that is in already is hidden, until it or this one is
 * removed. 0; -ENOMEM: it is not in.
 */
int store_add(struct store *s, struct store_item *x, const char *key);

/*
 * Make an item of zeros and put it in, as store_add() does: of a struct whose
 * last member is an array of char without a length, at `offset`, where the key
 * is copied to. The caller removes and frees. NULL: out of memory.
 */
void *store_new(struct store *s, size_t offset, const char *key);

/* Note that an item is seen: it is in the present list, or was added since. */
void store_seen(const struct store *s, struct store_item *x);

/*
 * store_seen() of the item of this key, which is returned as by store_find().
 */
void *store_keep(struct store *s, const char *key);

/* Take an item out, which is not freed. */
void store_remove(struct store *s, struct store_item *x);

/* Call `on` with each item. */
void store_each(struct store *s, store_fn on, void *arg);

/* Note that a list of all begins. */
void store_list_begins(struct store *s);

/*
 * Note that the list has ended: the store is synced, and `gone` is called with
 * each item that was not seen since the list began.
 */
void store_list_ends(struct store *s, store_fn gone, void *arg);

#endif
