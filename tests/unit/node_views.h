/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Views of a node, drawn for the property tests. */
#ifndef SLURMK8S_TESTS_UNIT_NODE_VIEWS_H
#define SLURMK8S_TESTS_UNIT_NODE_VIEWS_H

#include "base/str.h"
#include "node_decide_fixture.h"
#include "property.h"

#define CORDONED WK_REASON_PREFIX "Kubernetes node worker-7 is cordoned"

/* 0, 1, and around what node_decide.c waits for. */
static int64_t some_ms(void)
{
	static const int64_t bounds[] = {1000,	5000,  6000,  10000,
					 15000, 20000, 60000, LONG_AGO};

	return around(ONE_OF(bounds));
}

static struct pod_view draw_pod(void)
{
	static const char *const hashes[] = {"h", "old"};
	struct pod_view pod = {
		POD,
		.words = coin() ? "" : "slurmd: OOMKilled",
		.phase = (enum pod_phase)draw(POD_FAILED + 1),
		.trouble = (enum pod_trouble)draw(POD_CANNOT_START + 1),
		.scale = (enum pod_scale)draw(POD_SCALE_DOWN + 1),
		.running = coin(),
		.deleting = seldom(4),
		.terminated = coin(),
		.displaced = seldom(4),
		.busy = coin(),
		.restarts = up_to(2),
		.running_ms = coin() ? -1 : NOW - some_ms(),
		.unschedulable_ms = coin() ? -1 : NOW - some_ms(),
	};

	if (pod.trouble != POD_FINE)
		pod.words = "slurmd: ImagePullBackOff";
	pod.hash = ONE_OF(hashes);
	pod.warning = seldom(4) ? "FailedMount: no such volume" : "";
	pod.warned_ms = NOW - some_ms();
	pod.warned_last_ms = pod.warned_ms + some_ms();
	return pod;
}

static struct node_view draw_view(const struct pod_view *pod)
{
	static const char *const reasons[] = {NULL,
					      "",
					      ADMINS,
					      OURS,
					      CORDONED,
					      OURS " : " NOT_RESPONDING,
					      RESUME_TIMEOUT,
					      NOT_RESPONDING,
					      REBOOT_TIMED_OUT,
					      WK_REASON_DUPLICATE,
					      ADMINS " : " NOT_RESPONDING};
	static const char *const extras[] = {NULL, "", RECORDED, ADMINS};

	struct node_view v = {
		.node = {.power = (enum node_power)draw(4),
			 .down = seldom(4),
			 .drained = seldom(3),
			 .busy = coin(),
			 .no_respond = coin(),
			 .rebooting = seldom(8),
			 .reboot_asked = coin(),
			 .ending = seldom(8),
			 .reason = ONE_OF(reasons),
			 .extra = ONE_OF(extras),
			 .reason_ms = NOW - some_ms(),
			 .last_busy_ms = NOW - some_ms(),
			 .slurmd_start_ms = coin() ? 0 : NOW - some_ms(),
			 .power_for = some_ms()},
		.allocated = coin(),
		.kept_up = coin(),
		.pod = seldom(3) ? NULL : pod,
		.pod_for = some_ms(),
		.ending_for = pod->deleting ? some_ms() : 0,
		.restarts = up_to(1),
		.busy_ms = NOW - some_ms(),
		.live = !seldom(4),
		.gone = coin(),
		.absent_for = some_ms(),
		.calm_for = some_ms(),
		.absent = coin(),
		.ended = coin(),
		.left_for = some_ms(),
		.last_words = coin() ? NULL : "OOMKilled",
		.host = {.known = coin(), .ready = coin(), .cordoned = coin()},
		.lost_for = some_ms(),
		.ns = "slurm",
		.hash = coin() ? NULL : "h",
		.jobs = coin() ? NULL : "7",
		.steps_known = coin(),
		.steps = up_to(1),
		.asked = up_to(1),
		.set_features = seldom(4) ? "a a,b" : NULL,
		.features_tried = coin(),
		.cooling = seldom(3),
		.cool_words = "nodeset cpu cools down: no room",
		.rules = &rules,
		.now_ms = NOW,
	};

	v.node.undrained = v.node.power == NODE_POWERING_DOWN &&
			   !v.node.drained && !v.node.down &&
			   str_eq(v.node.reason, ADMINS) && coin();
	return v;
}

#endif
