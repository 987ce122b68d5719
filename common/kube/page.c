/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kube/page.h"

#include <errno.h>
#include <string.h>

#include "base/str.h"
#include "kube/frames.h"
#include "kube/object.h"

/* A piece of the text. */
struct span {
	const char *at, *end;
};

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* Go past this character, if it is the next one. */
static bool take(struct span *s, char c)
{
	while (s->at < s->end && is_blank(*s->at))
		s->at++;
	if (s->at == s->end || *s->at != c)
		return false;
	s->at++;
	return true;
}

/* Go past a string whose first quote is behind us. */
static bool take_string(struct span *s)
{
	for (; s->at < s->end; s->at++) {
		if (*s->at == '"') {
			s->at++;
			return true;
		}
		if (*s->at == '\\' && ++s->at == s->end)
			return false;
	}
	return false;
}

/*
 * Go past one value, which *out then is. This is only as strict as needed to
 * find its end: jx_parse() checks the rest.
 */
static bool take_value(struct span *s, struct span *out)
{
	size_t depth = 0;

	while (s->at < s->end && is_blank(*s->at))
		s->at++;
	out->at = s->at;
	while (s->at < s->end) {
		char c = *s->at;

		if (!depth && strchr(",:]} \t\r\n", c))
			break;
		s->at++;
		if (c == '"' && !take_string(s))
			return false;
		depth += c == '{' || c == '[';
		depth -= c == '}' || c == ']';
		if (!depth && strchr("\"}]", c))
			break;
	}
	out->end = s->at;
	return !depth && out->end > out->at;
}

static bool is(const struct span *v, const char *text)
{
	size_t len = strlen(text);

	return (size_t)(v->end - v->at) == len && !memcmp(v->at, text, len);
}

static int parse(const struct span *v, json_object **out)
{
	return jx_parse(v->at, (size_t)(v->end - v->at), out, NULL);
}

static int read_item(const struct span *v, const struct page_handler *to)
{
	_cleanup_json_ json_object *item = NULL;
	const size_t len = (size_t)(v->end - v->at);
	struct skim skim;
	int rc;

	skim_object(&skim);
	if (len > FRAME_MAX) {
		skim_feed(&skim, v->at, len);
		return to->on_oversized(to->arg, &skim.id);
	}
	rc = object_parse(&skim, v->at, len, to->only, &item);
	if (rc == -EBADMSG && object_known(&skim))
		return to->on_oversized(to->arg, &skim.id);
	return rc ? rc : to->on_item(to->arg, item);
}

/* Read the items of the list; its bracket has been taken. */
static int read_items(struct span *s, const struct page_handler *to)
{
	struct span v;

	if (take(s, ']'))
		return 0;
	do {
		int rc;

		if (!take_value(s, &v))
			return -EBADMSG;
		rc = to ? read_item(&v, to) : 0;
		if (rc)
			return rc;
	} while (take(s, ','));
	return take(s, ']') ? 0 : -EBADMSG;
}

static int read_member(struct span *s, json_object **meta, bool *items,
		       const struct page_handler *to)
{
	struct span key, v;

	if (!take_value(s, &key) || *key.at != '"' || !take(s, ':'))
		return -EBADMSG;
	*items = *items || is(&key, "\"items\"");
	if (is(&key, "\"items\"") && take(s, '['))
		return read_items(s, to);
	if (!take_value(s, &v) || (is(&key, "\"items\"") && !is(&v, "null")))
		return -EBADMSG;
	if (!is(&key, "\"metadata\""))
		return 0;
	json_object_put(*meta);
	*meta = NULL;
	return parse(&v, meta);
}

int page_read(const char *text, size_t len, json_object **meta,
	      const struct page_handler *to)
{
	struct span s = {text, text + len};
	int rc = take(&s, '{') ? 0 : -EBADMSG;
	bool items = false;

	*meta = NULL;
	if (!rc && !take(&s, '}')) {
		do
			rc = read_member(&s, meta, &items, to);
		while (!rc && take(&s, ','));
		if (!rc && !take(&s, '}'))
			rc = -EBADMSG;
	}
	while (s.at < s.end && is_blank(*s.at))
		s.at++;
	/*
	 * A text without "items" is no list: it must not pass for an empty one.
	 */
	if (!rc && (s.at != s.end || !items))
		rc = -EBADMSG;
	if (rc) {
		json_object_put(*meta);
		*meta = NULL;
	}
	return rc;
}
