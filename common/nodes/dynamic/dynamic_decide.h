/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is to be done about a node that is in no slurm.conf. Pure: no I/O, no
 * clock. Any thread, one at a time for a struct.
 */
#ifndef SLURMK8S_NODES_DYNAMIC_DYNAMIC_DECIDE_H
#define SLURMK8S_NODES_DYNAMIC_DYNAMIC_DECIDE_H

#include "config/create_nodes.h"

/* One node, as Slurm, k8s.yaml and Kubernetes see it. */
struct dynamic_view {
	bool known;	      /* known to Slurm; else only `wanted` counts */
	bool dynamic;	      /* not named in slurm.conf */
	bool cloud;	      /* State=CLOUD */
	bool asleep;	      /* powered down, nothing runs or changes there */
	bool settled;	      /* not DOWN, and not drained */
	bool reserved;	      /* in a begun reservation: Slurm keeps the node */
	bool replaced;	      /* created anew for the nodeset's present size */
	bool refused;	      /* new size refused by Slurm, or not yet tried */
	const char *features; /* available features; NULL: none */
	uint32_t cpus;
	uint64_t memory_mib;
	bool podless; /* all clusters are in view, none has its pod */
	bool in_nodeset;
	const struct create_nodes *wanted; /* nodeset's `create`; NULL: none */
};

enum create_do {
	CREATE_KEEP,
	CREATE_NEW,
	CREATE_DELETE,	/* no nodeset has the node any more */
	CREATE_REPLACE, /* the size differs: delete it, create it anew */
};

/*
 * Decide about one node. Deleted is only what we have created, while it is
 * powered down, reserved by nobody, and without a pod.
 */
enum create_do dynamic_decide(const struct dynamic_view *v);

/* --- when; times are monotonic, ms */

struct create_backoff; /* nodes/watch/nodes.h */

/*
 * True if nodesets and nodes are to be compared: from `at` on, or when Slurm
 * has another number of nodes than was `seen` last.
 */
bool dynamic_is_due(int64_t at, size_t seen, size_t nodes, int64_t now_ms);

enum create_turn {
	CREATE_NOT_YET, /* Slurm has refused it lately */
	CREATE_SOON,	/* the lease, or the pods, are not there: look again */
	CREATE_MAY,
};

/*
 * Whether nodes may be created or deleted now. `has_cluster`: the lease is held
 * for a creation, or the pods are in view for a deletion.
 */
enum create_turn dynamic_turn(const struct create_backoff *b, bool has_cluster,
			      int64_t now_ms);

/*
 * Note that Slurm has refused it with these words: it is tried again after
 * *again_ms, which grows from 5 s to 10 min. True: these are other words than
 * the last time, so the log is to have them.
 */
bool dynamic_refused(struct create_backoff *b, const char *words,
		     int64_t now_ms, int64_t *again_ms);

/* Note that Slurm has done it: refusals before it count no more. */
void dynamic_worked(struct create_backoff *b);

#endif
