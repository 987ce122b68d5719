/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kube/object.h"

#include <errno.h>

#include "base/buf.h"

/* Parse the text without its managedFields. -EBADMSG, too, if it has none. */
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
	return rc ? rc : jx_parse(buf_str(&b), b.len, out, NULL);
}

int object_parse(struct skim *s, const char *text, size_t len,
		 json_object **out)
{
	int rc = jx_parse(text, len, out, NULL);

	if (rc != -EBADMSG)
		return rc;
	skim_feed(s, text, len);
	s->id.unreadable = true;
	if (s->object_to > s->object_from) {
		s->id.text = text + s->object_from;
		s->id.text_len = s->object_to - s->object_from;
	}
	return parse_without_fields(s, text, len, out);
}

bool object_known(const struct skim *s)
{
	return skim_known(s) && !s->depth && !s->in_string;
}
