/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What of a decision is done now, and what is held back: one row for each rule.
 * The rows of docs/architecture.md stand in quotes.
 */
#include <string.h>

#include "node_decide_fixture.h"
#include "nodes/jobs/steps_turn.h"
#include "nodes/reconcile/node_limit.h"

#define AT 1000000 /* monotonic */

/* All that a decision is limited by; begin() lets everything be done. */
static struct node_limits limits;
static struct node_attempts tried;
static struct steps_pace steps;
static struct note_turns turns;
static size_t unavailable, n_notes, n_records;
static struct node_limited how;

static void begin(const char *row)
{
	t_row("%s", row);
	limits = (struct node_limits){.has_lease = true,
				      .may_note = true,
				      .max_unavailable = 1,
				      .now_ms = AT};
	tried = (struct node_attempts){.rechecked = true};
	steps = (struct steps_pace){0};
	turns = (struct note_turns){0};
	unavailable = n_notes = n_records = 0;
}

static struct node_decision limit(const struct node_view *v,
				  struct node_decision p)
{
	struct node_memory m = {&tried,	      &steps,	&turns,
				&unavailable, &n_notes, &n_records};

	memset(&how, 0x5a, sizeof(how));
	node_limit(v, &limits, &m, &p, &how);
	return p;
}

/* What is left of that; and when it is looked at again. */
static void check_left(struct t_at at, const struct node_view *v,
		       enum node_action slurm, enum pod_action kube,
		       enum node_action slurm_left, enum pod_action kube_left,
		       int64_t again)
{
	const struct node_decision p =
		limit(v, (struct node_decision){
				 .slurm = slurm, .kube = kube, .row = "row"});

	t_int(at, p.slurm, slurm_left);
	t_int(at, p.kube, kube_left);
	t_int(at, p.again_ms, again);
	t_int(at, how.any, slurm_left != NODE_KEEP || kube_left != POD_LEAVE);
}
#define SLURM(v, what, left, again)                                            \
	check_left(T_HERE, v, what, POD_LEAVE, left, POD_LEAVE, again)
#define KUBE(v, what, left, again)                                             \
	check_left(T_HERE, v, NODE_KEEP, what, NODE_KEEP, left, again)

static struct node_view with_pod(enum node_power power,
				 const struct pod_view *pod)
{
	struct node_view v = node(power);

	v.pod = pod;
	return v;
}

static void without_the_lease_nothing_is_done(void)
{
	const struct node_view v = with_pod(NODE_UP, &leaving);
	struct node_decision p = {.slurm = NODE_DOWN,
				  .kube = POD_DELETE,
				  .failed = true,
				  .row = "pod ended",
				  .again_ms = 1};

	begin("lease of another slurmctld");
	limits.has_lease = false;
	tried.rolling = true;
	p = limit(&v, p);
	T_INT(p.slurm, NODE_KEEP);
	T_INT(p.kube, POD_LEAVE);
	T_INT(p.failed, false);
	T_INT(p.again_ms, 0);
	T_STR(p.row, "");
	T_OK(!how.any && !how.recheck && tried.rolling);
}

static void the_same_action_is_not_repeated_within_5_s(void)
{
	static const enum node_action all[] = {
		NODE_REQUEUE, NODE_DOWN,   NODE_POWER_OFF,   NODE_DOWN_ONLY,
		NODE_RESUME,  NODE_DRAIN,  NODE_UNDRAIN,     NODE_IDLE,
		NODE_COOL,    NODE_RECORD, NODE_SET_FEATURES};
	const struct node_view v = with_pod(NODE_UP, &well);

	for (size_t i = 0; i < T_COUNT(all); i++) {
		begin("the first one");
		SLURM(&v, all[i], all[i], 0);
		attempts_acted(&tried, all[i], AT);
		T_INT(tried.features_tried, all[i] == NODE_SET_FEATURES);
		t_row("%d just now", all[i]);
		SLURM(&v, all[i], NODE_KEEP, 5000);
		limits.now_ms = AT + 4999;
		SLURM(&v, all[i], NODE_KEEP, 5000);
		t_row("%d 5 s later", all[i]);
		limits.now_ms = AT + 5000;
		SLURM(&v, all[i], all[i], 0);
		t_row("another one than %d", all[i]);
		limits.now_ms = AT;
		attempts_acted(&tried, (enum node_action)(all[i] - 1), AT);
		SLURM(&v, all[i], all[i], 0);
	}
}

