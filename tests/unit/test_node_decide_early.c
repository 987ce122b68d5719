/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pods that start before power saving looks at their node. */
#include "node_decide_fixture.h"

static enum pod_action kube_of(const struct node_view *v)
{
	struct node_decision p;

	node_decide(v, &p);
	return p.kube;
}

/* (before power saving looks at it, and k8s_resume makes the pod) */
static void a_node_that_a_job_has_just_got_gets_its_pod_at_once(void)
{
	struct node_view v = node(NODE_POWERED_DOWN);

	v.allocated = v.node.busy = true;
	PLAN(&v, NODE_KEEP, POD_CREATE, "allocated");
	v.allocated = false;
	NOTHING(&v);
	v.allocated = true;
	v.node.busy = false; /* that job has ended already */
	NOTHING(&v);
	v.node.busy = v.cooling = true;
	NOTHING(&v);
	v.cooling = false;
	v.node.ending = true;
	NOTHING(&v);
	v.node.ending = v.live = false;
	NOTHING(&v);
	v.live = true;
	v.pod = &leaving; /* the one before: k8s_resume waits for its end */
	NOTHING(&v);
	v = node(NODE_UP);
	v.allocated = v.node.busy = true;
	v.pod = &well;
	NOTHING(&v);
	v = node(NODE_POWERING_DOWN);
	v.allocated = v.node.busy = true;
	PLAN(&v, NODE_RESUME, POD_LEAVE, "powered down");
	v = drained(NODE_POWERED_DOWN, ADMINS);
	v.allocated = v.node.busy = true;
	NOTHING(&v);
}

/* Slurm drops it without a word, and waits for another one. */
static void a_pod_whose_slurmd_registered_too_early_is_replaced(void)
{
	struct node_view v = node(NODE_POWERING_UP);
	struct pod_view pod = well;

	v.node.power_for = 500;
	v.pod_for = 1500;
	v.pod = &pod;
	pod.running_ms = NOW - 1000;
	v.node.slurmd_start_ms = NOW - 1000;
	PLAN(&v, NODE_KEEP, POD_DELETE, "registered too early");
	v.node.slurmd_start_ms = NOW;
	PLAN(&v, NODE_KEEP, POD_DELETE, "registered too early");
	v.pod_for = 499; /* it was made for this power-up, as the next one is */
	T_OK(kube_of(&v) != POD_DELETE);
	v.pod_for = 1500;
	v.node.slurmd_start_ms = NOW - 2000; /* of the pod before */
	T_OK(kube_of(&v) != POD_DELETE);
	v.node.slurmd_start_ms = 0;
	T_OK(kube_of(&v) != POD_DELETE);
	v.node.slurmd_start_ms = NOW;
	v.node.rebooting = true;
	NOTHING(&v);
	v.node.rebooting = false;
	v.live = false;
	T_OK(kube_of(&v) != POD_DELETE);
	v.live = true;
	pod = pending;
	T_OK(kube_of(&v) != POD_DELETE);
	pod = well;
	pod.deleting = true;
	T_OK(kube_of(&v) != POD_DELETE);
	v.node.power = NODE_UP;
	pod = well;
	T_OK(kube_of(&v) != POD_DELETE);
}

T_MAIN("node_decide_early",
       T(a_node_that_a_job_has_just_got_gets_its_pod_at_once),
       T(a_pod_whose_slurmd_registered_too_early_is_replaced))
