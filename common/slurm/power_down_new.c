/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "slurm/ctl.h"

#define NAMES_MAX (16u << 20) /* bytes of 65536 names */

int ctl_nodes_power_down_new(const struct ctl_nodes *now, const char *nodes)
{
	_cleanup_free_ char *copy = strdup(nodes);
	_cleanup_buf_ struct buf cloud = BUF_INIT(NAMES_MAX),
				 other = BUF_INIT(NAMES_MAX);
	char *rest = copy, *name;
	struct ctl_node node;
	int rc = copy ? 0 : -ENOMEM, also = 0;

	while (!rc && (name = strsep(&rest, ",")))
		if (ctl_nodes_find(now, name, &node))
			rc = buf_add_item(node.cloud ? &cloud : &other, name);
	if (rc)
		return rc;
	if (cloud.len)
		rc = ctl_node_try(buf_str(&cloud), CTL_POWER_DOWN_NEW, NULL);
	if (other.len)
		also = ctl_node_try(buf_str(&other), CTL_POWER_DOWN_FORCE,
				    NULL);
	return rc ? rc : also;
}