static void an_old_template_is_made_sure_of_and_takes_turns(void)
{
	const struct node_view v = with_pod(NODE_UP, &well);
	const struct node_view none = node(NODE_POWERED_DOWN);

	begin("\"old template\", k8s.yaml not read again yet");
	tried.rechecked = false;
	SLURM(&v, NODE_RECYCLE, NODE_KEEP, 1000);
	T_OK(how.recheck && tried.rechecked && !tried.rolling);
	begin("\"old template\", read again");
	SLURM(&v, NODE_RECYCLE, NODE_RECYCLE, 0);
	T_OK(!how.recheck && tried.rolling);
	T_INT(unavailable, 1);
	t_row("\"old template\", its own turn");
	SLURM(&v, NODE_RECYCLE, NODE_RECYCLE, 0);
	T_INT(unavailable, 1);
	t_row("\"old template\", one less than maxUnavailable");
	tried.rolling = false;
	limits.max_unavailable = 2;
	SLURM(&v, NODE_RECYCLE, NODE_RECYCLE, 0);
	T_INT(unavailable, 2);
	t_row("\"old template\", maxUnavailable power down");
	tried.rolling = false;
	SLURM(&v, NODE_RECYCLE, NODE_KEEP, 1000);
	T_OK(!tried.rolling);
	T_INT(unavailable, 2);
	t_row("\"not responding~\" needs no turn");
	tried.rechecked = false;
	SLURM(&none, NODE_RECYCLE, NODE_RECYCLE, 0);
	T_OK(!how.recheck && !tried.rechecked);
	T_INT(unavailable, 2);
	t_row("a job came meanwhile");
	tried.rolling = true;
	SLURM(&v, NODE_KEEP, NODE_KEEP, 0);
	T_OK(!tried.rolling);
}

static void a_record_waits_while_slurm_refuses_an_extra(void)
{
	const struct node_view v = with_pod(NODE_UP, &well);

	begin("\"record\", refused lately");
	limits.record_at = AT + 1;
	SLURM(&v, NODE_RECORD, NODE_KEEP, 0);
	T_INT(n_records, 0);
	t_row("\"record\", an hour later");
	limits.record_at = AT;
	SLURM(&v, NODE_RECORD, NODE_RECORD, 0);
	t_row("\"record\", the last one in a pass");
	n_records = 499;
	SLURM(&v, NODE_RECORD, NODE_RECORD, 0);
	t_row("\"record\", one too many");
	SLURM(&v, NODE_RECORD, NODE_KEEP, 0);
}

static void a_pod_is_made_again_after_a_growing_pause(void)
{
	static const int64_t pauses[] = {5000, 10000, 20000, 60000, 60000};
	const struct node_view v = node(NODE_POWERING_UP);

	begin("\"no pod\"");
	KUBE(&v, POD_CREATE, POD_CREATE, 0);
	for (size_t i = 0; i < T_COUNT(pauses); i++) {
		t_row("\"no pod\", made %zu times", i + 1);
		attempts_created(&tried, limits.now_ms);
		limits.now_ms += pauses[i] - 1;
		KUBE(&v, POD_CREATE, POD_LEAVE, 1);
		limits.now_ms++;
		KUBE(&v, POD_CREATE, POD_CREATE, 0);
	}
	begin("its jobs cannot be requeued: its pod is replaced");
	attempts_deleted(&tried, AT);
	attempts_create_later(&tried, AT);
	KUBE(&v, POD_CREATE, POD_LEAVE, 5000);
	T_INT(tried.delete_after, 0);
	T_INT(tried.deletes, 0);
}

