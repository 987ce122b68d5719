/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Node name -> nodeset. Filled once, then read by any thread. */
#ifndef SLURMK8S_CONFIG_NODE_INDEX_H
#define SLURMK8S_CONFIG_NODE_INDEX_H

struct node_index;
struct nodeset;

struct node_index *node_index_new(void); /* NULL: out of memory */
void node_index_free(struct node_index *x);

/*
 * Claim a node. -EEXIST: *other has it already; -ENOMEM. `set` is borrowed.
 */
int node_index_add(struct node_index *x, const char *node,
		   const struct nodeset *set, const struct nodeset **other);
const struct nodeset *node_index_find(const struct node_index *x,
				      const char *node);

#endif
