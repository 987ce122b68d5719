/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "nodes/reconcile/node_decide.h"

#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "nodes/jobs/blame.h"
#include "nodes/pod/pod_annotations.h"
#include "nodes/pod/refusal.h"
#include "objects/pod_event.h"
#include "syntax/node_reason.h"

/* ResumeProgram and SuspendProgram come first; we are the second line. */
#define CREATE_AFTER_MS 15000
#define DELETE_AFTER_MS 5000
#define GIVEBACK_AFTER_MS 10000
#define RESUME_FAIL_AFTER_MS 10000
#define SEEN_BEFORE_MS 5000 /* Slurm's nodes are read now and then */

#define ORPHAN_AFTER_MS 20000
#define STAYS_AFTER_MS 20000
#define ABSENT_MS 10000 /* until an absence counts whose begin nobody saw */
#define SETTLE_MS 1000
#define LINGER_MS 6000 /* a slurmd whose pod was deleted by force */
#define FORGOTTEN_MS 5000
#define SILENT_MS 60000 /* down: Slurm has waited for SlurmdTimeout before */
#define LOST_MS 60000	/* a node may only have to register anew: on_host() */

/* Reasons of drains that end with their cause begin so, after "k8s: ". */
#define HOST_WORDS "Kubernetes node "

static void words(struct node_decision *p, const char *first,
		  const char *second)
{
	int n = snprintf(p->words, sizeof(p->words), "%s%s", first,
			 second && *second ? ": " : "");

	if (second && n > 0 && (size_t)n < sizeof(p->words))
		str_shorten(p->words + n, second, sizeof(p->words) - (size_t)n);
}

static void slurm(struct node_decision *p, enum node_action what,
		  const char *row)
{
	p->slurm = what;
	p->row = row;
}

/*
 * Resume a node, and clear our Reason: Slurm would keep it for a drain of its
 * own.
 */
static void resume(const struct node_view *v, struct node_decision *p,
		   const char *row)
{
	slurm(p, NODE_RESUME, row);
	p->clears_reason = node_reason_is_ours(v->node.reason) ||
			   node_reason_is_slurms(v->node.reason);
}

static void look_in(struct node_decision *p, int64_t ms)
{
	p->again_ms = ms < 1 ? 1 : ms;
}

/* True if `after` ms have passed; if not, the node is looked at again then. */
static bool due(struct node_decision *p, int64_t passed, int64_t after)
{
	if (passed >= after)
		return true;
	look_in(p, after - passed);
	return false;
}

/*
 * True if the node's pod is gone for sure. The pod of a node that has just come
 * up may not be in view yet: the API server's watches may lag behind by more
 * than a pod needs to start. So an absence counts from the node's power state
 * on, and Kubernetes must say so when it is asked.
 */
static bool surely_gone(const struct node_view *v, struct node_decision *p,
			int64_t patience)
{
	int64_t absent_for = v->node.power_for < v->absent_for
				     ? v->node.power_for
				     : v->absent_for;

	if (v->pod || !v->live || (!v->gone && !due(p, absent_for, patience)))
		return false;
	if (!v->absent)
		p->kube = POD_LOOK;
	return v->absent;
}

/*
 * True if the node's pod has ended for sure. The pod that has ended may be the
 * one before: its node was powered down and up again, and what came since is
 * not in view yet, as the API server was away, or its watches lag behind.
 * Kubernetes must say, when it is asked, that this one is the node's pod now.
 */
static bool surely_ended(const struct node_view *v, struct node_decision *p)
{
	if (!v->ended)
		p->kube = POD_LOOK;
	return v->ended;
}

static void delete_after(const struct node_view *v, struct node_decision *p,
			 int64_t passed, int64_t after, const char *row)
{
	if (!v->live || !v->pod || v->pod->deleting || !due(p, passed, after))
		return;
	p->kube = POD_DELETE;
	p->row = row;
	words(p, "Slurm has its node powered down", NULL);
}

/*
 * True if the old pod of the node does not go, as its machine hangs or a
 * finalizer keeps it: each job that gets the node would wait for that in vain.
 */
static bool stays(const struct node_view *v, struct node_decision *p)
{
	const struct slurm_node *n = &v->node;

	if (n->down || n->drained || !v->live || !v->pod || !v->pod->deleting ||
	    !due(p, v->ending_for, STAYS_AFTER_MS))
		return false;
	slurm(p, NODE_DRAIN, "pod stays");
	p->if_free = true;
	words(p, WK_STAYS, NULL);
	return true;
}

