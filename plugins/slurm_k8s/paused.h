/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which nodes of a nodeset are paused, or taken out of that. Pure. */
#ifndef SLURMK8S_TOOL_PAUSED_H
#define SLURMK8S_TOOL_PAUSED_H

#include "config/config.h"
#include "slurm/ctl.h"

/* The Reason of a paused node begins so. (The engine leaves it alone.) */
#define PAUSED_REASON "slurm-k8s pause"

enum pause_verdict {
	PAUSE_NOT_ITS, /* of another nodeset */
	PAUSE_DONE,    /* as it is to be */
	PAUSE_DRAIN,
	PAUSE_UNDRAIN,
	PAUSE_THEIRS, /* somebody else has drained it: left alone */
	PAUSE_LATER,  /* to drain it now would end the job it boots for */
};

/* What is to be done to a node that is to be paused, or not any more. */
enum pause_verdict paused_judge(const struct config *c,
				const struct nodeset *set,
				const struct ctl_node *node, bool pause);

#endif
