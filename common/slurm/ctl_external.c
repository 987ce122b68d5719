/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "slurm/ctl_external.h"

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "slurm/ctl.h"
#include "slurm/ctl_create.h"
#include "slurm/ctl_steps.h"
#include "slurm/release.h"
#include "slurm/rpc.h"
#include "syntax/wellknown.h"

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

	return rc ? rc
		  : ctl_node_update(nodes,
				    release_external_drains() ? CTL_DRAIN
							      : CTL_FAIL,
				    reason, err);
}

int ctl_external_down(const char *nodes, const char *reason, struct err *err)
{
	int rc = known(err);

	return rc ? rc : ctl_node_update(nodes, CTL_DOWN, reason, err);
}

/*
 * Where the RESUME of a node that is DOWN would wait for a slurmd for ever:
 * IDLE brings back the nodes without jobs, whatever their state, and RESUME
 * then the others, which can only be FAIL. An administrator's DRAIN stays until
 * the node is empty.
 */
static int bring_back(const char *nodes, struct err *err)
{
	struct err busy = {0};

	return ctl_node_update(nodes, CTL_IDLE, NULL, &busy) == 0
		       ? 0
		       : ctl_node_update(nodes, CTL_RESUME, NULL, err);
}

int ctl_external_resume(const char *nodes, struct err *err)
{
	int rc = known(err);

	if (rc)
		return rc;
	return release_external_drains()
		       ? ctl_node_update(nodes, CTL_RESUME, NULL, err)
		       : bring_back(nodes, err);
}

/* --- creation */

static int is_busy(const char *node, bool *busy, struct err *err)
{
	_cleanup_(ctl_nodes_freep) struct ctl_nodes *nodes = NULL;
	struct ctl_node found;
	int rc = ctl_nodes_load_one(node, &nodes, err);

	if (!rc)
		*busy = ctl_nodes_find(nodes, node, &found) && found.busy;
	return rc;
}

/* The line without GresConf, where slurmctld does not know it; caller frees. */
static char *known_words(const char *line)
{
	const char *at = strstr(line, " GresConf=");

	if (!at || release_gres_conf())
		return strdup(line);
	return str_printf("%.*s%s", (int)(at - line), line,
			  at + 1 + strcspn(at + 1, " "));
}

int ctl_external_create(const char *line, struct err *err)
{
	_cleanup_free_ char *names = NULL, *addresses = NULL, *words = NULL,
			    *text = NULL;
	int rc = known(err);

	if (rc)
		return rc;
	names = names_of(line);
	addresses = names ? rpc_no_addresses(names) : NULL;
	if (!addresses)
		return err_set(err, -EINVAL, "the line names no nodes: %s",
			       line);
	words = known_words(line);
	if (!words)
		return err_oom(err);
	text = str_printf("%s NodeAddr=%s State=EXTERNAL" RELEASE_EXTERNAL_NODE,
			  words, addresses);
	rc = text ? ctl_nodes_create(text, err) : err_oom(err);
	if (rc == -EIO && !release_gres_conf() && strstr(words, "gpu"))
		err_wrap(err, rc,
			 "before Slurm 25.11 the GPUs of such a node must be "
			 "in slurmctld's gres.conf, with NodeName and File");
	return rc;
}

int ctl_external_settle(const char *node, struct err *err)
{
	static const char why[] = WK_REASON_PREFIX "node is new";
	bool busy = false;
	int rc = known(err);

	if (rc || release_external_shares())
		return rc;
	rc = ctl_external_drain(node, why, err);
	if (!rc)
		rc = is_busy(node, &busy, err);
	if (!rc && busy)
		return ctl_external_resume(node, err);
	if (!rc)
		rc = ctl_node_update(node, CTL_DOWN, why, err);
	return rc ? rc : ctl_node_update(node, CTL_IDLE, NULL, err);
}
