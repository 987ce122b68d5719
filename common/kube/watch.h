/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One watch request: events of a collection from a resourceVersion on. It ends
 * when the server ends it, when it is silent for too long, or by error; the
 * caller decides whether to go on from the last version or to list anew.
 * resourceVersion is an opaque text (kubernetes.io "Resource versions"). The
 * client's thread only.
 */
#ifndef SLURMK8S_KUBE_WATCH_H
#define SLURMK8S_KUBE_WATCH_H

#include "kube/frames.h"
#include "kube/verbs.h"

struct kube_watch;

struct kube_watch_reply {
	/* The server has accepted it: events will come. May be NULL. */
	void (*on_open)(void *arg);
	/* Never KUBE_ERROR, which ends the watch; `object` is borrowed. */
	void (*on_event)(void *arg, enum kube_event type, json_object *object);
	/*
	 * An event of an object over FRAME_MAX, which is not held, or of one
	 * that cannot be read. May be NULL.
	 */
	void (*on_oversized)(void *arg, enum kube_event type,
			     const struct object_id *id);
	/*
	 * The end. rc 0: the server closed it in good order; -ESTALE: 410,
	 * as HTTP status or inside the stream: list anew; else an error.
	 * The watch is freed after it.
	 */
	void (*on_end)(void *arg, int rc, const struct err *err);
	void *arg;
	int64_t idle_ms; /* silence allowed; 0: timeout_s and 15 s more */
	/* What is read of an object: see object_parse(); static, or NULL. */
	const struct jx_only *only;
};

/*
 * Start with bookmarks on; the server ends it after timeout_s. Borrowed until
 * on_end. NULL: out of memory.
 */
struct kube_watch *
kube_watch_start(struct kube_client *c, const struct kube_ref *collection,
		 const struct kube_select *sel, const char *resource_version,
		 unsigned int timeout_s, const struct kube_watch_reply *to);

/* End and free it without on_end. Not from on_event. */
void kube_watch_stop(struct kube_watch *w);

/*
 * The resourceVersion of the newest event or bookmark, or the one that the
 * watch began with; borrowed.
 */
const char *kube_watch_version(const struct kube_watch *w);

#endif
