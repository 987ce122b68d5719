/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a release of Slurm can, as far as k8s.yaml may ask for it. Filled by
 * ctl_abilities() of slurm/ctl_abilities.h, read by config_check_release().
 */
#ifndef SLURMK8S_SYNTAX_SLURM_ABILITIES_H
#define SLURMK8S_SYNTAX_SLURM_ABILITIES_H

#include <stdbool.h>

struct slurm_abilities {
	bool creates_nodes;
	bool keeps_nodes_up; /* SuspendExcNodes may be changed at run time */
	const char *version; /* for words; borrowed */
};

#endif
