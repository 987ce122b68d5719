/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kube/frames.h"

#include <errno.h>
#include <string.h>

#include "base/str.h"

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

static int one_frame(const char *text, size_t len, frame_fn fn, void *arg)
{
	_cleanup_json_ json_object *o = NULL;
	json_object *object;
	int type;

	while (len && strchr(" \t\r", text[len - 1]))
		len--;
	if (!len)
		return 0;
	if (jx_parse(text, len, &o, NULL))
		return -EBADMSG;
	type = event_of(jx_str(o, "type"));
	object = jx_get(o, "object");
	if (type < 0 || !jx_is(object, json_type_object))
		return -EBADMSG;
	return fn(arg, (enum kube_event)type, object);
}

int frames_feed(struct frames *f, const char *data, size_t len, frame_fn fn,
		void *arg)
{
	while (len) {
		const char *end = memchr(data, '\n', len);
		size_t n = end ? (size_t)(end - data) : len;
		int rc;

		/* a frame that came whole needs no copy */
		if (n > FRAME_MAX)
			return -EMSGSIZE;
		if (end && !f->buf.len) {
			rc = one_frame(data, n, fn, arg);
		} else {
			rc = buf_add(&f->buf, data, n);
			if (!rc && end) {
				rc = one_frame(f->buf.data, f->buf.len, fn,
					       arg);
				buf_reset(&f->buf);
			}
		}
		if (rc)
			return rc;
		if (!end)
			break;
		data = end + 1;
		len -= n + 1;
	}
	return 0;
}

void frames_free(struct frames *f)
{
	buf_free(&f->buf);
}
