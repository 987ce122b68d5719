/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A watch stream: whole, and in pieces as the first byte says. */
#include <string.h>

#include "base/str.h"
#include "fuzz.h"
#include "kube/frames.h"

/* What was told, in order. */
struct reported {
	size_t n;
	uint32_t sum; /* of which objects they were that were not held */
};

static int count(void *arg, enum kube_event type, json_object *object)
{
	struct reported *t = arg;

	PROMISE(type <= KUBE_ERROR && jx_is(object, json_type_object));
	t->n++;
	return 0;
}

/* (the FRAME_MAX of this build is small) */
static int oversized(void *arg, enum kube_event type,
		     const struct object_id *id)
{
	struct reported *t = arg;

	PROMISE(type <= KUBE_BOOKMARK && *id->name && *id->uid);
	PROMISE(id->unreadable == (id->text != NULL));
	t->n++;
	t->sum = str_hash(t->sum, id->name, strlen(id->name));
	t->sum = str_hash(t->sum, id->uid, strlen(id->uid));
	t->sum = str_hash(t->sum, id->version, strlen(id->version));
	return 0;
}

static int feed(const char *text, size_t len, size_t piece, struct reported *t)
{
	const struct frame_handler to = {
		.on_frame = count, .on_oversized = oversized, .arg = t};
	struct frames f = FRAMES_INIT;
	int rc = 0;

	t->sum = STR_HASH;
	for (size_t at = 0; !rc && at < len; at += piece) {
		rc = frames_feed(&f, text + at,
				 len - at < piece ? len - at : piece, &to);
		PROMISE(f.buf.len <= FRAME_MAX);
	}
	frames_free(&f);
	return rc;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	const char *text = (const char *)data + 1;
	struct reported whole = {0}, cut = {0};
	int rc;

	if (!len)
		return 0;
	rc = feed(text, len - 1, len, &whole);
	PROMISE(feed(text, len - 1, data[0] + 1u, &cut) == rc);
	PROMISE(whole.n == cut.n && whole.sum == cut.sum);
	return 0;
}
