/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What k8s_prolog does when slurmctld does not load the engine. Main thread of
 * a program.
 */
#ifndef SLURMK8S_POWER_PROLOG_H
#define SLURMK8S_POWER_PROLOG_H

#include <stdbool.h>
#include <stdint.h>

/*
 * True if the job is to go back to the queue, because slurmctld does not load
 * the engine (slurm/ctl_plugin.h) and the job has nodes of ours
 * (SLURM_JOB_NODELIST, k8s.yaml). Then the log, syslog, the job's AdminComment
 * and the nodes' Comment say why. False, beside the words, for a job that Slurm
 * would end instead (srun, salloc, --no-requeue). `notify_name`: of struct
 * ctl_site. RPCs only when the engine is missing.
 */
bool prolog_sends_back(uint32_t job_id, const char *notify_name);

#endif
