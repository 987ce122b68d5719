/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What decisions about Slurm nodes go by of a Kubernetes node. */
#ifndef SLURMK8S_OBJECTS_KUBE_NODE_STATE_H
#define SLURMK8S_OBJECTS_KUBE_NODE_STATE_H

#include <stdbool.h>

/* The Kubernetes node that a pod is on. */
struct kube_node_state {
	bool known; /* false: nothing is concluded */
	bool cordoned;
	bool ready;
};

#endif
