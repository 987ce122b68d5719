/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which of the idle nodes are to be powered down for a job that waits for nodes
 * with other features (nodes/features/feature_switch.c). Pure: no I/O, no
 * clock. Any thread, one at a time for a struct.
 */
#ifndef SLURMK8S_NODES_FEATURES_SWITCH_DECIDE_H
#define SLURMK8S_NODES_FEATURES_SWITCH_DECIDE_H

#include "nodes/features/constraint.h"

/* What a node has, or what a job needs on each. 0: it is not known. */
struct switch_size {
	uint32_t cpus;
	uint64_t memory_mib;
	const char *gres; /* NULL: none */
};

/*
 * True if the node has what the job needs there, if nobody else is there; what
 * is not known of the node counts as enough.
 */
bool switch_fits(const struct switch_size *node, const struct switch_size *job);

/* A node of a nodeset. Texts are borrowed and may be NULL. */
struct switch_node {
	bool up, powered_down, powering_down; /* all false: powering up */
	bool ending;	      /* told to power down, which has not begun */
	bool in_use;	      /* busy, down or drained */
	bool unsure;	      /* rebooting, or slurmd does not respond */
	const char *features; /* available features; `active`: active ones */
	const char *active;
	const struct features *known;
	feature_set offered; /* features that its nodeset offers */
};

enum switch_use {
	SWITCH_NO_USE, /* not for this job, or not now */
	SWITCH_READY,  /* Slurm can give it to the job at once */
	SWITCH_SOON,   /* powering down: Slurm can use it afterwards */
	SWITCH_NEEDS_POWER_DOWN, /* to be powered down, to get other features */
};

/*
 * True if the node is up and idle, responds, and is not about to power down or
 * reboot.
 */
bool switch_is_idle(const struct switch_node *n);

/*
 * True if the node powers down, or will within seconds, at Slurm's next look.
 */
bool switch_goes_down(const struct switch_node *n);

/* What the node is worth to one alternative of a job's request `r`. */
enum switch_use switch_use_of(const struct switch_node *n,
			      const struct constraint *r,
			      const struct alternative *a);

/*
 * The nodes for one alternative, counted one by one. The caller sets `wanted`
 * and `held`; the rest is zero at first.
 */
struct switch_count {
	size_t wanted;
	bool held; /* held by Slurm: to be released when all is ready */
	size_t ready, soon, others;
};

/* Count one more node. Returns switch_enough() of the new count. */
bool switch_add(struct switch_count *c, enum switch_use use);

/*
 * True if the job has enough nodes, so that more need not be looked at. Nodes
 * that power down count unless the job is held: it has to be released when it
 * can have all its nodes at once.
 */
bool switch_enough(const struct switch_count *c);

/* True if the job can have all its nodes at once. */
bool switch_now(const struct switch_count *c);

/*
 * How many nodes with other features to power down: as many as the job lacks
 * beyond those that Slurm can use, or soon can. -1: there are not so many.
 */
int64_t switch_lacks(const struct switch_count *c);

/* --- what becomes of the job */

#define SWITCH_RELEASE_MS 60000 /* pause between two releases of a job */

/* What came of the last alternative that was looked at. */
struct switch_outcome {
	bool held;	 /* Slurm holds it, for BadConstraints */
	bool has_all;	 /* switch_now() */
	bool some_soon;	 /* nodes that it could have are powering down */
	bool power_down; /* nodes are to be powered down for it now */
};

/* True if the job is to be released, as Slurm can start it at once. */
bool switch_releases(const struct switch_outcome *f);

/*
 * True if the search for the job is to be repeated soon, as nobody else would
 * release it.
 */
bool switch_goes_on(const struct switch_outcome *f);

struct released_jobs; /* nodes/watch/nodes.h */

/*
 * True if the job may be released, which is then remembered. False: it was
 * released within SWITCH_RELEASE_MS, and there may be other reasons why it is
 * held. now_ms: monotonic.
 */
bool switch_may_release(struct released_jobs *r, uint32_t job_id,
			int64_t now_ms);

/*
 * How long to rest after a search that took so long, both ms: 50 times as long,
 * a minute at most.
 */
int64_t switch_pause(int64_t took);

#endif
