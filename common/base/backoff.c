/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/backoff.h"

int64_t backoff_doubled(int64_t base_ms, unsigned int times, int64_t max_ms)
{
	int64_t ms = base_ms;

	while (times-- && ms && ms < max_ms)
		ms *= 2;
	return ms < max_ms ? ms : max_ms;
}

int64_t backoff_until(int64_t now, int64_t until, unsigned int *times,
		      int64_t base_ms, int64_t max_ms)
{
	if (now < until)
		return until;
	if (now - until > max_ms)
		*times = 0;
	return now + backoff_doubled(base_ms, (*times)++, max_ms);
}

void backoff_init(struct backoff *b, int64_t base_ms, int64_t max_ms,
		  uint64_t seed)
{
	*b = (struct backoff){
		.base_ms = base_ms,
		.max_ms = max_ms,
		.seed = seed | 1,
	};
}

static uint64_t next_random(struct backoff *b)
{
	/* xorshift64 is enough to spread callers. */
	b->seed ^= b->seed << 13;
	b->seed ^= b->seed >> 7;
	b->seed ^= b->seed << 17;
	return b->seed;
}

int64_t backoff_next(struct backoff *b, int64_t retry_after_ms)
{
	int64_t whole = backoff_doubled(b->base_ms, b->tries, b->max_ms), wait;

	b->tries++;
	wait = whole / 2 +
	       (int64_t)(next_random(b) % (uint64_t)(whole / 2 + 1));
	if (retry_after_ms > 10 * b->max_ms)
		retry_after_ms = 10 * b->max_ms;
	return wait > retry_after_ms ? wait : retry_after_ms + wait / 4;
}

void backoff_reset(struct backoff *b)
{
	b->tries = 0;
}