/* --- powered down */

/*
 * A job has got the node, and power saving has not looked at it since: that
 * takes it a second or two, and from 24.05 on sometimes power_save_interval.
 * The pod starts meanwhile, and k8s_resume adopts it; or its slurmd registers
 * before, which Slurm takes, too.
 */
static void allocated(const struct node_view *v, struct node_decision *p)
{
	if (!v->allocated || !v->node.busy || v->pod || !v->live || v->cooling)
		return;
	p->kube = POD_CREATE;
	p->early = true;
	p->row = "allocated";
}

static void powered_down(const struct node_view *v, struct node_decision *p)
{
	const struct slurm_node *n = &v->node;
	bool ours = node_reason_is_ours(n->reason);

	/*
	 * A job that Slurm has there may run in it: a slurmctld that was killed
	 * between its saves of jobs and of nodes reads such a state.
	 */
	if (!n->busy)
		delete_after(v, p,
			     n->power_for < v->pod_for ? n->power_for
						       : v->pod_for,
			     ORPHAN_AFTER_MS, "orphan");
	if (p->kube != POD_LEAVE)
		return;
	if (n->down) {
		if ((ours || node_reason_is_slurms(n->reason)) && !v->pod &&
		    v->live && due(p, n->power_for, RESUME_FAIL_AFTER_MS))
			resume(v, p, "down~");
	} else if (n->drained) {
		if (v->pod || !v->live || v->cooling)
			return;
		if (ours)
			slurm(p, NODE_IDLE, "cooled down");
		else if (str_eq(n->reason, WK_REASON_DUPLICATE))
			slurm(p, NODE_IDLE, "drained by Slurm~");
	} else if (n->busy && !n->ending) {
		allocated(v, p);
	} else if (n->ending || stays(v, p)) {
		return; /* no job shall have it */
	} else if (v->cooling) {
		slurm(p, NODE_COOL, "cooling down");
		words(p, v->cool_words, NULL);
	} else if (n->no_respond && v->live &&
		   due(p, n->power_for, FORGOTTEN_MS)) {
		/* after its next start slurmctld would not use it */
		slurm(p, NODE_RECYCLE, "not responding~");
		words(p, "Slurm would wait for its slurmd", NULL);
	}
}

/* --- powering up */

static void give_up(const struct node_view *v, struct node_decision *p,
		    const char *row, bool failed)
{
	slurm(p, NODE_REQUEUE, row);
	p->failed = failed;
	if (v->pod && !v->pod->deleting)
		p->kube = POD_DELETE;
}

/* The node was drained by k8s_resume, which could not have its pods. */
static void given_back(const struct node_view *v, struct node_decision *p)
{
	const struct slurm_node *n = &v->node;

	p->row = "given back";
	words(p, n->reason + strlen(WK_REASON_PREFIX), NULL);
	p->failed = !refusal_is_of_one_node(p->words);
	if (due(p, v->now_ms - n->reason_ms, GIVEBACK_AFTER_MS))
		p->slurm = NODE_POWER_OFF;
}

static void missing(const struct node_view *v, struct node_decision *p)
{
	/* The node's job is gone, and Slurm powers it down when it is up. */
	if (slurm_node_ends(&v->node))
		return;
	if (!v->live ||
	    (!v->gone && !due(p, v->node.power_for, CREATE_AFTER_MS)))
		return;
	p->kube = POD_CREATE;
	p->row = "no pod";
}

/*
 * ms since then, by another machine's clock; no longer than we have seen the
 * pod, nor than its node powers up: what was before is of another power-up.
 */
static int64_t since(const struct node_view *v, int64_t epoch_ms)
{
	int64_t passed = v->now_ms - epoch_ms;

	if (passed > v->pod_for)
		passed = v->pod_for;
	return passed < v->node.power_for ? passed : v->node.power_for;
}

/*
 * True if the pod was there before its node's power-up. Then its deletion
 * failed, or is not in view yet, and so may be the pod that k8s_resume makes
 * instead. What is wrong with the old one is no word about this power-up, until
 * k8s_resume has had its time. Of one that has ended Kubernetes is asked: if it
 * has another one of that name, pods are listed anew.
 */
