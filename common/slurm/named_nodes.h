/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Nodes that are named by something of Slurm's, and by what. No RPC. One thread
 * at a time for a map.
 */
#ifndef SLURMK8S_SLURM_NAMED_NODES_H
#define SLURMK8S_SLURM_NAMED_NODES_H

#include <stddef.h>

#include "base/err.h"

#define NAMED_NODES_MAX (1 << 20) /* nodes of all lists, in sum */

struct named_node;

/* Empty when it is all zero. */
struct named_nodes {
	struct named_node *by_name;
	size_t n_seen; /* names read, each as often as a list has it */
};

/*
 * Add the nodes of a hostlist, as named by `by`, which is copied; nodes that
 * the map has already stay as they are. 0; -EIO: it is no hostlist; -E2BIG over
 * NAMED_NODES_MAX; -ENOMEM.
 */
int named_nodes_add(struct named_nodes *m, const char *list, const char *by,
		    struct err *err);

/*
 * What names the node: `by` of named_nodes_add(), borrowed from `m`. NULL:
 * nothing.
 */
const char *named_nodes_by(const struct named_nodes *m, const char *node);

/* Forget all nodes. */
void named_nodes_clear(struct named_nodes *m);

#endif
