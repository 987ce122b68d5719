/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What no decision about a node may ever be, whatever is known of it. */
#include <string.h>

#include "base/str.h"
#include "node_views.h"
#include "syntax/node_reason.h"

/* --- what they say */

/* Neither we nor Slurm by itself have said why. */
static bool is_of_others(const struct slurm_node *n)
{
	return !node_reason_is_ours(n->reason) &&
	       !node_reason_is_slurms(n->reason);
}

static bool has_admins_reason(const struct slurm_node *n)
{
	return n->reason && *n->reason && is_of_others(n);
}

/* It changes nothing that a job, or an administrator, would see. */
static bool is_quiet(const struct node_decision *d)
{
	return d->slurm == NODE_KEEP || d->slurm == NODE_RECORD ||
	       d->slurm == NODE_SET_FEATURES;
}

static bool is_done_quietly(const struct node_decision *d)
{
	return (d->slurm == NODE_KEEP || d->slurm == NODE_RECORD) &&
	       (d->kube == POD_LEAVE || d->kube == POD_NOTE);
}

static bool is_lost(const struct node_decision *d)
{
	return d->slurm == NODE_DOWN || d->slurm == NODE_DOWN_ONLY;
}

static bool is_up(const struct node_view *v)
{
	return v->node.power == NODE_UP;
}

/* --- properties */

typedef bool (*property_fn)(const struct node_view *v,
			    const struct node_decision *d);

/* slurmctld takes one without a Reason, too. */
static bool an_admins_drain_stays(const struct node_view *v,
				  const struct node_decision *d)
{
	return !v->node.drained || !is_of_others(&v->node) || is_quiet(d) ||
	       (d->slurm == NODE_DOWN_ONLY && is_up(v));
}

static bool an_admins_down_stays(const struct node_view *v,
				 const struct node_decision *d)
{
	return !v->node.down || !has_admins_reason(&v->node) || is_quiet(d);
}

static bool what_is_not_in_view_is_not_gone(const struct node_view *v,
					    const struct node_decision *d)
{
	return v->live || v->pod ||
	       (d->kube == POD_LEAVE && !is_lost(d) &&
		d->slurm != NODE_REQUEUE && d->slurm != NODE_RESUME &&
		d->slurm != NODE_IDLE && d->slurm != NODE_UNDRAIN);
}

static bool a_node_has_one_pod(const struct node_view *v,
			       const struct node_decision *d)
{
	const struct slurm_node *n = &v->node;

	if (d->kube != POD_CREATE)
		return true;
	if (v->pod || !v->live || n->drained || n->down)
		return false;
	return n->power == NODE_POWERED_DOWN ||
	       (n->power == NODE_POWERING_UP && !(n->ending && !n->busy) &&
		!n->rebooting);
}

static bool
a_pod_is_made_before_its_power_up_only_for_a_job(const struct node_view *v,
						 const struct node_decision *d)
{
	return d->kube != POD_CREATE || v->node.power != NODE_POWERED_DOWN ||
	       (v->allocated && v->node.busy && !v->node.ending && !v->cooling);
}

static bool a_pod_is_deleted_once(const struct node_view *v,
				  const struct node_decision *d)
{
	return d->kube != POD_DELETE || (v->pod && !v->pod->deleting);
}

/* (slurmctld may have been killed between its saves of jobs and of nodes) */
static bool a_pod_with_a_job_is_no_orphan(const struct node_view *v,
					  const struct node_decision *d)
{
	return d->kube != POD_DELETE || !v->node.busy ||
	       v->node.power != NODE_POWERED_DOWN;
}

/* Slurm would wait for its slurmd until ResumeTimeout. */
static bool was_dropped(const struct node_view *v)
{
	const struct pod_view *pod = v->pod;

	return v->live && pod->running && pod->running_ms >= 0 &&
	       v->pod_for >= v->node.power_for &&
	       v->node.slurmd_start_ms >= pod->running_ms / 1000 * 1000;
}

