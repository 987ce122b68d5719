/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A page of a list: the items are those that a parser of the whole sees. */
#include <string.h>

#include "fuzz.h"
#include "kube/page.h"
#include "kube/page_stream.h"

struct reported {
	json_object *items;
	size_t n;
};

static int on_item(void *arg, json_object *item)
{
	struct reported *t = arg;

	PROMISE(json_object_equal(item,
				  json_object_array_get_idx(t->items, t->n++)));
	return 0;
}

/* (the FRAME_MAX of this build is small) */
static int on_oversized(void *arg, const struct object_id *id)
{
	struct reported *t = arg;

	PROMISE(!id->unreadable || (*id->name && *id->uid));
	t->n++;
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

static int count_oversized(void *arg, const struct object_id *id)
{
	(void)id;
	++*(size_t *)arg;
	return 0;
}

/* In pieces of these sizes, it is the same list: how many items, or -1. */
static long stream(const char *text, size_t len, size_t chunk,
		   json_object **meta)
{
	size_t n = 0;
	const struct page_handler to = {count, count_oversized, &n};
	struct page_stream p;
	int rc = 0;

	*meta = NULL;
	page_stream_init(&p);
	for (size_t at = 0; !rc && at < len; at += chunk)
		rc = page_stream_feed(&p, text + at,
				      len - at < chunk ? len - at : chunk, &to);
	if (!rc)
		rc = page_stream_end(&p, meta);
	PROMISE(!rc || !*meta);
	page_stream_clear(&p);
	return rc ? -1 : (long)n;
}

/* However it is cut, it is the same list. */
static void check_stream(const char *text, size_t len)
{
	json_object *a = NULL, *b = NULL;
	const long n = stream(text, len, 1, &a);

	PROMISE(n == stream(text, len, len ? len : 1, &b));
	/* (as texts: a NaN is not equal to itself) */
	PROMISE(!a == !b && (!a || !strcmp(json_object_to_json_string(a),
					   json_object_to_json_string(b))));
	json_object_put(a);
	json_object_put(b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	const char *text = (const char *)data;
	json_object *whole = NULL, *meta = NULL;
	struct reported t = {0};
	size_t n = 0;
	const struct page_handler counter = {count, count_oversized, &n};
	const struct page_handler teller = {on_item, on_oversized, &t};

	page_read(text, len, &meta, &counter);
	json_object_put(meta);
	check_stream(text, len);
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
