/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Our placeholder jobs as slurmctld has them: those whose admin_comment begins
 * with WK_BRIDGE_ID. (Only operators of Slurm can write one.) And those that
 * the caller knows to be ours, whatever it is by now. Compact copies:
 * Slurm's message is freed before a call returns. As in ctl.h: each load is
 * an RPC, never from a plugin callback; any other thread, one at a time for
 * a set.
 */
#ifndef SLURMK8S_SLURM_CTL_PLACEHOLDER_LIST_H
#define SLURMK8S_SLURM_CTL_PLACEHOLDER_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "base/err.h"

struct ctl_reader; /* slurm/ctl_reader.h; may be NULL */

enum placed_state {
	PLACED_PENDING,
	PLACED_HELD, /* pending, until somebody releases it */
	PLACED_RUNNING,
	PLACED_SUSPENDED,
	/*
	 * The job's nodes are not free yet; `end` is set unless it goes back
	 * into the queue.
	 */
	PLACED_COMPLETING,
	/*
	 * An ended job whose `nodes` is "" never ran. Slurm keeps also one that
	 * it refused for its size: FAILED.
	 */
	PLACED_ENDED,
	/* not known to Slurm: ctl_placeholder_states() only */
	PLACED_GONE,
};

enum placed_end {
	PLACED_NOT_ENDED,
	PLACED_COMPLETED,
	PLACED_FAILED,
	PLACED_CANCELLED,
	PLACED_TIMEOUT,
	PLACED_PREEMPTED,
	PLACED_NODE_FAIL,
	PLACED_DEADLINE,
	PLACED_OTHER, /* out of memory, boot failure, revoked */
};

struct placed_status {
	enum placed_state state;
	enum placed_end end;
	bool configuring; /* running, but its nodes or prolog are not ready */
};

/*
 * The reason of a job that slurmd could not launch, and slurmctld holds for it:
 * it is in no other field. (Not with SchedulerParameters=nohold_on_prolog_fail;
 * and of batch jobs only: 23.11 to 24.11.)
 */
#define PLACED_LAUNCH_FAILED "launch failed requeued held"

/* What a job has of a node. */
struct placed_share {
	uint32_t cpus;
	uint64_t memory_mib; /* 0: all that the node has */
};

/* Texts are the set's, never NULL, and valid until it is loaded or freed. */
struct placed {
	uint32_t job_id;
	uint32_t uid;
	struct placed_status status;
	uint32_t restarts;
	bool external;
	int64_t submit; /* submit time, epoch, s; a requeue changes it */
	/* epoch, s; 0: unknown; of a pending job: expected_start() */
	int64_t start;
	/* end of a running job, by its time limit: epoch, s; 0: unknown */
	int64_t end;
	const char *reason; /* as squeue shows it: "Resources" */
	const char *nodes;  /* a hostlist; "" while it has none */
	/* what a running job has of its node, if it has only one */
	struct placed_share has;
	const char *admin_comment;
	size_t exclude; /* bytes of its ExcNodeList while it waits; else 0 */
};

/* A set; NULL is an empty one that was never loaded. One thread at a time. */
struct ctl_placeholders;
void ctl_placeholders_free(struct ctl_placeholders *s);
DEFINE_CLEANUP(struct ctl_placeholders, ctl_placeholders_freep,
	       ctl_placeholders_free)

/* How the caller tells that a job is one of ours; a NULL struct: it is none. */
struct placed_known {
	bool (*has)(void *arg, uint32_t job_id);
	void *arg;
};

/*
 * Load anew if any job has changed since *set was loaded. One RPC, for which
 * slurmctld sends all its jobs: see ctl_placeholder_states(). 1: *set is
 * another one; 0: none has changed; -EIO or -ENOMEM: *set is as before. Others
 * are offered that list by `r`, of which none is taken: a list may be older
 * than what states of single jobs have told meanwhile, or than a submission.
 */
int ctl_placeholders_load(struct ctl_reader *r, struct ctl_placeholders **set,
			  const struct placed_known *known, struct err *err);

/* The number of jobs, and the i-th, borrowed, i below that number. */
size_t ctl_placeholders_count(const struct ctl_placeholders *s);
const struct placed *ctl_placeholders_at(const struct ctl_placeholders *s,
					 size_t i);
/*
 * True for a job that has not ended and is not in the set, as it has no
 * admin_comment of ours. Walks all such jobs. No RPC.
 */
bool ctl_placeholders_is_other(const struct ctl_placeholders *s,
			       uint32_t job_id);

/*
 * Ask for the states of these jobs only: out[i] is of ids[i]. A small RPC from
 * Slurm 24.05 on. 0; -EOPNOTSUPP before that: load them all; -EIO; -ENOMEM.
 */
int ctl_placeholder_states(const uint32_t *ids, size_t n,
			   struct placed_status *out, struct err *err);

#define PLACED_REASON_MAX 300

/*
 * Ask for this job only, and for what ctl_placeholder_states() does not tell:
 * *held: it is PLACED_HELD; then `reason` is as of struct placed. One RPC, for
 * which slurmctld sends one job. 0, and -ENOENT: Slurm does not have it (any
 * more); -EIO.
 */
int ctl_placeholder_held(uint32_t job_id, bool *held,
			 char reason[PLACED_REASON_MAX], struct err *err);

/* What a running job has on one of its nodes. */
struct placed_node {
	const char *name;
	uint32_t cpus;
	uint64_t memory_mib; /* 0: all that the node has */
	const char *gres;    /* "gpu:a100:2(IDX:0-1)", or ""; see gres_text.h */
};

/*
 * A running job's nodes, in the order of slurmctld's table of nodes or of the
 * job's hostlist. Two RPCs, for this job only: once after it has started; and
 * one for all nodes, if it has become smaller and has not the same on each.
 * -ENOENT: it does not run (any more); -EAGAIN: slurmctld itself does not have
 * all of them; -ESTALE: they changed between two RPCs; -EIO; -ENOMEM.
 */
struct ctl_layout;
int ctl_layout_load(uint32_t job_id, struct ctl_layout **out, struct err *err);
void ctl_layout_free(struct ctl_layout *l);
DEFINE_CLEANUP(struct ctl_layout, ctl_layout_freep, ctl_layout_free)
/* The number of nodes. */
size_t ctl_layout_count(const struct ctl_layout *l);

/*
 * Which nodes those are, as one text in Slurm's words ("n[0-1]"), which the
 * caller frees; and what it has, but for its gres, which the list tells for the
 * whole of a job, and not for each node. One RPC. Errors as of
 * ctl_layout_load().
 */
int ctl_layout_names(uint32_t job_id, char **out, struct placed_share *has,
		     struct err *err);

/* The i-th node, borrowed; i is below ctl_layout_count(). */
const struct placed_node *ctl_layout_at(const struct ctl_layout *l, size_t i);

#endif
