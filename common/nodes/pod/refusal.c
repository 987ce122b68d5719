/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "nodes/pod/refusal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/backoff.h"
#include "base/str.h"
#include "syntax/wellknown.h"

#define AGAIN "again in "
#define UNIT " s ("
#define WHAT_MAX 200
#define WAIT_MAX_S 86400 /* the largest coolDownMax of k8s.yaml */

uint32_t refusal_wait_s(const char *words)
{
	unsigned long s;
	char *end;

	if (words && str_starts(words, WK_REASON_PREFIX))
		words += strlen(WK_REASON_PREFIX);
	if (!words || !str_starts(words, AGAIN))
		return 0;
	s = strtoul(words + strlen(AGAIN), &end, 10);
	return str_starts(end, UNIT) && s <= WAIT_MAX_S ? (uint32_t)s : 0;
}

/* Whole seconds, rounded up, as less than a second would become 0. */
static uint32_t seconds(int64_t ms)
{
	return (uint32_t)((ms + 999) / 1000);
}

/* How long the job is to wait next, in s. 0: it does not, by k8s.yaml. */
static uint32_t next_wait_s(const struct failover *rules, const char *before)
{
	const uint32_t first = seconds(backoff_doubled(
		rules->cool_down_ms, 0, rules->cool_down_max_ms));
	const uint32_t most = seconds(rules->cool_down_max_ms);
	const uint32_t twice = 2 * refusal_wait_s(before);

	if (!first || twice < first)
		return first;
	return twice < most ? twice : most;
}

/* "200 nodes", "with features jax", "200 nodes with features jax" */
static void what_was_refused(const struct refusal *r, char out[WHAT_MAX])
{
	char names[FEATURES_TEXT_MAX];
	int n = 0;

	*out = '\0';
	if (r->nodes > 1)
		n = snprintf(out, WHAT_MAX, "%zu nodes%s", r->nodes,
			     r->active ? " " : "");
	if (!r->active)
		return;
	features_to_list(r->known, r->active, names);
	snprintf(out + n, WHAT_MAX - (size_t)n, WK_WITH_FEATURES "%.60s",
		 names);
}

void refusal_note(const struct refusal *r, const char *before,
		  const char *words, char *out, size_t size)
{
	const uint32_t wait_s = next_wait_s(r->rules, before);
	char what[WHAT_MAX];

	if (!wait_s || (r->nodes < 2 && !r->active)) {
		str_copy(out, words, size);
		return;
	}
	what_was_refused(r, what);
	snprintf(out, size, AGAIN "%u" UNIT "%s): %s", wait_s, what, words);
}

bool refusal_is_of_one_node(const char *words)
{
	return str_ends(words, WK_STILL_ENDING) || str_ends(words, WK_STAYS) ||
	       str_ends(words, WK_FOREIGN) || str_starts(words, WK_NODE_WORDS);
}
