/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/str.h"
#include "node_decide_fixture.h"

/* --- what is never done */

static const enum node_power powers[] = {NODE_POWERED_DOWN, NODE_POWERING_UP,
					 NODE_UP, NODE_POWERING_DOWN};

/* The `i`th of all combinations of what else may be so. */
#define SITUATIONS 128
static void situate(struct node_view *v, unsigned int i)
{
	v->node.busy = i & 1;
	v->node.no_respond = i & 2;
	v->host.ready = !(i & 4);
	v->host.cordoned = i & 8;
	v->cooling = i & 16;
	v->gone = i & 32;
	v->hash = i & 64 ? "new" : "h";
}

/* Its pod has ended or is nowhere, or its host is lost and it is silent. */
static bool is_lost(const struct node_view *v)
{
	return v->node.power == NODE_UP &&
	       (!v->pod || v->pod->phase == POD_FAILED ||
		(!v->host.ready && v->node.no_respond && !v->pod->deleting));
}

/* In each power state, beside each pod, in each situation: nothing, but that a
 * lost node goes down, with the Reason that it has. */
static void stays(struct node_view (*of)(enum node_power, const char *),
		  bool goes_down_when_lost)
{
	for (size_t s = 0; s < T_COUNT(powers); s++)
		for (size_t k = 0; k < T_COUNT(all_pods); k++)
			for (unsigned int i = 0; i < SITUATIONS; i++) {
				struct node_view v = of(powers[s], ADMINS);
				struct node_decision p;

				situate(&v, i);
				v.pod = all_pods[k];
				t_row("power %zu, pod %zu, %#x", s, k, i);
				node_decide(&v, &p);
				T_INT(p.slurm,
				      goes_down_when_lost && is_lost(&v)
					      ? NODE_DOWN_ONLY
					      : NODE_KEEP);
				T_OK(!p.failed);
			}
}

static void an_admins_drain_stays_in_each_power_state(void)
{
	stays(drained, true);
}

static void an_admins_down_stays_in_each_power_state(void)
{
	stays(down, false);
}

static void no_pod_is_made_for_a_node_that_an_admin_has_drained(void)
{
	struct node_view v = drained(NODE_POWERING_UP, ADMINS);

	NOTHING(&v);
	v.gone = true;
	NOTHING(&v);
}

static void from_a_pod_not_seen_nothing_follows_unless_the_cluster_is_live(void)
{
	static const char *const reasons[] = {NULL, ADMINS, RESUME_TIMEOUT,
					      NOT_RESPONDING};

	for (size_t s = 0; s < T_COUNT(powers); s++)
		for (size_t r = 0; r < T_COUNT(reasons); r++)
			for (unsigned int i = 0; i < SITUATIONS; i++) {
				struct node_view v = node(powers[s]);

				situate(&v, i);
				v.live = false;
				v.cooling = false;
				v.node.reason = reasons[r];
				v.node.down = reasons[r] != NULL;
				if (powers[s] == NODE_POWERING_UP)
					v.node.down = false;
				t_row("power %zu, reason %zu, %#x", s, r, i);
				NOTHING(&v);
			}
}

/* (the view of the pods may lag behind by more than a pod needs to start) */
static void an_absence_from_before_the_node_came_up_does_not_count(void)
{
	static const char *const reasons[] = {NULL, NOT_RESPONDING};

	for (size_t i = 0; i < T_COUNT(reasons); i++) {
		struct node_view v =
			reasons[i] ? down(NODE_UP, reasons[i]) : node(NODE_UP);

		t_row("%zu", i);
		v.node.power_for = 0;
		NOT_YET(&v, 10000);
		v.node.power_for = 9000;
		NOT_YET(&v, 1000);
		v.node.power_for = 10000;
		T_OK(PLAN(&v, reasons[i] ? NODE_POWER_OFF : NODE_DOWN,
			  POD_LEAVE, reasons[i] ? "down" : "pod gone")
			     .slurm != NODE_KEEP);
	}
}

static void kubernetes_is_asked_before_a_pod_is_taken_for_gone(void)
{
	static const char *const reasons[] = {NULL, NOT_RESPONDING};

	for (size_t i = 0; i < T_COUNT(reasons); i++) {
		struct node_view v =
			reasons[i] ? down(NODE_UP, reasons[i]) : node(NODE_UP);

		t_row("%zu", i);
		v.absent = false;
		PLAN(&v, NODE_KEEP, POD_LOOK, "");
		v.absent_for = 0;
		NOT_YET(&v, 10000);
		v.gone = true; /* it may have been the one before */
		PLAN(&v, NODE_KEEP, POD_LOOK, "");
		v.live = false;
		NOTHING(&v);
		v.absent = true; /* this is not of now, either */
		NOTHING(&v);
	}
}

