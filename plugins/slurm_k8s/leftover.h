/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which worker pods, and probes, nobody needs any more. Pure. Any thread. */
#ifndef SLURMK8S_TOOL_LEFTOVER_H
#define SLURMK8S_TOOL_LEFTOVER_H

#include "pods.h"
#include "slurm/ctl.h"

/*
 * Younger ones may be of a power-up that slurmctld is about to tell of, or of
 * a node that is just being created. The engine takes pods away after 20 s
 * (docs/architecture.md, "orphan").
 */
#define LEFTOVER_AGE_S 600
#define LEFTOVER_AGE_MIN_S 20

/*
 * Why this worker pod or probe of our Slurm cluster is not needed, for people;
 * NULL: it may be needed, or it is not proven that we have made it. `node`: its
 * node as Slurm has it; NULL: Slurm, which has told of all nodes, has none of
 * this name. `now_ms`: clock_real_ms(). One that is younger than `age_s`
 * seconds may be needed; a probe also while the check that made it may wait for
 * it, which stands on it (pod_row.probe_s).
 */
const char *leftover_why(const struct pod_row *pod, const struct ctl_node *node,
			 int64_t now_ms, int64_t age_s);

/*
 * True if the engine may be about to create the node of a pod, which Slurm does
 * not have: a nodeset with `create` has it, or may have it, where the label is
 * not the node's own name. slurmctld forgets such a node when it is killed, and
 * its slurmd goes on.
 */
bool leftover_may_come_back(const struct config *c, const char *label);

#endif
