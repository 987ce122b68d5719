/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is never done by a view of pods that is old: all that may be known of a
 * group is tried.
 */
#include "bridge/reconcile/stale_decide.h"
#include "property.h"

#define JOB 42u
#define KILL_WAIT_S 30u
#define STATES (PLACEHOLDER_ENDED + 1)
#define ENDS 2

typedef bool (*property_fn)(const struct group_view *v,
			    const struct group_decision *d);

/* Slurm says by itself that no pod of its job is to run. */
static bool is_over(const struct group_view *v)
{
	return v->job == PLACEHOLDER_ENDED ||
	       v->job == PLACEHOLDER_COMPLETING ||
	       (v->job == PLACEHOLDER_NONE && v->end) ||
	       (placeholder_waits(v->job) && v->requeued);
}

static bool nothing_is_done_but_to_delete_pods(const struct group_view *v,
					       const struct group_decision *d)
{
	(void)v;
	return d->action == GROUP_KEEP || d->action == GROUP_DELETE_PODS;
}

static bool only_pods_of_a_job_that_is_over_go(const struct group_view *v,
					       const struct group_decision *d)
{
	return d->action != GROUP_DELETE_PODS ||
	       (is_over(v) && v->job_id && d->job_id == v->job_id);
}

static bool pods_of_a_job_that_is_over_go(const struct group_view *v,
					  const struct group_decision *d)
{
	return d->action == GROUP_DELETE_PODS || !is_over(v) || !v->job_id ||
	       v->other_scheduler ||
	       !(v->pods.live || (v->pods.waiting && v->bound));
}

static bool pods_go_only_if_there_are_some(const struct group_view *v,
					   const struct group_decision *d)
{
	return d->action != GROUP_DELETE_PODS || v->pods.live ||
	       (v->pods.waiting && d->waiting_too);
}

static bool each_decision_has_a_row(const struct group_view *v,
				    const struct group_decision *d)
{
	(void)v;
	return d->row && *d->row;
}

static bool pods_of_another_scheduler_are_left(const struct group_view *v,
					       const struct group_decision *d)
{
	return d->action != GROUP_DELETE_PODS || !v->other_scheduler;
}

static bool each_pod_is_looked_at_before(const struct group_view *v,
					 const struct group_decision *d)
{
	(void)v;
	return d->action != GROUP_DELETE_PODS || d->look;
}

static bool
pods_that_wait_go_if_they_may_be_bound(const struct group_view *v,
				       const struct group_decision *d)
{
	return d->action != GROUP_DELETE_PODS || d->waiting_too == v->bound;
}

static bool
a_deleted_pod_has_its_time_but_no_more(const struct group_view *v,
				       const struct group_decision *d)
{
	return d->action != GROUP_DELETE_PODS ||
	       d->grace_s == (v->pods.grace_s < KILL_WAIT_S ? v->pods.grace_s
							    : KILL_WAIT_S);
}

static bool pods_are_told_nothing(const struct group_view *v,
				  const struct group_decision *d)
{
	(void)v;
	return d->action == GROUP_DELETE_PODS || !*d->words;
}

static const struct {
	const char *name;
	property_fn holds;
} properties[] = {
	P(nothing_is_done_but_to_delete_pods),
	P(only_pods_of_a_job_that_is_over_go),
	P(pods_of_a_job_that_is_over_go),
	P(pods_go_only_if_there_are_some),
	P(each_decision_has_a_row),
	P(pods_of_another_scheduler_are_left),
	P(each_pod_is_looked_at_before),
	P(pods_that_wait_go_if_they_may_be_bound),
	P(a_deleted_pod_has_its_time_but_no_more),
	P(pods_are_told_nothing),
};

static void each_decision_has_each_property(void)
{
	static const uint32_t graces[] = {0, 1, KILL_WAIT_S - 1, KILL_WAIT_S,
					  KILL_WAIT_S + 1};
	unsigned int violated[T_COUNT(properties)] = {0}, n = 0, deletes = 0;
	struct group_decision d;

	for (unsigned int flags = 0; flags < 1u << 7; flags++)
		for (unsigned int i = 0; i < STATES * ENDS * T_COUNT(graces);
		     i++, n++) {
			const struct group_view v = {
				.job = i % STATES,
				.end = i / STATES % ENDS
					       ? PLACEHOLDER_CANCELLED
					       : PLACEHOLDER_NOT_ENDED,
				.job_id = flags & 1 ? JOB : 0,
				.requeued = flags & 2,
				.other_scheduler = flags & 4,
				.bound = flags & 8,
				.refusal = flags & 16 ? "no" : NULL,
				.made_for = 2,
				.members = 1,
				.room = true,
				.pods_known = true,
				.state_ms = 3600000,
				.kill_wait_s = KILL_WAIT_S,
				.reason = "Priority",
				.pods = {.live = flags & 32 ? 1 : 0,
					 .waiting = flags & 64 ? 1 : 0,
					 .grace_s = graces[i / STATES / ENDS]},
			};

			group_decide_stale(&v, &d);
			deletes += d.action == GROUP_DELETE_PODS;
			for (size_t k = 0; k < T_COUNT(properties); k++)
				if (!properties[k].holds(&v, &d) &&
				    !violated[k]++)
					printf("%s: flags %x, state %d, view "
					       "%u\n",
					       properties[k].name, flags, v.job,
					       i);
		}
	printf("%u views\n", n);
	for (size_t k = 0; k < T_COUNT(properties); k++) {
		t_row("%s", properties[k].name);
		T_INT(violated[k], 0);
	}
	t_row("some are deleted");
	T_OK(deletes > 100);
}

T_MAIN("stale_properties", T(each_decision_has_each_property))
