/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "leftover.h"

#include "base/str.h"
#include "syntax/wellknown.h"

const char *leftover_why(const struct pod_row *pod, const struct ctl_node *node,
			 int64_t before_ms)
{
	if (!*pod->node || !*pod->uid || !*pod->name || pod->deleting ||
	    !str_eq(pod->manager, WK_APP_MANAGED_BY) || pod->created_ms < 0 ||
	    pod->created_ms > before_ms)
		return NULL;
	if (!node)
		return "Slurm has no such node";
	if (node->external)
		return NULL;
	/* busy: a job there is completing, or has been given the node */
	return node->power == CTL_POWERED_DOWN && !node->busy
		       ? "its node is powered down"
		       : NULL;
}
