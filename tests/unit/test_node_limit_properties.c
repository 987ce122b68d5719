/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is never done about a node, whatever node_decide() says and whatever was
 * done before: by one look at a drawn memory, and by looks that go on from each
 * other.
 */
#include <string.h>

#include "node_views.h"
#include "nodes/reconcile/node_limit.h"

#define AT 10000000 /* monotonic */

/* One look: all that bears on it, and what comes of it. */
struct look {
	const struct node_view *v;
	struct node_limits l;
	struct node_decision decided, left;
	struct node_attempts before, after;
	struct steps_pace steps_before, steps;
	size_t unavailable_before, unavailable;
	size_t notes_before, notes, records_before, records;
	struct node_limited how;
};

/* --- looks */

/* Now, or a millisecond before or after. */
static int64_t by_now(void)
{
	return AT + 1 - (int64_t)up_to(2);
}

static struct node_attempts draw_attempts(void)
{
	struct node_attempts t = {
		.acted = (enum node_action)draw(NODE_RECORD + 1),
		.acted_at = AT - around(NODE_REPEAT_MS),
		.creates = up_to(4),
		.deletes = up_to(4),
		.looks = up_to(4),
		.rechecked = coin(),
		.rolling = coin(),
		.failure_counted = coin(),
		.features_tried = coin(),
	};

	t.create_after = by_now();
	t.delete_after = by_now();
	t.look_after = by_now();
	t.noted = (struct note_pace){.sum = up_to(1), .after = by_now()};
	return t;
}

static struct node_limits draw_limits(int64_t now_ms)
{
	return (struct node_limits){
		.has_lease = !seldom(4),
		.pending = seldom(3),
		.may_note = !seldom(4),
		.note_sum = up_to(1),
		.record_at = now_ms + 1 - up_to(2),
		.max_unavailable = up_to(2),
		.now_ms = now_ms,
	};
}

/* It is looked at; the memory is of the look before, or drawn. */
static void look_at(struct look *k, struct note_turns *turns)
{
	struct node_memory m = {&k->after,	 &k->steps, turns,
				&k->unavailable, &k->notes, &k->records};

	node_decide(k->v, &k->decided);
	k->left = k->decided;
	k->before = k->after;
	k->steps_before = k->steps;
	k->unavailable_before = k->unavailable;
	k->notes_before = k->notes;
	k->records_before = k->records;
	node_limit(k->v, &k->l, &m, &k->left, &k->how);
}

/* --- properties of each look */

typedef bool (*property_fn)(const struct look *k);

static bool does_nothing(const struct look *k)
{
	return !k->how.any && k->left.slurm == NODE_KEEP &&
	       k->left.kube == POD_LEAVE && !k->left.failed;
}

static bool is_remembered_unchanged(const struct look *k)
{
	return !memcmp(&k->before, &k->after, sizeof(k->after)) &&
	       !memcmp(&k->steps_before, &k->steps, sizeof(k->steps)) &&
	       k->unavailable == k->unavailable_before &&
	       k->notes == k->notes_before && k->records == k->records_before;
}

static bool without_the_lease_nothing_is_done(const struct look *k)
{
	return k->l.has_lease ||
	       (does_nothing(k) && !k->left.again_ms && !k->how.recheck &&
		is_remembered_unchanged(k));
}

static bool a_node_has_one_pod(const struct look *k)
{
	return k->left.kube != POD_CREATE ||
	       (!k->v->pod && k->v->live &&
		(k->v->node.power == NODE_POWERING_UP ||
		 (k->v->node.power == NODE_POWERED_DOWN && k->v->allocated)));
}

static bool is_left_or_none(const struct look *k)
{
	return k->left.slurm == NODE_KEEP || k->left.slurm == k->decided.slurm;
}

static bool nothing_is_done_that_was_not_decided(const struct look *k)
{
	return is_left_or_none(k) &&
	       (k->left.kube == POD_LEAVE || k->left.kube == k->decided.kube);
}

static bool the_same_action_is_not_repeated_within_5_s(const struct look *k)
{
	return k->left.slurm == NODE_KEEP || k->before.acted != k->left.slurm ||
	       k->l.now_ms - k->before.acted_at >= 5000;
}

