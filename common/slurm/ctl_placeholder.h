/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Placeholder jobs: what stands in Slurm's queue for Kubernetes pods. As in
 * ctl.h each call is an RPC that may block: never from a plugin callback; any
 * other thread. We are SlurmUser. What the releases do is in
 * docs/versions.md, "Placeholder jobs".
 */
#ifndef SLURMK8S_SLURM_CTL_PLACEHOLDER_H
#define SLURMK8S_SLURM_CTL_PLACEHOLDER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

enum placeholder_hold {
	PLACEHOLDER_HOLD_AS_IS, /* not held; in an update: as it was */
	PLACEHOLDER_HOLD,	/* as scontrol uhold: its user may end it */
};

enum placeholder_exclusive {
	PLACEHOLDER_EXCLUSIVE_AS_IS, /* as the partition says */
	PLACEHOLDER_EXCLUSIVE,	     /* whole nodes */
	PLACEHOLDER_SHARED,
	PLACEHOLDER_SHARED_USER, /* with jobs of that user only */
	PLACEHOLDER_SHARED_MCS,	 /* with jobs of that MCS label only */
};

/* What Slurm does with a job whose dependency can never be satisfied. */
enum placeholder_dep {
	PLACEHOLDER_DEP_AS_IS, /* as slurm.conf says */
	PLACEHOLDER_DEP_KILL,
	PLACEHOLDER_DEP_KEEP, /* the job waits for ever */
};

/*
 * What a job asks for. Texts are borrowed for the call and, but for names,
 * in sbatch's own words. NULL and 0 are "not said": Slurm's default, or of an
 * update "as it is"; "" takes something away (reservation, features,
 * licenses, dependency, comment, nodelist, exclude).
 */
struct placeholder {
	/*
	 * The job's owner, by number; not for updates. Slurm does not look up
	 * names.
	 */
	uint32_t uid, gid;
	const char *name, *account, *partition, *qos, *reservation;
	const char *features; /* --constraint */
	const char *prefer, *mcs_label;
	const char *licenses, *wckey;
	const char *tres_per_node; /* "gres/gpu:2,gres/nic:1" */
	const char *tres_per_task; /* a node holds all of a task's */
	const char *nodelist, *exclude;
	const char *dependency;	   /* "afterok:12" */
	const char *comment;	   /* the user may change it */
	const char *admin_comment; /* identity: only Slurm's operators may */
	const char *workdir;	   /* before 25.05; "/" unless said */
	/*
	 * ClusterName; for submissions: in a federation Slurm would send the
	 * job to its other clusters, too, which know nothing of the pods.
	 */
	const char *slurm_cluster;
	uint32_t min_nodes, max_nodes;
	uint32_t tasks;
	uint16_t tasks_per_node;
	uint16_t cpus_per_task;
	/*
	 * MiB; Slurm has one of the two: per node wins, UINT64_MAX is all of
	 * it. Per task is not sent for whole nodes, of which Slurm counts all
	 * CPUs (ctl_placeholder.c).
	 */
	uint64_t memory_per_node, memory_per_task;
	uint16_t node_cpus; /* --mincpus */
	uint32_t node_tmp;  /* --tmp, MiB */
	bool contiguous;
	/* at most so many switches; how long Slurm waits for that */
	uint32_t switches, switches_wait_s;
	uint32_t time_limit, time_min; /* minutes */
	uint32_t priority;	       /* scontrol update Priority= */
	int32_t nice;
	int64_t begin, deadline;	      /* epoch, seconds */
	enum placeholder_exclusive exclusive; /* not for updates */
	enum placeholder_hold hold;
	enum placeholder_dep invalid_dep; /* not for updates */
	bool no_requeue; /* Slurm must not requeue the job; not for updates */
};

/* True if this Slurm has external jobs and nodes (25.05 and later). No RPC. */
bool ctl_external_known(void);

/*
 * Queue one, as its user: job_submit plugins, associations, limits, QOS and
 * reservations apply as to his own sbatch. *job_id is set when it is 0.
 *
 *   -EINVAL  Slurm refuses it as it is: for good, until it or Slurm's
 *            configuration changes; err has Slurm's words
 *   -EDQUOT  the queue is full: MaxJobCount, or a limit on submitted jobs of
 *            an association or QOS is reached; nobody like it gets in for now
 *   -EAGAIN  worth another try: slurmctld is away. When the answer was lost
 *            the job may be queued: look for its admin_comment before the next
 *            try.
 *   -ENOMEM
 *
 * (A job_submit plugin's own message reaches the log of the process only: the
 * public API prints it and returns the code.)
 */
int ctl_placeholder_submit(const struct placeholder *p, uint32_t *job_id,
			   struct err *err);

/*
 * Change a pending one: what is said in `p`. -EINVAL or -EAGAIN, and -ENODEV:
 * Slurm has no such node. That may be one of `p`, or one that the job's
 * ExcNodeList or ReqNodeList names and that was deleted since. Of such a job
 * Slurm (24.11 and later) takes no change at all, not even of these lists, and
 * then it may start it on nodes that it is not to get.
 */
int ctl_placeholder_update(uint32_t job_id, const struct placeholder *p,
			   struct err *err);

/*
 * End a job whose pods have ended: COMPLETED for 0, else FAILED. `wait_status`
 * is as from wait(2): exit code << 8, or a signal. One RPC. 0, too, for a job
 * that has ended already: Slurm keeps its state, but not its exit code, so this
 * is not done without need. Errors as of ctl_placeholder_submit().
 */
int ctl_placeholder_end(uint32_t job_id, uint32_t wait_status, struct err *err);

/*
 * Cancel it, pending or running, as scancel does: CANCELLED. One RPC. 0, too,
 * for a job that has ended already. Errors as of ctl_placeholder_submit().
 */
int ctl_placeholder_cancel(uint32_t job_id, struct err *err);

#endif
