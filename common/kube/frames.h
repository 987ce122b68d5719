/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Cut a watch stream into its frames (one JSON text a line) and say what each
 * is. Pure: no I/O. Not thread-safe.
 */
#ifndef SLURMK8S_KUBE_FRAMES_H
#define SLURMK8S_KUBE_FRAMES_H

#include "base/buf.h"
#include "kube/skim.h"
#include "json/json.h"

/*
 * An object fits if etcd takes it at all: by default 1.5 MiB, which JSON makes
 * six times as long at most. (informer_why() has the number in words; what is
 * fuzzed has a smaller one, see tests/fuzz/meson.build.)
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
	struct skim skim; /* of a frame over FRAME_MAX */
	bool skipping;
};

#define FRAMES_INIT                                                            \
	{                                                                      \
		.buf = BUF_INIT(FRAME_MAX)                                     \
	}

/* Each returns 0, or what then ends frames_feed(). */
struct frame_handler {
	/* The object is borrowed. */
	int (*on_frame)(void *arg, enum kube_event type, json_object *object);
	/*
	 * A frame over FRAME_MAX, or of an object that cannot be read
	 * (id->unreadable): no more is known of it than this.
	 */
	int (*on_oversized)(void *arg, enum kube_event type,
			    const struct object_id *id);
	void *arg;
};

/*
 * Add bytes, tell of each whole frame in order. 0; what a callback returned;
 * -EBADMSG: not a watch event, or one that cannot be read and does not say of
 * which object it is; -EMSGSIZE: one over FRAME_MAX that does not say
 * of which object it is. (Who goes on before it meets it again: list anew.)
 */
int frames_feed(struct frames *f, const char *data, size_t len,
		const struct frame_handler *to);
void frames_free(struct frames *f);

#endif