/* Its jobs must know, and go back into the queue. */
static bool no_pod_goes_behind_slurms_back(const struct node_view *v,
					   const struct node_decision *d)
{
	if (d->kube != POD_DELETE)
		return true;
	if (is_up(v))
		return is_lost(d);
	return v->node.power != NODE_POWERING_UP || d->slurm == NODE_REQUEUE ||
	       (d->slurm == NODE_KEEP && was_dropped(v));
}

static bool a_node_is_lost_only_for_sure(const struct node_view *v,
					 const struct node_decision *d)
{
	const struct pod_view *pod = v->pod;

	if (!is_lost(d))
		return true;
	if (!is_up(v) || v->node.down)
		return false;
	if (!pod)
		return v->live && v->absent &&
		       (v->gone ||
			(v->absent_for >= 10000 && v->calm_for >= 10000 &&
			 v->node.power_for >= 10000));
	return (phase_is_end(pod->phase) && v->ended) ||
	       pod->restarts > v->restarts ||
	       (v->live && v->host.known && !v->host.ready &&
		v->node.no_respond && v->lost_for >= 60000);
}

static bool
only_our_drain_for_a_host_ends_with_its_cause(const struct node_view *v,
					      const struct node_decision *d)
{
	return d->slurm != NODE_UNDRAIN ||
	       (v->node.drained && str_eq(v->node.reason, CORDONED) &&
		v->live && v->host.known && v->host.ready && !v->host.cordoned);
}

static bool
only_our_drain_ends_when_it_is_powered_down(const struct node_view *v,
					    const struct node_decision *d)
{
	return d->slurm != NODE_IDLE ||
	       (v->node.power == NODE_POWERED_DOWN && v->node.drained &&
		(node_reason_is_ours(v->node.reason) ||
		 str_eq(v->node.reason, WK_REASON_DUPLICATE)) &&
		!v->pod && v->live && !v->cooling);
}

static bool a_node_with_jobs_is_not_recycled(const struct node_view *v,
					     const struct node_decision *d)
{
	return d->slurm != NODE_RECYCLE ||
	       (!v->node.busy && !v->node.drained && !v->node.down);
}

static bool a_node_with_jobs_is_powered_off_only_if_it_is_down(
	const struct node_view *v, const struct node_decision *d)
{
	return d->slurm != NODE_POWER_OFF || !is_up(v) || v->node.down ||
	       (!v->node.busy && v->node.drained &&
		node_reason_is_ours(v->node.reason));
}

static bool a_node_rests_only_unused(const struct node_view *v,
				     const struct node_decision *d)
{
	return d->slurm != NODE_COOL ||
	       (v->node.power == NODE_POWERED_DOWN && v->cooling &&
		!v->node.busy && !v->node.ending && !v->node.drained &&
		!v->node.down);
}

static bool a_reboot_is_left_alone(const struct node_view *v,
				   const struct node_decision *d)
{
	const struct slurm_node *n = &v->node;
	const bool up = is_up(v) && !(n->reboot_asked && n->busy);

	return !n->rebooting || (!up && n->power != NODE_POWERING_UP) ||
	       is_done_quietly(d);
}

static bool
what_slurm_is_about_to_power_down_is_left_alone(const struct node_view *v,
						const struct node_decision *d)
{
	return !is_up(v) || !v->node.ending || v->node.busy || v->node.down ||
	       is_done_quietly(d);
}

static bool a_power_up_is_given_up_for_its_pod(const struct node_view *v,
					       const struct node_decision *d)
{
	return d->slurm != NODE_REQUEUE ||
	       (v->node.power == NODE_POWERING_UP && v->pod &&
		!v->pod->deleting && !v->node.drained && !v->node.down);
}

/* (a job may get it at once, and would meet the old pod) */
static bool a_node_is_free_when_its_pod_is_gone(const struct node_view *v,
						const struct node_decision *d)
{
	return d->slurm != NODE_RESUME ||
	       (!v->pod && v->live &&
		(v->node.power == NODE_POWERED_DOWN ||
		 v->node.power == NODE_POWERING_DOWN));
}

/* (Slurm has ended it; its Reason is an administrator's) */
static bool a_drain_of_others_is_set_again(const struct node_view *v,
					   const struct node_decision *d)
{
	const bool again = d->slurm == NODE_DRAIN_AGAIN;

	return again == v->node.undrained;
}

