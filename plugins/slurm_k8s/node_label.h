/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which Slurm node a pod's label names. Pure. Any thread. */
#ifndef SLURMK8S_TOOL_NODE_LABEL_H
#define SLURMK8S_TOOL_NODE_LABEL_H

#include "slurm/ctl.h"

/*
 * The Slurm node with this value of the label slurm-k8s.io/node; its texts are
 * borrowed from `nodes`. False: there is none.
 */
bool node_of_label(const struct ctl_nodes *nodes, const char *label,
		   struct ctl_node *out);

/* True if this may be the label of a node that has another name. */
bool node_label_is_cut(const char *label);

#endif
