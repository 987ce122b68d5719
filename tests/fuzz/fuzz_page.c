/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A page of a list: the items are those that a parser of the whole sees. */
#include <string.h>

#include "fuzz.h"
#include "kube/page.h"

struct told {
	json_object *items;
	size_t n;
};

static int on_item(void *arg, json_object *item)
{
	struct told *t = arg;

	PROMISE(json_object_equal(item,
				  json_object_array_get_idx(t->items, t->n++)));
	return 0;
}

static int count(void *arg, json_object *item)
{
	(void)item;
	++*(size_t *)arg;
	return 0;
}

/* One member of each name at most, and none spelled with escapes. */
static bool is_plain(const char *text, size_t len)
{
	return !memchr(text, '\\', len) &&
	       (!memmem(text, len, "items", 5) ||
		!memmem((char *)memmem(text, len, "items", 5) + 1,
			len - 1 -
				(size_t)((char *)memmem(text, len, "items", 5) -
					 text),
			"items", 5));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	const char *text = (const char *)data;
	json_object *whole = NULL, *meta = NULL;
	struct told t = {0};
	size_t n = 0;
	const struct page_handler counter = {.on_item = count, .arg = &n};
	const struct page_handler teller = {.on_item = on_item, .arg = &t};

	page_read(text, len, &meta, &counter);
	json_object_put(meta);
	if (jx_parse(text, len, &whole, NULL) || !is_plain(text, len) ||
	    !jx_is(whole, json_type_object))
		goto out;
	t.items = jx_get(whole, "items");
	if (!page_read(text, len, &meta, &teller)) {
		PROMISE(!t.items || t.n == json_object_array_length(t.items));
		json_object_put(meta);
	}
out:
	json_object_put(whole);
	return 0;
}
