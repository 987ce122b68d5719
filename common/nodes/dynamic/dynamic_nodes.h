/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Nodes that slurm.conf does not name. The engine's thread only. */
#ifndef SLURMK8S_NODES_DYNAMIC_DYNAMIC_NODES_H
#define SLURMK8S_NODES_DYNAMIC_DYNAMIC_NODES_H

#include "nodes/watch/nodes.h"

/*
 * Create nodes that nodesets of k8s.yaml want and Slurm does not have, and
 * delete ours that are of another size, or in no nodeset, if it is time: each
 * 10 s, and when Slurm has another number of nodes. Nothing where this Slurm
 * cannot. One RPC for each nodeset that lacks nodes, 1000 of them at most; for
 * deletions one for reservations, one for each node, and one more, 64 nodes at
 * most. Errors are logged.
 */
void dynamic_nodes_step(struct nodes *nodes);

#endif
