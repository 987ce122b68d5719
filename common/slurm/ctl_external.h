/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * External nodes (25.05 and later): Kubernetes nodes that Slurm places jobs on,
 * and that have no slurmd. As in ctl.h: each call is an RPC that may block,
 * never from a plugin callback; any other thread. `nodes` are hostlists. Each
 * gives 0; -EOPNOTSUPP before 25.05; -EIO with Slurm's words when slurmctld
 * refuses; -ENOMEM.
 */
#ifndef SLURMK8S_SLURM_CTL_EXTERNAL_H
#define SLURMK8S_SLURM_CTL_EXTERNAL_H

#include "base/err.h"

/*
 * Create what a line as in slurm.conf says, "NodeName=a CPUs=4
 * RealMemory=1000 Gres=gpu:2 Feature=x", without State and NodeAddr: all of
 * them or none (before 26.05: those before the one that is refused). They are
 * idle at once. Slurm wants MaxNodeCount, and select/cons_tres. GresConf is
 * left out where slurmctld does not know it (before 25.11).
 *
 * Their address is 127.0.0.1. Nobody uses it; but a node without one makes
 * slurmctld look its name up, at each job, with locks held: ten seconds when
 * there is no such name. Power saving leaves them alone (26.05 and later).
 */
int ctl_external_create(const char *line, struct err *err);

/*
 * Settle a node that is new: jobs may share it from now on. Before 26.05.3 it
 * would get exclusive jobs only, so it goes down and up again (later releases:
 * no RPC). It is drained first, so that no job starts that would end with it.
 * An exclusive one that has been quicker stays: when it ends the node can be
 * shared, too. Failed, or killed in between: the node is out of use with a
 * reason of ours, which the engine ends; it is to be settled again. Not one
 * that an administrator has drained: his reason would be lost.
 */
int ctl_external_settle(const char *node, struct err *err);

/*
 * Delete nodes. Nobody answers slurmctld on such a node: when it signals or
 * suspends a job (scancel -s, which its user may do; a preemption with
 * GraceTime) it takes the node for one that does not respond:
 * ctl_node.no_respond. Its jobs go on, new ones do not come, and only to delete
 * and create it when it is empty helps (EXTERNAL_NODE_RENEW).
 *
 * Slurm refuses a node with jobs, or in a reservation, and still deletes those
 * of the list that it can.
 */
int ctl_external_delete(const char *nodes, struct err *err);

/*
 * Set the features, available and active ones both, and the place in Slurm's
 * topology ("": none, whatever topology.yaml says); NULL leaves them. CPUs,
 * memory and the number of gres cannot be changed: delete and create.
 */
int ctl_external_update(const char *nodes, const char *features,
			const char *topology, struct err *err);

/*
 * Let no new jobs start on the nodes; their jobs stay. `reason` begins with
 * WK_REASON_PREFIX. Before 25.11.6 this is FAIL, for there slurmctld waits for
 * the slurmd of a node that is back from DRAIN.
 */
int ctl_external_drain(const char *nodes, const char *reason, struct err *err);

/*
 * Set the nodes DOWN: their jobs end with NODE_FAIL, or go back into the queue.
 */
int ctl_external_down(const char *nodes, const char *reason, struct err *err);

/* Undo ctl_external_drain() or ctl_external_down(). */
int ctl_external_resume(const char *nodes, struct err *err);

#endif
