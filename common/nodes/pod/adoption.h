/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What to do with a pod of the wanted name that is there already. One row of a
 * table per case (tests/unit/test_adoption.c). Pure. Any thread.
 */
#ifndef SLURMK8S_NODES_POD_ADOPTION_H
#define SLURMK8S_NODES_POD_ADOPTION_H

#include "objects/worker_pod.h"

/* Clocks of the controller and of the API server may differ by this much. */
#define POD_CLOCK_SLACK_MS 5000

enum adoption {
	ADOPTION_ADOPT,	  /* the pod is the one that is wanted */
	ADOPTION_WAIT,	  /* the pod is ending: look again, then create */
	ADOPTION_REPLACE, /* stale: delete it by UID, then create */
	ADOPTION_FOREIGN, /* somebody else's: never touch it */
};

/* Texts are borrowed. */
struct wanted_pod {
	const char *cluster; /* label values */
	const char *node;
	const char *hash;
	int64_t since_ms; /* epoch: when Slurm asked for the node */
	bool node_up;	  /* Slurm has the node registered and in use */
	bool any_hash;	  /* a pod of any template will do */
	bool fresh;	  /* a reboot: whatever is there must go */
};

/*
 * True if the pod is ours, by its labels `cluster` and `node`, never by its
 * name alone.
 */
bool pod_is_ours(const struct worker_pod *pod, const char *cluster,
		 const char *node);

/*
 * Judge the pod. One with other labels is foreign; one of ours that has ended,
 * or any when `fresh`, is stale; and so are, while its node is not up, one with
 * another hash (but with `any_hash`), and one with a running slurmd that is
 * older than since_ms by more than POD_CLOCK_SLACK_MS.
 */
enum adoption adoption_of(const struct worker_pod *pod,
			  const struct wanted_pod *wanted);

#endif