static bool is_of_before(const struct node_view *v, struct node_decision *p)
{
	if (v->pod_for - v->node.power_for <= SEEN_BEFORE_MS ||
	    (v->live && due(p, v->node.power_for, CREATE_AFTER_MS)))
		return false;
	if (v->live && phase_is_end(v->pod->phase))
		p->kube = POD_LOOK;
	return true;
}

static void not_registered(const struct node_view *v, struct node_decision *p)
{
	int64_t limit = v->rules->register_within_ms;

	if (v->pod->running_ms < 0 ||
	    !due(p, since(v, v->pod->running_ms), limit))
		return;
	give_up(v, p, "not registered", true);
	snprintf(p->words, sizeof(p->words),
		 "pod %s runs, but its slurmd did not register within %lld s",
		 v->pod->name, (long long)limit / 1000);
}

/*
 * Slurm takes no registration of a slurmd that was started before it powered
 * the node up (waiting_for_node_boot() of slurmctld's node_mgr.c), tells it
 * that all is well, and never asks it again. It notes when that one was
 * started, though, by its host's clock. That can only be a pod that began
 * before the power-up ("allocated"); the next one is in time.
 */
static bool is_dropped(const struct node_view *v)
{
	const int64_t running = v->pod->running_ms;

	return v->live && v->pod->running && running >= 0 &&
	       v->pod_for >= v->node.power_for &&
	       v->node.slurmd_start_ms >= running / 1000 * 1000;
}

static void starting(const struct node_view *v, struct node_decision *p)
{
	const struct pod_view *pod = v->pod;

	if (phase_is_end(pod->phase)) {
		give_up(v, p, "pod ended", true);
		words(p, "pod ended", pod->words);
	} else if (v->live && v->host.known && !v->host.ready) {
		give_up(v, p, "host lost", false);
		snprintf(p->words, sizeof(p->words), HOST_WORDS "%s is lost",
			 pod->kube_node);
	} else if (is_dropped(v)) {
		p->kube = POD_DELETE;
		p->row = "registered too early";
		words(p,
		      "its slurmd was started before Slurm powered the node "
		      "up, which waits for another one",
		      NULL);
	} else if (pod->running) { /* a container beside it may be in trouble */
		if (v->live)
			not_registered(v, p);
	} else if (pod->trouble == POD_CANNOT_START) {
		give_up(v, p, "cannot start", true);
		words(p, pod->words, NULL);
	} else if (!v->live) {
		return; /* the pod may have changed meanwhile */
	} else if (*pod->warning && pod->warned_last_ms - pod->warned_ms >=
					    v->rules->not_started_after_ms) {
		/* Once may be chance; kubelet repeats what lasts. */
		give_up(v, p, "not started", true);
		words(p, pod->warning, NULL);
	} else if (pod->trouble == POD_UNSCHEDULABLE) {
		if (pod->unschedulable_ms < 0 ||
		    !due(p, since(v, pod->unschedulable_ms),
			 v->rules->unschedulable_after_ms))
			return;
		give_up(v, p, "unschedulable", true);
		words(p, pod->words, NULL);
	}
}

static void powering_up(const struct node_view *v, struct node_decision *p)
{
	const struct slurm_node *n = &v->node;

	if (n->rebooting) /* RebootProgram's */
		return;
	if (n->drained) {
		if (node_reason_is_ours(n->reason))
			given_back(v, p);
	} else if (n->down) {
		return;
	} else if (!v->pod) {
		missing(v, p);
	} else if (!v->pod->deleting && !is_of_before(v, p)) {
		starting(v, p);
	}
}

/* --- up */

/*
 * True if a pod that is gone counts: where many are gone at once, it may be the
 * wrong API server that we ask.
 */
static bool is_calm(const struct node_view *v, struct node_decision *p)
{
	return v->gone || due(p, v->calm_for, ABSENT_MS);
}

static void lost(const struct node_view *v, struct node_decision *p,
		 const char *row)
{
	const bool theirs =
		node_reason_is_admins(v->node.drained, false, v->node.reason);

	slurm(p, theirs ? NODE_DOWN_ONLY : NODE_DOWN, row);
	if (v->pod && !v->pod->deleting)
		p->kube = POD_DELETE;
}

/*
 * Slurm has killed the jobs of a node that is DOWN, and asks it seldom whether
 * it is back: a pod is replaced, not waited for. (But after a start slurmctld
 * asks.)
 */
