/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How many equal bins hold all of some things that differ. Pure. Any thread.
 */
#ifndef SLURMK8S_BRIDGE_JOBSPEC_BINPACK_H
#define SLURMK8S_BRIDGE_JOBSPEC_BINPACK_H

#include <stddef.h>
#include <stdint.h>

#define BINS_DIMS 11 /* kinds of room: CPUs, memory... */

/*
 * `n` things, each of which needs so much room of each kind, never less than 0.
 */
struct binpack_kind {
	int64_t need[BINS_DIMS];
	uint32_t n;
};

/*
 * Count in *out the bins of `cap` that hold all things, first fit, the largest
 * first: never more bins than things. Sorts `kinds`. 0; -EINVAL: one thing
 * alone does not fit; -ENOMEM.
 */
int binpack_count(struct binpack_kind *kinds, size_t n_kinds,
		  const int64_t cap[BINS_DIMS], uint32_t *out);

/*
 * The fewest bins that could do: of each kind of room of which a bin has any,
 * so many things need more than half of that, and no two of those fit into one
 * bin; of these numbers it is the least, and never 0. UINT32_MAX: a bin has
 * room of no kind.
 */
uint32_t binpack_least(const struct binpack_kind *kinds, size_t n_kinds,
		       const int64_t cap[BINS_DIMS]);

/*
 * Find how large bins must be, `cap` or larger, so that no more than `n_bins`
 * do, all things being shared out evenly. Equal things have equal outcomes, in
 * whatever order they are. Sorts `kinds`. 0; -ENOSPC: binpack_count() finds
 * that more are needed; -E2BIG: it would take long, or `n_bins` is 0; -ENOMEM.
 */
#define BINS_STEPS_MAX (1 << 17) /* things times bins */
int binpack_enlarged(struct binpack_kind *kinds, size_t n_kinds,
		     uint32_t n_bins, const int64_t cap[BINS_DIMS],
		     int64_t out[BINS_DIMS]);

#endif
