/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Nodes that slurm.conf does not name. The engine's thread only. */
#ifndef SLURMK8S_NODES_DYNAMIC_DYNAMIC_NODES_H
#define SLURMK8S_NODES_DYNAMIC_DYNAMIC_NODES_H

#include "nodes/watch/nodes.h"

/* dynamic_nodes.c: nodes that are not in slurm.conf come, and go. */
void dynamic_nodes_step(struct nodes *nodes);

#endif
