/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "node_decide_fixture.h"
#include "nodes/jobs/blame.h"
#include "nodes/pod/refusal.h"
#include "objects/pod_event.h"

static void a_node_that_is_as_it_should_be_is_left_alone(void)
{
	struct node_view v = node(NODE_POWERED_DOWN);

	NOTHING(&v);
	v = node(NODE_POWERING_UP);
	v.pod = &pending;
	NOTHING(&v);
	v = node(NODE_UP);
	v.pod = &well;
	NOTHING(&v);
	v.node.busy = true;
	NOTHING(&v);
}

/* --- powering up */

static void a_node_that_k8s_resume_gave_back_is_powered_off(void)
{
	struct node_view v = drained(NODE_POWERING_UP, "k8s: no quota");
	struct node_decision p;

	v.node.reason_ms = NOW - 10000;
	p = PLAN(&v, NODE_POWER_OFF, POD_LEAVE, "given back");
	T_STR(p.words, "no quota");
	T_OK(p.failed);
}

static void a_node_given_back_has_failed_before_it_is_powered_off(void)
{
	struct node_view v = drained(NODE_POWERING_UP, "k8s: no quota");
	struct node_decision p;

	v.node.reason_ms = NOW - 9000;
	p = PLAN(&v, NODE_KEEP, POD_LEAVE, "given back");
	T_INT(p.again_ms, 1000);
	T_OK(p.failed);
}

/* Others of the nodeset have no such pod. */
static void an_old_pod_that_does_not_go_is_no_failure_of_the_nodeset(void)
{
	struct node_view v = drained(
		NODE_POWERING_UP, "k8s: pod slurm/cpu-1: it is still ending");

	T_OK(!PLAN(&v, NODE_POWER_OFF, POD_LEAVE, "given back").failed);
	T_OK(refusal_is_of_one_node("pod slurm/cpu-1: it is still ending"));
	T_OK(!refusal_is_of_one_node("pod slurm/cpu-1: it is still ending?"));
	T_OK(refusal_is_of_one_node("its old pod is still being deleted"));
	T_OK(refusal_is_of_one_node(
		"pod slurm/cpu-1: there is a pod of this name "
		"that is not this Slurm node's"));
	T_OK(refusal_is_of_one_node(
		"node cpu-1: Slurm names no CPUs or RealMemory"));
	T_OK(!refusal_is_of_one_node(
		"nodeset cpu: the template has no container"));
	T_OK(!refusal_is_of_one_node("exceeded quota"));
	T_OK(!refusal_is_of_one_node(""));
}

static void a_node_that_powers_up_without_a_pod_gets_one(void)
{
	struct node_view v = node(NODE_POWERING_UP);

	v.node.power_for = 15000;
	PLAN(&v, NODE_KEEP, POD_CREATE, "no pod");
	v.node.power_for = 14000; /* ResumeProgram comes first */
	NOT_YET(&v, 1000);
	v.gone = true; /* its pod was there already */
	T_OK(!PLAN(&v, NODE_KEEP, POD_CREATE, "no pod").failed);
}

static void a_power_up_whose_pod_has_ended_is_given_up(void)
{
	struct node_view v = node(NODE_POWERING_UP);
	struct pod_view pod = failed;
	struct node_decision p;

	v.pod = &pod;
	p = PLAN(&v, NODE_REQUEUE, POD_DELETE, "pod ended");
	T_STR(p.words, "pod ended: Evicted: disk pressure");
	T_OK(p.failed);
	pod.phase = POD_SUCCEEDED;
	pod.words = "";
	p = PLAN(&v, NODE_REQUEUE, POD_DELETE, "pod ended");
	T_STR(p.words, "pod ended");
	T_OK(p.failed);
}

static void a_power_up_whose_pod_cannot_start_is_given_up(void)
{
	struct node_view v = node(NODE_POWERING_UP);
	struct node_decision p;

	v.pod = &broken;
	v.node.power_for = v.pod_for = 0;
	p = PLAN(&v, NODE_REQUEUE, POD_DELETE, "cannot start");
	T_STR(p.words, "slurmd: ImagePullBackOff");
	T_OK(p.failed);
}

