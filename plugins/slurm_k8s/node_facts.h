/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the pod of a Slurm node is made by. Pure: reads snapshots. Any thread.
 */
#ifndef SLURMK8S_TOOL_NODE_FACTS_H
#define SLURMK8S_TOOL_NODE_FACTS_H

#include "nodes/pod/manifest.h"
#include "slurm/ctl.h"

/*
 * Write what Slurm says of a node of that nodeset; of one that it does not
 * know, what `create` of k8s.yaml will make of it. `nodes` may be NULL:
 * slurmctld does not answer. Texts are borrowed from all three. False: nobody
 * says what the node has, and its pod is made by that; then only its name is
 * written.
 */
bool facts_of_node(const struct nodeset *set, const struct ctl_nodes *nodes,
		   const char *name, struct node_facts *out);

/* facts_of_node() as they are when it powers up: with no features active. */
bool facts_of_new_node(const struct nodeset *set, const struct ctl_nodes *nodes,
		       const char *name, struct node_facts *out);

#endif
