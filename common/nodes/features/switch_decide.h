/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A job waits for nodes with some features: which of the idle ones with other
 * features are to be powered down for it (nodes/features/feature_switch.c)?
 * Pure. Any thread.
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

/* Has the node what the job needs there, if nobody else is there? */
bool switch_fits(const struct switch_size *node, const struct switch_size *job);

/* A node of a nodeset. Texts are borrowed and may be NULL. */
struct switch_node {
	bool up, powered_down, powering_down; /* none: it powers up */
	bool ending;	      /* to power down, which has not begun */
	bool in_use;	      /* busy, down or drained */
	bool unsure;	      /* it reboots, or does not respond */
	const char *features; /* available, and active ones */
	const char *active;
	const struct features *known;
	feature_set offered; /* by its nodeset */
};

enum switch_use {
	SWITCH_NO_USE,		 /* not for this job, or not now */
	SWITCH_READY,		 /* Slurm can give it to the job at once */
	SWITCH_SOON,		 /* when it has powered down */
	SWITCH_NEEDS_POWER_DOWN, /* when it is powered down */
};

/* Up, and nobody has it or wants something of it. */
bool switch_is_idle(const struct switch_node *n);

/* It powers down, or will at Slurm's next look. */
bool switch_goes_down(const struct switch_node *n);

/* What the node is worth to one alternative of a job's request. */
enum switch_use switch_use_of(const struct switch_node *n,
			      const struct constraint *r,
			      const struct alternative *a);

/* The nodes for one alternative, counted one by one. Zeroed but for two. */
struct switch_count {
	size_t wanted;
	bool held; /* it must be released when it can have all at once */
	size_t ready, soon, others;
};

/* One more. True: the job has enough, more need not be looked at. */
bool switch_add(struct switch_count *c, enum switch_use use);
bool switch_enough(const struct switch_count *c);

/* Can it have all at once? */
bool switch_now(const struct switch_count *c);

/*
 * What it lacks beyond the nodes that Slurm can use is worth as many with other
 * features, if there are enough. -1: there are not; else how many to power
 * down.
 */
int64_t switch_lacks(const struct switch_count *c);

/* --- what becomes of the job */

#define SWITCH_RELEASE_MS 60000 /* a job is released no more often */

/* Of the last alternative that was looked at. */
struct switch_outcome {
	bool held;	 /* Slurm holds it, for BadConstraints */
	bool has_all;	 /* switch_now() */
	bool some_soon;	 /* nodes that it could have power down */
	bool power_down; /* some are powered down for it now */
};

/* Is it to be released? Slurm can start it at once. */
bool switch_releases(const struct switch_outcome *f);

/* Is its search to be repeated soon, as nobody else would release it? */
bool switch_goes_on(const struct switch_outcome *f);

struct released_jobs;

/*
 * Not once more in a minute, as there may be other reasons why it is held.
 * True: it is remembered as released now (monotonic ms).
 */
bool switch_may_release(struct released_jobs *r, uint32_t job_id,
			int64_t now_ms);

/* How long to rest after a search of so long. Both ms. */
int64_t switch_pause(int64_t took);

#endif
