/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Cut a watch stream into its frames (one JSON text a line) and say what each
 * is. Pure. One thread at a time for a struct.
 */
#ifndef SLURMK8S_KUBE_FRAMES_H
#define SLURMK8S_KUBE_FRAMES_H

#include "base/buf.h"
#include "kube/skim.h"
#include "json/json_only.h"

/*
 * An object fits if etcd takes it at all: by default 1.5 MiB, which JSON makes
 * six times as long at most. informer_why() has this number in words. Fuzzing
 * has a smaller one, see tests/fuzz/meson.build.
 */
#ifndef FRAME_MAX
#define FRAME_MAX (16u * 1024 * 1024)
#endif

enum kube_event {
	KUBE_ADDED,
	KUBE_MODIFIED,
	KUBE_DELETED,
	KUBE_BOOKMARK,
	KUBE_ERROR, /* object is a Status */
};

struct frames {
	struct buf buf;
	struct skim skim; /* what is known of a frame over FRAME_MAX */
	bool skipping;
};

#define FRAMES_INIT                                                            \
	{                                                                      \
		.buf = BUF_INIT(FRAME_MAX)                                     \
	}

/*
 * The callbacks; each returns 0, or a value that ends frames_feed(), which
 * returns it.
 */
struct frame_handler {
	/* The object is borrowed. */
	int (*on_frame)(void *arg, enum kube_event type, json_object *object);
	/*
	 * A frame over FRAME_MAX, or with an object that cannot be read
	 * (id->unreadable): `id` is all that is known of it, borrowed.
	 */
	int (*on_oversized)(void *arg, enum kube_event type,
			    const struct object_id *id);
	void *arg;
	/* What is read of the object: see object_parse(). May be NULL. */
	const struct jx_only *only;
};

/*
 * Add bytes, and hand on each whole frame in order. 0; what a callback
 * returned; -EBADMSG: no watch event, or one that cannot be read and does not
 * say of which object it is; -EMSGSIZE: one over FRAME_MAX that does not say of
 * which object it is; -ENOMEM. A watch that goes on from before such an event
 * gets it again: list anew.
 */
int frames_feed(struct frames *f, const char *data, size_t len,
		const struct frame_handler *to);
/* Free what it holds; it is empty then. */
void frames_free(struct frames *f);

#endif
