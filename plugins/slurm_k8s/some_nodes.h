/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of nodes, for a line of a report. Pure. One thread. */
#ifndef SLURMK8S_TOOL_SOME_NODES_H
#define SLURMK8S_TOOL_SOME_NODES_H

#include <stddef.h>

#include "base/buf.h"

#define SOME_NODES_MAX 4096 /* bytes of their text */

/* Begin with SOME_NODES, and end with some_nodes_clear(). */
struct some_nodes {
	const char **names; /* borrowed */
	size_t n;
	struct buf text; /* see some_nodes_text() */
};
#define SOME_NODES                                                             \
	{                                                                      \
		.text = BUF_INIT(SOME_NODES_MAX)                               \
	}

/* Add a name, which is borrowed. Out of memory: it is left out. */
void some_nodes_add(struct some_nodes *s, const char *name);

/*
 * The names as a hostlist, borrowed, "" if there are none; after it no more may
 * be added. NULL: they are too many for a line, or out of memory.
 */
const char *some_nodes_text(struct some_nodes *s);

/* Free what it holds. */
void some_nodes_clear(struct some_nodes *s);
#define _cleanup_some_nodes_ __attribute__((cleanup(some_nodes_clear)))

#endif
