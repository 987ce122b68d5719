/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A watch stream: whole, and in pieces as the first byte says. */
#include "fuzz.h"
#include "kube/frames.h"

static int count(void *arg, enum kube_event type, json_object *object)
{
	PROMISE(type <= KUBE_ERROR && jx_is(object, json_type_object));
	++*(size_t *)arg;
	return 0;
}

/* (none is over FRAME_MAX) */
static int unread(void *arg, enum kube_event type, const struct object_id *id)
{
	PROMISE(type <= KUBE_BOOKMARK && id->unreadable && *id->name &&
		*id->uid);
	++*(size_t *)arg;
	return 0;
}

static int feed(const char *text, size_t len, size_t piece, size_t *n)
{
	const struct frame_handler to = {
		.on_frame = count, .on_oversized = unread, .arg = n};
	struct frames f = FRAMES_INIT;
	int rc = 0;

	for (size_t at = 0; !rc && at < len; at += piece)
		rc = frames_feed(&f, text + at,
				 len - at < piece ? len - at : piece, &to);
	frames_free(&f);
	return rc;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	const char *text = (const char *)data + 1;
	size_t whole = 0, cut = 0;
	int rc;

	if (!len)
		return 0;
	rc = feed(text, len - 1, len, &whole);
	PROMISE(feed(text, len - 1, data[0] + 1u, &cut) == rc);
	PROMISE(whole == cut);
	return 0;
}
