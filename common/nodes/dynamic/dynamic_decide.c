/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "nodes/dynamic/dynamic_decide.h"

#include <string.h>

#include "base/backoff.h"
#include "base/str.h"
#include "config/features.h"
#include "nodes/watch/nodes.h"
#include "syntax/wellknown.h"

#define RETRY_MIN_MS 5000
#define RETRY_MAX_MS 600000

static bool is_ours(const struct dynamic_view *v)
{
	return v->dynamic && v->cloud &&
	       features_list_has(v->features ? v->features : "",
				 WK_FEATURE_CREATED);
}

enum create_do dynamic_decide(const struct dynamic_view *v)
{
	if (!v->known)
		return v->wanted ? CREATE_NEW : CREATE_KEEP;
	if (!is_ours(v) || !v->asleep || v->reserved || !v->podless)
		return CREATE_KEEP;
	if (!v->in_nodeset)
		return CREATE_DELETE;
	/* With no more `create` an administrator may mean to keep it. */
	if (v->wanted && v->settled && !v->replaced && !v->refused &&
	    (v->cpus != v->wanted->cpus ||
	     v->memory_mib != v->wanted->memory_mib))
		return CREATE_REPLACE;
	return CREATE_KEEP;
}

bool dynamic_is_due(int64_t at, size_t seen, size_t nodes, int64_t now_ms)
{
	return now_ms >= at || nodes != seen;
}

enum create_turn dynamic_turn(const struct create_backoff *b, bool has_cluster,
			      int64_t now_ms)
{
	if (now_ms < b->until)
		return CREATE_NOT_YET;
	return has_cluster ? CREATE_MAY : CREATE_SOON;
}

bool dynamic_refused(struct create_backoff *b, const char *words,
		     int64_t now_ms, int64_t *again_ms)
{
	*again_ms = backoff_doubled(RETRY_MIN_MS, b->failures++, RETRY_MAX_MS);
	b->until = now_ms + *again_ms;
	if (!strncmp(b->words, words, sizeof(b->words) - 1))
		return false;
	str_copy(b->words, words, sizeof(b->words));
	return true;
}

void dynamic_worked(struct create_backoff *b)
{
	b->failures = 0;
	b->until = 0;
	*b->words = '\0';
}
