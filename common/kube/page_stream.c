/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kube/page_stream.h"

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "kube/frames.h"
#include "kube/object.h"

/* Only an item can be skipped: metadata is held whole. */
_Static_assert(PAGE_META_MAX <= FRAME_MAX, "metadata is held");

void page_stream_init(struct page_stream *s)
{
	*s = (struct page_stream){.value = BUF_INIT(FRAME_MAX)};
}

void page_stream_clear(struct page_stream *s)
{
	buf_free(&s->value);
	json_object_put(s->meta);
	s->meta = NULL;
}

static bool is_key(const struct page_stream *s, const char *name)
{
	return s->depth == 1 && !s->want_key && s->key_len == strlen(name) &&
	       !memcmp(s->key, name, s->key_len);
}

static void in_string(struct page_stream *s, char c)
{
	if (s->escaped) {
		s->escaped = false;
	} else if (c == '\\') {
		s->escaped = true;
	} else if (c == '"') {
		s->in_string = s->in_key = false;
		return;
	}
	/* A longer key is none of those that are looked for. */
	if (s->in_key && s->key_len < sizeof(s->key))
		s->key[s->key_len++] = c;
}

static int begin_string(struct page_stream *s)
{
	if (s->in_items && !s->level)
		return -EBADMSG;
	s->in_string = true;
	s->in_key = s->depth == 1 && s->want_key;
	if (s->in_key)
		s->key_len = 0;
	return 0;
}

static int open_bracket(struct page_stream *s, char c)
{
	if (!s->depth && (s->begun || c != '{'))
		return -EBADMSG;
	if (!s->level && s->in_items && c != '{')
		return -EBADMSG;
	if (!s->level && (s->in_items || (is_key(s, "metadata") && c == '{'))) {
		s->level = s->depth;
		s->is_item = s->in_items;
	} else if (!s->level && is_key(s, "items") && c == '[') {
		s->in_items = s->has_items = true;
	}
	s->want_key = s->want_key || !s->depth;
	s->begun = true;
	s->depth++;
	return 0;
}

static void close_bracket(struct page_stream *s)
{
	s->depth--;
	if (s->depth == s->level)
		s->level = 0;
	if (s->depth == 1)
		s->in_items = false;
}

/* Read one character; s->level says afterwards whether it is in a value. */
static int step(struct page_stream *s, char c)
{
	if (s->in_string) {
		in_string(s, c);
		return 0;
	}
	if (strchr(" \t\r\n", c) && c)
		return 0;
	if (c == '{' || c == '[')
		return open_bracket(s, c);
	if (!s->depth)
		return -EBADMSG;
	if (c == '"')
		return begin_string(s);
	if (c == '}' || c == ']') {
		close_bracket(s);
	} else if (s->level) {
		return 0; /* jx_parse() checks the value when it is whole */
	} else if (c == ',' || c == ':') {
		if (s->depth == 1)
			s->want_key = c == ',';
	} else if (s->in_items) {
		return -EBADMSG;
	}
	return 0;
}

/* Hold nothing of the item from now on. */
static void begin_to_skip(struct page_stream *s)
{
	s->skipping = true;
	skim_object(&s->skim);
	skim_feed(&s->skim, buf_str(&s->value), s->value.len);
	buf_free(&s->value);
}

static int piece(struct page_stream *s, const char *data, size_t n)
{
	if (!s->is_item && n > PAGE_META_MAX - s->value.len)
		return -EMSGSIZE;
	if (!s->skipping && n > FRAME_MAX - s->value.len)
		begin_to_skip(s);
	if (!s->skipping)
		return buf_add(&s->value, data, n);
	skim_feed(&s->skim, data, n);
	return 0;
}

static int held_item(struct page_stream *s, const struct page_handler *to)
{
	_cleanup_json_ json_object *item = NULL;
	int rc;

	skim_object(&s->skim);
	rc = object_parse(&s->skim, buf_str(&s->value), s->value.len, to->only,
			  &item);
	if (rc == -EBADMSG && object_known(&s->skim))
		return to->on_oversized(to->arg, &s->skim.id);
	return rc ? rc : to->on_item(to->arg, item);
}

static int whole_item(struct page_stream *s, const struct page_handler *to)
{
	int rc;

	if (s->skipping) {
		s->skipping = false;
		return to->on_oversized(to->arg, &s->skim.id);
	}
	rc = held_item(s, to);
	buf_reset(&s->value);
	return rc;
}

static int whole_value(struct page_stream *s, const struct page_handler *to)
{
	json_object *meta = NULL;
	int rc;

	if (s->is_item)
		return whole_item(s, to);
	rc = jx_parse(buf_str(&s->value), s->value.len, &meta, NULL);
	buf_reset(&s->value);
	if (rc)
		return rc;
	json_object_put(s->meta);
	s->meta = meta;
	return 0;
}

int page_stream_feed(struct page_stream *s, const char *data, size_t len,
		     const struct page_handler *to)
{
	/* begin of the part of the value not kept yet */
	const char *from = data;

	for (size_t i = 0; i < len; i++) {
		const bool was_in = s->level != 0;
		int rc = step(s, data[i]);

		if (!was_in)
			from = data + i;
		if (!rc && was_in && !s->level) {
			rc = piece(s, from, (size_t)(data + i + 1 - from));
			if (!rc)
				rc = whole_value(s, to);
		}
		if (rc)
			return rc;
	}
	return s->level ? piece(s, from, (size_t)(data + len - from)) : 0;
}

int page_stream_end(struct page_stream *s, json_object **meta)
{
	*meta = NULL;
	if (!s->begun || s->depth || !s->has_items)
		return -EBADMSG;
	*meta = steal_ptr(s->meta);
	return 0;
}
