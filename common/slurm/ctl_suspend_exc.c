/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "slurm/ctl_suspend_exc.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "slurm/release.h"
#include "slurm/rpc.h"

bool ctl_keeps_nodes_up(void)
{
	return release_changes_suspend_exc();
}

/*
 * slurmctld replaces its process to reconfigure, and sets this variable for the
 * new one (controller.c, 23.11 to 26.05).
 */
#define RECONFIGURED "SLURMCTLD_RECONF"

static enum ctl_suspend_exc_from from_of(const slurm_conf_t *conf)
{
	if (!conf->control_machine || conf->control_cnt < 2 ||
	    rpc_is_this_host(conf->control_machine[0]))
		return CTL_EXC_READ;
	return getenv(RECONFIGURED) ? CTL_EXC_UNKNOWN : CTL_EXC_INHERITED;
}

int ctl_suspend_exc_load(struct ctl_suspend_exc *out, struct err *err)
{
	slurm_conf_t *conf = NULL;

	if (slurm_load_ctl_conf(0, &conf))
		return rpc_err(err, "cannot read slurmctld's SuspendExcNodes");
	out->names =
		strdup(conf->suspend_exc_nodes ? conf->suspend_exc_nodes : "");
	out->from = from_of(conf);
	release_free_conf(conf);
	return out->names ? 0 : err_oom(err);
}

static int change(const char *nodes, bool adds, struct err *err)
{
	if (!ctl_keeps_nodes_up())
		return err_set(err, -EOPNOTSUPP,
			       "this Slurm does not change SuspendExcNodes "
			       "at run time");
	return release_change_suspend_exc(nodes, adds)
		       ? rpc_err(err, "slurmctld refuses to change "
				      "SuspendExcNodes")
		       : 0;
}

int ctl_suspend_exc_add(const char *nodes, struct err *err)
{
	return change(nodes, true, err);
}

int ctl_suspend_exc_remove(const char *nodes, struct err *err)
{
	return change(nodes, false, err);
}
