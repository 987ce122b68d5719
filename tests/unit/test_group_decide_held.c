/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A job that somebody holds stays held, whatever its pods ask for. */
#include <string.h>

#include "bridge/reconcile/group_decide.h"
#include "t.h"

static struct group_view held(const char *reason)
{
	return (struct group_view){
		.job = PLACEHOLDER_HELD,
		.job_id = 42,
		.made_for = 4,
		.members = 4,
		.gang = true,
		.pods_known = true,
		.pods.waiting = 4,
		.reason = reason,
		.kill_wait_s = 30,
		.noted = {.reason = reason, .age_ms = 3600000}};
}

/* What leads to another job when nobody holds it. */
static const struct {
	const char *row;
	bool anew, grown, pinned, refused, lost, no_node, duplicate;
} rows[] = {
	{.row = "asks anew", .anew = true},
	{.row = "grown", .grown = true},
	{.row = "pinned", .pinned = true},
	{.row = "refused now", .refused = true},
	{.row = "no longer complete", .lost = true},
	{.row = "no such node", .no_node = true},
	{.row = "duplicate job",
	 .duplicate = true}, /* its PodGroup was made anew */
};

static struct group_decision decided(struct group_view v, size_t i)
{
	struct group_decision d;

	v.changed = v.anew = rows[i].anew;
	v.pinned = rows[i].pinned;
	v.no_node = rows[i].no_node;
	if (rows[i].duplicate) {
		v.duplicate_held = group_view_is_held(&v);
		v.duplicate = v.job_id;
		v.job = PLACEHOLDER_NONE;
	}
	v.refusal = rows[i].refused ? "it may not" : NULL;
	if (rows[i].grown)
		v.members = v.pods.waiting = 5;
	if (rows[i].lost) {
		v.pods.waiting = 3;
		v.short_ms = BRIDGE_SHORT_MS;
	}
	group_decide(&v, &d);
	return d;
}

static void no_option_ends_a_hold(void)
{
	static const char *const reasons[] = {"JobHeldAdmin", "JobHeldUser",
					      ""};

	for (size_t k = 0; k < T_COUNT(reasons); k++)
		for (size_t i = 0; i < T_COUNT(rows); i++) {
			struct group_decision d = decided(held(reasons[k]), i);

			t_row("%s, %s", reasons[k], rows[i].row);
			T_INT(d.action, GROUP_WAIT);
			T_STR(d.row, "held");
			T_HAS(d.words, "job 42 is held, and stays as it is "
				       "until it is released: ");
		}
}

static void when_it_is_released_they_get_another_job(void)
{
	for (size_t i = 0; i < T_COUNT(rows); i++) {
		struct group_view v = held("Priority");
		struct group_decision d;

		v.job = PLACEHOLDER_PENDING;
		d = decided(v, i);
		t_row("%s", rows[i].row);
		T_INT(d.action, GROUP_CANCEL);
		T_STR(d.row, rows[i].row);
	}
}

/* (with --hold in their annotations, before and after) */
static void a_hold_that_the_new_job_has_as_well_is_in_no_way(void)
{
	for (size_t i = 0; i < T_COUNT(rows); i++) {
		struct group_view v = held("JobHeldUser");

		v.holds = true;
		t_row("%s", rows[i].row);
		T_STR(decided(v, i).row, rows[i].row);
		v.reason = "JobHeldAdmin"; /* that is another hold */
		T_STR(decided(v, i).row, "held");
	}
}

static void what_slurm_holds_itself_is_made_anew(void)
{
	for (size_t i = 0; i < T_COUNT(rows); i++)
		T_STR(decided(held("BadConstraints"), i).row, rows[i].row);
}

/* (slurmctld was killed, and has given the job's id twice) */
static void what_slurm_could_not_launch_gets_another_job(void)
{
	struct group_view v = held("launch failed requeued held");
	struct group_decision d;

	v.not_launched = true;
	group_decide(&v, &d);
	T_STR(d.row, "pending");
	T_INT(d.again_ms, BRIDGE_LAUNCH_STEP_MS);
	/* (a Prolog that fails would fail again) */
	v.state_ms = BRIDGE_LAUNCH_MS;
	v.anew = v.changed = true;
	group_decide(&v, &d);
	T_STR(d.row, "held");
	T_INT(d.again_ms, 0);
	v.twice = true;
	group_decide(&v, &d);
	T_INT(d.action, GROUP_CANCEL);
	T_STR(d.row, "not launched");
	/* a gang that is not whole gets none either */
	v.pods.waiting = 3;
	group_decide(&v, &d);
	T_STR(d.row, "no longer complete?");
}

/* (what runs of a job that was put back and held goes, as ever) */
static void nor_does_a_pod_that_somebody_else_has_bound(void)
{
	struct group_view v = held("JobHeldAdmin");
	struct group_decision d;

	v.taken = v.requeued = true;
	group_decide(&v, &d);
	T_STR(d.row, "pending");
	v.pods.live = 1;
	group_decide(&v, &d);
	T_STR(d.row, "requeued");
	v.job = PLACEHOLDER_PENDING;
	group_decide(&v, &d);
	T_STR(d.row, "taken");
}

static void without_pods_nobody_needs_the_job(void)
{
	struct group_view v = held("JobHeldAdmin");
	struct group_decision d;

	/* a gang's controller may make new ones */
	v.pods.waiting = 0;
	group_decide(&v, &d);
	T_STR(d.row, "no longer complete?");
	v.short_ms = BRIDGE_SHORT_MS;
	group_decide(&v, &d);
	T_INT(d.action, GROUP_CANCEL);
	v = held("JobHeldAdmin");
	v.pods.waiting = 0;
	v.gang = false;
	v.members = v.made_for = 1;
	group_decide(&v, &d);
	T_STR(d.row, "pods gone");
	/* other nodes are no other job */
	v = held("JobHeldAdmin");
	v.changed = true;
	group_decide(&v, &d);
	T_INT(d.action, GROUP_UPDATE);
}

T_MAIN("group_decide_held", T(no_option_ends_a_hold),
       T(nor_does_a_pod_that_somebody_else_has_bound),
       T(when_it_is_released_they_get_another_job),
       T(a_hold_that_the_new_job_has_as_well_is_in_no_way),
       T(what_slurm_holds_itself_is_made_anew),
       T(what_slurm_could_not_launch_gets_another_job),
       T(without_pods_nobody_needs_the_job))