static bool a_pod_is_made_again_only_after_its_pause(const struct look *k)
{
	return k->left.kube != POD_CREATE ||
	       k->l.now_ms >= k->before.create_after;
}

static bool a_pod_is_deleted_again_only_after_its_pause(const struct look *k)
{
	return k->left.kube != POD_DELETE ||
	       k->l.now_ms >= k->before.delete_after;
}

static bool kubernetes_is_asked_again_only_after_its_pause(const struct look *k)
{
	return k->left.kube != POD_LOOK || k->l.now_ms >= k->before.look_after;
}

static bool
the_same_note_is_sent_again_only_after_its_pause(const struct look *k)
{
	return k->left.kube != POD_NOTE ||
	       k->l.note_sum != k->before.noted.sum ||
	       k->l.now_ms >= k->before.noted.after;
}

static bool steps_alone_have_their_turn(const struct look *k)
{
	return k->left.kube != POD_NOTE || !k->how.only_steps ||
	       (k->l.now_ms >= k->steps_before.after &&
		k->l.now_ms >= k->steps.turn && k->steps.turn);
}

static bool no_turn_is_asked_for_in_vain(const struct look *k)
{
	return k->steps.turn == k->steps_before.turn ||
	       (k->decided.kube == POD_NOTE && k->how.only_steps &&
		!k->l.pending && k->l.may_note);
}

static bool a_pod_has_one_request_under_way(const struct look *k)
{
	return !k->l.pending ||
	       (k->left.kube != POD_DELETE && k->left.kube != POD_NOTE);
}

static bool requests_that_take_no_notes_get_none(const struct look *k)
{
	return k->l.may_note || k->left.kube != POD_NOTE;
}

static bool
k8s_yaml_is_read_again_before_a_node_goes_for_it(const struct look *k)
{
	return k->left.slurm != NODE_RECYCLE || !k->v->pod ||
	       k->before.rechecked;
}

static bool it_is_read_again_once(const struct look *k)
{
	return !k->how.recheck || (!k->before.rechecked && k->after.rechecked);
}

static bool no_more_nodes_go_for_it_than_may(const struct look *k)
{
	return k->left.slurm != NODE_RECYCLE || !k->v->pod ||
	       k->before.rolling ||
	       k->unavailable_before < k->l.max_unavailable;
}

static bool who_goes_for_it_is_counted_once(const struct look *k)
{
	const bool began = k->after.rolling && !k->before.rolling;

	return k->unavailable == k->unavailable_before + began;
}

static bool who_does_not_go_for_it_leaves_its_turn(const struct look *k)
{
	return !k->l.has_lease || k->decided.slurm == NODE_RECYCLE ||
	       !k->after.rolling;
}

static bool no_extra_is_written_while_slurm_refuses_it(const struct look *k)
{
	return k->left.slurm != NODE_RECORD || k->l.now_ms >= k->l.record_at;
}

static bool a_pass_has_only_so_many_records_and_notes(const struct look *k)
{
	return (k->left.slurm != NODE_RECORD || k->records_before < 500) &&
	       (k->left.kube != POD_NOTE || k->notes_before < 500);
}

/* (a record comes with the next look, and a request's end leads to one) */
static bool what_is_held_back_is_looked_at_again(const struct look *k)
{
	const bool slurm = k->left.slurm != k->decided.slurm &&
			   k->decided.slurm != NODE_RECORD;
	const bool kube =
		k->left.kube != k->decided.kube &&
		(k->decided.kube == POD_CREATE || k->decided.kube == POD_LOOK ||
		 (k->decided.kube == POD_DELETE && !k->l.pending));

	return !k->l.has_lease || (!slurm && !kube) ||
	       (k->left.again_ms > 0 && k->left.again_ms <= 60000);
}

static bool no_look_comes_later_than_was_decided(const struct look *k)
{
	return !k->l.has_lease || !k->decided.again_ms ||
	       (k->left.again_ms && k->left.again_ms <= k->decided.again_ms);
}

