/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kube/object.h"

#include <errno.h>

#include "base/buf.h"

size_t object_parts(const char *text, size_t len)
{
	bool in_string = false;
	size_t n = 0;

	for (size_t i = 0; i < len; i++) {
		if (text[i] == '"')
			in_string = !in_string;
		else if (in_string)
			i += text[i] == '\\';
		else
			n += text[i] == '{' || text[i] == '[';
	}
	return n;
}

static int parse(const char *text, size_t len, json_object **out)
{
	if (object_parts(text, len) > OBJECT_PARTS_MAX)
		return -EBADMSG;
	return jx_parse(text, len, out, NULL);
}

/* The same text without its managedFields, if it has any. */
static int parse_without_fields(const struct skim *s, const char *text,
				size_t len, json_object **out)
{
	_cleanup_buf_ struct buf b = BUF_INIT(len);
	int rc;

	if (s->fields_to <= s->fields_from)
		return -EBADMSG;
	rc = buf_add(&b, text, s->fields_from);
	if (!rc)
		rc = buf_add(&b, "[]", 2);
	if (!rc)
		rc = buf_add(&b, text + s->fields_to, len - s->fields_to);
	return rc ? rc : parse(buf_str(&b), b.len, out);
}

int object_parse(struct skim *s, const char *text, size_t len,
		 json_object **out)
{
	int rc = parse(text, len, out);

	if (rc != -EBADMSG)
		return rc;
	skim_feed(s, text, len);
	s->id.unreadable = true;
	return parse_without_fields(s, text, len, out);
}

bool object_known(const struct skim *s)
{
	return skim_known(s) && !s->depth && !s->in_string;
}
