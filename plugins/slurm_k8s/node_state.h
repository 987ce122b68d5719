/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A node's state in the words of scontrol. Pure. Any thread. */
#ifndef SLURMK8S_TOOL_NODE_STATE_H
#define SLURMK8S_TOOL_NODE_STATE_H

#include "slurm/ctl.h"

#define NODE_STATE_MAX 128

/*
 * Write, in short, what `scontrol show node` has as State:
 * "IDLE+DRAIN+POWERING_UP". ALLOCATED stands for MIXED and COMPLETING, too, and
 * CLOUD is left out.
 */
void node_state_words(const struct ctl_node *node, char out[NODE_STATE_MAX]);

#endif
