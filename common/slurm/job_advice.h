/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the owner of a pod can change where Slurm refuses its job, or keeps it
 * waiting for what does not come by itself. Static words that fit behind
 * Slurm's own; "annotation qos" is job.slurm-k8s.io/qos. Pure, any thread.
 * Sources: slurm_errno.h; squeue(1), "JOB REASON CODES"; resource_limits.html.
 */
#ifndef SLURMK8S_SLURM_JOB_ADVICE_H
#define SLURMK8S_SLURM_JOB_ADVICE_H

/*
 * For an answer of Slurm's to a submission or an update, as errno has it. NULL:
 * it passes by itself, or nothing is known that would help.
 */
const char *job_advice_for_error(int code);

/*
 * For a reason with which a job waits, as squeue prints it
 * ("PartitionTimeLimit", or Slurm's longer words). NULL: the job starts when
 * others have ended, or an administrator acts. Of a job for several partitions,
 * or with a --time-min, a reason about its partition ("Partition...") is that
 * of one try only.
 */
const char *job_advice_for_reason(const char *reason);

#endif
