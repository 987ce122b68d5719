/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A page of a list, item by item: json-c needs some 30 times the memory of its
 * text, for 500 pods more than what is kept of 10,000. Pure.
 */
#ifndef SLURMK8S_KUBE_PAGE_H
#define SLURMK8S_KUBE_PAGE_H

#include "json/json.h"

/* Gets each item, borrowed. Not 0: stop, with that error. */
typedef int (*page_item_fn)(void *arg, json_object *item);

/*
 * Read the list that `text` holds: its member "metadata" (the caller's; NULL:
 * there is none), and its items, if `fn` is not NULL. 0, -EBADMSG (then *meta
 * is NULL, and some items may have been told), or what `fn` returned.
 */
int page_read(const char *text, size_t len, json_object **meta, page_item_fn fn,
	      void *arg);

#endif
