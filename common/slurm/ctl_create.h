/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Nodes that are not in slurm.conf. As in ctl.h: each call is an RPC, never
 * from a plugin callback.
 */
#ifndef SLURMK8S_SLURM_CTL_CREATE_H
#define SLURMK8S_SLURM_CTL_CREATE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

/* Can this Slurm do it reliably (docs/versions.md)? No RPC. */
bool ctl_creates_nodes(void);

/* `names` as a hostlist, short; NULL: out of memory. The caller frees. */
char *ctl_hostlist_of(char *const names[], size_t n);

/*
 * Create what a line as in slurm.conf names: all of them, or none. -EIO with
 * Slurm's words.
 */
int ctl_nodes_create(const char *line, struct err *err);

/*
 * Alike; Slurm refuses those with jobs, in a reservation that has begun
 * (ctl_reserved.h: those to come), or of slurm.conf.
 */
int ctl_nodes_delete(const char *nodes, struct err *err);

#endif
