/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whether slurm.conf's partitions let jobs onto the pods' nodes, and the pods
 * go again. Pure: reads snapshots. Any thread.
 */
#ifndef SLURMK8S_TOOL_PART_RULES_H
#define SLURMK8S_TOOL_PART_RULES_H

#include <stdint.h>

#include "config/config.h"
#include "findings.h"
#include "slurm/ctl.h"
#include "slurm/ctl_part_list.h"

/* True if some partition has a SuspendTime of its own that is not INFINITE. */
bool part_suspends(const struct ctl_part_list *parts);

/*
 * True if some node is powered down when it is idle, by what slurmctld says of
 * nodes; false, too, if its release says nothing of them.
 */
bool node_suspends(const struct ctl_nodes *nodes);

/* What slurm.conf has for all nodes, in seconds. */
struct suspend_times {
	int64_t idle_s;	    /* SuspendTime; INT64_MAX: never */
	int64_t timeout_s;  /* SuspendTimeout */
	const char *spared; /* SuspendExcNodes; NULL: none. Borrowed */
};

/*
 * Add findings about the partitions of each nodeset's nodes, and about those
 * that `bridge` of k8s.yaml names. Once Slurm has power saving at all: what
 * keeps it from that is slurm_rules()'s. A SuspendTimeout counts for a node as
 * slurmctld reckons it: its partitions' longest, else the one for all.
 */
void part_rules(const struct config *config, const struct ctl_nodes *nodes,
		const struct ctl_part_list *parts,
		const struct suspend_times *all, struct findings *out);

#endif
