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
	int64_t until; /* likewise: believed no longer than this */
	uint32_t job_id;
	const char *uid, *node; /* Kubernetes' name; both in `text` */
	char text[];
};

/* One was sent, in place of an earlier one of the same pod. *all: the caller's;
 * NULL at first. Without memory nothing is noted. */
void sent_binding_note(struct sent_binding **all, const char *uid,
		       const char *node, uint32_t job_id);

enum sent_answer {
	SENT_REFUSED, /* it was not carried out */
	SENT_UNCLEAR, /* it may have been: this try, or one before */
	SENT_DONE,
};

/* The answer to it, or that there was none. */
void sent_binding_answered(struct sent_binding **all, const char *uid,
			   enum sent_answer answer);

/* Those that are believed: it goes when `keep` says so. */
void sent_binding_each(struct sent_binding **all,
		       bool (*keep)(void *arg, const struct sent_binding *one),
		       void *arg);

void sent_binding_free(struct sent_binding **all);

#endif
