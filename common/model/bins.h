/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How many equal bins hold all of some things that differ. Pure. Any thread.
 */
#ifndef SLURMK8S_MODEL_BINS_H
#define SLURMK8S_MODEL_BINS_H

#include <stddef.h>
#include <stdint.h>

#define BINS_DIMS 11 /* kinds of room: CPUs, memory... */

/* `n` things that need so much room of each kind; none is less than 0. */
struct bins_kind {
	int64_t need[BINS_DIMS];
	uint32_t n;
};

/*
 * First fit, the largest first: never more bins than things, and they do hold
 * all of them. Sorts `kinds`. -EINVAL: one alone does not fit; -ENOMEM.
 */
int bins_count(struct bins_kind *kinds, size_t n_kinds,
	       const int64_t cap[BINS_DIMS], uint32_t *out);

/*
 * Room of each kind that so many bins need if all is shared out evenly, as far
 * as it can be; `cap` is by what things are compared. As bins_count() has
 * sorted them. -E2BIG: it would take long; -ENOMEM.
 */
#define BINS_STEPS_MAX (1 << 20) /* things times bins */
int bins_spread(const struct bins_kind *kinds, size_t n_kinds, uint32_t n_bins,
		const int64_t cap[BINS_DIMS], int64_t out[BINS_DIMS]);

#endif