static bool a_failure_is_handed_on_until_it_is_counted(const struct look *k)
{
	const bool does =
		k->left.slurm != NODE_KEEP || k->left.kube != POD_LEAVE;
	const bool fails = k->left.failed && !k->before.failure_counted;

	return k->how.any == (does || fails) &&
	       (!k->l.has_lease || k->left.failed == k->decided.failed);
}

/* --- properties of looks that go on from each other */

/* When something was done last, in this power state; 0: not yet. */
struct history {
	int64_t acted[NODE_RECORD + 1];
	enum node_action last;
	int64_t created, deleted, looked;
	int64_t sent[2]; /* notes, by their checksum */
	uint32_t last_note;
};

typedef bool (*history_fn)(const struct look *k, const struct history *h);

static bool are_apart(const struct look *k, int64_t before, int64_t ms)
{
	return !before || k->l.now_ms - before >= ms;
}

static bool
two_of_the_same_action_in_a_row_are_5_s_apart(const struct look *k,
					      const struct history *h)
{
	return k->left.slurm == NODE_KEEP || h->last != k->left.slurm ||
	       are_apart(k, h->acted[k->left.slurm], 5000);
}

static bool two_pods_of_a_node_are_made_5_s_apart(const struct look *k,
						  const struct history *h)
{
	return k->left.kube != POD_CREATE || are_apart(k, h->created, 5000);
}

static bool a_pod_is_deleted_each_5_s_at_most(const struct look *k,
					      const struct history *h)
{
	return k->left.kube != POD_DELETE || are_apart(k, h->deleted, 5000);
}

static bool kubernetes_is_asked_each_2_s_at_most(const struct look *k,
						 const struct history *h)
{
	return k->left.kube != POD_LOOK || are_apart(k, h->looked, 2000);
}

static bool
the_same_note_in_a_row_is_sent_each_10_s_at_most(const struct look *k,
						 const struct history *h)
{
	return k->left.kube != POD_NOTE || h->last_note != k->l.note_sum ||
	       are_apart(k, h->sent[k->l.note_sum & 1], 10000);
}

/* --- */

static const struct {
	const char *name;
	property_fn holds;
} properties[] = {
	P(without_the_lease_nothing_is_done),
	P(a_node_has_one_pod),
	P(nothing_is_done_that_was_not_decided),
	P(the_same_action_is_not_repeated_within_5_s),
	P(a_pod_is_made_again_only_after_its_pause),
	P(a_pod_is_deleted_again_only_after_its_pause),
	P(kubernetes_is_asked_again_only_after_its_pause),
	P(the_same_note_is_sent_again_only_after_its_pause),
	P(steps_alone_have_their_turn),
	P(no_turn_is_asked_for_in_vain),
	P(a_pod_has_one_request_under_way),
	P(requests_that_take_no_notes_get_none),
	P(k8s_yaml_is_read_again_before_a_node_goes_for_it),
	P(it_is_read_again_once),
	P(no_more_nodes_go_for_it_than_may),
	P(who_goes_for_it_is_counted_once),
	P(who_does_not_go_for_it_leaves_its_turn),
	P(no_extra_is_written_while_slurm_refuses_it),
	P(a_pass_has_only_so_many_records_and_notes),
	P(what_is_held_back_is_looked_at_again),
	P(no_look_comes_later_than_was_decided),
	P(a_failure_is_handed_on_until_it_is_counted),
};

static const struct {
	const char *name;
	history_fn holds;
} over_time[] = {
	P(two_of_the_same_action_in_a_row_are_5_s_apart),
	P(two_pods_of_a_node_are_made_5_s_apart),
	P(a_pod_is_deleted_each_5_s_at_most),
	P(kubernetes_is_asked_each_2_s_at_most),
	P(the_same_note_in_a_row_is_sent_each_10_s_at_most),
};