static void a_pod_is_deleted_again_after_a_growing_pause(void)
{
	static const int64_t pauses[] = {5000, 10000, 20000, 40000, 60000};
	const struct node_view v = with_pod(NODE_POWERED_DOWN, &well);
	const struct node_view e = with_pod(NODE_POWERED_DOWN, &leaving);

	begin("\"orphan\"");
	KUBE(&v, POD_DELETE, POD_DELETE, 0);
	for (size_t i = 0; i < T_COUNT(pauses); i++) {
		t_row("\"orphan\", deleted %zu times", i + 1);
		attempts_deleted(&tried, limits.now_ms);
		limits.now_ms += pauses[i] - 1;
		KUBE(&v, POD_DELETE, POD_LEAVE, 1);
		limits.now_ms++;
		KUBE(&v, POD_DELETE, POD_DELETE, 0);
	}
	t_row("being deleted");
	attempts_deleted(&tried, limits.now_ms);
	KUBE(&e, POD_LEAVE, POD_LEAVE, 0);
}

static void kubernetes_is_asked_after_a_growing_pause(void)
{
	static const int64_t pauses[] = {2000,	4000,  8000, 16000,
					 32000, 60000, 60000};
	const struct node_view v = node(NODE_UP);

	begin("no pod in view");
	KUBE(&v, POD_LOOK, POD_LOOK, 0);
	for (size_t i = 0; i < T_COUNT(pauses); i++) {
		t_row("asked %zu times", i + 1);
		attempts_looked(&tried, limits.now_ms);
		limits.now_ms += pauses[i] - 1;
		KUBE(&v, POD_LOOK, POD_LEAVE, 1);
		limits.now_ms++;
		KUBE(&v, POD_LOOK, POD_LOOK, 0);
	}
}

static void nothing_is_asked_beside_a_request_under_way(void)
{
	const struct node_view v = with_pod(NODE_UP, &well);
	const struct node_view none = node(NODE_POWERING_UP);

	begin("a request about the pod is under way");
	limits.pending = true;
	KUBE(&v, POD_DELETE, POD_LEAVE, 0);
	KUBE(&v, POD_NOTE, POD_LEAVE, 0);
	KUBE(&v, POD_LOOK, POD_LOOK, 0);
	KUBE(&none, POD_CREATE, POD_CREATE, 0);
	begin("requests take no notes");
	limits.may_note = false;
	KUBE(&v, POD_NOTE, POD_LEAVE, 0);
	KUBE(&v, POD_DELETE, POD_DELETE, 0);
}

static void the_same_note_is_sent_again_after_10_s(void)
{
	const struct node_view v = with_pod(NODE_UP, &well);

	begin("\"jobs\"");
	limits.note_sum = 7;
	KUBE(&v, POD_NOTE, POD_NOTE, 0);
	T_INT(n_notes, 1);
	pod_annotations_sent(&tried.noted, 7, AT, true);
	limits.now_ms = AT + 9999;
	t_row("\"jobs\", the same within 10 s");
	KUBE(&v, POD_NOTE, POD_LEAVE, 0);
	t_row("\"jobs\", others within 10 s");
	limits.note_sum = 8;
	KUBE(&v, POD_NOTE, POD_NOTE, 0);
	t_row("\"jobs\", the same after 10 s");
	limits.note_sum = 7;
	limits.now_ms = AT + 10000;
	KUBE(&v, POD_NOTE, POD_NOTE, 0);
	t_row("\"jobs\", the last one in a pass");
	n_notes = 499;
	KUBE(&v, POD_NOTE, POD_NOTE, 0);
	t_row("\"jobs\", one too many");
	KUBE(&v, POD_NOTE, POD_LEAVE, 500);
}

