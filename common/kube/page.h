/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A page of a list, item by item: json-c needs some 30 times the memory of its
 * text, for 500 pods more than what is kept of 10,000. Pure. Any thread.
 */
#ifndef SLURMK8S_KUBE_PAGE_H
#define SLURMK8S_KUBE_PAGE_H

#include "kube/skim.h"
#include "json/json_only.h"

/*
 * The callbacks; each returns 0, or a value that ends page_read(), which
 * returns it.
 */
struct page_handler {
	/* Each item, borrowed. */
	int (*on_item)(void *arg, json_object *item);
	/*
	 * An item over FRAME_MAX, or one that cannot be read (id->unreadable;
	 * then it has a name and a uid); texts of `id` that are missing are
	 * empty.
	 */
	int (*on_oversized)(void *arg, const struct object_id *id);
	void *arg;
	/* What is read of an item: see object_parse(). May be NULL. */
	const struct jx_only *only;
};

/*
 * Read the list that `text` holds: its member "metadata" (the caller's; NULL:
 * there is none), and its items, if `to` is not NULL. 0, -EBADMSG (then *meta
 * is NULL, and some items may have been told), or what a callback returned.
 */
int page_read(const char *text, size_t len, json_object **meta,
	      const struct page_handler *to);

#endif
