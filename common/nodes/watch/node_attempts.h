/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is remembered of what was done about a node, so that it is not done
 * again at once: nodes/reconcile/node_limit.h. All times are monotonic, ms.
 */
#ifndef SLURMK8S_NODES_WATCH_NODE_ATTEMPTS_H
#define SLURMK8S_NODES_WATCH_NODE_ATTEMPTS_H

#include "nodes/pod/pod_annotations.h"
#include "nodes/watch/node_view.h"

/*
 * What was done in its present power state. Zeroed: nothing was done yet.
 */
struct node_attempts {
	enum node_action acted; /* what was done last in Slurm, and when */
	int64_t acted_at;
	int64_t create_after; /* its pod is not made before */
	unsigned int creates;
	int64_t delete_after; /* its pod is not deleted before */
	unsigned int deletes;
	int64_t look_after; /* its pod is not asked for by name before */
	unsigned int looks;
	struct note_pace noted;
	bool rechecked;	      /* that its pod's template is old */
	bool rolling;	      /* it is to be powered down for that */
	bool failure_counted; /* and logged */
	bool features_tried;  /* its features were corrected */
};

/* Notes on its pod on which only steps are new: nodes/jobs/steps_turn.h. */
struct steps_pace {
	uint32_t noted; /* checksum of the last ones */
	int64_t after;	/* other ones are not noted before */
	/* nor are they before this; 0: it has not asked for its turn */
	int64_t turn;
};

#endif
