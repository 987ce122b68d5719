/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kube/object.h"

#include <errno.h>
#include <string.h>

#include "base/str.h"

#define FIELDS "managedFields"

static const struct jx_only metadata[] = {
	{FIELDS, JX_LEFT_OUT},
	{JX_OTHERS, NULL},
	{NULL, NULL},
};

static const struct jx_only most[] = {
	{"metadata", metadata},
	{JX_OTHERS, NULL},
	{NULL, NULL},
};

const struct jx_only object_all[] = {
	{JX_OTHERS, NULL},
	{NULL, most},
};

/*
 * The table by which an object is read that cannot be read by this one; or
 * NULL.
 */
static const struct jx_only *or_by(const struct jx_only *only)
{
	while (only && only->key)
		only++;
	return only ? only->of : NULL;
}

static int parse(const struct skim *s, const char *text, size_t len,
		 const struct jx_only *of, json_object **out)
{
	const struct jx_only frame[] = {
		{"object", of},
		{JX_OTHERS, NULL},
		{NULL, NULL},
	};

	return jx_parse_only(text, len, skim_is_frame(s) ? frame : of,
			     JX_PARTS_MAX, out, NULL);
}

/*
 * Read all but managedFields. A text without that word needs no copy without
 * it.
 */
static int parse_most(const struct skim *s, const char *text, size_t len,
		      json_object **out)
{
	if (!memmem(text, len, FIELDS, strlen(FIELDS)))
		return jx_parse(text, len, out, NULL);
	return parse(s, text, len, most, out);
}

/*
 * True for a frame of an ERROR event, whose object is the API server's Status:
 * no table of an object's members is for it.
 */
static bool is_error(const json_object *frame)
{
	return str_eq(jx_str(frame, "type"), "ERROR");
}

static int parse_by(const struct skim *s, const char *text, size_t len,
		    const struct jx_only *only, json_object **out)
{
	int rc = only ? parse(s, text, len, only, out)
		      : parse_most(s, text, len, out);

	if (rc || !only || !skim_is_frame(s) || !is_error(*out))
		return rc;
	json_object_put(*out);
	*out = NULL;
	return parse_most(s, text, len, out);
}

int object_parse(struct skim *s, const char *text, size_t len,
		 const struct jx_only *only, json_object **out)
{
	const struct jx_only *other = or_by(only);
	int rc = parse_by(s, text, len, only, out);

	/*
	 * An object whose managedFields cannot be read is not hidden by that.
	 */
	if (rc == -EBADMSG && other)
		rc = parse_by(s, text, len, other, out);
	if (rc != -EBADMSG)
		return rc;
	skim_feed(s, text, len);
	s->id.unreadable = true;
	if (s->object_to > s->object_from) {
		s->id.text = text + s->object_from;
		s->id.text_len = s->object_to - s->object_from;
	}
	return rc;
}

bool object_known(const struct skim *s)
{
	return skim_known(s) && !s->depth && !s->in_string;
}
