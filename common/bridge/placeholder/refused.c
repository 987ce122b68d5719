/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What Slurm refuses is not asked again for a while. */
#include <stdlib.h>
#include <string.h>

#include "base/backoff.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/str.h"
#include "bridge/placeholder/placeholder.h"

#define REFUSED_MIN_MS 60000 /* until a refused job is submitted again */
#define REFUSED_MAX_MS 600000

void group_refused(struct bridge *b, struct queue_entry *q,
		   const struct group_observation *j, const char *words)
{
	const int64_t ms = backoff_doubled(
		REFUSED_MIN_MS, q->refused.failures++, REFUSED_MAX_MS);

	if (!str_eq(q->refused.words, words)) {
		group_log(b, LOG_LEVEL_WARN, &j->order.id.of, words);
		free(q->refused.words);
		q->refused.words = strdup(words);
	}
	str_copy(q->refused.options_digest, j->order.id.options_digest,
		 sizeof(q->refused.options_digest));
	q->refused.submit_at = clock_ms() + ms;
	queue_entry_later(b, q, ms);
	queue_entry_touch(b, q);
}

/*
 * The pause grows by q->refused.in_vain, which no submission resets: that Slurm
 * takes the next job says nothing of whether its pods run then.
 */
void group_given_back(struct bridge *b, struct queue_entry *q,
		      const struct group_observation *j, const char *words)
{
	q->refused.failures = q->refused.in_vain++;
	group_refused(b, q, j, words);
}
