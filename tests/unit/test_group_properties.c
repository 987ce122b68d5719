/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What no decision about a group may ever be, whatever is known of it. */
#include <string.h>

#include "base/str.h"
#include "bridge/reconcile/group_decide.h"
#include "property.h"

#define KILL_WAIT_S 30
#define MAX_MS 10000

/* --- views */

static struct group_counts draw_pods(uint32_t members)
{
	struct group_counts p = {
		.gated = up_to(1),
		.waiting = up_to(members + 1),
		.live = up_to(2),
		.leaving = up_to(1),
		.succeeded = up_to(1),
		.failed = up_to(1),
		.foreign = up_to(1),
		.grace_s = (uint32_t)around(KILL_WAIT_S),
		.leaving_s = (uint32_t)around(KILL_WAIT_S),
	};

	p.labelled = up_to(p.waiting);
	p.binding = seldom(4) ? up_to(p.waiting) : 0;
	p.refused = seldom(4) ? up_to(p.waiting) : 0;
	p.going = up_to(p.waiting);
	p.by_earlier_job = seldom(4) ? up_to(p.live) : 0;
	p.misplaced = seldom(4) ? up_to(p.live) : 0;
	p.grown = seldom(4) ? up_to(p.live) : 0;
	p.moved = seldom(8) ? up_to(p.live + p.leaving) : 0;
	p.ours = up_to(p.moved);
	p.away = up_to(p.leaving);
	p.lingering = seldom(4) ? up_to(p.away) : 0;
	p.exit_code = p.failed ? 3 : 0;
	return p;
}

static struct group_view draw_view(void)
{
	static const char *const reasons[] = {NULL,	     "",
					      "JobHeldUser", "JobHeldAdmin",
					      "Priority",    "Resources"};
	static const int64_t ages[] = {BRIDGE_NOTE_FIRST_MS,
				       BRIDGE_NOTE_REASON_MS,
				       BRIDGE_NOTE_START_MS};
	const uint32_t members = up_to(3);

	return (struct group_view){
		.job = (enum placeholder_state)draw(PLACEHOLDER_ENDED + 1),
		.end = (enum placeholder_end)draw(PLACEHOLDER_ENDED_OTHERWISE +
						  1),
		.job_id = 42,
		.made_for = up_to(members + 1),
		.requeued = coin(),
		.by_us = seldom(4),
		.other_scheduler = seldom(16),
		.early = coin(),
		.not_launched = seldom(4),
		.twice = coin(),
		.pinned = coin(),
		.no_node = seldom(4),
		.state_ms = around(BRIDGE_ORPHAN_MS),
		.reason = ONE_OF(reasons),
		.start_s = around(BRIDGE_NOTE_SHIFT_S),
		.kill_wait_s = KILL_WAIT_S,
		.taken = seldom(8),
		.bound = coin(),
		.duplicate = seldom(8) ? 43 : 0,
		.duplicate_bound = up_to(1),
		.duplicate_held = coin(),
		.pods_known = !seldom(8),
		.outside = seldom(4),
		.pods = draw_pods(members),
		.refusal = seldom(4) ? "no" : NULL,
		.not_yet = seldom(4) ? "not yet" : NULL,
		.loss_unclear = seldom(4),
		.members = members,
		.gang = coin(),
		.changed = coin(),
		.anew = seldom(4),
		.update_waits = coin(),
		.holds = coin(),
		.room = coin(),
		.overcommitted = seldom(4),
		.overcommitted_ms = around(MAX_MS),
		.overcommitted_max_ms = MAX_MS,
		.resized = seldom(4),
		.resized_ms = around(MAX_MS),
		.resized_max_ms = MAX_MS,
		.short_ms = around(BRIDGE_SHORT_MS),
		.kept_ms = around(BRIDGE_KEPT_MS),
		.unknown_ms = around(BRIDGE_UNKNOWN_MS),
		.noted = {.reason = ONE_OF(reasons),
			  .age_ms = around(ONE_OF(ages)),
			  .others = coin()},
	};
}

/* --- what they say */