static void a_power_up_without_room_is_given_up_after_a_while(void)
{
	struct node_view v = node(NODE_POWERING_UP);
	struct pod_view pod = roomless;
	struct node_decision p;

	v.pod = &pod;
	pod.unschedulable_ms = NOW - 60000;
	p = PLAN(&v, NODE_REQUEUE, POD_DELETE, "unschedulable");
	T_STR(p.words, "Unschedulable: 0/3 nodes");
	T_OK(p.failed);
	pod.unschedulable_ms = NOW - 59999;
	NOT_YET(&v, 1);
	pod.unschedulable_ms = NOW - 20000;
	NOT_YET(&v, 40000);
	pod.unschedulable_ms = -1;
	NOTHING(&v);
}

static void a_power_up_on_a_lost_host_is_given_up_and_blames_the_host(void)
{
	struct node_view v = node(NODE_POWERING_UP);
	struct node_decision p;

	v.pod = &well;
	v.host.ready = false;
	p = PLAN(&v, NODE_REQUEUE, POD_DELETE, "host lost");
	T_STR(p.words, "Kubernetes node worker-7 is lost");
	T_OK(!p.failed);
	v.host.known = false;
	T_INT(PLAN(&v, NODE_KEEP, POD_LEAVE, "").again_ms, 89000);
}

static void a_slurmd_that_runs_but_does_not_register_is_given_up(void)
{
	struct node_view v = node(NODE_POWERING_UP);
	struct pod_view pod = well;
	struct node_decision p;

	v.pod = &pod;
	pod.running_ms = NOW - 90000;
	p = PLAN(&v, NODE_REQUEUE, POD_DELETE, "not registered");
	T_STR(p.words,
	      "pod cpu-1 runs, but its slurmd did not register within 90 s");
	T_OK(p.failed);
	pod.running_ms = NOW - 30000;
	NOT_YET(&v, 60000);
	pod.running_ms = NOW - 90000; /* so says a clock that is slow */
	v.pod_for = 2000;
	NOT_YET(&v, 88000);
	v.pod_for = LONG_AGO;
	pod.running_ms = NOW - LONG_AGO; /* since another power-up */
	v.node.power_for = 16000;
	NOT_YET(&v, 74000);
	v.node.power_for = 90000;
	PLAN(&v, NODE_REQUEUE, POD_DELETE, "not registered");
	v.node.power_for = LONG_AGO;
	pod.running_ms = -1;
	NOTHING(&v);
	pod.running_ms = NOW - LONG_AGO; /* but not now */
	pod.running = false;
	NOTHING(&v);
}

static void a_pod_that_is_ending_is_waited_for_while_powering_up(void)
{
	static const struct pod_view *const pods[] = {&failed, &broken,
						      &roomless, &dated};

	for (size_t i = 0; i < T_COUNT(pods); i++) {
		struct node_view v = node(NODE_POWERING_UP);
		struct pod_view pod = *pods[i];

		t_row("%s", pod.words);
		pod.deleting = true;
		v.pod = &pod;
		v.host.ready = false;
		NOTHING(&v);
	}
}

/* --- up */

static void a_node_that_we_have_set_down_is_powered_off(void)
{
	struct node_view v = down(NODE_UP, OURS);

	PLAN(&v, NODE_POWER_OFF, POD_LEAVE, "down");
	v.live = false;
	PLAN(&v, NODE_POWER_OFF, POD_LEAVE, "down");
	v.pod = &well;
	PLAN(&v, NODE_POWER_OFF, POD_LEAVE, "down");
	v.node.ending = true;
	NOTHING(&v);
}

static void a_node_that_does_not_respond_is_powered_off_without_its_pod(void)
{
	struct node_view v = down(NODE_UP, NOT_RESPONDING);

	v.absent_for = 10000;
	PLAN(&v, NODE_POWER_OFF, POD_LEAVE, "down");
	v.absent_for = 7000;
	NOT_YET(&v, 3000);
	v.gone = true;
	PLAN(&v, NODE_POWER_OFF, POD_LEAVE, "down");
	v.live = false;
	NOTHING(&v);
}

