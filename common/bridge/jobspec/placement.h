/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which pod of a group goes to which of the nodes that Slurm gave to its job.
 * Pure. Any thread.
 */
#ifndef SLURMK8S_BRIDGE_JOBSPEC_PLACEMENT_H
#define SLURMK8S_BRIDGE_JOBSPEC_PLACEMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define PACK_NONE (-1)
#define PACK_PODS_MAX 8192
#define PACK_NODES_MAX 8192
#define PACK_GRES_MAX 8 /* kinds of Gres that a group's pods ask for */

/* What the job has of a node. */
struct placement_node {
	uint32_t cpus;
	uint64_t memory_mib; /* 0: Slurm keeps no count of memory */
	uint32_t pods;	     /* pods that the kubelet takes; 0: not known */
	uint32_t other_pods; /* pods there that are not the group's */
	int64_t gres[PACK_GRES_MAX]; /* INT64_MAX: Slurm keeps no count */
};

struct placement_pod {
	int64_t cpu_milli, memory_bytes;
	bool ports;   /* pod_requests_ports(): no two of these share a node */
	int32_t node; /* index. In: where it is bound already, or PACK_NONE */
	int64_t gres[PACK_GRES_MAX];
};

/* The names of the first `n` gres, "gpu"; borrowed. */
struct placement_gres {
	const char *names[PACK_GRES_MAX];
	size_t n;
};

/*
 * Give each pod that is not bound a node, the one with the fewest pods where it
 * fits, so that all nodes are used; several a node if they must. What is bound
 * stays and counts, even where it does not fit any more. Equal input has an
 * equal outcome. 0; -ENOSPC with words if no way was found, -E2BIG, -EINVAL or
 * -ENOMEM; then the pods are as before.
 *
 * Pods are also put where the job's tasks are, as bridge/jobspec/job_size.h has
 * made them: so there is a way while the pods are those that it was made for.
 *
 * All ways are tried for groups of a few pods or of pods with equal needs; a
 * search that takes too long ends, and counts as no way.
 */
int place_pods(const struct placement_gres *gres,
	       const struct placement_node *nodes, size_t n_nodes,
	       struct placement_pod *pods, size_t n_pods, struct err *err);

#endif
