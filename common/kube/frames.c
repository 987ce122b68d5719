/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kube/frames.h"

#include <errno.h>
#include <string.h>

#include "base/str.h"
#include "kube/object.h"

#define KEEP (64u * 1024)

static int event_of(const char *type)
{
	static const char *const names[] = {
		[KUBE_ADDED] = "ADDED",	    [KUBE_MODIFIED] = "MODIFIED",
		[KUBE_DELETED] = "DELETED", [KUBE_BOOKMARK] = "BOOKMARK",
		[KUBE_ERROR] = "ERROR",
	};

	for (int i = KUBE_ADDED; type && i <= KUBE_ERROR; i++)
		if (!strcmp(type, names[i]))
			return i;
	return -1;
}

/* Hand on a frame of which only the object's identity is known. */
static int one_unread(const struct skim *s, const struct frame_handler *to)
{
	const int type = event_of(s->type);

	if (type < 0 || type == KUBE_ERROR)
		return -EBADMSG;
	if (!skim_known(s))
		return -EMSGSIZE;
	return to->on_oversized(to->arg, (enum kube_event)type, &s->id);
}

static int one_frame(const char *text, size_t len,
		     const struct frame_handler *to)
{
	_cleanup_json_ json_object *o = NULL;
	json_object *object;
	struct skim skim;
	int type, rc;

	while (len && strchr(" \t\r", text[len - 1]))
		len--;
	if (!len)
		return 0;
	skim_frame(&skim);
	rc = object_parse(&skim, text, len, to->only, &o);
	if (rc == -EBADMSG && object_known(&skim))
		return one_unread(&skim, to);
	if (rc)
		return rc;
	type = event_of(jx_str(o, "type"));
	object = jx_get(o, "object");
	if (type < 0 || !jx_is(object, json_type_object))
		return -EBADMSG;
	return to->on_frame(to->arg, (enum kube_event)type, object);
}

/* The memory that a big frame has taken is not kept for small ones. */
static void empty(struct frames *f)
{
	if (f->buf.size > KEEP)
		buf_free(&f->buf);
	else
		buf_reset(&f->buf);
}

/* Hold nothing of this frame from now on. */
static void begin_to_skip(struct frames *f)
{
	f->skipping = true;
	skim_frame(&f->skim);
	skim_feed(&f->skim, buf_str(&f->buf), f->buf.len);
	empty(f);
}

/* Take a piece of a frame; `end`: it is the last one. */
static int piece(struct frames *f, const char *data, size_t n, bool end,
		 const struct frame_handler *to)
{
	int rc;

	if (!f->skipping && n > FRAME_MAX - f->buf.len)
		begin_to_skip(f);
	if (f->skipping) {
		skim_feed(&f->skim, data, n);
		f->skipping = !end;
		return end ? one_unread(&f->skim, to) : 0;
	}
	/* A frame that came whole needs no copy. */
	if (end && !f->buf.len)
		return one_frame(data, n, to);
	rc = buf_add(&f->buf, data, n);
	if (!rc && end) {
		rc = one_frame(f->buf.data, f->buf.len, to);
		empty(f);
	}
	return rc;
}

int frames_feed(struct frames *f, const char *data, size_t len,
		const struct frame_handler *to)
{
	while (len) {
		const char *end = memchr(data, '\n', len);
		const size_t n = end ? (size_t)(end - data) : len;
		const int rc = piece(f, data, n, end != NULL, to);

		if (rc || !end)
			return rc;
		data = end + 1;
		len -= n + 1;
	}
	return 0;
}

void frames_free(struct frames *f)
{
	buf_free(&f->buf);
}
