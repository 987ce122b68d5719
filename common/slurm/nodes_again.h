/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Nodes are read once more before something is done to them: what is planned
 * was planned by an older view, and an administrator, or a job, may have been
 * there since. A few nodes are asked for one by one. nodes_again_begin() and
 * nodes_again_find() may be RPCs (slurm/ctl.h). Any thread, each with its own
 * struct.
 */
#ifndef SLURMK8S_SLURM_NODES_AGAIN_H
#define SLURMK8S_SLURM_NODES_AGAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "slurm/ctl.h"

#define NODES_SINGLE_MAX 16 /* nodes that are asked for one by one */
/* ms for asking one by one, where slurmctld is slow */
#define NODES_AGAIN_MS 1000

/* {0} before nodes_again_begin(). */
struct nodes_again {
	const struct ctl_nodes *all; /* NULL: each node is asked for */
	struct ctl_nodes *own; /* owned: all nodes, or the last one asked for */
	int64_t begin;	       /* clock_ms() of nodes_again_begin() */
};

/*
 * Begin, with `n` nodes ahead. `all` was read just now, and is borrowed until
 * the end; NULL: if they are more than NODES_SINGLE_MAX, all nodes are read
 * here. 0, or an error of ctl_nodes_load().
 */
int nodes_again_begin(struct nodes_again *a, size_t n,
		      const struct ctl_nodes *all, struct err *err);

/*
 * Find a node. 1: *node is it, its texts are borrowed until the next call; 0:
 * Slurm has no such node; or an error of ctl_nodes_load_one().
 */
int nodes_again_find(struct nodes_again *a, const char *name,
		     struct ctl_node *node, struct err *err);

/* True if nodes that were read first would be too old by now. */
bool nodes_again_is_late(const struct nodes_again *a);

/* Free what was read. Right after an error, too. */
void nodes_again_end(struct nodes_again *a);

#endif
