/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a job asks of its pods by options of srun, sbatch and salloc
 * (spank_k8s(8)): checked, and moved to where the engine finds it. Any thread
 * of slurmctld, with its locks held; nothing here waits or does I/O.
 */
#ifndef SLURMK8S_JOB_SUBMIT_ASKS_H
#define SLURMK8S_JOB_SUBMIT_ASKS_H

#include <stdint.h>

/*
 * Open libslurmk8s.so, in the plugin's init. An error is logged, and then jobs
 * that ask for something of their pods are refused.
 */
void asks_init(void);

enum asks_fate {
	ASKS_FINE,
	ASKS_FORBIDDEN,
	ASKS_NO_FEATURE,
};

/*
 * Check what a job asks for, and move it. env: the job's SPANK environment, n
 * entries "NAME=VALUE". *comment and *constraint (of Slurm's memory, may be
 * NULL) become what the job is to have. If the job may not have it, *words
 * (`words` may be NULL) says why, and is Slurm's to xfree.
 */
enum asks_fate asks_take(char *const env[], uint32_t n, char **comment,
			 char **constraint, char **words);

#endif