static void steps_alone_wait_for_their_turn(void)
{
	struct pod_view pod = well;
	struct node_view v = with_pod(NODE_UP, &pod);

	pod.busy = v.node.busy = v.steps_known = true;
	pod.scale = POD_SCALE_KEEP;
	pod.jobs = v.jobs = "7";
	v.steps = 1;
	begin("only steps are new");
	KUBE(&v, POD_NOTE, POD_NOTE, 0);
	T_OK(how.only_steps && !how.steps_left);
	steps_noted(&steps, 1, true, AT);
	v.steps = 2;
	limits.now_ms = AT + 499;
	t_row("other steps within 500 ms");
	KUBE(&v, POD_NOTE, POD_LEAVE, 0);
	T_OK(how.steps_left);
	t_row("other steps after 500 ms");
	limits.now_ms = AT + 500;
	KUBE(&v, POD_NOTE, POD_NOTE, 0);
	t_row("its turn is to come");
	steps.turn = AT + 501;
	KUBE(&v, POD_NOTE, POD_LEAVE, 0);
	T_OK(how.steps_left);
	T_INT(steps.turn, AT + 501);
	t_row("jobs are new, too");
	v.jobs = "7,8";
	KUBE(&v, POD_NOTE, POD_NOTE, 0);
	T_OK(!how.only_steps);
	t_row("jobs are not known");
	v.jobs = NULL;
	KUBE(&v, POD_NOTE, POD_LEAVE, 0);
	t_row("no turn is taken for what is not sent");
	steps.turn = 0;
	limits.pending = true;
	KUBE(&v, POD_NOTE, POD_LEAVE, 0);
	T_INT(steps.turn, 0);
}

static void a_failure_alone_is_handed_on_once(void)
{
	const struct node_view v = with_pod(NODE_POWERING_UP, &well);
	const struct node_decision given_back = {.failed = true,
						 .row = "given back"};

	begin("\"given back\"");
	limit(&v, given_back);
	T_OK(how.any);
	t_row("\"given back\", counted");
	tried.failure_counted = true;
	limit(&v, given_back);
	T_OK(!how.any);
}

static void a_pod_of_no_node_is_acted_on_each_30_s_at_most(void)
{
	t_row("stray, left behind");
	T_OK(unmatched_pod_may_act(0, 1));
	T_OK(!unmatched_pod_may_act(AT, AT));
	T_OK(!unmatched_pod_may_act(AT, AT + 29999));
	T_OK(unmatched_pod_may_act(AT, AT + 30000));
}

static void requests_matter_to_what_is_about_a_pod(void)
{
	struct node_decision p = {.kube = POD_LEAVE};

	T_OK(!node_limit_needs_requests(&p));
	p.kube = POD_DELETE;
	T_OK(node_limit_needs_requests(&p));
	p.kube = POD_NOTE;
	T_OK(node_limit_needs_requests(&p));
	p.kube = POD_CREATE;
	T_OK(!node_limit_needs_requests(&p));
}

T_MAIN("node_limit", T(without_the_lease_nothing_is_done),
       T(the_same_action_is_not_repeated_within_5_s),
       T(an_old_template_is_made_sure_of_and_takes_turns),
       T(a_record_waits_while_slurm_refuses_an_extra),
       T(a_pod_is_made_again_after_a_growing_pause),
       T(a_pod_is_deleted_again_after_a_growing_pause),
       T(kubernetes_is_asked_after_a_growing_pause),
       T(nothing_is_asked_beside_a_request_under_way),
       T(the_same_note_is_sent_again_after_10_s),
       T(steps_alone_wait_for_their_turn), T(a_failure_alone_is_handed_on_once),
       T(a_pod_of_no_node_is_acted_on_each_30_s_at_most),
       T(requests_matter_to_what_is_about_a_pod))
