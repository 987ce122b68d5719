/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a command looks at first: slurmctld's nodes and jobs, and k8s.yaml.
 * Main thread of a program, after ctl_init(); see slurm_user.h.
 */
#ifndef SLURMK8S_TOOL_SITE_H
#define SLURMK8S_TOOL_SITE_H

#include "config/config.h"
#include "slurm/ctl.h"

struct site {
	struct ctl_site slurm;
	struct ctl_nodes *nodes; /* NULL: slurmctld did not tell */
	struct ctl_jobs *jobs;
	struct err slurm_err;  /* code 0: slurmctld has told all */
	struct config *config; /* NULL: it cannot be read */
	struct err config_err;
};

/*
 * Ask slurmctld (three RPCs, as the user who called), become SlurmUser, and
 * read `file` (NULL: k8s.yaml beside slurm.conf). The caller calls
 * site_clear(). What could not be had is NULL, with words.
 */
void site_load(struct site *s, const char *file);
void site_clear(struct site *s);

/* Say on standard error why a command does nothing. Returns its exit code, 2.
 */
int site_refuse(const char *words);

/*
 * Read `file`, or k8s.yaml beside slurm.conf. The caller frees *out. 0; errors
 * with words of config_load() and config_check_release(): *out may be set.
 */
int site_config_load(const char *file, struct config **out, struct err *err);

#endif
