/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Beside failures: notes on pods, features, pods that are no node's. */
#include "nodeplan_fixture.h"

/* --- what is noted on pods */

static struct plan noted(const struct plan_view *v, bool busy, const char *jobs)
{
	struct plan_view seen = *v;
	struct plan_pod pod = *v->pod;
	struct plan p;

	pod.busy = busy;
	pod.scale = busy ? POD_SCALE_KEEP : POD_SCALE_DOWN;
	pod.jobs = jobs;
	seen.pod = &pod;
	plan_node(&seen, &p);
	T_INT(p.slurm, PLAN_KEEP);
	return p;
}

static void who_runs_there_is_noted_on_the_pod(void)
{
	static const enum plan_power up[] = {PLAN_UP, PLAN_POWERING_UP};

	for (size_t i = 0; i < T_COUNT(up); i++) {
		struct plan_view v = node(up[i]);

		v.pod = &well;
		v.node.busy = true;
		T_INT(noted(&v, false, "").kube, PLAN_NOTE);
		T_STR(noted(&v, false, "").row, "jobs");
		T_INT(noted(&v, true, "").kube, PLAN_LEAVE); /* not known yet */
		v.jobs = "7,8";
		T_INT(noted(&v, true, "7").kube, PLAN_NOTE);
		T_INT(noted(&v, true, "7,8").kube, PLAN_LEAVE);
		v.node.busy = false;
		v.jobs = "";
		T_INT(noted(&v, true, "7,8").kube, PLAN_NOTE);
		T_INT(noted(&v, false, "").kube, PLAN_LEAVE);
	}
}

static void autoscalers_are_told_whether_jobs_run_there(void)
{
	static const struct {
		bool busy;
		enum pod_scale told;
		enum plan_kube kube;
	} rows[] = {
		{true, POD_SCALE_KEEP, PLAN_LEAVE},
		{true, POD_SCALE_DOWN, PLAN_NOTE},
		{true, POD_SCALE_OTHER, PLAN_NOTE}, /* an older engine's */
		{false, POD_SCALE_DOWN, PLAN_LEAVE},
		{false, POD_SCALE_KEEP, PLAN_NOTE},
		{false, POD_SCALE_OTHER, PLAN_NOTE}, /* it had no job yet */
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		struct plan_view v = node(PLAN_UP);
		struct plan_pod pod = well;
		struct plan p;

		t_row("%zu", i);
		v.pod = &pod;
		v.node.busy = pod.busy = rows[i].busy;
		pod.scale = rows[i].told;
		plan_node(&v, &p);
		T_INT(p.kube, rows[i].kube);
	}
}

static void steps_are_noted_when_they_are_known(void)
{
	struct plan_view v = node(PLAN_UP);
	struct plan_pod pod = well;

	v.node.busy = pod.busy = true;
	v.jobs = pod.jobs = "7";
	v.pod = &pod;
	v.steps = 5;
	T_INT(noted(&v, true, "7").kube, PLAN_LEAVE);
	v.steps_known = true;
	T_INT(noted(&v, true, "7").kube, PLAN_NOTE);
	pod.steps = 5;
	T_INT(noted(&v, true, "7").kube, PLAN_LEAVE);
	v.steps = 0; /* they have ended */
	T_INT(noted(&v, true, "7").kube, PLAN_NOTE);
}

static void nothing_is_noted_on_a_pod_that_ends_or_is_not_seen(void)
{
	struct plan_view v = node(PLAN_POWERING_DOWN);

	v.pod = &well;
	v.node.busy = true;
	v.node.power_for = 0;
	T_INT(noted(&v, false, "").kube, PLAN_LEAVE);
	v = node(PLAN_UP);
	v.pod = &well;
	v.node.busy = true;
	T_INT(noted(&v, false, "").kube, PLAN_NOTE);
	v.live = false;
	T_INT(noted(&v, false, "").kube, PLAN_LEAVE);
	v = drained(PLAN_UP, OURS);
	v.node.busy = true;
	v.pod = &leaving;
	T_INT(noted(&v, false, "").kube, PLAN_LEAVE);
}

/* --- features */

static void features_that_slurm_has_wrong_are_corrected(void)
{
	static const enum plan_power those[] = {PLAN_POWERED_DOWN, PLAN_UP};

	for (size_t i = 0; i < T_COUNT(those); i++) {
		struct plan_view v = node(those[i]);

		v.pod = those[i] == PLAN_UP ? &well : NULL;
		NOTHING(&v);
		v.wear = "cpu,pytorch";
		T_STR(PLAN(&v, PLAN_WEAR, PLAN_LEAVE, "features").words,
		      "cpu,pytorch");
		v.node.rebooting = true;
		NOTHING(&v);
	}
}

