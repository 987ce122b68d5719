/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the tests of the planner share; each file uses a part of it. */
#ifndef SLURMK8S_TESTS_NODEPLAN_FIXTURE_H
#define SLURMK8S_TESTS_NODEPLAN_FIXTURE_H

#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wunused-variable"
#pragma GCC diagnostic ignored "-Wunused-const-variable"
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "nodes/reconcile/node_decide.h"
#include "t.h"

#define NOW 1800000000000 /* epoch */
#define LONG_AGO 3600000
#define OURS "k8s: nodeset cpu cools down: no room"
#define ADMINS "bad DIMM"
#define RECORDED "k8s: pod slurm/cpu-1 uid u on worker-7"
#define RESUME_TIMEOUT "ResumeTimeout reached"
#define NOT_RESPONDING "Not responding"
#define REBOOT_TIMED_OUT "Reboot ASAP : reboot issued : reboot timed out"

static const struct failover rules = {.unschedulable_after_ms = 60000,
				      .not_started_after_ms = 45000,
				      .register_within_ms = 90000};

/* All is well for long. */
static struct node_view node(enum node_power power)
{
	return (struct node_view){
		.node = {.power = power,
			 .extra = power == NODE_UP ? RECORDED : NULL,
			 .reason_ms = NOW - LONG_AGO,
			 .power_for = LONG_AGO},
		.live = true,
		.pod_for = LONG_AGO,
		.absent_for = LONG_AGO,
		.calm_for = LONG_AGO,
		.absent = true,
		.ended = true,
		.host = {.known = true, .ready = true},
		.lost_for = LONG_AGO,
		.ns = "slurm",
		.hash = "h",
		.cool_words = "nodeset cpu cools down: no room",
		.rules = &rules,
		.now_ms = NOW,
	};
}

static struct node_view drained(enum node_power power, const char *reason)
{
	struct node_view v = node(power);

	v.node.drained = true;
	v.node.reason = reason;
	return v;
}

static struct node_view down(enum node_power power, const char *reason)
{
	struct node_view v = node(power);

	v.node.down = true;
	v.node.reason = reason;
	return v;
}

#define POD                                                                    \
	.name = "cpu-1", .uid = "u", .node = "cpu-1", .nodeset = "cpu",        \
	.hash = "h", .kube_node = "worker-7", .jobs = "", .warning = ""

static const struct pod_view well = {POD,
				     .words = "",
				     .phase = POD_RUNNING,
				     .running = true,
				     .running_ms = NOW - 1000,
				     .unschedulable_ms = -1};
static const struct pod_view pending = {POD, .words = "", .phase = POD_PENDING,
					.running_ms = -1,
					.unschedulable_ms = -1};
static const struct pod_view failed = {POD,
				       .words = "Evicted: disk pressure",
				       .phase = POD_FAILED,
				       .terminated = true,
				       .running_ms = -1,
				       .unschedulable_ms = -1};
static const struct pod_view broken = {POD,
				       .words = "slurmd: ImagePullBackOff",
				       .phase = POD_PENDING,
				       .trouble = POD_CANNOT_START,
				       .running_ms = -1,
				       .unschedulable_ms = -1};
static const struct pod_view roomless = {POD,
					 .words = "Unschedulable: 0/3 nodes",
					 .phase = POD_PENDING,
					 .trouble = POD_UNSCHEDULABLE,
					 .running_ms = -1,
					 .unschedulable_ms = NOW - LONG_AGO};
static const struct pod_view leaving = {POD,
					.words = "",
					.phase = POD_RUNNING,
					.running = true,
					.deleting = true,
					.running_ms = NOW - LONG_AGO,
					.unschedulable_ms = -1};
static const struct pod_view dated = {POD,
				      .words = "",
				      .phase = POD_RUNNING,
				      .running = true,
				      .running_ms = NOW - LONG_AGO,
				      .unschedulable_ms = -1};

static const struct pod_view *const all_pods[] = {
	&well, &pending, &failed, &broken, &roomless, &leaving, &dated, NULL};

static struct node_decision check(struct t_at at, const struct node_view *v,
				  enum node_action slurm, enum pod_action kube,
				  const char *row)
{
	struct node_view noted = *v;
	struct pod_view pod;
	struct node_decision p;

	if (v->pod) { /* what is noted on pods has tests of its own */
		pod = *v->pod;
		pod.busy = v->node.busy;
		pod.scale = pod.busy ? POD_SCALE_KEEP : POD_SCALE_DOWN;
		noted.pod = &pod;
	}
	memset(&p, 0x5a, sizeof(p));
	node_decide(&noted, &p);
	t_int(at, p.slurm, slurm);
	t_int(at, p.kube, kube);
	t_str(at, p.row, row);
	return p;
}
#define PLAN(v, slurm, kube, row) check(T_HERE, v, slurm, kube, row)

/* Nothing is done; with a time, it is looked at again then. */
static void check_wait(struct t_at at, const struct node_view *v, int64_t again)
{
	struct node_decision p = check(at, v, NODE_KEEP, POD_LEAVE, "");

	t_int(at, p.again_ms, again);
	t_int(at, p.failed, false);
}
#define NOTHING(v) check_wait(T_HERE, v, 0)
#define NOT_YET(v, again) check_wait(T_HERE, v, again)

#endif
