/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whether slurm.conf and k8s.yaml mean the same nodes. node_rules() is pure: it
 * reads snapshots. Main thread of a program.
 */
#ifndef SLURMK8S_TOOL_NODE_RULES_H
#define SLURMK8S_TOOL_NODE_RULES_H

#include "config/config.h"
#include "findings.h"
#include "site_config.h"
#include "slurm/ctl.h"

/* Add a finding for each nodeset, and for nodes that are in none. */
void node_rules(const struct config *config, const struct ctl_nodes *nodes,
		const struct site_config *conf, struct findings *out);

/*
 * Whether Slurm waits for the pods of each nodeset as long as `failover` of
 * k8s.yaml gives them; `all_s`: ResumeTimeout of slurm.conf, which partitions
 * may have of their own. An RPC for each nodeset.
 */
void resume_rules(const struct config *config, uint32_t all_s,
		  struct findings *out);

#endif