/* Slurm may give a node that is powered down, and its features, to a job. */
static void features_are_taken_off_before_a_node_is_powered_down(void)
{
	struct plan_view v = node(PLAN_POWERING_DOWN);

	v.node.power_for = 1000;
	PLAN(&v, PLAN_RESUME, PLAN_LEAVE, "powered down");
	v.wear = "cpu";
	T_STR(PLAN(&v, PLAN_WEAR, PLAN_LEAVE, "features").words, "cpu");
	v.wear_tried = true; /* in vain: that must not keep it from jobs */
	PLAN(&v, PLAN_RESUME, PLAN_LEAVE, "powered down");
	v.wear_tried = false;
	v.left_for = 1000; /* its slurmd may still say what it wears */
	T_INT(PLAN(&v, PLAN_KEEP, PLAN_LEAVE, "").again_ms, 5000);
	v.left_for = 0;
	v.pod = &leaving;
	NOT_YET(&v, 20000);
}

static void trouble_comes_before_features(void)
{
	struct plan_view v = node(PLAN_UP);

	v.pod = &failed;
	v.wear = "cpu";
	PLAN(&v, PLAN_DOWN, PLAN_DELETE, "pod ended");
	v = node(PLAN_POWERED_DOWN);
	v.wear = "cpu";
	v.node.ending = true;
	NOTHING(&v);
}

/* --- strays */

static void a_stray_is_deleted_after_a_while(void)
{
	struct plan p;

	plan_stray(&well, 20000, &p);
	T_INT(p.slurm, PLAN_KEEP);
	T_INT(p.kube, PLAN_DELETE);
	T_STR(p.row, "stray");
	T_STR(p.words, "no node of Slurm has this pod");
	plan_stray(&well, 19000, &p);
	T_INT(p.kube, PLAN_LEAVE);
	T_STR(p.row, "");
	T_INT(p.again_ms, 1000);
	plan_stray(&leaving, LONG_AGO, &p);
	T_INT(p.kube, PLAN_LEAVE);
	T_STR(p.row, "");
	T_INT(p.again_ms, 0);
}

/* --- nodes that have left their nodeset */

static void what_is_noted_on_a_pod_left_behind_ends_with_its_jobs(void)
{
	struct plan_pod pod = well;
	struct plan p;

	pod.busy = true;
	pod.jobs = "7";
	plan_left_behind(&pod, true, &p); /* protected while they run */
	T_INT(p.kube, PLAN_LEAVE);
	plan_left_behind(&pod, false, &p);
	T_INT(p.kube, PLAN_NOTE);
	T_INT(p.slurm, PLAN_KEEP);
	T_STR(p.row, "left behind");
	pod.jobs = "";
	plan_left_behind(&pod, false, &p);
	T_INT(p.kube, PLAN_NOTE);
	pod.busy = false;
	pod.scale = POD_SCALE_KEEP;
	plan_left_behind(&pod, false, &p);
	T_INT(p.kube, PLAN_NOTE);
	pod.scale = POD_SCALE_DOWN;
	plan_left_behind(&pod, false, &p); /* done */
	T_INT(p.kube, PLAN_LEAVE);
	pod.steps = 5;
	plan_left_behind(&pod, false, &p);
	T_INT(p.kube, PLAN_NOTE);
	pod.jobs = "7";
	plan_left_behind(&pod, false, &p);
	T_INT(p.kube, PLAN_NOTE);
	pod.deleting = true;
	plan_left_behind(&pod, false, &p);
	T_INT(p.kube, PLAN_LEAVE);
}

T_MAIN("nodeplan_notes", T(who_runs_there_is_noted_on_the_pod),
       T(autoscalers_are_told_whether_jobs_run_there),
       T(steps_are_noted_when_they_are_known),
       T(nothing_is_noted_on_a_pod_that_ends_or_is_not_seen),
       T(features_that_slurm_has_wrong_are_corrected),
       T(features_are_taken_off_before_a_node_is_powered_down),
       T(trouble_comes_before_features), T(a_stray_is_deleted_after_a_while),
       T(what_is_noted_on_a_pod_left_behind_ends_with_its_jobs))
