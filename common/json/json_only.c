/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "json/json_only.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "base/buf.h"

struct reader {
	const char *at, *end;
	struct buf out; /* the text of the wanted members */
	bool met;	/* the last object had what it needs to be listed */
	size_t room;	/* values that may still come: see jx_only.most */
	/* the line of the table that sets `room` */
	const struct jx_only *bound;
	/* the line whose bound was exceeded, or NULL */
	const struct jx_only *over;
};

const struct jx_only jx_left_out, jx_some, jx_needed;

static int value(struct reader *r, const struct jx_only *only);

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* The next character that is no white space; NUL: there is none. */
static char next(struct reader *r)
{
	while (r->at < r->end && is_blank(*r->at))
		r->at++;
	return r->at < r->end ? *r->at : '\0';
}

static bool take(struct reader *r, char c)
{
	if (next(r) != c)
		return false;
	r->at++;
	return true;
}

static int skip_string(struct reader *r)
{
	for (r->at++; r->at < r->end; r->at++) {
		if (*r->at == '\\')
			r->at++;
		else if (*r->at == '"')
			break;
	}
	if (r->at >= r->end)
		return -EBADMSG;
	r->at++;
	return 0;
}

/*
 * Skip from a bracket to its end, at any depth without a call for each level.
 */
static int skip_nested(struct reader *r)
{
	size_t depth = 0;

	while (r->at < r->end) {
		const char c = *r->at;

		if (!c || (c == '"' && skip_string(r)))
			return -EBADMSG;
		if (c == '"')
			continue;
		r->at++;
		depth += c == '{' || c == '[';
		if ((c == '}' || c == ']') && !--depth)
			return 0;
	}
	return -EBADMSG;
}

/* Skip a number, true, false or null. */
static int skip_word(struct reader *r)
{
	const char *from = r->at;

	while (r->at < r->end && !strchr(",:[]{}\" \t\r\n", *r->at))
		r->at++;
	return r->at > from ? 0 : -EBADMSG;
}

static int skip(struct reader *r)
{
	const char c = next(r);

	if (c == '"')
		return skip_string(r);
	return c == '{' || c == '[' ? skip_nested(r) : skip_word(r);
}

static int take_room(struct reader *r, size_t n)
{
	if (r->room < n) {
		r->over = r->bound;
		return -EBADMSG;
	}
	r->room -= n;
	return 0;
}

static int skip_and_put(struct reader *r)
{
	const char *from = r->at;
	int rc = skip(r);
	const size_t len = (size_t)(r->at - from);

	if (!rc && r->room != SIZE_MAX && (*from == '{' || *from == '['))
		rc = take_room(r, jx_values(from, len));
	return rc ? rc : buf_add(&r->out, from, len);
}

/*
 * Put the first character of an object or list, or the comma before a value,
 * each of which counts as a value.
 */
static int put_value(struct reader *r, const char *what)
{
	int rc = r->room == SIZE_MAX ? 0 : take_room(r, 1);

	return rc ? rc : buf_add(&r->out, what, 1);
}

static bool is_pattern(const struct jx_only *only)
{
	return only->key[strlen(only->key) - 1] == '*';
}

static bool begins_so(const struct jx_only *only, const char *key, size_t len)
{
	const size_t n = strlen(only->key) - 1;

	return len >= n && !memcmp(only->key, key, n);
}

/* The line of the table for a key; NULL: the member is not wanted. */
static const struct jx_only *find(const struct jx_only *only, const char *key,
				  size_t len)
{
	const struct jx_only *others = NULL;

	for (; only->key; only++) {
		if (*only->key != *key && *only->key != '*')
			continue;
		if (strlen(only->key) == len && !memcmp(only->key, key, len))
			return only->of == JX_LEFT_OUT ? NULL : only;
		if (!others && is_pattern(only) && begins_so(only, key, len))
			others = only;
	}
	return others;
}

/* Put an object or list as an empty one, or with something in it. */
static int put_some(struct reader *r)
{
	const bool is_list = *r->at == '[';
	const char *from = r->at + 1;
	int rc = skip_nested(r);

	while (!rc && is_blank(*from))
		from++;
	if (!rc && from + 1 == r->at)
		return buf_add(&r->out, is_list ? "[]" : "{}", 2);
	return rc	 ? rc
	       : is_list ? buf_add(&r->out, "[0]", 3)
			 : buf_add(&r->out, "{\"\":0}", 6);
}

/*
 * True unless the value that begins at `from` of what was put is false, 0 or
 * null.
 */
static bool says_yes(struct reader *r, size_t from)
{
	const char *text = buf_str(&r->out) + from;

	return strcmp(text, "false") != 0 && strcmp(text, "0") != 0 &&
	       strcmp(text, "null") != 0;
}