static void a_node_whose_slurmd_was_restarted_is_lost(void)
{
	struct node_view v = node(NODE_UP);
	struct pod_view pod = well;
	struct node_decision p;

	pod.words = "slurmd: OOMKilled, exit code 137";
	v.pod = &pod;
	NOTHING(&v);
	pod.restarts = v.restarts = 2; /* before its jobs came */
	NOTHING(&v);
	pod.restarts = 3;
	v.busy_ms = pod.running_ms; /* the same, but this was said late */
	NOTHING(&v);
	pod.running_ms = -1; /* it is down again */
	PLAN(&v, NODE_DOWN, POD_DELETE, "slurmd restarted");
	pod.running_ms = v.busy_ms + 1;
	p = PLAN(&v, NODE_DOWN, POD_DELETE, "slurmd restarted");
	T_STR(p.words, "slurmd's container was restarted: slurmd: OOMKilled, "
		       "exit code 137");
	T_OK(blame_is(p.words));
	v.node.ending =
		true; /* when its jobs have ended, which they never do */
	v.node.busy = true;
	PLAN(&v, NODE_DOWN, POD_DELETE, "slurmd restarted");
	v.node.rebooting = true;
	NOTHING(&v);
}

/* A job may run for days before it; what is issued is RebootProgram's. */
static void a_reboot_that_waits_for_jobs_leaves_them_protected(void)
{
	struct node_view v = node(NODE_UP);
	struct pod_view pod = well;

	v.node.rebooting = v.node.reboot_asked = v.node.busy = true;
	v.gone = true;
	PLAN(&v, NODE_DOWN, POD_LEAVE, "pod gone");
	v.node.drained = true;
	v.node.reason = "Reboot ASAP";
	PLAN(&v, NODE_DOWN, POD_LEAVE, "pod gone");
	v.node.reason = "hands-off"; /* an administrator's */
	PLAN(&v, NODE_DOWN_ONLY, POD_LEAVE, "pod gone");
	v.node.busy = false;
	NOTHING(&v);
	v.node.busy = true;
	v.node.reboot_asked = false;
	NOTHING(&v);
	v.node.reboot_asked = true;
	v.pod = &pod;
	pod.deleting = true;
	NOTHING(&v);
	pod.phase = POD_FAILED;
	PLAN(&v, NODE_DOWN_ONLY, POD_LEAVE, "pod ended");
}

/* As with a power-up: else nobody would ever use such a node again. */
static void a_reboot_that_timed_out_heals(void)
{
	struct node_view v = down(NODE_UP, REBOOT_TIMED_OUT);

	PLAN(&v, NODE_POWER_OFF, POD_LEAVE, "down");
	v.node.drained = true; /* from 23.11 on it stays so */
	PLAN(&v, NODE_POWER_OFF, POD_LEAVE, "down");
	v = down(NODE_POWERING_DOWN, REBOOT_TIMED_OUT);
	PLAN(&v, NODE_RESUME, POD_LEAVE, "powered down");
	v.node.reason = "new disks : reboot issued : reboot timed out";
	NOTHING(&v);
	v = down(NODE_UP, "new disks : reboot issued : reboot timed out");
	NOTHING(&v);
	v = down(NODE_UP, "reboot issued");
	NOTHING(&v);
}

static void a_pod_that_is_lost_before_a_power_down_asap_heals(void)
{
	struct node_view v = drained(NODE_UP, "POWER_DOWN_ASAP");

	v.node.ending = v.node.busy = v.gone = true;
	PLAN(&v, NODE_DOWN, POD_LEAVE, "pod gone");
	v.node.reason = "hands-off";
	PLAN(&v, NODE_DOWN_ONLY, POD_LEAVE, "pod gone");
	v = down(NODE_POWERING_DOWN, "POWER_DOWN_ASAP : Not responding");
	PLAN(&v, NODE_RESUME, POD_LEAVE, "powered down");
}

