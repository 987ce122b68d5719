/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which nodeset a node's name belongs to. One thread fills an index; then any
 * may read it.
 */
#ifndef SLURMK8S_CONFIG_NODE_INDEX_H
#define SLURMK8S_CONFIG_NODE_INDEX_H

struct node_index;
struct nodeset;

/* An empty index; node_index_free() frees it. NULL: out of memory. */
struct node_index *node_index_new(void);
/* Free it; nodesets are not its own. NULL: nothing. */
void node_index_free(struct node_index *x);

/*
 * Add a node of `set`, which is borrowed. 0; -EEXIST: *other has it already;
 * -ENOMEM.
 */
int node_index_add(struct node_index *x, const char *node,
		   const struct nodeset *set, const struct nodeset **other);
/* The nodeset of a node, borrowed; NULL: it is in none. */
const struct nodeset *node_index_find(const struct node_index *x,
				      const char *node);

#endif
