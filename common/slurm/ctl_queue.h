/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The jobs that wait for nodes with other features. As in ctl.h: each load is
 * an RPC that may block, never from a plugin callback. One thread at a time for
 * a snapshot.
 */
#ifndef SLURMK8S_SLURM_CTL_QUEUE_H
#define SLURMK8S_SLURM_CTL_QUEUE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "base/err.h"

struct ctl_node;   /* slurm/ctl.h */
struct ctl_reader; /* slurm/ctl_reader.h; may be NULL */

/*
 * True if this Slurm itself gives other features to idle nodes that are up.
 * From 23.02 on a cloud node keeps its features until it is powered down. No
 * RPC.
 */
bool ctl_queue_is_slurms(void);

/*
 * A snapshot of the jobs, which are offered to others by `r`, and of the
 * partitions. Two RPCs. The caller frees *out; a NULL may be freed, too. 0;
 * -EIO; -ENOMEM.
 */
struct ctl_queue;
int ctl_queue_load(struct ctl_reader *r, struct ctl_queue **out,
		   struct err *err);
void ctl_queue_free(struct ctl_queue *q);
DEFINE_CLEANUP(struct ctl_queue, ctl_queue_freep, ctl_queue_free)

struct ctl_waiting {
	uint32_t job_id;
	uint32_t n_nodes; /* at least */
	uint32_t cpus;	  /* on each node, at least */
	/* on each node, at least; 0: not known, or all of it */
	uint64_t memory_mib;
	const char *gres;     /* on each node: "gres/gpu:2", or NULL */
	const char *features; /* --constraint */
	uint32_t index;	      /* in the snapshot */
	bool held; /* with bad constraints: see ctl_queue_release() */
};

/*
 * The next job with a constraint that could run if it had nodes; *at, 0 at
 * first, moves on; texts are borrowed from `q`. False: there is none. No RPC.
 */
bool ctl_queue_next(const struct ctl_queue *q, uint32_t *at,
		    struct ctl_waiting *out);

/*
 * Have Slurm try a held job again. When the nodes of --nodelist have other
 * features, Slurm holds the job until it looks at time limits, which is up to a
 * minute after features have changed. One RPC. 0; -EIO.
 */
int ctl_queue_release(uint32_t job_id, struct err *err);

/*
 * True if the job may get this node, by partition, reservation, --nodelist and
 * --exclude. A job with a reservation may only get nodes of which Slurm tells
 * that one: of several reservations that have a node Slurm tells one, and a job
 * in one with FLEX could also get other nodes. Such a job waits for
 * SuspendTime, as powering down a node of another's reservation would be worse.
 * No RPC. A job's lists are parsed once for all nodes that are asked about in a
 * row.
 */
bool ctl_queue_may_use(struct ctl_queue *q, const struct ctl_waiting *w,
		       const struct ctl_node *node);

#endif
