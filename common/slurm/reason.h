/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why a job waits, in the words of squeue. Pure. Any thread. Only for files of
 * this folder.
 */
#ifndef SLURMK8S_SLURM_REASON_H
#define SLURMK8S_SLURM_REASON_H

#include <stdint.h>

/*
 * The name of one of slurm.h's enum job_state_reason: "Resources". NULL: one
 * that 22.05 does not have. (libslurm's own function is in no public header,
 * and has another name in each release.)
 */
const char *reason_name(uint32_t reason);

#endif
