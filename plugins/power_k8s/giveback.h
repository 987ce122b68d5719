/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Nodes that will not come up: their job goes back to the queue, they go back
 * to idle and powered down, and say why. By Slurm's public API: each function
 * that takes snapshots, or asks anew, does RPCs. Main thread of a program.
 *
 * A job that Slurm may not requeue (srun, salloc, --no-requeue) is never
 * killed, neither the gang's own nor another one on its nodes: such nodes are
 * left to ResumeTimeout. So are nodes that have come up meanwhile, and nodes
 * that an administrator has drained.
 */
#ifndef SLURMK8S_POWER_GIVEBACK_H
#define SLURMK8S_POWER_GIVEBACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nodes/pod/refusal.h"
#include "slurm/ctl.h"
#include "syntax/hostlist.h"

struct giveback {
	uint32_t job_id;	 /* 0: none */
	struct hostlist nodes;	 /* the nodes that no other gang wants */
	char *list;		 /* the drained ones of these, as one text */
	char *reason;		 /* "k8s: " and Kubernetes' words */
	const char *notify_name; /* where the engine is told; borrowed */
	const char *node; /* the node that failed, of a nodeset; or NULL */
	bool refused;	  /* true: by a final answer; false: no answer came */
	struct refusal what; /* the refusal, if there is `node` */
	bool told; /* the engine was told: it makes the nodes powered down */
	bool undecided; /* a pod may exist: let SuspendProgram clean up */
};

/*
 * The nodes where a job would be killed, not requeued, when they are drained.
 */
struct giveback_kills;

/* Find them in a snapshot. The caller frees, NULL, too. NULL: out of memory. */
struct giveback_kills *giveback_kills_of(const struct ctl_jobs *jobs);
void giveback_kills_free(struct giveback_kills *k);

/* Add a node to `nodes`; without memory it is left to ResumeTimeout. */
void giveback_add(struct giveback *g, const char *node);
/* Free what it holds. */
void giveback_clear(struct giveback *g);

/*
 * To be called at once: the job goes back to the queue, the nodes take no other
 * one. `why` goes into the nodes' Reason and the job's AdminComment. The
 * snapshots are of now, and `kills` of these jobs. Failures are logged; then
 * ResumeTimeout ends it.
 */
void giveback_begin(struct giveback *g, const char *why,
		    const struct ctl_nodes *nodes, const struct ctl_jobs *jobs,
		    const struct giveback_kills *kills);

/*
 * To be called when the pods are gone, for n of them together: the nodes become
 * idle and powered down, without waiting for SuspendTimeout, and keep the words
 * in their Comment. slurmctld is asked anew: nodes that are not as
 * giveback_begin() left them stay as they are. So do all if it does not answer;
 * the engine or ResumeTimeout ends that. The lists shrink.
 */
void giveback_end(struct giveback *v, size_t n);

#endif