static void a_pod_whose_slurmd_does_not_respond_is_replaced(void)
{
	struct node_view v = down(NODE_UP, NOT_RESPONDING);
	struct node_decision p;

	v.pod = &well;
	v.node.no_respond = true;
	p = PLAN(&v, NODE_POWER_OFF, POD_LEAVE, "not responding");
	T_STR(p.words, "slurmd in its pod does not respond");
	v.node.reason_ms = NOW - 50000; /* it may come back by itself */
	NOT_YET(&v, 10000);
	v.node.reason_ms = NOW - LONG_AGO;
	v.node.power_for = 50000; /* slurmctld has just started */
	NOT_YET(&v, 10000);
	v.node.power_for = LONG_AGO;
	v.node.no_respond = false; /* it waits for an administrator */
	NOTHING(&v);
	v.node.no_respond = true;
	v.live = false;
	NOTHING(&v);
	v.live = true;
	v.pod = &leaving;
	NOTHING(&v);
	v.pod = &well;
	v.node.reason = ADMINS;
	NOTHING(&v);
	v.node.reason = NOT_RESPONDING;
	v.node.ending = true;
	NOTHING(&v);
	v.node.ending = false;
	v.node.reason_ms = NOW;
	v.pod = &failed;
	PLAN(&v, NODE_POWER_OFF, POD_LEAVE, "down");
}

static void a_running_node_whose_pod_is_gone_is_lost(void)
{
	struct node_view v = node(NODE_UP);
	struct node_decision p;

	v.gone = true;
	v.absent_for = 0;
	p = PLAN(&v, NODE_DOWN, POD_LEAVE, "pod gone");
	T_STR(p.words, "its pod is gone");
	T_OK(!p.failed);
	v.last_words = "Evicted: disk pressure";
	p = PLAN(&v, NODE_DOWN, POD_LEAVE, "pod gone");
	T_STR(p.words, "its pod is gone: Evicted: disk pressure");
	v.last_words = "";
	p = PLAN(&v, NODE_DOWN, POD_LEAVE, "pod gone");
	T_STR(p.words, "its pod is gone");
}

static void an_absence_never_seen_to_begin_is_believed_after_a_while(void)
{
	struct node_view v = node(NODE_UP);

	v.absent_for = 10000;
	PLAN(&v, NODE_DOWN, POD_LEAVE, "pod gone");
	v.absent_for = 9999;
	NOT_YET(&v, 1);
	v.absent_for = 0;
	NOT_YET(&v, 10000);
}

/* It may be the wrong API server that says so. */
static void many_pods_that_are_gone_at_once_and_nobody_saw_how_end_no_jobs(void)
{
	struct node_view v = node(NODE_UP);

	v.node.busy = true;
	v.calm_for = 0;
	NOT_YET(&v, 10000);
	v.absent = false; /* it is asked all the same */
	PLAN(&v, NODE_KEEP, POD_LOOK, "");
	v.absent = true;
	v.calm_for = 9999; /* when it is over time counts anew */
	NOT_YET(&v, 1);
	v.calm_for = 10000;
	PLAN(&v, NODE_DOWN, POD_LEAVE, "pod gone");
	v.calm_for = 0;
	v.gone = true; /* its deletion was seen */
	PLAN(&v, NODE_DOWN, POD_LEAVE, "pod gone");
	v = down(NODE_UP, NOT_RESPONDING); /* Slurm has decided */
	v.calm_for = 0;
	PLAN(&v, NODE_POWER_OFF, POD_LEAVE, "down");
}

/* Time in which too many hosts were not ready does not count: see
 * nodes/reconcile/observe.c. */
