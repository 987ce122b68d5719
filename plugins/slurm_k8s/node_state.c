/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "node_state.h"

#include <stdio.h>

static const char *const powers[] = {
	[CTL_POWERED_DOWN] = "+POWERED_DOWN",
	[CTL_POWERING_UP] = "+POWERING_UP",
	[CTL_UP] = "",
	[CTL_POWERING_DOWN] = "+POWERING_DOWN",
};

void node_state_words(const struct ctl_node *node, char out[NODE_STATE_MAX])
{
	const char *base = node->down	? "DOWN"
			   : node->busy ? "ALLOCATED"
					: "IDLE";

	snprintf(out, NODE_STATE_MAX, "%s%s%s%s%s%s%s", base,
		 node->failing	 ? "+FAIL"
		 : node->drained ? "+DRAIN"
				 : "",
		 powers[node->power], node->ending ? "+POWER_DOWN" : "",
		 node->no_respond ? "+NOT_RESPONDING" : "",
		 node->reboot_asked ? "+REBOOT_REQUESTED"
		 : node->rebooting  ? "+REBOOT_ISSUED"
				    : "",
		 node->external ? "+EXTERNAL" : "");
}
