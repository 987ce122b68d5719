/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Cut a watch stream into its frames (one JSON text a line) and say what each
 * is. Pure: no I/O. Not thread-safe.
 */
#ifndef SLURMK8S_KUBE_FRAMES_H
#define SLURMK8S_KUBE_FRAMES_H

#include "base/buf.h"
#include "json/json.h"

#define FRAME_MAX (4u * 1024 * 1024)

enum kube_event {
	KUBE_ADDED,
	KUBE_MODIFIED,
	KUBE_DELETED,
	KUBE_BOOKMARK,
	KUBE_ERROR, /* object is a Status */
};

struct frames {
	struct buf buf;
};

#define FRAMES_INIT                                                            \
	{                                                                      \
		.buf = BUF_INIT(FRAME_MAX)                                     \
	}

/* The object is borrowed. Non-zero stops. */
typedef int (*frame_fn)(void *arg, enum kube_event type, json_object *object);

/*
 * Add bytes, call fn for each whole frame in order. 0; what fn returned;
 * -EMSGSIZE (a frame over FRAME_MAX); -EBADMSG (not a watch event).
 */
int frames_feed(struct frames *f, const char *data, size_t len, frame_fn fn,
		void *arg);
void frames_free(struct frames *f);

#endif
