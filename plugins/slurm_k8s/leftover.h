/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which worker pods, and probes, nobody needs any more. Pure. */
#ifndef SLURMK8S_TOOL_LEFTOVER_H
#define SLURMK8S_TOOL_LEFTOVER_H

#include "pods.h"
#include "slurm/ctl.h"

/*
 * Younger ones may be of a power-up that slurmctld is about to tell of, or of
 * a node that is just being created.
 */
#define LEFTOVER_AGE_S 600
#define LEFTOVER_AGE_MIN_S 60

/*
 * Why this worker pod or probe of our Slurm cluster is not needed, for people;
 * NULL: it may be needed, or it is not proven that we have made it. `node`: its
 * node as Slurm has it; NULL: Slurm, which has told of all nodes, has none of
 * this name.
 */
const char *leftover_why(const struct pod_row *pod, const struct ctl_node *node,
			 int64_t before_ms);

#endif