static void nodes_that_reboot_are_left_alone(void)
{
	static const enum node_power those[] = {NODE_POWERING_UP, NODE_UP};

	for (size_t s = 0; s < T_COUNT(those); s++)
		for (size_t k = 0; k < T_COUNT(all_pods); k++)
			for (unsigned int i = 0; i < SITUATIONS; i++) {
				struct node_view v = node(those[s]);

				situate(&v, i);
				v.pod = all_pods[k];
				v.node.rebooting = true;
				t_row("power %zu, pod %zu, %#x", s, k, i);
				NOTHING(&v);
				v.node.drained = true;
				v.node.reason = OURS;
				NOTHING(&v);
				v.node.down = true;
				NOTHING(&v);
			}
}

/* (When the pod is lost, the jobs there have to know: that goes on.) */
/* PowerDownOnIdle=YES has each node so from its allocation on. */
static void a_node_with_jobs_that_powers_down_later_is_looked_after(void)
{
	struct node_view v = node(NODE_POWERING_UP);

	v.node.ending = v.node.busy = true;
	v.node.power_for = 60000;
	v.pod = NULL;
	PLAN(&v, NODE_KEEP, POD_CREATE, "no pod");
	v.pod = &broken;
	v.pod_for = 1000;
	PLAN(&v, NODE_REQUEUE, POD_DELETE, "cannot start");
	v = node(NODE_UP);
	v.node.ending = v.node.busy = true;
	v.pod = &leaving;
	PLAN(&v, NODE_DRAIN, POD_LEAVE, "pod deleted");
	v.pod = &well;
	v.host.cordoned = true;
	PLAN(&v, NODE_DRAIN, POD_LEAVE, "host cordoned");
	/* (POWER_DOWN_ASAP leaves no trace on a node that is drained) */
	v.node.drained = true;
	v.node.reason = "k8s: Kubernetes node w is cordoned";
	v.host.cordoned = false;
	NOTHING(&v);
	v.node.ending = false;
	PLAN(&v, NODE_UNDRAIN, POD_LEAVE, "host is back");
}

/* Slurm powers down none that powers up: it may have been for its job. */
static void a_power_up_that_is_to_end_later_is_given_back(void)
{
	struct node_view v = node(NODE_POWERING_UP);

	v.node.ending = true;
	v.node.power_for = 60000;
	v.pod = NULL;
	NOTHING(&v);
	v.node.drained = true;
	v.node.reason = OURS;
	v.now_ms = v.node.reason_ms + 600000;
	PLAN(&v, NODE_POWER_OFF, POD_LEAVE, "given back");
}

/* "scontrol reboot", and its pod does not come: each part is Slurm's. */
static void a_plain_reboot_that_times_out_is_slurms(void)
{
	static const char *const ours[] = {
		"reboot requested : reboot issued : reboot timed out",
		"Reboot ASAP : reboot issued : reboot timed out",
		"reboot issued : reboot timed out"};

	for (size_t i = 0; i < T_COUNT(ours); i++) {
		struct node_view v = node(NODE_UP);

		t_row("%s", ours[i]);
		v.node.down = true;
		v.node.reason = ours[i];
		v.pod = NULL;
		PLAN(&v, NODE_POWER_OFF, POD_LEAVE, "down");
		v.node.reason = "new disk : reboot issued : reboot timed out";
		NOTHING(&v);
	}
}

static void nodes_that_are_about_to_power_down_are_left_alone(void)
{
	static const struct pod_view *const pods[] = {
		&well, &pending, &broken, &roomless, &leaving, &dated};

	for (size_t k = 0; k < T_COUNT(pods); k++)
		for (unsigned int i = 0; i < SITUATIONS; i++) {
			struct node_view v = node(NODE_UP);

			situate(&v, i);
			v.pod = pods[k];
			v.node.ending = true;
			v.node.busy = false;
			t_row("pod %zu, %#x", k, i);
			NOTHING(&v);
			v.node.drained = true;
			v.node.reason = OURS;
			NOTHING(&v);
			v.node.down = true;
			NOTHING(&v);
			v.node.reason = NOT_RESPONDING;
			v.pod = NULL;
			NOTHING(&v);
		}
}

