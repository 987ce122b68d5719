/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which nodes of a nodeset are paused, or taken out of that. Pure. Any thread.
 */
#ifndef SLURMK8S_TOOL_PAUSED_H
#define SLURMK8S_TOOL_PAUSED_H

#include "config/config.h"
#include "slurm/ctl.h"

/*
 * How the Reason of a paused node begins: the engine leaves such a node alone.
 */
#define PAUSED_REASON "slurm-k8s pause"

enum pause_verdict {
	PAUSE_NOT_ITS, /* the node is of another nodeset */
	PAUSE_DONE,    /* the node is as it is to be */
	PAUSE_DRAIN,
	PAUSE_UNDRAIN,
	PAUSE_THEIRS, /* somebody else has drained it: left alone */
	PAUSE_LATER,  /* to drain it now would end the job it boots for */
};

/* What is to be done to a node; `pause`: it is to be paused, else resumed. */
enum pause_verdict paused_judge(const struct config *c,
				const struct nodeset *set,
				const struct ctl_node *node, bool pause);

#endif
