/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bridge/reconcile/stale_decide.h"

#include <stdio.h>

/*
 * Its pods may not run, whatever they look like from here. (One that Slurm does
 * not know any more has ended if it was seen to end.)
 */
static bool has_ended(const struct bridge_view *v)
{
	switch (v->job) {
	case BRIDGE_COMPLETING:
	case BRIDGE_ENDED:
		return true;
	case BRIDGE_PENDING:
	case BRIDGE_HELD:
		return v->requeued;
	case BRIDGE_NONE:
		return v->end != BRIDGE_NOT_ENDED;
	case BRIDGE_UNKNOWN:
	case BRIDGE_STARTING:
	case BRIDGE_RUNNING:
	case BRIDGE_SUSPENDED:
		break;
	}
	return false;
}

void bridge_plan_stale(const struct bridge_view *v, struct bridge_do *out)
{
	const struct bridge_pods *p = &v->pods;
	/* (one that waits may have been bound unseen) */
	const bool any = p->live || (p->waiting && v->bound);

	*out = (struct bridge_do){.action = BRIDGE_KEEP, .row = "stale"};
	if (!v->job_id || !any || v->strange || !has_ended(v))
		return;
	out->action = BRIDGE_DELETE_PODS;
	out->row = "stale, ended";
	out->look = true;
	out->waiting_too = v->bound;
	out->job_id = v->job_id;
	out->grace_s =
		p->grace_s < v->kill_wait_s ? p->grace_s : v->kill_wait_s;
	snprintf(out->words, sizeof(out->words), "job %u does not run any more",
		 v->job_id);
}