static bool runs(const struct group_view *v)
{
	return v->job == PLACEHOLDER_STARTING ||
	       v->job == PLACEHOLDER_RUNNING || v->job == PLACEHOLDER_SUSPENDED;
}

static bool is_past(const struct group_view *v)
{
	return v->job == PLACEHOLDER_COMPLETING || v->job == PLACEHOLDER_ENDED;
}

/* How many have, or may have, CPUs of the job. */
static uint32_t busy(const struct group_view *v)
{
	return v->pods.live + v->pods.leaving - v->pods.away;
}

/* A user or an administrator has said that it is not to start. */
static bool is_held_by_somebody(const struct group_view *v)
{
	const char *reason = v->reason ? v->reason : "";

	if (v->job != PLACEHOLDER_HELD)
		return false;
	return v->not_launched || !*reason || str_eq(reason, "JobHeldAdmin") ||
	       (str_eq(reason, "JobHeldUser") && !v->holds);
}

/* No pod of it is left that could start by another job. */
static bool has_no_pods(const struct group_view *v)
{
	return !v->pods.waiting && !v->pods.gated && !v->pods.live;
}

/* --- properties */

typedef bool (*property_fn)(const struct group_view *v,
			    const struct group_decision *d);

static bool what_is_not_known_changes_nothing(const struct group_view *v,
					      const struct group_decision *d)
{
	return (v->job != PLACEHOLDER_UNKNOWN && v->pods_known) ||
	       d->action == GROUP_KEEP;
}

static bool pods_of_another_scheduler_are_left(const struct group_view *v,
					       const struct group_decision *d)
{
	return !v->other_scheduler || d->action == GROUP_KEEP ||
	       d->action == GROUP_WAIT;
}

static bool a_group_has_one_job(const struct group_view *v,
				const struct group_decision *d)
{
	return d->action != GROUP_SUBMIT || v->job == PLACEHOLDER_NONE ||
	       v->job == PLACEHOLDER_ENDED;
}

static bool a_job_is_for_a_complete_group(const struct group_view *v,
					  const struct group_decision *d)
{
	const struct group_counts *p = &v->pods;

	return d->action != GROUP_SUBMIT || p->live ||
	       (v->members && p->waiting >= v->members && d->n == p->waiting &&
		p->leaving == p->away && !p->binding && !v->refusal &&
		!v->not_yet);
}

/* (else they would get a second one while they run by the first) */
static bool
pods_that_run_get_a_job_only_if_it_is_lost(const struct group_view *v,
					   const struct group_decision *d)
{
	const struct group_counts *p = &v->pods;

	return d->action != GROUP_SUBMIT || !p->live ||
	       (v->early && (v->job == PLACEHOLDER_NONE || v->by_us) &&
		!p->leaving && !v->outside && !v->refusal && !v->not_yet &&
		d->n == p->live + p->waiting);
}

static bool
no_more_are_bound_than_the_job_is_for(const struct group_view *v,
				      const struct group_decision *d)
{
	return d->action != GROUP_BIND ||
	       (d->n && d->n + busy(v) <= v->made_for &&
		d->n <= v->pods.waiting - v->pods.refused);
}

static bool pods_are_bound_where_there_is_room(const struct group_view *v,
					       const struct group_decision *d)
{
	return d->action != GROUP_BIND ||
	       (v->job == PLACEHOLDER_RUNNING && v->room && !v->overcommitted &&
		!v->taken && !v->pods.misplaced && !v->pods.lingering &&
		!v->pods.grown && !v->pods.by_earlier_job && !v->pods.moved);
}

static bool a_gang_starts_whole(const struct group_view *v,
				const struct group_decision *d)
{
	const struct group_counts *p = &v->pods;

	return d->action != GROUP_BIND || busy(v) || p->going || p->succeeded ||
	       p->failed ||
	       (v->members && p->waiting >= v->members && !p->refused);
}

/* (the next job would not be held) */
static bool a_held_job_stays(const struct group_view *v,
			     const struct group_decision *d)
{
	return d->action != GROUP_CANCEL || d->job_id != v->job_id ||
	       !is_held_by_somebody(v) || v->by_us || has_no_pods(v) ||
	       (v->not_launched && v->twice);
}

