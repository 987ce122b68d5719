/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "slurm/ctl_create.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "slurm/release.h"
#include "slurm/rpc.h"

bool ctl_creates_nodes(void)
{
	return release_creates_nodes();
}

char *ctl_hostlist_of(char *const names[], size_t n)
{
	release_hostlist list = slurm_hostlist_create("");
	_cleanup_free_ char *text = NULL;
	size_t size = 1;

	if (!list)
		return NULL;
	for (size_t i = 0; i < n; i++) {
		slurm_hostlist_push_host(list, names[i]);
		/* room for a comma, or brackets */
		size += strlen(names[i]) + 3;
	}
	text = malloc(size);
	if (text && slurm_hostlist_ranged_string(list, size, text) < 0)
		*text = '\0';
	slurm_hostlist_destroy(list);
	return text && *text ? steal_ptr(text) : NULL;
}

int ctl_nodes_create(const char *line, struct err *err)
{
	update_node_msg_t msg;

	slurm_init_update_node_msg(&msg);
	msg.extra = (char *)line;
	/* errno has a code only: the words in full are in slurmctld's log. */
	return slurm_create_node(&msg)
		       ? rpc_err(err, "slurmctld refuses to create nodes")
		       : 0;
}

int ctl_nodes_delete(const char *nodes, struct err *err)
{
	update_node_msg_t msg;

	slurm_init_update_node_msg(&msg);
	msg.node_names = (char *)nodes;
	return slurm_delete_node(&msg)
		       ? rpc_err(err, "slurmctld refuses to delete nodes")
		       : 0;
}