static void many_hosts_that_are_lost_at_once_end_no_jobs(void)
{
	const char *const reason = "k8s: Kubernetes node worker-7 is not ready";
	struct node_view v = node(NODE_UP);

	v.pod = &well;
	v.host.ready = false;
	v.node.no_respond = v.node.busy = true;
	v.lost_for = 0;
	PLAN(&v, NODE_DRAIN, POD_LEAVE, "host not ready");
	v.node.drained = true;
	v.node.reason = reason;
	NOT_YET(&v, 60000);
	v.node.down = true; /* Slurm has decided */
	PLAN(&v, NODE_POWER_OFF, POD_LEAVE, "down");
}

static void a_running_node_whose_pod_has_ended_is_lost(void)
{
	struct node_view v = node(NODE_UP);
	struct pod_view pod = failed;
	struct node_decision p;

	v.pod = &pod;
	p = PLAN(&v, NODE_DOWN, POD_DELETE, "pod ended");
	T_STR(p.words, "its pod has ended: Evicted: disk pressure");
	T_OK(!p.failed);
	T_OK(blame_is(p.words));
	pod.phase = POD_SUCCEEDED;
	T_OK(blame_is(PLAN(&v, NODE_DOWN, POD_DELETE, "pod ended").words));
	pod.deleting = true; /* somebody has ended it */
	p = PLAN(&v, NODE_DOWN, POD_LEAVE, "pod ended");
	T_STR(p.words, "its pod was deleted: Evicted: disk pressure");
	T_OK(!blame_is(p.words));
}

/*
 * The API server was away, or its watch lags behind: this is the pod of before
 * the power-up, and the jobs run in another one.
 */
static void kubernetes_is_asked_before_a_pod_is_taken_for_ended(void)
{
	static const enum pod_phase phases[] = {POD_FAILED, POD_SUCCEEDED};

	for (size_t i = 0; i < T_COUNT(phases); i++) {
		struct node_view v = node(NODE_UP);
		struct pod_view pod = failed;

		t_row("%zu", i);
		pod.phase = phases[i];
		pod.deleting = true;
		v.pod = &pod;
		v.pod_for = 600000;
		v.node.power_for = 500;
		v.node.busy = true;
		v.live = v.ended = false;
		PLAN(&v, NODE_KEEP, POD_LOOK, "");
		v.live = true;
		PLAN(&v, NODE_KEEP, POD_LOOK, "");
		v.node.power_for = LONG_AGO;
		pod.deleting = false;
		PLAN(&v, NODE_KEEP, POD_LOOK, "");
		v.node.ending = true; /* when its jobs have ended */
		PLAN(&v, NODE_KEEP, POD_LOOK, "");
		v.live = false;
		v.ended = true;
		PLAN(&v, NODE_DOWN, POD_DELETE, "pod ended");
		v = down(NODE_UP, NOT_RESPONDING);
		v.pod = &pod;
		v.ended = false;
		PLAN(&v, NODE_KEEP, POD_LOOK, "");
		v.ended = true;
		PLAN(&v, NODE_POWER_OFF, POD_LEAVE, "down");
	}
}

/* (all its containers have ended with 0: see pod_event_warning()) */
static void why_a_pod_was_evicted_may_be_in_an_event_only(void)
{
	struct node_view v = node(NODE_UP);
	struct pod_view pod = failed;
	struct node_decision p;

	v.pod = &pod;
	pod.phase = POD_SUCCEEDED;
	pod.words = "";
	pod.warning = "Evicted: too much on disk";
	p = PLAN(&v, NODE_DOWN, POD_DELETE, "pod ended");
	T_STR(p.words, "its pod has ended: Evicted: too much on disk");
	T_OK(blame_is(p.words));
	pod.warning = "FailedMount: of its start";
	p = PLAN(&v, NODE_DOWN, POD_DELETE, "pod ended");
	T_STR(p.words, "its pod has ended");
}

static void a_pod_that_kubernetes_has_ended_is_not_its_jobs_fault(void)
{
	struct node_view v = node(NODE_UP);
	struct pod_view pod = failed;
	struct node_decision p;

	pod.displaced = true;
	pod.words = "Terminated: node shutdown";
	v.pod = &pod;
	p = PLAN(&v, NODE_DOWN, POD_DELETE, "pod ended");
	T_OK(!p.if_silent);
	T_STR(p.words, "its pod was ended: Terminated: node shutdown");
	T_OK(!blame_is(p.words));
}

