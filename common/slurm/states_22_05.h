/* SPDX-License-Identifier: GPL-2.0-or-later */
/* 22.05 to 24.02: states come with all else, of all jobs. Pure. Any thread. */
#ifndef SLURMK8S_SLURM_STATES_22_05_H
#define SLURMK8S_SLURM_STATES_22_05_H

#include <errno.h>

/* The contract of states_24_05.h; here it always fails, with ENOSYS. */
static inline int release_job_states(const uint32_t *ids, size_t n,
				     uint32_t *out)
{
	(void)ids;
	for (size_t i = 0; i < n; i++)
		out[i] = NO_VAL;
	errno = ENOSYS;
	return -1;
}

#endif