static void not_responding(const struct node_view *v, struct node_decision *p)
{
	int64_t down_for = v->now_ms - v->node.reason_ms;

	/* A time of less than 0 comes from a clock that was set back. */
	if (v->node.power_for < down_for || down_for < 0)
		down_for = v->node.power_for;
	if (!v->pod) {
		if (surely_gone(v, p, ABSENT_MS))
			slurm(p, NODE_POWER_OFF, "down");
	} else if (phase_is_end(v->pod->phase)) {
		if (surely_ended(v, p))
			slurm(p, NODE_POWER_OFF, "down");
	} else if (v->live && v->node.no_respond && !v->pod->deleting &&
		   due(p, down_for, SILENT_MS)) {
		slurm(p, NODE_POWER_OFF, "not responding");
		words(p, "slurmd in its pod does not respond", v->pod->words);
	}
}

/*
 * True if Slurm says that slurmd does not respond; from 24.11 on it puts that
 * behind what we have drained the node for.
 */
static bool is_silent(const char *reason)
{
	return node_reason_is_slurms_last(reason, WK_REASON_SILENT) ||
	       (node_reason_is_ours(reason) &&
		str_ends(reason, NODE_REASON_BETWEEN WK_REASON_SILENT));
}

static void down(const struct node_view *v, struct node_decision *p)
{
	if (v->node.ending)
		return;
	if (is_silent(v->node.reason))
		not_responding(v, p);
	else if (node_reason_is_ours(v->node.reason) ||
		 node_reason_is_slurms_last(v->node.reason,
					    WK_REASON_REBOOT_TIMED_OUT))
		slurm(p, NODE_POWER_OFF, "down");
}

static void drain(const struct node_view *v, struct node_decision *p,
		  const char *row)
{
	if (!v->node.drained)
		slurm(p, NODE_DRAIN, row);
}

bool node_may_undrain(bool busy, int64_t last_busy_ms, int64_t reason_ms)
{
	return busy || last_busy_ms < reason_ms;
}

static void host_is_back(const struct node_view *v, struct node_decision *p)
{
	const struct slurm_node *n = &v->node;

	/*
	 * Slurm does not say whether somebody has asked for POWER_DOWN_ASAP,
	 * which drains: a node that is to power down stays drained.
	 */
	if (n->ending)
		return;
	if (node_may_undrain(n->busy, n->last_busy_ms, n->reason_ms)) {
		slurm(p, NODE_UNDRAIN, "host is back");
		return;
	}
	slurm(p, NODE_POWER_OFF, "host is back, jobs ended");
	words(p,
	      "a job has ended while it was drained, and Slurm keeps no "
	      "word of an Epilog that fails then: it gets a new pod",
	      NULL);
}

/*
 * Slurm also says of a node that is well that slurmd does not respond: from its
 * UNDRAIN (or RESUME) on, until slurmctld has asked it to register and it has.
 * The host, too, may only seem to be lost. So both must last.
 */
static void on_host(const struct node_view *v, struct node_decision *p)
{
	const struct slurm_node *n = &v->node;
	const struct kube_node_state *h = &v->host;

	if (!h->known)
		return;
	if (!h->ready && n->no_respond && due(p, v->lost_for, LOST_MS)) {
		lost(v, p, "host lost");
		p->if_silent = true;
		snprintf(p->words, sizeof(p->words), HOST_WORDS "%s is lost",
			 v->pod->kube_node);
	} else if (!h->ready || h->cordoned) {
		drain(v, p, h->ready ? "host cordoned" : "host not ready");
		snprintf(p->words, sizeof(p->words), HOST_WORDS "%s is %s",
			 v->pod->kube_node,
			 h->ready ? "cordoned" : "not ready");
	} else if (n->drained && n->reason &&
		   str_starts(n->reason, WK_REASON_PREFIX HOST_WORDS)) {
		host_is_back(v, p);
	}
}

static void old_template(const struct node_view *v, struct node_decision *p)
{
	if (!v->hash || !strcmp(v->hash, v->pod->hash) || v->node.busy ||
	    v->node.drained)
		return;
	slurm(p, NODE_RECYCLE, "old template");
	words(p, "the pod template has changed", NULL);
}

/*
 * True if the node was given up while it powered up, and came up nevertheless.
 */
static bool is_left_drained(const struct node_view *v)
{
	const struct slurm_node *n = &v->node;

	return n->drained && !n->busy && node_reason_is_ours(n->reason) &&
	       !str_starts(n->reason, WK_REASON_PREFIX HOST_WORDS);
}

