/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which nodes reservations have, also those that are to come. slurmctld does
 * not refuse to delete a node for one that has not begun: it takes the node out
 * of it, and deletes a reservation whose last node that was (node_mgr.c,
 * _delete_node_ptr(); reservation.c, _validate_one_reservation(); 22.05 to
 * 26.05). One thread at a time for a snapshot.
 */
#ifndef SLURMK8S_SLURM_CTL_RESERVED_H
#define SLURMK8S_SLURM_CTL_RESERVED_H

#include "base/cleanup.h"
#include "base/err.h"

struct ctl_reserved;
/* Free a snapshot. NULL: nothing. */
void ctl_reserved_free(struct ctl_reserved *r);
DEFINE_CLEANUP(struct ctl_reserved, ctl_reserved_freep, ctl_reserved_free)

/*
 * What slurmctld says now. An RPC that may block, as in ctl.h. The caller frees
 * *out. -EIO with Slurm's words; -E2BIG over NAMED_NODES_MAX
 * (slurm/named_nodes.h); -ENOMEM.
 */
int ctl_reserved_load(struct ctl_reserved **out, struct err *err);

/*
 * The name of one reservation that would lose this node for good if it were
 * deleted and created anew; NULL: there is none. A reservation of all nodes, or
 * of a partition's, gets the new node, too. Borrowed from `r`. No RPC.
 */
const char *ctl_reserved_by(const struct ctl_reserved *r, const char *node);

#endif
