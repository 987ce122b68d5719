/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whether pod templates and slurm.conf mean the same slurmctld, key and Slurm.
 * What a template takes from elsewhere (an image's own defaults, a ConfigMap)
 * is not known, and so not wrong. Pure. Any thread.
 */
#ifndef SLURMK8S_TOOL_TEMPLATE_RULES_H
#define SLURMK8S_TOOL_TEMPLATE_RULES_H

#include "config/config.h"
#include "findings.h"
#include "site_config.h"

/*
 * Add findings about each nodeset's template. `release`: slurmctld's, 2205 for
 * 22.05.
 */
void template_rules(const struct config *config, const struct site_config *conf,
		    int release, struct findings *out);

#endif
