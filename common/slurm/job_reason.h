/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why a job waits, as squeue shows it. Pure. Any thread. Only for files of this
 * folder.
 */
#ifndef SLURMK8S_SLURM_JOB_REASON_H
#define SLURMK8S_SLURM_JOB_REASON_H

#include <slurm/slurm.h>

#include "slurm/ctl_placeholder_list.h"

/*
 * Write slurmctld's own words, or else the reason's name; "": there is none.
 * For a job that somebody holds it is the name: others look for it, and words
 * such as "job requeued in held state" stay, whoever holds the job later. No
 * RPC.
 */
void job_reason(const job_info_t *job, char out[PLACED_REASON_MAX]);

#endif
