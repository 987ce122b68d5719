/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "paused.h"

#include "base/str.h"

enum pause_verdict paused_judge(const struct config *c,
				const struct nodeset *set,
				const struct ctl_node *node, bool pause)
{
	bool paused = node->drained && node->reason &&
		      str_starts(node->reason, PAUSED_REASON);

	if (config_nodeset_of(c, node->name) != set)
		return PAUSE_NOT_ITS;
	if (!pause)
		return paused ? PAUSE_UNDRAIN : PAUSE_DONE;
	if (node->drained)
		return paused ? PAUSE_DONE : PAUSE_THEIRS;
	/*
	 * update_node() in slurmctld's node_mgr.c: a drain of a node that a job
	 * has, and that is not up, ends that job, or puts it back in the queue.
	 */
	return node->power == CTL_POWERING_UP ||
			       (node->busy && node->power != CTL_UP)
		       ? PAUSE_LATER
		       : PAUSE_DRAIN;
}
