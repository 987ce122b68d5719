/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "slurm/ctl_external.h"

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "slurm/ctl.h"
#include "slurm/ctl_create.h"
#include "slurm/release.h"
#include "slurm/rpc.h"

static int known(struct err *err)
{
	return release_external()
		       ? 0
		       : err_set(err, -EOPNOTSUPP,
				 "Slurm %s has no external nodes: they came "
				 "with 25.05",
				 ctl_version());
}

/* The value of "NodeName=" in the line; the caller frees. */
static char *names_of(const char *line)
{
	static const char key[] = "NodeName=";
	const char *at = strstr(line, key);

	if (!at)
		return NULL;
	at += sizeof(key) - 1;
	return strndup(at, strcspn(at, " \t"));
}

int ctl_external_create(const char *line, struct err *err)
{
	_cleanup_free_ char *names = NULL, *addresses = NULL, *text = NULL;
	int rc = known(err);

	if (rc)
		return rc;
	names = names_of(line);
	addresses = names ? rpc_no_addresses(names) : NULL;
	if (!addresses)
		return err_set(err, -EINVAL, "the line names no nodes: %s",
			       line);
	text = str_printf("%s NodeAddr=%s State=EXTERNAL" RELEASE_EXTERNAL_NODE,
			  line, addresses);
	return text ? ctl_nodes_create(text, err) : err_oom(err);
}

int ctl_external_delete(const char *nodes, struct err *err)
{
	int rc = known(err);

	return rc ? rc : ctl_nodes_delete(nodes, err);
}

int ctl_external_update(const char *nodes, const char *features,
			const char *topology, struct err *err)
{
	update_node_msg_t msg;
	int rc = known(err);

	if (rc)
		return rc;
	slurm_init_update_node_msg(&msg);
	msg.node_names = (char *)nodes;
	msg.features = (char *)features;
	msg.features_act = (char *)features;
	release_set_topology(&msg, topology);
	errno = 0;
	return slurm_update_node(&msg)
		       ? rpc_err(err, "slurmctld refuses the update of nodes")
		       : 0;
}

int ctl_external_drain(const char *nodes, const char *reason, struct err *err)
{
	int rc = known(err);

	return rc ? rc : ctl_node_update(nodes, CTL_DRAIN, reason, err);
}

int ctl_external_down(const char *nodes, const char *reason, struct err *err)
{
	int rc = known(err);

	return rc ? rc : ctl_node_update(nodes, CTL_DOWN, reason, err);
}

int ctl_external_resume(const char *nodes, struct err *err)
{
	int rc = known(err);

	return rc ? rc : ctl_node_update(nodes, CTL_RESUME, NULL, err);
}
