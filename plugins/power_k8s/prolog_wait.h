/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How k8s_prolog waits for the nodes of its job. */
#ifndef SLURMK8S_POWER_PROLOG_WAIT_H
#define SLURMK8S_POWER_PROLOG_WAIT_H

#include <stdint.h>

/*
 * Until the job's nodes are up, it has ended, or `longest_ms` are over. Of
 * those who wait at the same `place` (a name of notify.h's; NULL: none) one
 * asks slurmctld, others ask when that one is done: a user's array of thousands
 * of jobs on a hundred nodes must not have thousands ask each second.
 */
void prolog_wait(uint32_t job_id, const char *place, int64_t longest_ms);

/*
 * Where the jobs on exactly this job's nodes wait (SLURM_JOB_NODELIST, which
 * slurmctld writes alike for all of them), on this host and for this slurmctld
 * (`notify_name`: of struct ctl_site). Who has more nodes, or fewer, would hear
 * too late that these are up. The caller frees; NULL: nowhere.
 */
char *prolog_place(const char *notify_name);

#endif
