/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Beside failures: notes on pods, features, pods that are no node's. */
#include "node_decide_fixture.h"

/* --- what is noted on pods */

static struct node_decision noted(const struct node_view *v, bool busy,
				  const char *jobs)
{
	struct node_view seen = *v;
	struct pod_view pod = *v->pod;
	struct node_decision p;

	pod.busy = busy;
	pod.scale = busy ? POD_SCALE_KEEP : POD_SCALE_DOWN;
	pod.jobs = jobs;
	seen.pod = &pod;
	node_decide(&seen, &p);
	T_INT(p.slurm, NODE_KEEP);
	return p;
}

static void who_runs_there_is_noted_on_the_pod(void)
{
	static const enum node_power up[] = {NODE_UP, NODE_POWERING_UP};

	for (size_t i = 0; i < T_COUNT(up); i++) {
		struct node_view v = node(up[i]);

		v.pod = &well;
		v.node.busy = true;
		T_INT(noted(&v, false, "").kube, POD_NOTE);
		T_STR(noted(&v, false, "").row, "jobs");
		T_INT(noted(&v, true, "").kube, POD_LEAVE); /* not known yet */
		v.jobs = "7,8";
		T_INT(noted(&v, true, "7").kube, POD_NOTE);
		T_INT(noted(&v, true, "7,8").kube, POD_LEAVE);
		v.node.busy = false;
		v.jobs = "";
		T_INT(noted(&v, true, "7,8").kube, POD_NOTE);
		T_INT(noted(&v, false, "").kube, POD_LEAVE);
	}
}

static void autoscalers_are_told_whether_jobs_run_there(void)
{
	static const struct {
		bool busy;
		enum pod_scale told;
		enum pod_action kube;
	} rows[] = {
		{true, POD_SCALE_KEEP, POD_LEAVE},
		{true, POD_SCALE_DOWN, POD_NOTE},
		{true, POD_SCALE_OTHER, POD_NOTE}, /* an older engine's */
		{false, POD_SCALE_DOWN, POD_LEAVE},
		{false, POD_SCALE_KEEP, POD_NOTE},
		{false, POD_SCALE_OTHER, POD_NOTE}, /* it had no job yet */
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		struct node_view v = node(NODE_UP);
		struct pod_view pod = well;
		struct node_decision p;

		t_row("%zu", i);
		v.pod = &pod;
		v.node.busy = pod.busy = rows[i].busy;
		pod.scale = rows[i].told;
		node_decide(&v, &p);
		T_INT(p.kube, rows[i].kube);
	}
}

static void steps_are_noted_when_they_are_known(void)
{
	struct node_view v = node(NODE_UP);
	struct pod_view pod = well;

	v.node.busy = pod.busy = true;
	v.jobs = pod.jobs = "7";
	v.pod = &pod;
	v.steps = 5;
	T_INT(noted(&v, true, "7").kube, POD_LEAVE);
	v.steps_known = true;
	T_INT(noted(&v, true, "7").kube, POD_NOTE);
	pod.steps = 5;
	T_INT(noted(&v, true, "7").kube, POD_LEAVE);
	v.steps = 0; /* they have ended */
	T_INT(noted(&v, true, "7").kube, POD_NOTE);
}

static void nothing_is_noted_on_a_pod_that_ends_or_is_not_seen(void)
{
	struct node_view v = node(NODE_POWERING_DOWN);

	v.pod = &well;
	v.node.busy = true;
	v.node.power_for = 0;
	T_INT(noted(&v, false, "").kube, POD_LEAVE);
	v = node(NODE_UP);
	v.pod = &well;
	v.node.busy = true;
	T_INT(noted(&v, false, "").kube, POD_NOTE);
	v.live = false;
	T_INT(noted(&v, false, "").kube, POD_LEAVE);
	v = drained(NODE_UP, OURS);
	v.node.busy = true;
	v.pod = &leaving;
	T_INT(noted(&v, false, "").kube, POD_LEAVE);
}

/* --- features */

static void features_that_slurm_has_wrong_are_corrected(void)
{
	static const enum node_power those[] = {NODE_POWERED_DOWN, NODE_UP};

	for (size_t i = 0; i < T_COUNT(those); i++) {
		struct node_view v = node(those[i]);

		v.pod = those[i] == NODE_UP ? &well : NULL;
		NOTHING(&v);
		v.set_features = "cpu,pytorch";
		T_STR(PLAN(&v, NODE_SET_FEATURES, POD_LEAVE, "features").words,
		      "cpu,pytorch");
		v.node.rebooting = true;
		NOTHING(&v);
	}
}

/* Slurm may give a node that is powered down, and its features, to a job. */
static void features_are_taken_off_before_a_node_is_powered_down(void)
{
	struct node_view v = node(NODE_POWERING_DOWN);

	v.node.power_for = 1000;
	PLAN(&v, NODE_RESUME, POD_LEAVE, "powered down");
	v.set_features = "cpu";
	T_STR(PLAN(&v, NODE_SET_FEATURES, POD_LEAVE, "features").words, "cpu");
	v.features_tried = true; /* in vain: that must not keep it from jobs */
	PLAN(&v, NODE_RESUME, POD_LEAVE, "powered down");
	v.features_tried = false;
	v.left_for = 1000; /* its slurmd may still say what it wears */
	T_INT(PLAN(&v, NODE_KEEP, POD_LEAVE, "").again_ms, 5000);
	v.left_for = 0;
	v.pod = &leaving;
	NOT_YET(&v, 20000);
}

