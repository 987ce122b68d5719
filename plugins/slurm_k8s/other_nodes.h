/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Slurm's nodes that are no pods: in no nodeset, of this Slurm, and not of a
 * cloud. What slurm.conf says of all nodes holds for them, too, and nothing of
 * ours starts one again that power saving has stopped. Pure: reads snapshots.
 * Any thread.
 */
#ifndef SLURMK8S_TOOL_OTHER_NODES_H
#define SLURMK8S_TOOL_OTHER_NODES_H

#include <stddef.h>

#include "config/config.h"
#include "slurm/ctl.h"
#include "some_nodes.h"
#include "syntax/hostlist.h"

#define SPARE_MAX (2 * SOME_NODES_MAX)
#define TIME_FIX_MAX (SPARE_MAX + 256)

/* The number of nodes that are no pods. */
size_t other_nodes_count(const struct config *config,
			 const struct ctl_nodes *nodes);

/*
 * The value of SuspendExcNodes that spares them: `excluded`, which is its value
 * (NULL: none) without what the engine keeps there, and after it those that are
 * not in there; `among`, sorted: of these nodes only (NULL: of all). NULL:
 * `excluded` has them all; else `out`, which has words in the place of names
 * that are too many.
 */
const char *other_nodes_spare(const struct config *config,
			      const struct ctl_nodes *nodes,
			      const char *excluded,
			      const struct hostlist *among,
			      char out[SPARE_MAX]);

/*
 * The fix for a missing SuspendTime, which is that of all nodes, or that of
 * partition `part`; `spare` as other_nodes_spare() gives it.
 */
void suspend_time_fix(const char *part, const char *spare,
		      char fix[TIME_FIX_MAX]);

#endif
