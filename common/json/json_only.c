/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "json/json_only.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "base/buf.h"

struct reader {
	const char *at, *end;
	struct buf out; /* what is wanted */
};

const struct jx_only jx_left_out = {NULL, NULL};

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

/* A number, true, false or null. */
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

static int skip_and_put(struct reader *r)
{
	const char *from = r->at;
	int rc = skip(r);

	return rc ? rc : buf_add(&r->out, from, (size_t)(r->at - from));
}

/* NULL: it is not wanted. */
static const struct jx_only *find(const struct jx_only *only, const char *key,
				  size_t len)
{
	const struct jx_only *others = NULL;

	for (; only->key; only++) {
		if (strlen(only->key) == len && !memcmp(only->key, key, len))
			return only->of == JX_LEFT_OUT ? NULL : only;
		if (!strcmp(only->key, JX_OTHERS))
			others = only;
	}
	return others;
}

/* The key is between its quotes in the text. */
static int put_member(struct reader *r, const char *key, size_t len,
		      const struct jx_only *what, bool first)
{
	int rc = first ? 0 : buf_add(&r->out, ",", 1);

	if (!rc)
		rc = buf_add(&r->out, key - 1, len + 2);
	if (!rc)
		rc = buf_add(&r->out, ":", 1);
	return rc ? rc : value(r, what->of);
}

static int object(struct reader *r, const struct jx_only *only)
{
	bool first = true;
	int rc = buf_add(&r->out, "{", 1);

	r->at++;
	if (take(r, '}'))
		return rc ? rc : buf_add(&r->out, "}", 1);
	while (!rc) {
		const struct jx_only *what;
		const char *key;
		size_t len;

		if (next(r) != '"')
			return -EBADMSG;
		key = r->at + 1;
		if (skip_string(r))
			return -EBADMSG;
		len = (size_t)(r->at - 1 - key);
		what = find(only, key, len);
		if (!take(r, ':') || !next(r))
			return -EBADMSG;
		rc = what ? put_member(r, key, len, what, first) : skip(r);
		first = first && !what;
		if (!rc && take(r, '}'))
			return buf_add(&r->out, "}", 1);
		if (!rc && !take(r, ','))
			return -EBADMSG;
	}
	return rc;
}

/*
 * A list within this one is taken whole: so the depth of calls is that of the
 * table.
 */
static int list(struct reader *r, const struct jx_only *only)
{
	int rc = buf_add(&r->out, "[", 1);

	r->at++;
	if (take(r, ']'))
		return rc ? rc : buf_add(&r->out, "]", 1);
	while (!rc) {
		rc = next(r) == '{' ? object(r, only) : skip_and_put(r);
		if (!rc && take(r, ']'))
			return buf_add(&r->out, "]", 1);
		if (!rc && !take(r, ','))
			return -EBADMSG;
		if (!rc)
			rc = buf_add(&r->out, ",", 1);
	}
	return rc;
}

/* The caller has called next(), so r->at is not at the end. */
static int value(struct reader *r, const struct jx_only *only)
{
	if (only && *r->at == '{')
		return object(r, only);
	if (only && *r->at == '[')
		return list(r, only);
	return skip_and_put(r);
}

int jx_parse_only(const char *text, size_t len, const struct jx_only *only,
		  size_t parts_max, json_object **out, struct err *err)
{
	struct reader r = {.at = text, .end = text + len, .out = BUF_INIT(len)};
	int rc = next(&r) ? value(&r, only) : -EBADMSG;

	if (!rc && next(&r))
		rc = -EBADMSG;
	if (rc == -EBADMSG)
		err_set(err, rc, "bad JSON at byte %zu", (size_t)(r.at - text));
	else if (rc)
		err_set(err, rc, "the JSON cannot be read: out of memory");
	else
		rc = jx_parse_within(buf_str(&r.out), r.out.len, parts_max, out,
				     err);
	buf_free(&r.out);
	return rc;
}
