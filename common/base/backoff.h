/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Jittered exponential back-off. One thread at a time; no clock of its own. */
#ifndef SLURMK8S_BASE_BACKOFF_H
#define SLURMK8S_BASE_BACKOFF_H

#include <stdint.h>

/*
 * min(base * 2^times, max), in ms: a wait without jitter. A base of 0 stays 0.
 */
int64_t backoff_doubled(int64_t base_ms, unsigned int times, int64_t max_ms);

/*
 * The time (monotonic, ms) until which something that was refused now is not
 * tried again, if it was refused *times times before and not to be tried until
 * `until`. *times is counted up, and the wait is as backoff_doubled() says;
 * after max_ms without a refusal since `until` it begins anew. A refusal before
 * `until` is of something sent earlier, and changes nothing.
 */
int64_t backoff_until(int64_t now, int64_t until, unsigned int *times,
		      int64_t base_ms, int64_t max_ms);

struct backoff {
	int64_t base_ms;
	int64_t max_ms;
	unsigned int tries;
	uint64_t seed; /* state of the random sequence; never 0 */
};

/*
 * Begin: the wait begins with base_ms, and doubles with each try up to max_ms.
 * `seed` spreads callers that begin at one moment.
 */
void backoff_init(struct backoff *b, int64_t base_ms, int64_t max_ms,
		  uint64_t seed);

/*
 * How long to wait before the next try, in ms: between a half and the whole of
 * min(base * 2^tries, max); it counts as a try. A Retry-After of the server
 * (ms, 0: none) is a lower bound, itself bounded by 10 * max.
 */
int64_t backoff_next(struct backoff *b, int64_t retry_after_ms);

/* After a success: the next wait is the shortest one again. */
void backoff_reset(struct backoff *b);

#endif
