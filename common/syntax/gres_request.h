/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The greater of the Gres that somebody asks for and those that his pods'
 * containers request; and whether a node has what is asked for. Pure. Any
 * thread.
 */
#ifndef SLURMK8S_SYNTAX_GRES_REQUEST_H
#define SLURMK8S_SYNTAX_GRES_REQUEST_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

#define GRESMAX_ITEMS_MAX 64 /* of one list */

/*
 * `asked`: for each node, "gpu:a100:2,shard:8"; `need`: for each of `tasks`
 * tasks, "gres/gpu:3"; NULL is none. *node and *task are what is to be asked
 * of Slurm for each node and for each task, in the form of `need`, no kind of
 * Gres in both; NULL is none. The caller frees.
 *
 * A kind that both speak of is for each node where that is as much as all
 * tasks need together (or there is one task), else each task gets the
 * greater. What is asked of one type ("gpu:a100") is enough for a need of any.
 * -EINVAL, -E2BIG or -ERANGE with words; -ENOMEM.
 */
int gresmax(const char *asked, const char *need, uint32_t tasks, char **node,
	    char **task, struct err *err);

/*
 * Has a node with these Gres ("gpu:a100:2(S:0),shard:8") what is asked of each
 * node ("gres/gpu:2" or "gres:gpu:2")? NULL is none. What cannot be read, or is
 * not counted, it may have: true.
 */
bool gres_covers(const char *node, const char *asked);

#endif
