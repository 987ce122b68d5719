/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * DRAIN on a node that is powering up makes Slurm requeue its jobs at once
 * and keeps new ones away. POWER_DOWN_FORCE ends the power-up: with its next
 * scan Slurm has the nodes powering down and runs SuspendProgram. RESUME then
 * makes them powered down without waiting for SuspendTimeout; not when a pod
 * may have been made unseen: SuspendProgram needs its time to delete it.
 */
#include "giveback.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/str.h"
#include "model/wellknown.h"
#include "slurm/ctl.h"

#define POWER_DOWN_MS 15000

void giveback_add(struct giveback *g, const char *node)
{
	char *list =
		g->list ? str_printf("%s,%s", g->list, node) : strdup(node);

	if (!list || hostlist_expand(node, &g->nodes, NULL)) {
		free(list);
		return;
	}
	free(g->list);
	g->list = list;
}

void giveback_clear(struct giveback *g)
{
	hostlist_clear(&g->nodes);
	free(g->list);
	free(g->reason);
	g->list = g->reason = NULL;
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
	int rc = ctl_node_update(g->list, what, reason, &err);

	if (rc)
		log_error("%s: %s", g->list, err.msg);
	return rc;
}

static void comment(const struct giveback *g)
{
	struct err err = {0};

	for (size_t i = 0; i < g->nodes.n; i++)
		if (ctl_node_comment(g->slurm_nodes, g->nodes.names[i],
				     g->reason, &err))
			log_warn("%s: %s", g->nodes.names[i], err.msg);
}

void giveback_begin(struct giveback *g, const char *why)
{
	char text[WK_REASON_MAX];
	struct err err = {0};

	ctl_reason(why, text);
	g->reason = strdup(text);
	if (!g->list || !g->reason)
		return;
	if (g->job_id && ctl_job_comment(g->job_id, text, &err))
		log_warn("job %u: %s", g->job_id, err.msg);
	if (!job_may_requeue(g)) {
		comment(g);
		log_warn("%s: job %u cannot be requeued and stays until "
			 "ResumeTimeout: %s",
			 g->list, g->job_id, text);
		return;
	}
	g->drained = !update(g, CTL_DRAIN, text);
	if (g->job_id && g->drained)
		log_warn("job %u goes back to the queue, nodes %s to idle: %s",
			 g->job_id, g->list, text);
	else if (g->drained)
		log_warn("nodes %s go back to idle: %s", g->list, text);
}

void giveback_power_down(struct giveback *g)
{
	if (g->drained && update(g, CTL_POWER_DOWN_FORCE, NULL))
		g->drained = false;
}

void giveback_end(const struct giveback *g)
{
	struct err err = {0};

	if (!g->drained)
		return;
	if (g->undecided) {
		update(g, CTL_UNDRAIN, NULL);
	} else if (ctl_wait_powering_down(g->nodes.names, g->nodes.n,
					  POWER_DOWN_MS, &err)) {
		log_warn("%s: %s", g->list, err.msg);
		update(g, CTL_UNDRAIN, NULL);
	} else {
		update(g, CTL_RESUME, NULL); /* it clears the Reason */
	}
	comment(g);
}