static void a_running_node_is_lost_with_its_host_when_both_are_silent(void)
{
	struct node_view v = node(NODE_UP);
	struct node_decision p;

	v.pod = &well;
	v.host.ready = false;
	v.node.no_respond = true;
	p = PLAN(&v, NODE_DOWN, POD_DELETE, "host lost");
	T_STR(p.words, "Kubernetes node worker-7 is lost");
	T_OK(!p.failed && p.if_silent);
	v.host.ready = true;
	NOTHING(&v);
	v.host = (struct kube_node_state){0};
	NOTHING(&v);
}

/* As after an UNDRAIN, until slurmd has registered anew. */
static void a_silence_that_has_just_begun_ends_no_jobs(void)
{
	struct node_view v = node(NODE_UP);

	v.pod = &well;
	v.host.ready = false;
	v.node.no_respond = v.node.busy = true;
	v.lost_for = 1000;
	T_INT(PLAN(&v, NODE_DRAIN, POD_LEAVE, "host not ready").again_ms,
	      59000);
	v.node.drained = true;
	v.node.reason = "k8s: Kubernetes node worker-7 is not ready";
	NOT_YET(&v, 59000);
	v.lost_for = 60000;
	PLAN(&v, NODE_DOWN, POD_DELETE, "host lost");
	v.node.no_respond = false;
	NOTHING(&v);
}

static void a_node_on_a_host_that_is_not_ready_takes_no_new_jobs(void)
{
	struct node_view v = node(NODE_UP);
	struct node_decision p;

	v.pod = &well;
	v.host.ready = false;
	p = PLAN(&v, NODE_DRAIN, POD_LEAVE, "host not ready");
	T_STR(p.words, "Kubernetes node worker-7 is not ready");
	v.host.cordoned = true;
	PLAN(&v, NODE_DRAIN, POD_LEAVE, "host not ready");
	v.host.known = false;
	NOTHING(&v);
}

static void a_node_on_a_cordoned_host_takes_no_new_jobs(void)
{
	struct node_view v = node(NODE_UP);
	struct node_decision p;

	v.pod = &well;
	v.host.cordoned = true;
	p = PLAN(&v, NODE_DRAIN, POD_LEAVE, "host cordoned");
	T_STR(p.words, "Kubernetes node worker-7 is cordoned");
	v.node.drained = true;
	v.node.reason = "k8s: Kubernetes node worker-7 is cordoned";
	NOTHING(&v);
	v.host.known = false;
	NOTHING(&v);
}

static void a_drain_for_the_host_ends_when_the_host_is_back(void)
{
	struct node_view v = drained(NODE_UP, "k8s: Kubernetes node w is away");

	v.pod = &well;
	v.node.reason_ms = 5000;
	v.node.last_busy_ms = 4000;
	PLAN(&v, NODE_UNDRAIN, POD_LEAVE, "host is back");
	/* (its Epilog may have failed: Slurm's drain is lost under ours) */
	v.node.last_busy_ms = 5000;
	PLAN(&v, NODE_POWER_OFF, POD_LEAVE, "host is back, jobs ended");
	v.node.busy = true;
	PLAN(&v, NODE_UNDRAIN, POD_LEAVE, "host is back");
	v.node.reason = "Kubernetes node w is away";
	NOTHING(&v);
}

static void a_node_that_came_up_while_it_was_given_up_is_powered_down(void)
{
	struct node_view v = drained(NODE_UP, OURS);

	v.pod = &well;
	PLAN(&v, NODE_POWER_OFF, POD_LEAVE, "left drained");
	v.node.busy = true;
	NOTHING(&v);
}

static void a_node_that_slurm_would_not_use_is_powered_down_once_more(void)
{
	struct node_view v = node(NODE_POWERED_DOWN);

	v.node.no_respond = true;
	PLAN(&v, NODE_RECYCLE, POD_LEAVE, "not responding~");
	v.node.busy = true;
	NOTHING(&v);
	v.node.busy = false;
	v.node.ending = true;
	NOTHING(&v);
}

