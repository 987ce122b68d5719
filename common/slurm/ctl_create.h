/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Nodes that are not in slurm.conf. As in ctl.h: a function is an RPC that may
 * block, never from a plugin callback, unless it says otherwise; any other
 * thread.
 */
#ifndef SLURMK8S_SLURM_CTL_CREATE_H
#define SLURMK8S_SLURM_CTL_CREATE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

/* True if this Slurm creates nodes reliably (docs/versions.md). No RPC. */
bool ctl_creates_nodes(void);

/*
 * `names` as a short hostlist. The caller frees. NULL: out of memory. No RPC.
 */
char *ctl_hostlist_of(char *const names[], size_t n);

/*
 * Create the nodes of a line as in slurm.conf: all of them, or none. 0; -EIO
 * with Slurm's words.
 */
int ctl_nodes_create(const char *line, struct err *err);

/*
 * Delete nodes. 0; -EIO with Slurm's words: it refuses nodes with jobs, in a
 * reservation that has begun (ctl_reserved.h has those to come), or of
 * slurm.conf.
 */
int ctl_nodes_delete(const char *nodes, struct err *err);

#endif