/*
 * True if slurmd's container was restarted, which ends the processes of jobs,
 * although slurmd comes back at once. What the pod says may be late, and be of
 * the time before the jobs came: what counts is when the container started.
 * (That is by another clock: where it is behind we may not see the restart, and
 * Slurm will.)
 */
static bool is_restarted(const struct node_view *v)
{
	return v->pod->restarts > v->restarts &&
	       (v->pod->running_ms < 0 || v->pod->running_ms > v->busy_ms);
}

/* The status of an evicted pod may say nothing: see pod_event_warning(). */
static const char *end_words(const struct pod_view *pod)
{
	return !*pod->words && str_starts(pod->warning,
					  POD_ANNOTATIONS_EVICTED ": ")
		       ? pod->warning
		       : pod->words;
}

static void ended(const struct node_view *v, struct node_decision *p)
{
	const struct pod_view *pod = v->pod;

	if (!surely_ended(v, p))
		return;
	lost(v, p, "pod ended");
	if (pod->deleting)
		words(p, "its pod was deleted", pod->words);
	else if (pod->displaced)
		words(p, "its pod was ended", pod->words);
	else
		words(p, BLAME_ENDED, end_words(pod));
}

static void up(const struct node_view *v, struct node_decision *p)
{
	const struct slurm_node *n = &v->node;
	const struct pod_view *pod = v->pod;

	/*
	 * Slurm powers down a node that is ending and idle at its next look; a
	 * reboot is asked for until the jobs there have ended.
	 */
	if ((n->rebooting && !(n->reboot_asked && n->busy)) ||
	    (slurm_node_ends(n) && !n->down))
		return;
	if (n->down) {
		down(v, p);
	} else if (!pod) {
		if (!surely_gone(v, p, ABSENT_MS) || !is_calm(v, p))
			return;
		lost(v, p, "pod gone");
		words(p, "its pod is gone", v->last_words);
	} else if (phase_is_end(pod->phase)) {
		ended(v, p);
	} else if (is_restarted(v)) {
		/*
		 * The jobs' processes are gone; Slurm may take long to see it.
		 */
		lost(v, p, "slurmd restarted");
		words(p, BLAME_RESTARTED, pod->words);
	} else if (n->reboot_asked) {
		return;
	} else if (pod->deleting) {
		drain(v, p, "pod deleted");
		snprintf(p->words, sizeof(p->words), "pod %s is being deleted",
			 pod->name);
	} else if (is_left_drained(v)) {
		slurm(p, NODE_POWER_OFF, "left drained");
	} else if (v->live) {
		on_host(v, p);
		if (p->slurm == NODE_KEEP)
			old_template(v, p);
	}
}

/* Correct the features that Slurm has for the node: too many, or too few. */
static void set_features(const struct node_view *v, struct node_decision *p)
{
	if (v->node.ending || v->node.rebooting)
		return;
	slurm(p, NODE_SET_FEATURES, "features");
	words(p, v->set_features, NULL);
}

/* --- powering down */

static void powering_down(const struct node_view *v, struct node_decision *p)
{
	const struct slurm_node *n = &v->node;

	delete_after(v, p, n->power_for, DELETE_AFTER_MS, "powering down");
	/*
	 * Drain now, not later: when SuspendTimeout ends a job may have it at
	 * once.
	 */
	if (n->undrained) {
		slurm(p, NODE_DRAIN_AGAIN, "drained by others");
		return;
	}
	if (stays(v, p))
		return;
	if (node_reason_is_admins(n->drained, n->down, n->reason) || v->pod ||
	    !v->live || !due(p, n->power_for, SETTLE_MS))
		return;
	/*
	 * Slurm would take a slurmd that still answers for that of the next
	 * pod.
	 */
	if (v->left_for && !due(p, v->left_for, LINGER_MS))
		return;
	/*
	 * Features are corrected before the resume, not after it: once the node
	 * is powered down a job may get it at any moment, and the features that
	 * Slurm gives it for that would be lost.
	 */
	if (v->set_features && !v->features_tried)
		set_features(v, p);
	if (p->slurm == NODE_SET_FEATURES)
		return;
	resume(v, p, "powered down");
	if (v->cooling)
		words(p, v->cool_words, NULL);
}

/* What an Extra says beside that the node is kept up: which pod it is in. */
static const char *unkept(const struct slurm_node *n)
{
	const char *pod =
		n->extra ? strstr(n->extra, WK_EXTRA_KEPT "; ") : NULL;

	return pod && n->power != NODE_POWERED_DOWN
		       ? pod + strlen(WK_EXTRA_KEPT "; ")
		       : "";
}

