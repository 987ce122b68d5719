/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Slurm's external nodes, kept in step with the Kubernetes nodes that have the
 * label. The bridge's thread only; times are monotonic.
 */
#ifndef SLURMK8S_EXTERNAL_EXTERNAL_NODES_H
#define SLURMK8S_EXTERNAL_EXTERNAL_NODES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"
#include "cluster/claims.h"
#include "cluster/cluster.h"
#include "config/config.h"
#include "external/external_size.h"
#include "external/inventory.h"
#include "slurm/ctl.h"
#include "slurm/ctl_reader.h"

/*
 * Slurm's nodes, which other files read, too; set by slurm_nodes.c and
 * slurm_nodes_expire().
 */
struct slurm_nodes {
	struct ctl_nodes *nodes; /* NULL: not known yet */
	int64_t read_at; /* when they were read; 0: not since we changed some */
	/*
	 * When slurmctld had last answered, or not; how long that took; the
	 * less of the last two such times; and until when it is not asked after
	 * an error.
	 */
	int64_t asked_at, took_ms, cost_ms, rest_until;
	struct ctl_read read; /* when `nodes` were asked for */
	int64_t expired_at;   /* when slurm_nodes_expire() was called last */
	uint64_t hosts_views;
	uint32_t names_sum;
	bool hosts_ready;
};

/* Nodes that are named by jobs that wait; set by node_removal.c. */
struct named_nodes {
	int64_t until;	/* until when a node waits for jobs' lists to change */
	int64_t ask_at; /* when a list of jobs may be asked for next */
};

/*
 * What is to be done, and when; set by external_nodes.c and external_actions.c.
 */
struct external_step {
	int64_t at;	  /* when the next step has something to do */
	uint64_t version; /* changes with the nodes of Kubernetes and Slurm */
	uint64_t hosts_version; /* inventory_version() at the last step */
	unsigned int turn;	/* kind of action that is done first */
	int64_t nodes_at;	/* up to when Kubernetes' nodes are seen */
};

/*
 * Nodes that are created or made anew; set by external_nodes_create.c,
 * external_actions.c and external_nodes.c.
 */
struct external_creations {
	unsigned int refused; /* steps in a row in which Slurm took none */
	/* when nodes that Slurm refused may be tried; 0: any time */
	int64_t at;
	/*
	 * How often nodes were made anew, that is, deleted and created. Slurm
	 * gives such a node the first place in its table that is free, and goes
	 * by places: ExcNodeList and NodeList of a job that waits mean other
	 * nodes then than they name, until the job is updated.
	 */
	unsigned int anew;
	/* monotonic: begin of the minute that `lost` counts in */
	int64_t lost_since;
	unsigned int lost;
	/* nodes deleted to be made anew, and not created yet */
	unsigned int unmade;
};

/* Which nodes reservations have, of this step; set by promised_nodes.c. */
struct promised_nodes {
	struct ctl_reserved *now; /* NULL: not known in this step */
	bool asked;		  /* a decision depends on it */
	int64_t ask_at;		  /* when they may be asked for next */
};

/* In parts, each of which is written by the files that its comment names; the
 * rest by whoever makes it, and external_memo.c. */
struct external_nodes {
	/*
	 * The members up to `arg` are borrowed, and set before the first step.
	 */
	const struct config *config;
	/* the part of `config` for the bridge */
	const struct bridge_config *bridge;
	struct ctl_reader *reader; /* NULL: no other thread reads nodes */
	struct cluster *cluster;
	struct inventory *inventory; /* nodes of Kubernetes */
	struct claims *claims;
	const atomic_bool *stop; /* set: no RPC begins any more */
	/*
	 * True if this job has nodes, and was made for pods that are bridged no
	 * more (those of another schedulerName).
	 */
	bool (*job_has_nodes)(void *arg, uint32_t job_id);
	void *arg;
	/* slurm.conf has a node with nothing but suspended jobs seem idle */
	bool hides_suspended;
	/* The three members below are set by the bridge before each step. */
	bool view_is_old; /* the view of Kubernetes is: see stale_decide.h */
	/* ms: age of the view of Kubernetes' nodes, as the step began */
	int64_t nodes_age;
	bool lists_change; /* jobs that wait are being told other nodes */

