/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * slurmctld's partitions as slurm.conf has them: which nodes, and what of power
 * saving they have of their own. A snapshot, which does not change: any thread
 * may read it.
 */
#ifndef SLURMK8S_SLURM_CTL_PART_LIST_H
#define SLURMK8S_SLURM_CTL_PART_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "base/err.h"

struct ctl_part_list;

/* Texts are never NULL. */
struct ctl_part {
	const char *name;
	const char *nodes; /* a hostlist; "": none */
	/*
	 * Seconds; -1: the partition has none of its own. A SuspendTime that is
	 * INFINITE is INT64_MAX.
	 */
	int64_t suspend_time_s, suspend_timeout_s;
};

/*
 * Load all of them, hidden ones, too. One RPC, so never in a callback of
 * slurmctld; after ctl_init(). The caller frees *out; a NULL may be freed, too.
 * 0; -EIO with Slurm's words; -ENOMEM.
 */
int ctl_part_list_load(struct ctl_part_list **out, struct err *err);
void ctl_part_list_free(struct ctl_part_list *p);
DEFINE_CLEANUP(struct ctl_part_list, ctl_part_list_freep, ctl_part_list_free)

/*
 * The i-th partition, in slurmctld's order; texts are borrowed from `p`. False:
 * there are not so many.
 */
bool ctl_part_list_at(const struct ctl_part_list *p, size_t i,
		      struct ctl_part *out);

#endif
