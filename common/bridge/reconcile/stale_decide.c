/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bridge/reconcile/stale_decide.h"

#include <stdio.h>

/*
 * True if the job has surely ended, so that its pods may not run, whatever an
 * old view shows of them. A job that Slurm does not know any more has ended if
 * it was seen to end.
 */
static bool has_ended(const struct group_view *v)
{
	switch (v->job) {
	case PLACEHOLDER_COMPLETING:
	case PLACEHOLDER_ENDED:
		return true;
	case PLACEHOLDER_PENDING:
	case PLACEHOLDER_HELD:
		return v->requeued;
	case PLACEHOLDER_NONE:
		return v->end != PLACEHOLDER_NOT_ENDED;
	case PLACEHOLDER_UNKNOWN:
	case PLACEHOLDER_STARTING:
	case PLACEHOLDER_RUNNING:
	case PLACEHOLDER_SUSPENDED:
		break;
	}
	return false;
}

void group_decide_stale(const struct group_view *v, struct group_decision *out)
{
	const struct group_counts *p = &v->pods;
	/* A pod that waits in this view may have been bound unseen. */
	const bool any = p->live || (p->waiting && v->bound);

	*out = (struct group_decision){.action = GROUP_KEEP, .row = "stale"};
	if (!v->job_id || !any || v->other_scheduler || !has_ended(v))
		return;
	out->action = GROUP_DELETE_PODS;
	out->row = "stale, ended";
	out->look = true;
	out->waiting_too = v->bound;
	out->job_id = v->job_id;
	out->grace_s =
		p->grace_s < v->kill_wait_s ? p->grace_s : v->kill_wait_s;
	snprintf(out->words, sizeof(out->words), "job %u does not run any more",
		 v->job_id);
}
