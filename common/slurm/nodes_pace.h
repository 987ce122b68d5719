/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How often slurmctld is asked for its nodes: it packs all of them under a lock
 * that its schedulers want. Pure. Any thread. Times are milliseconds.
 */
#ifndef SLURMK8S_SLURM_NODES_PACE_H
#define SLURMK8S_SLURM_NODES_PACE_H

#include <stddef.h>
#include <stdint.h>

#define NODES_POLL_MS 1000 /* the least pause between two questions */
/* A pause is this many times what the answer took. */
#define NODES_POLL_SHARE 100
/*
 * NODES_POLL_SHARE while the engine has changed something itself: with
 * thousands of nodes there is always such a one.
 */
#define NODES_STALE_SHARE 10

/*
 * How long the view of all nodes may be old at most, in ms: the longer the more
 * there are.
 */
static inline int64_t nodes_whole_ms(size_t n)
{
	return NODES_POLL_MS + (int64_t)n;
}

/*
 * The least time from one answer to the next question, in ms. took_ms: what the
 * last one took; stale: something is known to have changed.
 */
static inline int64_t nodes_pause_ms(size_t n, int64_t took_ms, int stale)
{
	const int64_t ms =
		took_ms * (stale ? NODES_STALE_SHARE : NODES_POLL_SHARE);

	if (!stale && ms < NODES_POLL_MS)
		return NODES_POLL_MS;
	return ms < nodes_whole_ms(n) ? ms : nodes_whole_ms(n);
}

#endif
