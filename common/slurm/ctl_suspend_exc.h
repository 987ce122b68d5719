/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which nodes power saving leaves up: SuspendExcNodes of slurm.conf(5), as
 * scontrol(1) changes it at run time. Such a change lasts until slurmctld reads
 * slurm.conf again or starts; a backup that takes over keeps it (backup.c,
 * read_slurm_conf(2)). Functions that load, add or remove are an RPC: any
 * thread but that of a plugin callback.
 */
#ifndef SLURMK8S_SLURM_CTL_SUSPEND_EXC_H
#define SLURMK8S_SLURM_CTL_SUSPEND_EXC_H

#include <stdbool.h>

#include "base/err.h"

/*
 * True if this Slurm changes it at run time, and a reconfigure is another
 * process, so that it is known what slurm.conf was read by: from 23.11 on.
 * (23.02 changes it, too, and reads slurm.conf in the same process.) No RPC.
 */
bool ctl_keeps_nodes_up(void);

/* Where the names come from that slurmctld had at its start. */
enum ctl_suspend_exc_from {
	CTL_EXC_READ, /* from slurm.conf: all are an administrator's */
	/*
	 * From the slurmctld before, with what was changed there: this is a
	 * backup, which has taken over.
	 */
	CTL_EXC_INHERITED,
	/*
	 * Either: a backup that was reconfigured, and may have stood by and
	 * taken over since.
	 */
	CTL_EXC_UNKNOWN,
};

struct ctl_suspend_exc {
	char *names; /* as they are in force; "" for none; owned */
	enum ctl_suspend_exc_from from;
};

/* Read it. The caller frees out->names. 0; -EIO with Slurm's words; -ENOMEM. */
int ctl_suspend_exc_load(struct ctl_suspend_exc *out, struct err *err);

/*
 * Add these nodes, a hostlist, or take them out. slurmctld refuses both while
 * it has a name with a count ("n[1-8]:2"; proc_req.c). 0, or -EIO with Slurm's
 * words; -EOPNOTSUPP before 23.11.
 */
int ctl_suspend_exc_add(const char *nodes, struct err *err);
int ctl_suspend_exc_remove(const char *nodes, struct err *err);

#endif
