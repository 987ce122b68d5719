/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How many equal bins hold all of some things that differ. Pure. Any thread.
 */
#ifndef SLURMK8S_BRIDGE_JOBSPEC_BINPACK_H
#define SLURMK8S_BRIDGE_JOBSPEC_BINPACK_H

#include <stddef.h>
#include <stdint.h>

#define BINS_DIMS 11 /* kinds of room: CPUs, memory... */

/* `n` things that need so much room of each kind; none is less than 0. */
struct binpack_kind {
	int64_t need[BINS_DIMS];
	uint32_t n;
};

/*
 * First fit, the largest first: never more bins than things, and they do hold
 * all of them. Sorts `kinds`. -EINVAL: one alone does not fit; -ENOMEM.
 */
int binpack_count(struct binpack_kind *kinds, size_t n_kinds,
		  const int64_t cap[BINS_DIMS], uint32_t *out);

/*
 * The fewest bins that could do: of one kind of room, the things of which no
 * two fit into one of these bins.
 */
uint32_t binpack_least(const struct binpack_kind *kinds, size_t n_kinds,
		       const int64_t cap[BINS_DIMS]);

/*
 * How large bins must be, `cap` or larger, so that no more than `n_bins` do,
 * all being shared out evenly. The same things have the same outcome, in
 * whatever order they are. -ENOSPC: binpack_count() finds that more are needed;
 * -E2BIG: it would take long; -ENOMEM.
 */
#define BINS_STEPS_MAX (1 << 17) /* things times bins */
int binpack_enlarged(struct binpack_kind *kinds, size_t n_kinds,
		     uint32_t n_bins, const int64_t cap[BINS_DIMS],
		     int64_t out[BINS_DIMS]);

#endif
