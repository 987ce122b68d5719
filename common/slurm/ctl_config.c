/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "slurm/ctl_config.h"

#include <slurm/slurm.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "slurm/release.h"
#include "slurm/rpc.h"

int ctl_config_text(char **out, struct err *err)
{
	_cleanup_free_ char *text = NULL;
	slurm_conf_t *conf = NULL;
	size_t len = 0;
	FILE *f;

	if (slurm_load_ctl_conf(0, &conf))
		return rpc_err(err, "cannot read slurmctld's configuration");
	f = open_memstream(&text, &len);
	if (f)
		slurm_print_ctl_conf(f, conf);
	release_free_conf(conf);
	if (!f || fclose(f))
		return err_oom(err);
	*out = steal_ptr(text);
	return 0;
}

char *ctl_config_cluster(void)
{
	const slurm_conf_t *conf = rpc_read_conf();

	return conf && conf->cluster_name ? strdup(conf->cluster_name) : NULL;
}

bool ctl_config_slurm_uid(uid_t *out)
{
	const slurm_conf_t *conf = rpc_read_conf();

	if (!conf || !conf->slurm_user_name)
		return false;
	*out = conf->slurm_user_id;
	return true;
}

char *ctl_config_log_file(void)
{
	const slurm_conf_t *conf = rpc_read_conf();

	return conf && conf->slurmctld_logfile ? strdup(conf->slurmctld_logfile)
					       : NULL;
}