static void trouble_beside_a_running_slurmd_is_not_the_nodes(void)
{
	struct node_view v = node(NODE_POWERING_UP);
	struct pod_view pod = well;
	struct node_decision p;

	pod.trouble = POD_CANNOT_START;
	pod.running = true;
	pod.running_ms = v.now_ms;
	pod.scale = POD_SCALE_DOWN;
	v.pod = &pod;
	node_decide(&v, &p);
	T_INT(p.slurm, NODE_KEEP);
	T_INT(p.kube, POD_LEAVE);
}

static void a_node_whose_pod_is_being_deleted_takes_no_new_jobs(void)
{
	struct node_view v = node(NODE_UP);
	struct node_decision p;

	v.pod = &leaving;
	p = PLAN(&v, NODE_DRAIN, POD_LEAVE, "pod deleted");
	T_STR(p.words, "pod cpu-1 is being deleted");
	v.node.drained = true;
	v.node.reason = "k8s: pod cpu-1 is being deleted";
	NOTHING(&v);
}

static void an_idle_node_with_a_pod_of_an_old_template_is_recycled(void)
{
	struct node_view v = node(NODE_UP);
	struct node_decision p;

	v.pod = &well;
	v.hash = "new";
	p = PLAN(&v, NODE_RECYCLE, POD_LEAVE, "old template");
	T_STR(p.words, "the pod template has changed");
	v.host.known = false;
	PLAN(&v, NODE_RECYCLE, POD_LEAVE, "old template");
	v.node.busy = true;
	NOTHING(&v);
	v.node.busy = false;
	v.hash = NULL;
	NOTHING(&v);
}

static void a_drain_comes_before_a_new_template(void)
{
	struct node_view v = node(NODE_UP);

	v.pod = &well;
	v.hash = "new";
	v.host.cordoned = true;
	PLAN(&v, NODE_DRAIN, POD_LEAVE, "host cordoned");
	v.pod = &leaving;
	PLAN(&v, NODE_DRAIN, POD_LEAVE, "pod deleted");
}

static void the_pod_of_a_node_is_recorded_in_its_extra(void)
{
	struct node_view v = node(NODE_UP);
	struct node_decision p;

	v.pod = &well;
	NOTHING(&v); /* it says so already */
	v.node.extra = "";
	p = PLAN(&v, NODE_RECORD, POD_LEAVE, "record");
	T_STR(p.words, &RECORDED[strlen("k8s: ")]);
	v.node.extra = "k8s: pod slurm/cpu-1 uid older on worker-6";
	PLAN(&v, NODE_RECORD, POD_LEAVE, "record");
	v.node.extra = "rack 7"; /* somebody else's */
	NOTHING(&v);
	v.node.extra = NULL;
	v.node.drained = true;
	v.node.reason = ADMINS;
	NOTHING(&v);
}

/* (of those only so many are done in one pass) */
static void records_come_after_all_else(void)
{
	static const enum node_action others[] = {
		NODE_KEEP,	  NODE_REQUEUE, NODE_DOWN,  NODE_POWER_OFF,
		NODE_DOWN_ONLY,	  NODE_RESUME,	NODE_DRAIN, NODE_UNDRAIN,
		NODE_DRAIN_AGAIN, NODE_IDLE,	NODE_COOL,  NODE_RECYCLE,
		NODE_SET_FEATURES};

	for (size_t i = 0; i < T_COUNT(others); i++)
		T_OK(others[i] < NODE_RECORD);
}

static void what_was_recorded_goes_with_the_pod(void)
{
	struct node_view v = node(NODE_POWERED_DOWN);
	struct node_decision p;

	v.node.extra = RECORDED;
	p = PLAN(&v, NODE_RECORD, POD_LEAVE, "record");
	T_STR(p.words, "");
	v.node.extra = "rack 7";
	NOTHING(&v);
}

