/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What slurm.conf says, read again. The engine's thread, where nothing else is
 * said.
 */
#ifndef SLURMK8S_ENGINE_SITE_H
#define SLURMK8S_ENGINE_SITE_H

#include "base/err.h"
#include "slurm/ctl.h"

/*
 * Read slurm.conf's values again; ClusterName and notify_name stay as they
 * were. RPC, may block. 1: something has changed; 0: nothing has; -EIO or
 * -ENOMEM, and *site is as before.
 */
int site_reload(struct ctl_site *site, struct err *err);

/* Say in the log if k8s_prolog has less time than ResumeTimeout. Any thread. */
void site_tell_of_timeout(const struct ctl_site *site);

/*
 * Say in the log if slurm.conf has a node with nothing but suspended jobs seem
 * idle. Any thread.
 */
void site_tell_of_memory(const struct ctl_site *site);

/*
 * True if the two differ in what the bridge is started with. No RPC. Any
 * thread.
 */
bool site_changes_bridge(const struct ctl_site *before,
			 const struct ctl_site *now);

#endif