static void each_look_has_each_property(void)
{
	unsigned int violated[T_COUNT(properties)] = {0}, slurm = 0, kube = 0;

	for (unsigned int n = 0; n < PROPERTY_VIEWS; n++) {
		const struct pod_view pod = draw_pod();
		const struct node_view v = draw_view(&pod);
		struct note_turns turns = {.next = AT + up_to(2000)};
		struct look k = {
			.v = &v,
			.l = draw_limits(AT),
			.after = draw_attempts(),
			.steps = {.noted = up_to(1),
				  .after = by_now(),
				  .turn = coin() ? 0 : by_now()},
			.unavailable = up_to(3),
			.notes = (size_t)around(NODE_NOTES_PASS_MAX),
			.records = (size_t)around(NODE_RECORDS_PASS_MAX),
		};

		look_at(&k, &turns);
		slurm |= 1u << k.left.slurm;
		kube |= 1u << k.left.kube;
		for (size_t i = 0; i < T_COUNT(properties); i++) {
			if (properties[i].holds(&k) || violated[i]++)
				continue;
			printf("%s: %d, %d (%s): %d, %d\n", properties[i].name,
			       k.decided.slurm, k.decided.kube, k.decided.row,
			       k.left.slurm, k.left.kube);
		}
	}
	printf("%u views\n", PROPERTY_VIEWS);
	for (size_t i = 0; i < T_COUNT(properties); i++) {
		t_row("%s", properties[i].name);
		T_INT(violated[i], 0);
	}
	t_row("each action was seen");
	T_INT(slurm, (1u << (NODE_RECORD + 1)) - 1);
	T_INT(kube, (1u << (POD_LOOK + 1)) - 1);
}

/* It is done: as apply.c does it. */
static void do_it(struct look *k, struct history *h)
{
	const int64_t now_ms = k->l.now_ms;

	if (k->left.slurm != NODE_KEEP) {
		attempts_acted(&k->after, k->left.slurm, now_ms);
		h->acted[k->left.slurm] = now_ms;
		h->last = k->left.slurm;
	}
	if (k->left.kube == POD_CREATE) {
		attempts_created(&k->after, now_ms);
		h->created = now_ms;
		h->deleted = 0; /* it is another pod */
	} else if (k->left.kube == POD_DELETE) {
		attempts_deleted(&k->after, now_ms);
		h->deleted = now_ms;
	} else if (k->left.kube == POD_LOOK) {
		attempts_looked(&k->after, now_ms);
		h->looked = now_ms;
	} else if (k->left.kube == POD_NOTE) {
		pod_annotations_sent(&k->after.noted, k->l.note_sum, now_ms,
				     coin());
		h->sent[k->l.note_sum & 1] = now_ms;
		h->last_note = k->l.note_sum;
	}
}

/* A power state lasts for some 16 looks. */
static void looks_that_go_on_from_each_other_have_each_property(void)
{
	static const int64_t pauses[] = {2000, 5000, 10000, 20000, 60000};
	unsigned int violated[T_COUNT(over_time)] = {0};
	struct history h = {0};
	struct note_turns turns = {0};
	struct look k = {.l.now_ms = AT};

	for (unsigned int n = 0; n < PROPERTY_VIEWS; n++) {
		const struct pod_view pod = draw_pod();
		const struct node_view v = draw_view(&pod);

		if (seldom(16)) {
			k.after = (struct node_attempts){0};
			h = (struct history){0};
		}
		k.v = &v;
		k.l = draw_limits(k.l.now_ms + around(ONE_OF(pauses)));
		k.unavailable = k.notes = k.records = 0;
		look_at(&k, &turns);
		for (size_t i = 0; i < T_COUNT(over_time); i++) {
			if (over_time[i].holds(&k, &h) || violated[i]++)
				continue;
			printf("%s: %d, %d (%s)\n", over_time[i].name,
			       k.left.slurm, k.left.kube, k.decided.row);
		}
		do_it(&k, &h);
	}
	printf("%u looks\n", PROPERTY_VIEWS);
	for (size_t i = 0; i < T_COUNT(over_time); i++) {
		t_row("%s", over_time[i].name);
		T_INT(violated[i], 0);
	}
}

T_MAIN("node_limit_properties", T(each_look_has_each_property),
       T(looks_that_go_on_from_each_other_have_each_property))
