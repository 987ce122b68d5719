/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kube/skim.h"

#include <string.h>

static const char *const object_path[] = {"metadata", NULL};
static const char *const frame_path[] = {"object", "metadata", NULL};

void skim_object(struct skim *s)
{
	*s = (struct skim){.path = object_path};
}

void skim_frame(struct skim *s)
{
	*s = (struct skim){.path = frame_path};
}

bool skim_is_frame(const struct skim *s)
{
	return s->path == frame_path;
}

/* True directly in an object on the path, where keys mean something. */
static bool on_path(const struct skim *s)
{
	return s->depth == s->inside + 1;
}

/* True directly in the object that has "metadata" as a member. */
static bool in_object(const struct skim *s)
{
	return on_path(s) && s->path[s->inside] && !s->path[s->inside + 1];
}

/* Where the value of this key is kept; NULL: nowhere. */
static char *place_of(struct skim *s)
{
	if (skim_is_frame(s) && !s->inside && !strcmp(s->key, "type"))
		return s->type;
	if (s->path[s->inside])
		return NULL;
	if (s->in == SKIM_SPEC)
		return strcmp(s->key, "nodeName") ? NULL : s->id.node;
	if (s->in == SKIM_STATUS)
		return strcmp(s->key, "phase") ? NULL : s->id.phase;
	if (!strcmp(s->key, "name"))
		return s->id.name;
	if (!strcmp(s->key, "namespace"))
		return s->id.ns;
	if (!strcmp(s->key, "uid"))
		return s->id.uid;
	if (!strcmp(s->key, "resourceVersion"))
		return s->id.version;
	return NULL;
}

static void begin_string(struct skim *s)
{
	s->in_string = true;
	s->n = 0;
	s->into = NULL;
	if (on_path(s))
		s->into = s->want_key ? s->key : place_of(s);
	if (s->into)
		*s->into = '\0';
}

static void in_string(struct skim *s, char c)
{
	if (s->escaped || c == '\\') {
		s->escaped = !s->escaped;
		if (s->into)
			*s->into = '\0';
		s->into = NULL;
		return;
	}
	if (c == '"') {
		s->in_string = false;
		return;
	}
	if (!s->into)
		return;
	/* longer than any name or value that is kept */
	if (s->n + 1 >= SKIM_MAX) {
		*s->into = '\0';
		s->into = NULL;
		return;
	}
	s->into[s->n++] = c;
	s->into[s->n] = '\0';
}

/* True if the value of this key is on a path that is followed. */
static bool leads_on(struct skim *s)
{
	const char *next = s->path[s->inside];
	bool last;

	if (!next || s->want_key)
		return false;
	/*
	 * "spec" and "status" are beside "metadata", the last key of the path.
	 */
	last = !s->path[s->inside + 1];
	s->in = SKIM_METADATA;
	if (last && !strcmp(s->key, "spec"))
		s->in = SKIM_SPEC;
	else if (last && !strcmp(s->key, "status"))
		s->in = SKIM_STATUS;
	return s->in != SKIM_METADATA || !strcmp(s->key, next);
}

static void open_bracket(struct skim *s, char c)
{
	const bool was_on_path = on_path(s);

	s->depth++;
	if (c != '{')
		return;
	if (s->depth == 1) {
		s->want_key = true;
	} else if (was_on_path && leads_on(s)) {
		s->inside++;
		s->want_key = true;
	}
	if (in_object(s) && !s->object_to)
		s->object_from = s->at;
}

static void close_bracket(struct skim *s)
{
	if (in_object(s) && !s->object_to)
		s->object_to = s->at + 1;
	if (on_path(s) && s->inside) {
		s->inside--;
		s->in = SKIM_METADATA;
		s->want_key = false;
	}
	if (s->depth)
		s->depth--;
}

/*
 * The number of bytes that say nothing: those within a string that nobody
 * keeps. The object's author decides how many these are, so they are passed at
 * once.
 */
static size_t passed_over(const struct skim *s, const char *data, size_t len)
{
	size_t n = 0;

	if (!s->in_string || s->into || s->escaped)
		return 0;
	while (n < len && data[n] != '"' && data[n] != '\\')
		n++;
	return n;
}

void skim_feed(struct skim *s, const char *data, size_t len)
{
	for (size_t i = 0; i < len; i++, s->at++) {
		const size_t n = passed_over(s, data + i, len - i);
		const char c = data[i];

		if (n) {
			i += n - 1;
			s->at += n - 1;
			continue;
		}
		if (s->in_string)
			in_string(s, c);
		else if (c == '"')
			begin_string(s);
		else if (c == '{' || c == '[')
			open_bracket(s, c);
		else if (c == '}' || c == ']')
			close_bracket(s);
		else if (c == ',' && on_path(s))
			s->want_key = true;
		else if (c == ':' && on_path(s))
			s->want_key = false;
	}
}

bool skim_known(const struct skim *s)
{
	return *s->id.name && *s->id.uid;
}