	struct external_node_memo *memos;
	struct slurm_nodes slurm;
	struct named_nodes named;
	struct external_step step;
	struct external_size_renewals renewals;
	struct external_creations creations;
	struct promised_nodes promised;
	struct disruption disruption; /* lost_nodes.c */
};

/*
 * Read Slurm's nodes if it is time, look at both sides, and do what is to be
 * done, with RPCs to slurmctld for some seconds at most. Without a lock.
 * Nothing is done while the lease is not ours, or before both sides have been
 * read. True: the nodes are others than before, so what waits may fit some now.
 */
bool external_nodes_step(struct external_nodes *e);

/*
 * Note that we have changed nodes: nothing is planned by what was asked for
 * before.
 */
static inline void slurm_nodes_expire(struct external_nodes *e)
{
	e->slurm.read_at = 0;
	e->slurm.expired_at = clock_ms();
}

/* Free what it has made; what is borrowed stays. */
void external_nodes_free(struct external_nodes *e);

/* --- node_counts.c; under the lock of the hosts */

/*
 * True if it is a Slurm node that pods may get: Slurm has it, and host_leaves()
 * is false. No other node may be named to Slurm. False before Slurm's nodes
 * have been read.
 */
bool node_counts(struct external_nodes *e, const struct inventory_node *x);

/*
 * True if it is an external node of ours whose Kubernetes node has lost the
 * label, and that is drained or down, so that no new job gets it. It is deleted
 * when it may be.
 */
bool host_leaves(const struct inventory_node *x, const struct ctl_node *node);

/* --- lost_nodes.c, all under the lock of the hosts */

/*
 * For how many ms what was lost at `at` (monotonic; 0: nothing was) has been
 * so, without a disruption, as far as Kubernetes' nodes were seen: since then
 * it may be back.
 */
int64_t disruption_lost_for(const struct external_nodes *e, int64_t at);

/*
 * True if it is an external node, and no Kubernetes node that is seen has its
 * name.
 */
bool disruption_is_orphan(struct external_nodes *e,
			  const struct ctl_node *node);

/*
 * For how many ms such a node has been so: as disruption_lost_for(). The first
 * call begins to count, and gives 0, as it does without memory.
 */
int64_t disruption_orphan_for(struct external_nodes *e,
			      const struct ctl_node *node);

/*
 * Find out whether so many nodes are lost that it is a disruption
 * (cluster/disruption.h); the log says when one begins and when it ends.
 * Slurm's nodes have been read.
 */
void disruption_see(struct external_nodes *e);

/* --- promised_nodes.c */

/*
 * Read which nodes reservations have, also those to come, if a decision of the
 * last step depends on it. One RPC, each 2 s, or for a fiftieth of the time, at
 * most; none while nothing depends on it. Without a lock.
 */
void promised_nodes_begin(struct external_nodes *e);

/*
 * Set *by to the name of a reservation that has the node, or to NULL; it lasts
 * until promised_nodes_end(). 0: it is known. Else it is not, and will be in a
 * step from that time on (monotonic, ms). No RPC.
 */
int64_t promised_node_by(struct external_nodes *e, const char *node,
			 const char **by);

/* Forget what was read. */
void promised_nodes_end(struct external_nodes *e);

/* --- hybrid_nodes.c, under the lock of the hosts */

/*
 * For how many ms, without a disruption, a node with a slurmd that we have
 * drained has had no Kubernetes node with the label: that one is gone, or has
 * lost the label. 0: it has one, it is not known, or memory is short.
 */
int64_t hybrid_left_for(struct external_nodes *e, const struct ctl_node *node);

/* --- slurm_nodes.c; without a lock */

/*
 * Take Slurm's nodes from another thread that has read them, or else by one RPC
 * if it is time: each 2 s, or for a fiftieth of the time, and sooner after
 * slurm_nodes_expire(). Ours are never older than by such RPCs alone. True:
 * they are others than before. After an error those of before stay.
 */
bool slurm_nodes_refresh(struct external_nodes *e);

/*
 * True if either side has other nodes than at the last call, as far as waiting
 * pods may get them. `news`: slurm_nodes_refresh() was true; without it Slurm's
 * are not looked at. Takes the lock of the hosts. No RPC.
 */
bool slurm_nodes_changed(struct external_nodes *e, bool news);

#endif