static bool a_held_job_keeps_pods_that_run_by_it(const struct group_view *v,
						 const struct group_decision *d)
{
	return d->action != GROUP_DELETE_PODS || v->job != PLACEHOLDER_HELD ||
	       v->requeued || v->pods.moved ||
	       (!v->pods.live && v->pods.leaving_s > KILL_WAIT_S);
}

static bool
a_job_that_runs_goes_only_without_pods(const struct group_view *v,
				       const struct group_decision *d)
{
	return d->action != GROUP_CANCEL || d->job_id != v->job_id ||
	       !runs(v) || v->taken ||
	       (!v->pods.live && v->pods.leaving == v->pods.away) ||
	       (v->early && !v->requeued && v->pods.misplaced == v->pods.live);
}

static bool
a_duplicate_goes_only_if_no_pod_runs_by_it(const struct group_view *v,
					   const struct group_decision *d)
{
	return d->action != GROUP_CANCEL || d->job_id == v->job_id ||
	       (d->job_id == v->duplicate && !v->duplicate_bound);
}

/* (the next job would not be held) */
static bool a_held_duplicate_stays(const struct group_view *v,
				   const struct group_decision *d)
{
	return d->action != GROUP_CANCEL || d->job_id != v->duplicate ||
	       !v->duplicate_held;
}

static bool a_job_is_complete_when_nothing_runs(const struct group_view *v,
						const struct group_decision *d)
{
	const struct group_counts *p = &v->pods;

	/* or what is left cannot run */
	const bool no_more = (!p->waiting && !p->gated) ||
			     (v->job == PLACEHOLDER_RUNNING && !p->going &&
			      p->waiting == p->refused);

	return d->action != GROUP_COMPLETE ||
	       (runs(v) && (p->succeeded || p->failed) && no_more && !busy(v) &&
		!d->exit_code == !p->failed);
}

static bool pods_of_a_running_job_go_one_by_one(const struct group_view *v,
						const struct group_decision *d)
{
	return d->action != GROUP_DELETE_PODS || !runs(v) ||
	       (d->misplaced_only &&
		(v->pods.misplaced || v->pods.lingering || v->pods.moved)) ||
	       (d->grown_only && v->pods.grown);
}

static bool
waiting_pods_go_only_with_a_job_that_was_ended(const struct group_view *v,
					       const struct group_decision *d)
{
	return !d->waiting_too ||
	       (d->action == GROUP_DELETE_PODS &&
		(is_past(v) || (v->job == PLACEHOLDER_NONE && !v->pods.live &&
				!v->outside)) &&
		v->pods.labelled &&
		(v->end == PLACEHOLDER_TIMEOUT ||
		 v->end == PLACEHOLDER_DEADLINE ||
		 (v->end == PLACEHOLDER_CANCELLED && !v->by_us && !v->refusal &&
		  !v->not_yet && !v->anew)));
}

static bool
pods_that_may_be_of_another_cluster_are_left(const struct group_view *v,
					     const struct group_decision *d)
{
	return d->action != GROUP_DELETE_PODS || !v->outside ||
	       v->job != PLACEHOLDER_NONE ||
	       (v->pods.moved && v->pods.ours && d->ours_only) ||
	       (!v->pods.live && v->pods.leaving_s > KILL_WAIT_S);
}

static bool
pods_are_no_orphans_while_it_is_unclear(const struct group_view *v,
					const struct group_decision *d)
{
	return d->action != GROUP_DELETE_PODS || !v->pods.live ||
	       v->pods.moved || v->job != PLACEHOLDER_NONE ||
	       (!v->loss_unclear && v->state_ms >= BRIDGE_ORPHAN_MS);
}

static bool a_forgotten_start_has_its_time(const struct group_view *v,
					   const struct group_decision *d)
{
	return d->action != GROUP_DELETE_PODS || !placeholder_waits(v->job) ||
	       v->requeued || !v->pods.live || v->pods.moved ||
	       v->state_ms >= BRIDGE_FORGOTTEN_MS;
}