/* (less than the room, where the cut is between words) */
#define BOUNDED(p)                                                             \
	do {                                                                   \
		size_t n_ = strlen((p).words);                                 \
                                                                               \
		T_OK(n_ > NODE_WORDS_MAX - 40 && n_ < NODE_WORDS_MAX);         \
	} while (0)

static void words_are_bounded_however_long_the_texts_are(void)
{
	_cleanup_free_ char *text = t_repeat("words ", 200);
	struct pod_view pod = broken;
	struct node_view v = node(NODE_POWERING_UP);

	pod.words = pod.name = pod.kube_node = text;
	v.pod = &pod;
	BOUNDED(PLAN(&v, NODE_REQUEUE, POD_DELETE, "cannot start"));
	pod.trouble = POD_FINE;
	pod.running = true;
	pod.running_ms = NOW - LONG_AGO;
	BOUNDED(PLAN(&v, NODE_REQUEUE, POD_DELETE, "not registered"));
	v.host.ready = false;
	BOUNDED(PLAN(&v, NODE_REQUEUE, POD_DELETE, "host lost"));
	v = node(NODE_UP);
	v.gone = true;
	v.last_words = text;
	BOUNDED(PLAN(&v, NODE_DOWN, POD_LEAVE, "pod gone"));
	v = node(NODE_POWERED_DOWN);
	v.cooling = true;
	v.cool_words = text;
	BOUNDED(PLAN(&v, NODE_COOL, POD_LEAVE, "cooling down"));
}

/* A Reason has less room; the log and an Event have it. */
static void what_kubernetes_says_is_kept_to_its_end(void)
{
	_cleanup_free_ char *long_ago = t_repeat("because ", 60);
	_cleanup_free_ char *text = str_printf("%sof the cause", long_ago);
	struct pod_view pod = broken;
	struct node_view v = node(NODE_POWERING_UP);

	pod.words = text;
	v.pod = &pod;
	T_STR(PLAN(&v, NODE_REQUEUE, POD_DELETE, "cannot start").words, text);
}

/* k8s_resume replaces it; its deletion failed, or the watch lags behind. */
static void what_befell_the_pod_of_the_last_power_up_ends_no_other(void)
{
	static const struct {
		const struct pod_view *pod;
		bool host_lost;
		enum pod_action kube; /* meanwhile */
		const char *row;      /* in the end */
	} rows[] = {
		{&failed, false, POD_LOOK, "pod ended"},
		{&broken, false, POD_LEAVE, "cannot start"},
		{&pending, true, POD_LEAVE, "host lost"},
		{&dated, true, POD_LEAVE, "host lost"},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		struct node_view v = node(NODE_POWERING_UP);

		t_row("%zu", i);
		v.pod = rows[i].pod;
		v.host.ready = !rows[i].host_lost;
		v.node.power_for = 1000;
		T_INT(PLAN(&v, NODE_KEEP, rows[i].kube, "").again_ms, 14000);
		v.live = false; /* another one may be there by now */
		v.node.power_for = LONG_AGO - 6000;
		NOTHING(&v);
		v.live = true;
		v.node.power_for = 15000;
		PLAN(&v, NODE_REQUEUE, POD_DELETE, rows[i].row);
		/* it was in view before we saw that its node powers up */
		v.node.power_for = 1000;
		v.pod_for = 6000;
		PLAN(&v, NODE_REQUEUE, POD_DELETE, rows[i].row);
	}
}

T_MAIN("node_decide_never",
       T(what_befell_the_pod_of_the_last_power_up_ends_no_other),
       T(an_admins_drain_stays_in_each_power_state),
       T(an_admins_down_stays_in_each_power_state),
       T(no_pod_is_made_for_a_node_that_an_admin_has_drained),
       T(from_a_pod_not_seen_nothing_follows_unless_the_cluster_is_live),
       T(an_absence_from_before_the_node_came_up_does_not_count),
       T(kubernetes_is_asked_before_a_pod_is_taken_for_gone),
       T(nodes_that_reboot_are_left_alone),
       T(a_plain_reboot_that_times_out_is_slurms),
       T(a_node_with_jobs_that_powers_down_later_is_looked_after),
       T(a_power_up_that_is_to_end_later_is_given_back),
       T(nodes_that_are_about_to_power_down_are_left_alone),
       T(words_are_bounded_however_long_the_texts_are),
       T(what_kubernetes_says_is_kept_to_its_end))
