/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How a node must still be for what was planned for it. Seconds may have passed
 * since it was looked at: a job may have come that the update would end, or an
 * administrator's drain that it would undo. Pure: any thread.
 */
#ifndef SLURMK8S_NODES_RECONCILE_CONFIRM_H
#define SLURMK8S_NODES_RECONCILE_CONFIRM_H

#include "nodes/watch/node_view.h"
#include "slurm/ctl.h"

/* True if the node, as Slurm has it now, is still as planned for. */
typedef bool (*node_is_fn)(const struct ctl_node *node);

/*
 * What must be true of a node right before it is updated as planned. NULL:
 * nothing need be.
 */
node_is_fn confirm_of(const struct node_decision *p);

/* True if no job is on the node, and nobody has drained it or set it down. */
bool confirm_is_free(const struct ctl_node *node);

/* True if the node has not registered since it was powered up. */
bool confirm_powers_up(const struct ctl_node *node);

#endif
