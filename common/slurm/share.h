/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How slurmctld tells a job's memory. Pure. Any thread. Only for files of this
 * folder.
 */
#ifndef SLURMK8S_SLURM_SHARE_H
#define SLURMK8S_SLURM_SHARE_H

#include "slurm/release.h"

/*
 * The MiB of a job on a node where it has `cpus` CPUs; 0: all, or it is not
 * told.
 */
static inline uint64_t share_memory(uint64_t pn_min_memory, uint32_t cpus)
{
	if (pn_min_memory == NO_VAL64)
		return 0;
	return pn_min_memory & MEM_PER_CPU
		       ? (pn_min_memory & ~MEM_PER_CPU) * cpus
		       : pn_min_memory;
}

#endif