/* (0 would be by force) */
static bool
a_deleted_pod_has_its_time_but_no_more(const struct group_view *v,
				       const struct group_decision *d)
{
	return d->action != GROUP_DELETE_PODS ||
	       (d->grace_s == (v->pods.grace_s < KILL_WAIT_S ? v->pods.grace_s
							     : KILL_WAIT_S) &&
		(d->leaving_over_s == KILL_WAIT_S || d->grown_only));
}

static bool a_job_that_waits_is_told(const struct group_view *v,
				     const struct group_decision *d)
{
	const bool told = d->action == GROUP_UPDATE ||
			  d->action == GROUP_NOTE || d->action == GROUP_PIN;

	return !told || placeholder_waits(v->job);
}

static bool a_job_is_pinned_to_pods_that_run(const struct group_view *v,
					     const struct group_decision *d)
{
	return d->action != GROUP_PIN ||
	       (v->pods.live && !v->requeued && !v->pinned);
}

static bool pods_are_adopted_by_a_job_that_lives(const struct group_view *v,
						 const struct group_decision *d)
{
	return d->action != GROUP_ADOPT ||
	       (v->pods.by_earlier_job &&
		(runs(v) || placeholder_waits(v->job)));
}

static bool who_waits_is_told_why(const struct group_view *v,
				  const struct group_decision *d)
{
	(void)v;
	return d->row && *d->row &&
	       (*d->words ||
		(d->action != GROUP_WAIT && d->action != GROUP_REFUSE));
}

/* (nothing else might lead to another look) */
static bool
what_only_time_decides_is_looked_at_again(const struct group_view *v,
					  const struct group_decision *d)
{
	(void)v;
	return !str_ends(d->row, "?") || d->again_ms > 0 ||
	       str_eq(d->row, "cancelled, by whom?");
}

static const struct {
	const char *name;
	property_fn holds;
} properties[] = {
	P(what_is_not_known_changes_nothing),
	P(pods_of_another_scheduler_are_left),
	P(a_group_has_one_job),
	P(a_job_is_for_a_complete_group),
	P(pods_that_run_get_a_job_only_if_it_is_lost),
	P(no_more_are_bound_than_the_job_is_for),
	P(pods_are_bound_where_there_is_room),
	P(a_gang_starts_whole),
	P(a_held_job_stays),
	P(a_held_job_keeps_pods_that_run_by_it),
	P(a_job_that_runs_goes_only_without_pods),
	P(a_duplicate_goes_only_if_no_pod_runs_by_it),
	P(a_held_duplicate_stays),
	P(a_job_is_complete_when_nothing_runs),
	P(pods_of_a_running_job_go_one_by_one),
	P(waiting_pods_go_only_with_a_job_that_was_ended),
	P(pods_that_may_be_of_another_cluster_are_left),
	P(pods_are_no_orphans_while_it_is_unclear),
	P(a_forgotten_start_has_its_time),
	P(a_deleted_pod_has_its_time_but_no_more),
	P(a_job_that_waits_is_told),
	P(a_job_is_pinned_to_pods_that_run),
	P(pods_are_adopted_by_a_job_that_lives),
	P(who_waits_is_told_why),
	P(what_only_time_decides_is_looked_at_again),
};

static void each_decision_has_each_property(void)
{
	unsigned int broken[T_COUNT(properties)] = {0}, seen = 0;

	for (unsigned int n = 0; n < PROPERTY_VIEWS; n++) {
		const struct group_view v = draw_view();
		struct group_decision d;

		group_decide(&v, &d);
		seen |= 1u << d.action;
		for (size_t i = 0; i < T_COUNT(properties); i++) {
			if (properties[i].holds(&v, &d) || broken[i]++)
				continue;
			printf("%s: job %d, end %d: action %d, %s (%s)\n",
			       properties[i].name, v.job, v.end, d.action,
			       d.row, d.words);
		}
	}
	printf("%u views\n", PROPERTY_VIEWS);
	for (size_t i = 0; i < T_COUNT(properties); i++) {
		t_row("%s", properties[i].name);
		T_INT(broken[i], 0);
	}
	t_row("each action was seen");
	T_INT(seen, (1u << (GROUP_DELETE_PODS + 1)) - 1);
}

T_MAIN("group_properties", T(each_decision_has_each_property))
