/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Nodes that run though no job wants them: minRunning of k8s.yaml(5). The
 * engine's thread only.
 *
 * The engine powers them up, and keeps them up by SuspendExcNodes. Whose a name
 * there is stands in the node's Extra (WK_EXTRA_KEPT), written before the name
 * is added: so the slurmctld that takes over, which gets both with Slurm's
 * state, takes back what this one added, and nothing of an administrator's.
 */
#ifndef SLURMK8S_NODES_RUNNING_MIN_RUNNING_H
#define SLURMK8S_NODES_RUNNING_MIN_RUNNING_H

#include "nodes/watch/nodes.h"

/*
 * Keep up again, at the engine's start, the nodes that the one before has kept
 * up: a slurmctld that starts or reads slurm.conf has forgotten what was
 * changed in SuspendExcNodes, and its power saving looks after a second. Up to
 * three RPCs, where a nodeset has minRunning. Errors are logged, and
 * min_running_step() goes on.
 */
void min_running_begin(struct nodes *nodes);

/*
 * Compare Slurm's nodes with minRunning each 5 s, where a nodeset has it or a
 * node is kept up; power up, keep and release what differs. One RPC; if
 * something differs one more for all nodes, and up to four for each nodeset. A
 * look ends after 2.5 s, and the next one goes on with the next nodeset. Where
 * Slurm refuses to power up, that is tried again after 10 s, more and more
 * seldom, up to once in ten minutes, and with half as many each time. What is
 * refused is logged once.
 */
void min_running_step(struct nodes *nodes);

/* When the next look is due, monotonic, ms; INT64_MAX: none is. */
int64_t min_running_next(const struct nodes *nodes);

/*
 * Another configuration comes into force: release the nodes that are in none of
 * its nodesets, before they are forgotten, and look again at once. Up to two
 * RPCs.
 */
void min_running_leave(struct nodes *nodes, const struct config *next);

#endif
