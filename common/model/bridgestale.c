/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/bridgestale.h"

#include <stdio.h>

const char *bridge_sight_name(enum bridge_sight of)
{
	static const char *const names[SIGHTS] = {
		[SIGHT_PODS] = "bridged pods",
		[SIGHT_NODES] = "Kubernetes nodes",
		[SIGHT_NAMESPACES] = "namespaces",
		[SIGHT_OTHERS] = "other pods",
	};

	return of < SIGHTS ? names[of] : "";
}

void bridge_age_of(const struct bridge_sights *s, int64_t now,
		   struct bridge_age *out)
{
	*out = (struct bridge_age){.of = SIGHT_PODS};
	for (int i = 0; i < SIGHTS; i++) {
		const int64_t at = s->fresh_at[i];

		if (at && now - at > out->ms)
			*out = (struct bridge_age){i, now - at};
	}
}

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