static int bounded(struct reader *r, const struct jx_only *what)
{
	const struct jx_only *bound = r->bound;
	const size_t room = r->room;
	size_t left;
	int rc;

	if (what->most < room) {
		r->bound = what;
		r->room = what->most;
	}
	left = r->room;
	rc = value(r, what->of);
	left -= r->room;
	r->bound = bound;
	r->room = room == SIZE_MAX ? room : room - left;
	return rc;
}

/* Put a member. `key` is between its quotes in the text. */
static int put_member(struct reader *r, const char *key, size_t len,
		      const struct jx_only *what, bool first)
{
	int rc = first ? 0 : put_value(r, ",");

	if (!rc)
		rc = buf_add(&r->out, key - 1, len + 2);
	if (!rc)
		rc = buf_add(&r->out, ":", 1);
	if (rc)
		return rc;
	return what->most && !is_pattern(what) ? bounded(r, what)
					       : value(r, what->of);
}

static int take_key(struct reader *r, const char **key, size_t *len)
{
	if (next(r) != '"')
		return -EBADMSG;
	*key = r->at + 1;
	if (skip_string(r))
		return -EBADMSG;
	*len = (size_t)(r->at - 1 - *key);
	return take(r, ':') && next(r) ? 0 : -EBADMSG;
}

/* The part of an object that has been read. */
struct members {
	const struct jx_only *only;
	bool any, met;
	size_t many; /* members found by patterns that have a bound */
};

static int member(struct reader *r, struct members *m)
{
	const struct jx_only *what;
	const char *key;
	size_t len, from;
	int rc = take_key(r, &key, &len);

	if (rc)
		return rc;
	what = find(m->only, key, len);
	if (what && what->most && is_pattern(what) && ++m->many > what->most)
		what = NULL;
	if (!what)
		return skip(r);
	from = r->out.len + m->any + len + 3;
	rc = put_member(r, key, len, what, !m->any);
	m->any = true;
	m->met |= !rc && what->of == JX_NEEDED && says_yes(r, from);
	return rc;
}

static int object(struct reader *r, const struct jx_only *only)
{
	struct members m = {.only = only};
	int rc = put_value(r, "{");

	r->at++;
	if (!rc && next(r) != '}') {
		do
			rc = member(r, &m);
		while (!rc && take(r, ','));
	}
	if (!rc && !take(r, '}'))
		rc = -EBADMSG;
	r->met = m.met;
	return rc ? rc : buf_add(&r->out, "}", 1);
}

static bool needs(const struct jx_only *only)
{
	while (only->key && only->of != JX_NEEDED)
		only++;
	return only->key;
}

/*
 * Put an element of a list. A list within a list is put whole, so that calls
 * are as deep as the table.
 */
static int element(struct reader *r, const struct jx_only *only)
{
	const size_t before = r->out.len, room = r->room;
	const bool first = r->out.data[before - 1] == '[';
	const bool is_object = next(r) == '{';
	int rc = first ? 0 : put_value(r, ",");

	if (!rc)
		rc = is_object ? object(r, only) : skip_and_put(r);
	if (!rc && is_object && !r->met && needs(only)) {
		buf_cut(&r->out, before);
		r->room = room;
	}
	return rc;
}

static int list(struct reader *r, const struct jx_only *only)
{
	int rc = put_value(r, "[");

	r->at++;
	if (!rc && next(r) != ']') {
		do
			rc = element(r, only);
		while (!rc && take(r, ','));
	}
	if (!rc && !take(r, ']'))
		rc = -EBADMSG;
	return rc ? rc : buf_add(&r->out, "]", 1);
}

/* Put a value. The caller has called next(), so r->at is not at the end. */
static int value(struct reader *r, const struct jx_only *only)
{
	const char c = *r->at;

	if (!only || only == JX_NEEDED || (c != '{' && c != '['))
		return skip_and_put(r);
	if (only == JX_SOME)
		return put_some(r);
	return c == '{' ? object(r, only) : list(r, only);
}

int jx_parse_only(const char *text, size_t len, const struct jx_only *only,
		  size_t parts_max, json_object **out, struct err *err)
{
	struct reader r = {.at = text,
			   .end = text + len,
			   .out = BUF_INIT(len),
			   .room = SIZE_MAX};
	int rc = next(&r) ? value(&r, only) : -EBADMSG;

	if (!rc && next(&r))
		rc = -EBADMSG;
	if (r.over)
		err_set(err, rc, "the JSON has more than %u values in %s",
			r.over->most, r.over->key);
	else if (rc == -EBADMSG)
		err_set(err, rc, "bad JSON at byte %zu", (size_t)(r.at - text));
	else if (rc)
		err_set(err, rc, "the JSON cannot be read: out of memory");
	else
		rc = jx_parse_within(buf_str(&r.out), r.out.len, parts_max, out,
				     err);
	buf_free(&r.out);
	return rc;
}
