/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "site.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "slurm/ctl_abilities.h"
#include "slurm_user.h"
#include "syntax/wellknown.h"

int site_config_load(const char *file, struct config **out, struct err *err)
{
	const struct slurm_abilities slurm = ctl_abilities();
	_cleanup_free_ char *dir = ctl_conf_dir();
	_cleanup_free_ char *path =
		file  ? strdup(file)
		: dir ? str_printf("%s/%s", dir, WK_CONFIG_FILE)
		      : NULL;
	int rc;

	*out = NULL;
	if (!path)
		return err_oom(err);
	rc = config_load(path, out, err);
	return rc ? rc : config_check_release(*out, &slurm, err);
}

/* Load nodes and jobs: PrivateData may refuse a user only one of the two. */
static void ask_slurm(struct site *s)
{
	struct err jobs = {0};

	if (ctl_site_load(&s->slurm, &s->slurm_err))
		return; /* the other RPCs would wait as long */
	ctl_nodes_load(&s->nodes, &s->slurm_err);
	if (ctl_jobs_load(&s->jobs, &jobs) && !s->slurm_err.code)
		err_set(&s->slurm_err, jobs.code, "%s", jobs.msg);
}

void site_load(struct site *s, const char *file)
{
	*s = (struct site){0};
	ask_slurm(s);
	if (!slurm_user_become(&s->config_err))
		site_config_load(file, &s->config, &s->config_err);
}

void site_clear(struct site *s)
{
	ctl_nodes_free(s->nodes);
	ctl_jobs_free(s->jobs);
	config_free(s->config);
	free(s->slurm.cluster);
	*s = (struct site){0};
}

int site_refuse(const char *words)
{
	fprintf(stderr, "slurm-k8s: %s\n", words);
	return 2;
}