static bool
kubernetes_is_asked_before_anything_is_done(const struct node_view *v,
					    const struct node_decision *d)
{
	(void)v;
	return d->kube != POD_LOOK || d->slurm == NODE_KEEP;
}

static bool a_note_is_for_a_pod_that_stays(const struct node_view *v,
					   const struct node_decision *d)
{
	return d->kube != POD_NOTE ||
	       (v->live && v->pod && !v->pod->deleting &&
		(is_up(v) || v->node.power == NODE_POWERING_UP));
}

static bool
only_a_failed_power_up_counts_against_its_nodeset(const struct node_view *v,
						  const struct node_decision *d)
{
	return !d->failed || (v->node.power == NODE_POWERING_UP &&
			      (d->slurm == NODE_REQUEUE ||
			       node_reason_is_ours(v->node.reason)));
}

static bool what_is_done_has_a_name_and_says_why(const struct node_view *v,
						 const struct node_decision *d)
{
	const bool says = d->slurm == NODE_REQUEUE || is_lost(d) ||
			  d->slurm == NODE_DRAIN || d->slurm == NODE_COOL ||
			  d->slurm == NODE_RECYCLE;

	(void)v;
	return (is_done_quietly(d) || d->kube == POD_LOOK || *d->row) &&
	       (!says || *d->words) && strlen(d->words) < NODE_WORDS_MAX;
}

static const struct {
	const char *name;
	property_fn holds;
} properties[] = {
	P(an_admins_drain_stays),
	P(an_admins_down_stays),
	P(what_is_not_in_view_is_not_gone),
	P(a_node_has_one_pod),
	P(a_pod_is_made_before_its_power_up_only_for_a_job),
	P(a_pod_is_deleted_once),
	P(a_pod_with_a_job_is_no_orphan),
	P(no_pod_goes_behind_slurms_back),
	P(a_node_is_lost_only_for_sure),
	P(only_our_drain_for_a_host_ends_with_its_cause),
	P(only_our_drain_ends_when_it_is_powered_down),
	P(a_node_with_jobs_is_not_recycled),
	P(a_node_with_jobs_is_powered_off_only_if_it_is_down),
	P(a_node_rests_only_unused),
	P(a_reboot_is_left_alone),
	P(what_slurm_is_about_to_power_down_is_left_alone),
	P(a_power_up_is_given_up_for_its_pod),
	P(a_node_is_free_when_its_pod_is_gone),
	P(a_drain_of_others_is_set_again),
	P(kubernetes_is_asked_before_anything_is_done),
	P(a_note_is_for_a_pod_that_stays),
	P(only_a_failed_power_up_counts_against_its_nodeset),
	P(what_is_done_has_a_name_and_says_why),
};

static void each_decision_has_each_property(void)
{
	unsigned int violated[T_COUNT(properties)] = {0}, slurm = 0, kube = 0;

	for (unsigned int n = 0; n < PROPERTY_VIEWS; n++) {
		const struct pod_view pod = draw_pod();
		const struct node_view v = draw_view(&pod);
		struct node_decision d;

		node_decide(&v, &d);
		slurm |= 1u << d.slurm;
		kube |= 1u << d.kube;
		for (size_t i = 0; i < T_COUNT(properties); i++) {
			if (properties[i].holds(&v, &d) || violated[i]++)
				continue;
			printf("%s: power %d, reason %s: %d, %d, %s (%s)\n",
			       properties[i].name, v.node.power,
			       v.node.reason ? v.node.reason : "none", d.slurm,
			       d.kube, d.row, d.words);
		}
	}
	printf("%u views\n", PROPERTY_VIEWS);
	for (size_t i = 0; i < T_COUNT(properties); i++) {
		t_row("%s", properties[i].name);
		T_INT(violated[i], 0);
	}
	t_row("each action was seen");
	T_INT(slurm, (1u << (NODE_RECORD + 1)) - 1);
	T_INT(kube, (1u << (POD_LOOK + 1)) - 1);
}

T_MAIN("node_properties", T(each_decision_has_each_property))
