/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which settings of slurm.conf(5) keep pods from coming, going or being used.
 * Pure. Any thread.
 */
#ifndef SLURMK8S_TOOL_SLURM_RULES_H
#define SLURMK8S_TOOL_SLURM_RULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "findings.h"
#include "site_config.h"

#define PROGRAM_MISSING "is not there" /* a result of program_fault() */

/* What the rules have to know besides slurm.conf. Texts are borrowed. */
struct slurm_facts {
	int release; /* slurmctld's: 2205 for 22.05 */
	/* k8s.yaml could be read; else what depends on it is skipped */
	bool has_config;
	bool has_nodesets;	/* some Slurm nodes are pods */
	bool suspends_external; /* see struct ctl_site */
	size_t nodes;		/* number of Slurm's nodes */
	/* what SuspendExcNodes is to be that nodes which are no pods stay up
	   (other_nodes_spare()); NULL: as it is */
	const char *spare;
	size_t others;	     /* nodes that are no pods (other_nodes.h) */
	size_t nodes_wanted; /* nodes, with those that `create` will add */
	/* slurm.conf itself, for what slurmctld does not tell; NULL: it could
	   not be read */
	const char *conf_text;
	const char *libexec;	/* where our programs are installed */
	const char *plugin_dir; /* where our plugins are */
	/* which folder of PluginDir slurmctld takes its scheduler from; NULL:
	   none has it */
	const char *scheduler_dir;
	bool scheduler_is_ours; /* scheduler_dir is our folder */
	bool has_features;	/* k8s.yaml has any */
	bool creates_nodes;	/* any nodeset has `create` */
	bool has_bridge;
	bool unprivileged;	 /* any nodeset's slurmd is not privileged */
	bool have_dns_names;	 /* all templates have a subdomain */
	bool partition_suspends; /* some partition has a SuspendTime */
	bool node_suspends;	 /* some NodeName line has one: 26.05 */
	int64_t grace_s;	 /* the longest terminationGracePeriodSeconds */
	bool partitions_known;	 /* part_rules() checks each SuspendTimeout */
	/*
	 * NULL if SlurmUser may run this file, else why not; static, and
	 * PROGRAM_MISSING if there is none. `strict`: Slurm runs none that
	 * others may write.
	 */
	const char *(*program_fault)(void *arg, const char *path, bool strict);
	void *arg;
};

/* Add a finding for each setting that matters. */
void slurm_rules(const struct site_config *conf,
		 const struct slurm_facts *facts, struct findings *out);

#endif
