/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How often slurmctld is asked for all its jobs: it packs them with a lock held
 * that its schedulers want. Pure. Any thread. Times are milliseconds.
 */
#ifndef SLURMK8S_SLURM_JOBS_PACE_H
#define SLURMK8S_SLURM_JOBS_PACE_H

#include <stdbool.h>
#include <stdint.h>

#define JOBS_SHARE 20 /* a pause is this many times a list's time */
#define JOBS_REST_MAX_MS 30000
#define JOBS_FAILED_MS 2000 /* the least pause after a failure */

/*
 * How long to ask for no other list after one that took so long, or failed: 20
 * times as long, and after a failure 2 s or more; 30 s at most.
 */
static inline int64_t jobs_rest_ms(int64_t took_ms, bool failed)
{
	int64_t ms = took_ms * JOBS_SHARE;

	if (failed && ms < JOBS_FAILED_MS)
		ms = JOBS_FAILED_MS;
	return ms < JOBS_REST_MAX_MS ? ms : JOBS_REST_MAX_MS;
}

#endif
