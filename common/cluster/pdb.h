/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The PodDisruptionBudget of busy pods, made where it is missing: whoever
 * drains a Kubernetes node waits for the jobs there. Somebody may delete it, so
 * it is asked for again and again. The link's thread only.
 */
#ifndef SLURMK8S_CLUSTER_PDB_H
#define SLURMK8S_CLUSTER_PDB_H

#include "kube/client.h"

struct pdb {
	struct kube_client *client;
	const char *ns;
	const char *slurm_cluster; /* ClusterName */
	const char *name;      /* name of the Kubernetes cluster, for the log */
	int64_t again_ms;      /* pause when it is there; 0: 5 minutes */
	int64_t retry_ms;      /* first pause when it cannot be made; 0: 5 s */
	int64_t at;	       /* when to try (again); monotonic */
	unsigned int failures; /* failed tries in a row */
	bool trying, done;
};

/*
 * Create the budget if that is due: one POST, whose answer (409: it is there)
 * says when the next one is. Does not block; to be called at least each second.
 * Its request uses `b` until the client is freed.
 */
void pdb_step(struct pdb *b);

#endif
