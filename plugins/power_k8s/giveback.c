/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * DRAIN on a node that is powering up makes Slurm requeue its jobs at once
 * and keeps new ones away; POWER_DOWN_FORCE ends the power-up; RESUME turns
 * powering down into powered down without waiting for SuspendTimeout. When a
 * pod may have been made unseen there is no RESUME: Slurm runs SuspendProgram,
 * which deletes it.
 */
#include "giveback.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/str.h"
#include "model/wellknown.h"
#include "slurm/ctl.h"

void giveback_add(struct giveback *g, const char *node)
{
	char *s = g->nodes ? str_printf("%s,%s", g->nodes, node) : strdup(node);

	if (!s)
		return;
	free(g->nodes);
	g->nodes = s;
}

void giveback_clear(struct giveback *g)
{
	free(g->nodes);
	g->nodes = NULL;
}

static bool job_may_requeue(const struct giveback *g)
{
	struct err err = {0};
	int rc;

	if (!g->job_id)
		return true;
	rc = ctl_job_requeueable(g->job_id, &err);
	if (rc == -ENOENT)
		return true;
	if (rc < 0)
		log_error("job %u: %s", g->job_id, err.msg);
	return rc == 1;
}

static int update(const struct giveback *g, enum ctl_node_update what,
		  const char *reason)
{
	struct err err = {0};
	int rc = ctl_node_update(g->nodes, what, reason, &err);

	if (rc)
		log_error("%s: %s", g->nodes, err.msg);
	return rc;
}

void giveback_do(const struct giveback *g, const char *why)
{
	char reason[WK_REASON_MAX];
	_cleanup_free_ char *text = str_printf(WK_REASON_PREFIX "%s", why);

	if (!g->nodes || !text)
		return;
	str_copy(reason, text, sizeof(reason));
	if (!job_may_requeue(g)) {
		update(g, CTL_SET_REASON, reason);
		log_warn("%s: job %u cannot be requeued and stays until "
			 "ResumeTimeout: %s",
			 g->nodes, g->job_id, reason);
		return;
	}
	if (update(g, CTL_DRAIN, reason))
		return;
	update(g, CTL_POWER_DOWN_FORCE, NULL);
	update(g, g->undecided ? CTL_UNDRAIN : CTL_RESUME, NULL);
	if (g->job_id)
		log_warn("job %u goes back to the queue, nodes %s to idle: %s",
			 g->job_id, g->nodes, reason);
	else
		log_warn("nodes %s go back to idle: %s", g->nodes, reason);
}
