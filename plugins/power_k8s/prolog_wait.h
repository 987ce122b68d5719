/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How k8s_prolog waits for the nodes of its job. */
#ifndef SLURMK8S_POWER_PROLOG_WAIT_H
#define SLURMK8S_POWER_PROLOG_WAIT_H

#include <stdint.h>

/*
 * Wait until the job's nodes are up, it has ended, or `longest_ms` are over. Of
 * those who wait at one `place` (a name of notify.h's; NULL: none) one asks
 * slurmctld, others ask when that one is done: a user's array of thousands of
 * jobs on a hundred nodes must not have thousands ask each second. RPCs: see
 * ctl_job_is_waiting().
 */
void prolog_wait(uint32_t job_id, const char *place, int64_t longest_ms);

/*
 * The name of the place where the jobs on exactly this job's nodes wait
 * (SLURM_JOB_NODELIST, which slurmctld writes in one way for all of them), on
 * this host and for this slurmctld (`notify_name`: of struct ctl_site). A job
 * that has more nodes, or fewer, would learn too late that these are up. The
 * caller frees. NULL: there is no list, or no memory.
 */
char *prolog_place(const char *notify_name);

#endif
