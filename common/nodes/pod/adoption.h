/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A pod of the wanted name is there already: what to do with it. Pure, one
 * row of a table per case (tests/unit/test_adoption.c).
 */
#ifndef SLURMK8S_NODES_POD_ADOPTION_H
#define SLURMK8S_NODES_POD_ADOPTION_H

#include "objects/worker_pod.h"

/* Clocks of the controller and of the API server may differ by this much. */
#define POD_CLOCK_SLACK_MS 5000

enum adoption {
	ADOPTION_ADOPT,	  /* it is the one that is wanted */
	ADOPTION_WAIT,	  /* it is ending: look again, then create */
	ADOPTION_FINISH,  /* its containers have ended: remove the object now */
	ADOPTION_REPLACE, /* stale: delete it by UID, then create */
	ADOPTION_FOREIGN, /* somebody else's: never touch it */
};

struct wanted_pod {
	const char *cluster; /* label values */
	const char *node;
	const char *hash;
	int64_t since_ms; /* epoch: when Slurm asked for the node */
	bool node_up;	  /* Slurm has the node registered and in use */
	bool fresh;	  /* a reboot: whatever is there must go */
};

/* Ours at all? By label, never by name alone. */
bool pod_is_ours(const struct worker_pod *pod, const char *cluster,
		 const char *node);

enum adoption adoption_of(const struct worker_pod *pod,
			  const struct wanted_pod *wish);

#endif
