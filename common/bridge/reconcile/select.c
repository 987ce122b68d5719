/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The pods of a group to which a decision applies. */
#include <errno.h>
#include <stdlib.h>

#include "base/str.h"
#include "bridge/reconcile/reconcile.h"

/* True if the decision deletes this pod, which we bound and which may run. */
static bool is_deleted(const struct group_decision *plan,
		       const struct group_pod *m)
{
	if (m->pod->deleting &&
	    (!plan->leaving_over_s || m->pod->grace_s <= plan->leaving_over_s))
		return false;
	if (plan->ours_only && !m->look.ours)
		return false;
	if (plan->look) /* an old view judges only this job's pods */
		return m->pod->job_id == plan->job_id;
	return !m->foreign &&
	       (m->look.misplaced || m->look.moved || !plan->misplaced_only) &&
	       (m->look.grown || !plan->grown_only);
}

static bool is_chosen(const struct group_observation *j,
		      const struct group_pod *m)
{
	const struct group_decision *plan = &j->plan;
	const struct bridged_pod *p = m->pod;
	const bool bound = *p->node;

	if (bound && !p->job_id)
		return false; /* others bound it: see struct bridged_pod */
	switch (plan->action) {
	case GROUP_BIND:
		/*
		 * A pod that leaves from elsewhere has no place on the job's
		 * nodes.
		 */
		return bound ? !p->ended && !m->look.misplaced
			     : pod_waits(p) && !p->gated &&
				       (!m->shape->refusal || m->look.going);
	case GROUP_DELETE_PODS:
		if (bound)
			return !p->ended && is_deleted(plan, m);
		return plan->waiting_too && pod_waits(p) &&
		       (plan->look || p->job_id == plan->job_id);
	case GROUP_ADOPT:
	case GROUP_PIN:
		return bound && !p->ended && !p->deleting;
	case GROUP_REFUSE:
	case GROUP_WAIT:
	case GROUP_NOTE:
	case GROUP_SUBMIT: /* waiting pods are told if Slurm refuses the job */
	case GROUP_UPDATE:
		return pod_waits(p);
	case GROUP_KEEP:
	case GROUP_COMPLETE:
	case GROUP_CANCEL:
		return false;
	}
	return false;
}

int select_pods(const struct pod_group *g, const struct group_observation *j,
		struct pod_selection *out)
{
	const bool binds = j->plan.action == GROUP_BIND;
	struct group_pod *m;
	size_t n = 0, going = 0, more = 0;

	for (m = g->members; m; m = m->next) {
		if (!is_chosen(j, m))
			continue;
		n++;
		going += m->look.going;
	}
	*out = (struct pod_selection){0};
	if (!n)
		return 0;
	out->v = calloc(n, sizeof(*out->v));
	if (!out->v)
		return -ENOMEM;
	for (m = g->members; m; m = m->next) {
		struct selected_pod *c = &out->v[out->n];
		const struct bridged_pod *p = m->pod;

		/* A binding on its way counts, whichever pod came first. */
		if (!is_chosen(j, m) || (binds && !*p->node && !m->look.going &&
					 going + more++ >= j->plan.n))
			continue;
		*c = (struct selected_pod){.need = m->shape->need,
					   .ports = m->shape->ports,
					   .grace_s = p->grace_s,
					   .waiting = !*p->node,
					   .leaving = p->deleting,
					   .scale_told = p->scale_told,
					   .created_ms = p->created_ms,
					   .told = m->told};
		str_copy(c->ns, p->ns, sizeof(c->ns));
		str_copy(c->name, p->name, sizeof(c->name));
		str_copy(c->uid, p->uid, sizeof(c->uid));
		str_copy(c->node, p->node, sizeof(c->node));
		out->n++;
	}
	return 0;
}
