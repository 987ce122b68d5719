/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The greater of the Gres that a user asks for and those that his pods'
 * containers request; and whether a node has what is asked for. Pure. Any
 * thread.
 */
#ifndef SLURMK8S_SYNTAX_GRES_REQUEST_H
#define SLURMK8S_SYNTAX_GRES_REQUEST_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

#define GRESMAX_ITEMS_MAX 64 /* items of one list */

/*
 * `asked`: for each node, "gpu:a100:2,shard:8"; `need`: for each of `tasks`
 * tasks, "gres/gpu:3"; NULL is none. *node and *task are what is to be asked of
 * Slurm for each node and for each task, in the form of `need`, no kind of Gres
 * in both; NULL is none. The caller frees both.
 *
 * A kind in both texts is asked for each node where `asked` has as much of it
 * as all tasks need together (or there is one task), else each task gets the
 * greater. What is asked of one type ("gpu:a100") is enough for a need of any
 * type.
 *
 * 0; with words: -EINVAL: a text cannot be read; -E2BIG: too many kinds;
 * -ERANGE: too many devices; -ENOMEM.
 */
int gresmax(const char *asked, const char *need, uint32_t tasks, char **node,
	    char **task, struct err *err);

/*
 * True if a node with the Gres `node` ("gpu:a100:2(S:0),shard:8") has what is
 * asked of each node ("gres/gpu:2" or "gres:gpu:2"). NULL is none. A text that
 * cannot be read, or a gres that is not counted, is no reason to say false.
 */
bool gres_covers(const char *node, const char *asked);

#endif