static void trouble_comes_before_features(void)
{
	struct node_view v = node(NODE_UP);

	v.pod = &failed;
	v.set_features = "cpu";
	PLAN(&v, NODE_DOWN, POD_DELETE, "pod ended");
	v = node(NODE_POWERED_DOWN);
	v.set_features = "cpu";
	v.node.ending = true;
	NOTHING(&v);
}

/* --- strays */

static void a_stray_is_deleted_after_a_while(void)
{
	struct node_decision p;

	unmatched_pod_decide(&well, 20000, &p);
	T_INT(p.slurm, NODE_KEEP);
	T_INT(p.kube, POD_DELETE);
	T_STR(p.row, "stray");
	T_STR(p.words, "no node of Slurm has this pod");
	unmatched_pod_decide(&well, 19000, &p);
	T_INT(p.kube, POD_LEAVE);
	T_STR(p.row, "");
	T_INT(p.again_ms, 1000);
	unmatched_pod_decide(&leaving, LONG_AGO, &p);
	T_INT(p.kube, POD_LEAVE);
	T_STR(p.row, "");
	T_INT(p.again_ms, 0);
}

/* --- nodes that have left their nodeset */

static void what_is_noted_on_a_pod_left_behind_ends_with_its_jobs(void)
{
	struct pod_view pod = well;
	struct node_decision p;

	pod.busy = true;
	pod.jobs = "7";
	node_left_behind(&pod, true, &p); /* protected while they run */
	T_INT(p.kube, POD_LEAVE);
	node_left_behind(&pod, false, &p);
	T_INT(p.kube, POD_NOTE);
	T_INT(p.slurm, NODE_KEEP);
	T_STR(p.row, "left behind");
	pod.jobs = "";
	node_left_behind(&pod, false, &p);
	T_INT(p.kube, POD_NOTE);
	pod.busy = false;
	pod.scale = POD_SCALE_KEEP;
	node_left_behind(&pod, false, &p);
	T_INT(p.kube, POD_NOTE);
	pod.scale = POD_SCALE_DOWN;
	node_left_behind(&pod, false, &p); /* done */
	T_INT(p.kube, POD_LEAVE);
	pod.steps = 5;
	node_left_behind(&pod, false, &p);
	T_INT(p.kube, POD_NOTE);
	pod.jobs = "7";
	node_left_behind(&pod, false, &p);
	T_INT(p.kube, POD_NOTE);
	pod.deleting = true;
	node_left_behind(&pod, false, &p);
	T_INT(p.kube, POD_LEAVE);
}

static void the_record_tells_that_min_running_keeps_the_node_up(void)
{
	struct node_view v = node(NODE_UP);
	struct node_decision p;

	v.pod = &well;
	v.kept_up = true;
	p = PLAN(&v, NODE_RECORD, POD_LEAVE, "record");
	T_HAS(p.words, "kept up by minRunning; pod slurm/cpu-1 uid ");
	v.node.extra = "rack 7"; /* somebody else's */
	NOTHING(&v);
	v.node.extra = WK_EXTRA_KEPT "; pod slurm/cpu-1";
	v.node.drained = true; /* it is released, and keeps the rest */
	v.node.reason = ADMINS;
	v.kept_up = false;
	p = PLAN(&v, NODE_RECORD, POD_LEAVE, "record");
	T_STR(p.words, "pod slurm/cpu-1");
	v = node(NODE_POWERED_DOWN);
	v.node.extra = WK_EXTRA_KEPT "; pod slurm/cpu-1";
	p = PLAN(&v, NODE_RECORD, POD_LEAVE, "record");
	T_STR(p.words, "");
	v = node(NODE_POWERED_DOWN);
	v.kept_up = true;
	v.node.extra = WK_EXTRA_KEPT; /* it stays until the node is up */
	NOTHING(&v);
	v.node.extra = "";
	p = PLAN(&v, NODE_RECORD, POD_LEAVE, "record");
	T_STR(p.words, "kept up by minRunning");
}

T_MAIN("node_decide_notes",
       T(the_record_tells_that_min_running_keeps_the_node_up),
       T(who_runs_there_is_noted_on_the_pod),
       T(autoscalers_are_told_whether_jobs_run_there),
       T(steps_are_noted_when_they_are_known),
       T(nothing_is_noted_on_a_pod_that_ends_or_is_not_seen),
       T(features_that_slurm_has_wrong_are_corrected),
       T(features_are_taken_off_before_a_node_is_powered_down),
       T(trouble_comes_before_features), T(a_stray_is_deleted_after_a_while),
       T(what_is_noted_on_a_pod_left_behind_ends_with_its_jobs))
