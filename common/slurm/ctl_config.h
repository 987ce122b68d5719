/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * slurmctld's configuration as text, for people and for checks by name. Any
 * thread; ctl_config_text() is an RPC, and never for a plugin callback.
 */
#ifndef SLURMK8S_SLURM_CTL_CONFIG_H
#define SLURMK8S_SLURM_CTL_CONFIG_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/err.h"

/*
 * Load what "scontrol show config" prints: a line "Key = Value" for each
 * setting, with defaults in place. One RPC; after ctl_init(). The caller frees
 * *out. 0; -EIO with Slurm's words; -ENOMEM.
 */
int ctl_config_text(char **out, struct err *err);

/*
 * The ClusterName of the slurm.conf that ctl_init() has read; slurmctld may not
 * have read that one yet. No RPC. The caller frees. NULL: it is not known, or
 * out of memory.
 */
char *ctl_config_cluster(void);

/*
 * Find SlurmUser's uid in the slurm.conf that ctl_init() has read. No RPC.
 * False: it is not known.
 */
bool ctl_config_slurm_uid(uid_t *out);

/*
 * SlurmctldLogFile of the slurm.conf that ctl_init() has read. No RPC. The
 * caller frees. NULL: there is none, or out of memory.
 */
char *ctl_config_log_file(void);

#endif
