/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Our log lines in slurmctld's log, with "k8s: " before them. Any thread. */
#ifndef SLURMK8S_SLURM_CTL_LOG_H
#define SLURMK8S_SLURM_CTL_LOG_H

/*
 * Send log lines to slurmctld's log from now on. Only inside a daemon of Slurm.
 * Idempotent.
 */
void ctl_log_use(void);

#endif
