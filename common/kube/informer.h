/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A collection kept in view: list it in pages, then watch from the list's
 * resourceVersion on; after a watch has ended go on from the newest version
 * seen; list anew only on 410 Gone, or when asked. Errors are tried again for
 * ever, with back-off. Source: kubernetes.io, "Efficient detection of changes".
 *
 * Keeps no objects itself. The client's thread only.
 */
#ifndef SLURMK8S_KUBE_INFORMER_H
#define SLURMK8S_KUBE_INFORMER_H

#include "kube/verbs.h"
#include "kube/watch.h"

struct informer;

/*
 * Why an object was not read, for the log and its Event. The numbers are those
 * of FRAME_MAX, JX_PARTS_MAX, JX_PART_VALUES and JX_DEPTH_MAX, and of
 * objects/partial_pod.c.
 */
static inline const char *informer_why(const struct object_id *id)
{
	return id->unreadable
		       ? "it cannot be read (its JSON has more than 50,000 "
			 "objects and lists, 500,000 values, or 100 levels, "
			 "or 2,000 values in one list of a pod, or is no "
			 "UTF-8): what was known of it stays"
		       : "it is larger than 16 MiB, and is not read: what was "
			 "known of it stays";
}

/* The callbacks; all but on_object may be NULL. */
struct informer_handler {
	/*
	 * A list begins: objects that are not handed on before on_synced are
	 * gone.
	 */
	void (*on_list)(void *arg);
	/* Added or changed; borrowed. */
	void (*on_object)(void *arg, json_object *object);
	/*
	 * Deleted; its last state, borrowed: of an object that was not read
	 * only metadata's name, namespace, uid and resourceVersion.
	 */
	void (*on_delete)(void *arg, json_object *object);
	/*
	 * Added or changed, but over FRAME_MAX, or it cannot be read: its state
	 * is not known. It is there: what was known of it stays. `news`:
	 * on_oversized was not called for it within the last minute.
	 */
	void (*on_oversized)(void *arg, const struct object_id *id, bool news);
	/* The list is complete; a watch follows. */
	void (*on_synced)(void *arg);
	/*
	 * Trouble (rc and words) or, with rc 0, its end. Called again only when
	 * the words change.
	 */
	void (*on_trouble)(void *arg, int rc, const char *words);
	void *arg;
};

struct informer_options {
	struct kube_ref collection; /* texts borrowed */
	struct kube_select select;  /* texts borrowed */
	/* What is read of an object: see object_parse(); borrowed, or NULL. */
	const struct jx_only *only;
	unsigned int page;    /* 0: 500 */
	unsigned int watch_s; /* seconds that one watch lasts; 0: 300 */
	int64_t list_ms;      /* a list, with all its pages; 0: 30 min */
	int64_t retry_min_ms; /* 0: 500 */
	int64_t retry_max_ms; /* 0: 30 s */
};

/*
 * Start. The client, the options' texts and the handler must outlive it. The
 * caller frees. NULL: out of memory.
 */
struct informer *informer_new(struct kube_client *c,
			      const struct informer_options *opt,
			      const struct informer_handler *to);

/* Start what is due. To be called at least each second. */
void informer_step(struct informer *f);

/*
 * True if a watch is open, or one that was has ended in good order, so that the
 * next begins at once: changes are seen at once.
 */
bool informer_live(const struct informer *f);

/*
 * Bound the age of the view: a watch that was quiet for three quarters of it,
 * or was broken for so long, is followed by a list, and one watch lasts half of
 * it at most, as the API server sends a bookmark before the end of each
 * (k8s.io/apiserver, cacher's nextBookmarkTime). Right after informer_new(). 0:
 * no bound. Returns `f`, which may be NULL.
 */
struct informer *informer_keep_fresh(struct informer *f, int64_t bound_ms);

/*
 * The time (clock_boot_ms()) up to which all events have been handed on: the
 * begin of the last complete list, or when, before the last event or bookmark
 * of a watch, all that had come had been read (kube_client_drained_at()). 0:
 * there was no complete list yet.
 */
int64_t informer_fresh_at(const struct informer *f);

/*
 * Hand on all objects once more: the watch that is under way ends, and the next
 * step lists anew. Does nothing while a list is under way or due. Not inside a
 * callback of it.
 */
void informer_relist(struct informer *f);

/* End and free it. NULL: nothing. Not inside a callback of it. */
void informer_free(struct informer *f);

#endif
