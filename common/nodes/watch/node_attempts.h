/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is remembered of what was done about a node, so that it is not done
 * again at once: nodes/reconcile/node_limit.h. All times are monotonic, ms. Any
 * thread, one at a time for a struct; those of struct nodes: the engine's.
 */
#ifndef SLURMK8S_NODES_WATCH_NODE_ATTEMPTS_H
#define SLURMK8S_NODES_WATCH_NODE_ATTEMPTS_H

#include "nodes/pod/pod_annotations.h"
#include "nodes/watch/node_view.h"

/*
 * What was done in its present power state. Zeroed: nothing was done yet.
 */
struct node_attempts {
	enum node_action acted; /* last action in Slurm; acted_at: its time */
	int64_t acted_at;
	int64_t create_after; /* when its pod may be made (again) */
	unsigned int creates;
	int64_t delete_after; /* when its pod may be deleted (again) */
	unsigned int deletes;
	int64_t look_after; /* when its pod may be asked for (again) */
	unsigned int looks;
	struct note_pace noted;
	bool rechecked;	      /* k8s.yaml was read again, for its old pod */
	bool rolling;	      /* has its turn to power down for a new pod */
	bool failure_counted; /* a failed power-up was counted and logged */
	bool features_tried;  /* NODE_SET_FEATURES was tried */
};

/* Pace of notes on which only steps are new: nodes/jobs/steps_turn.h. */
struct steps_pace {
	uint32_t noted; /* checksum of the steps that were noted last */
	int64_t after;	/* when other steps may be noted */
	/* when its turn is; 0: none was asked for */
	int64_t turn;
};

#endif