/*
 * Write what scontrol show node tells in Extra: "k8s: " and these words. Only
 * an Extra that is empty or ours is written over.
 */
static void record(const struct node_view *v, struct node_decision *p)
{
	const struct slurm_node *n = &v->node;
	bool empty = !n->extra || !*n->extra;

	if (!empty && !node_reason_is_ours(n->extra))
		return;
	if (n->power == NODE_UP && v->pod && !n->down && !n->drained)
		snprintf(p->words, WK_REASON_MAX - strlen(WK_REASON_PREFIX),
			 "%spod %s/%s uid %s on %s",
			 v->kept_up ? WK_KEPT "; " : "", v->ns, v->pod->name,
			 v->pod->uid, v->pod->kube_node);
	else if (v->kept_up)
		str_copy(p->words, WK_KEPT, sizeof(p->words));
	else if (node_extra_is_kept(n->extra))
		str_copy(p->words, unkept(n), sizeof(p->words));
	else if (n->power != NODE_POWERED_DOWN || empty || n->drained)
		return;
	if (empty ? !*p->words
		  : !strcmp(n->extra + strlen(WK_REASON_PREFIX), p->words))
		*p->words = '\0';
	else
		slurm(p, NODE_RECORD, "record");
}

bool node_is_guarded_right(const struct pod_view *pod, bool busy)
{
	return pod->busy == busy &&
	       pod->scale == (busy ? POD_SCALE_KEEP : POD_SCALE_DOWN);
}

/* Have the node's jobs noted on its pod, for whoever looks at the pod. */
static void note(const struct node_view *v, struct node_decision *p)
{
	const struct pod_view *pod = v->pod;
	enum node_power power = v->node.power;

	if (!v->live || !pod || pod->deleting ||
	    (power != NODE_UP && power != NODE_POWERING_UP))
		return;
	if (node_is_guarded_right(pod, v->node.busy) &&
	    (!v->jobs ||
	     (!strcmp(v->jobs, pod->jobs) && v->asked == pod->asked)) &&
	    (!v->steps_known || v->steps == pod->steps))
		return;
	p->kube = POD_NOTE;
	if (p->slurm == NODE_KEEP)
		p->row = "jobs";
}

void node_decide(const struct node_view *v, struct node_decision *out)
{
	*out = (struct node_decision){.row = ""};
	switch (v->node.power) {
	case NODE_POWERED_DOWN:
		powered_down(v, out);
		break;
	case NODE_POWERING_UP:
		powering_up(v, out);
		break;
	case NODE_UP:
		up(v, out);
		break;
	case NODE_POWERING_DOWN:
		powering_down(v, out);
		break;
	}
	if (out->slurm == NODE_KEEP && out->kube == POD_LEAVE && !out->failed) {
		if (!v->set_features)
			record(v, out);
		else if (v->node.power != NODE_POWERING_DOWN)
			set_features(v, out);
	}
	if (out->kube == POD_LEAVE)
		note(v, out);
}

void node_decide_features(const struct features *all, feature_set features,
			  struct node_decision *p)
{
	char names[FEATURES_TEXT_MAX], text[NODE_WORDS_MAX];
	int n;

	if (!p->failed || p->slurm != NODE_REQUEUE || !features)
		return;
	features_to_list(all, features, names);
	n = snprintf(text, sizeof(text), WK_WITH_FEATURES "%.100s: ", names);
	str_shorten(text + n, p->words, sizeof(text) - (size_t)n);
	str_copy(p->words, text, sizeof(p->words));
}

void unmatched_pod_decide(const struct pod_view *pod, int64_t seen_for,
			  struct node_decision *out)
{
	*out = (struct node_decision){.row = ""};
	if (pod->deleting || !due(out, seen_for, ORPHAN_AFTER_MS))
		return;
	out->kube = POD_DELETE;
	out->row = "stray";
	words(out, "no node of Slurm has this pod", NULL);
}

void node_left_behind(const struct pod_view *pod, bool node_busy,
		      struct node_decision *out)
{
	*out = (struct node_decision){.row = ""};
	if (pod->deleting || node_busy ||
	    (!pod->busy && pod->scale != POD_SCALE_KEEP && !*pod->jobs &&
	     !pod->steps && !pod->asked))
		return;
	out->kube = POD_NOTE;
	out->row = "left behind";
}