/* --- what kubelet does not get done */

static void
a_pod_that_kubelet_does_not_get_started_is_given_up_after_its_time(void)
{
	struct node_view v = node(NODE_POWERING_UP);
	struct pod_view pod = pending;
	struct node_decision p;

	pod.warning = "FailedMount: secret \"munge\" not found";
	pod.warned_ms = NOW - 50000;
	pod.warned_last_ms = NOW - 5000;
	v.pod = &pod;
	p = PLAN(&v, NODE_REQUEUE, POD_DELETE, "not started");
	T_STR(p.words, "FailedMount: secret \"munge\" not found");
	T_OK(p.failed);
	pod.warned_last_ms = NOW - 5001; /* it may have been got done since */
	NOTHING(&v);
	pod.warned_last_ms = NOW;
	v.live = false;
	NOTHING(&v);
	v.live = true;
	pod.running = true; /* it was got done */
	pod.running_ms = NOW - 1000;
	NOT_YET(&v, 89000);
}

T_MAIN("node_decide", T(a_node_that_is_as_it_should_be_is_left_alone),
       T(an_old_pod_that_does_not_go_is_no_failure_of_the_nodeset),
       T(a_node_that_k8s_resume_gave_back_is_powered_off),
       T(a_node_given_back_has_failed_before_it_is_powered_off),
       T(a_node_that_powers_up_without_a_pod_gets_one),
       T(a_power_up_whose_pod_has_ended_is_given_up),
       T(a_power_up_whose_pod_cannot_start_is_given_up),
       T(a_power_up_without_room_is_given_up_after_a_while),
       T(a_power_up_on_a_lost_host_is_given_up_and_blames_the_host),
       T(a_slurmd_that_runs_but_does_not_register_is_given_up),
       T(a_pod_that_is_ending_is_waited_for_while_powering_up),
       T(a_node_that_we_have_set_down_is_powered_off),
       T(a_node_that_does_not_respond_is_powered_off_without_its_pod),
       T(a_node_whose_slurmd_was_restarted_is_lost),
       T(a_reboot_that_waits_for_jobs_leaves_them_protected),
       T(a_reboot_that_timed_out_heals),
       T(a_pod_that_is_lost_before_a_power_down_asap_heals),
       T(a_pod_whose_slurmd_does_not_respond_is_replaced),
       T(a_running_node_whose_pod_is_gone_is_lost),
       T(an_absence_never_seen_to_begin_is_believed_after_a_while),
       T(many_pods_that_are_gone_at_once_and_nobody_saw_how_end_no_jobs),
       T(many_hosts_that_are_lost_at_once_end_no_jobs),
       T(a_running_node_whose_pod_has_ended_is_lost),
       T(kubernetes_is_asked_before_a_pod_is_taken_for_ended),
       T(why_a_pod_was_evicted_may_be_in_an_event_only),
       T(a_pod_that_kubernetes_has_ended_is_not_its_jobs_fault),
       T(a_running_node_is_lost_with_its_host_when_both_are_silent),
       T(a_silence_that_has_just_begun_ends_no_jobs),
       T(a_node_on_a_host_that_is_not_ready_takes_no_new_jobs),
       T(a_node_on_a_cordoned_host_takes_no_new_jobs),
       T(a_drain_for_the_host_ends_when_the_host_is_back),
       T(a_node_that_came_up_while_it_was_given_up_is_powered_down),
       T(a_node_that_slurm_would_not_use_is_powered_down_once_more),
       T(trouble_beside_a_running_slurmd_is_not_the_nodes),
       T(the_pod_of_a_node_is_recorded_in_its_extra),
       T(records_come_after_all_else), T(what_was_recorded_goes_with_the_pod),
       T(a_node_whose_pod_is_being_deleted_takes_no_new_jobs),
       T(an_idle_node_with_a_pod_of_an_old_template_is_recycled),
       T(a_drain_comes_before_a_new_template),
       T(a_pod_that_kubelet_does_not_get_started_is_given_up_after_its_time))
