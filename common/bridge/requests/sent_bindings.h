/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Bindings that were sent to the API server, until its watch shows what became
 * of them. It may carry one out before it answers, after an answer was given
 * up, and a while before the watch tells: until then the pod may be on its
 * node. The caller locks.
 */
#ifndef SLURMK8S_BRIDGE_REQUESTS_SENT_BINDINGS_H
#define SLURMK8S_BRIDGE_REQUESTS_SENT_BINDINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/hash.h"

struct sent_binding {
	UT_hash_handle hh; /* by uid */
	int failed;
	int64_t at;    /* monotonic, ms: it was sent */
	int64_t until; /* monotonic, ms: believed no longer than this */
	uint32_t job_id;
	const char *uid, *node; /* Kubernetes' name; both in `text` */
	char text[];
};

/*
 * Note that a binding was sent, in place of an earlier one of the pod; it is
 * believed for 25 s. *all: the caller's; NULL at first. Texts are copied.
 * Without memory nothing is noted.
 */
void sent_binding_note(struct sent_binding **all, const char *uid,
		       const char *node, uint32_t job_id);

enum sent_answer {
	SENT_REFUSED, /* the binding was not carried out */
	/* the pod may have been bound, by this try or one before */
	SENT_UNCLEAR,
	SENT_DONE,
};

/*
 * Note the answer to the binding, or that there was none: a refused one is
 * forgotten, an unclear one is believed for 10 s more, one that was done for a
 * minute, and longer where a view may be older (`stale_after_ms`) that does not
 * show it.
 */
void sent_binding_answered(struct sent_binding **all, const char *uid,
			   enum sent_answer answer, int64_t stale_after_ms);

/*
 * Ask `keep` of each binding that is believed; one of which it is false is
 * forgotten, and so are those that are believed no longer.
 */
void sent_binding_each(struct sent_binding **all,
		       bool (*keep)(void *arg, const struct sent_binding *one),
		       void *arg);

/* Forget all. */
void sent_binding_free(struct sent_binding **all);

#endif
