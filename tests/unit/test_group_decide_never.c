/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What no row of the bridge's planner may ever do, for all combinations. */
#include "bridge/reconcile/group_decide.h"
#include "t.h"

static void check(const struct group_view *v, const struct group_decision *d)
{
	const struct group_counts *p = &v->pods;
	bool runs = v->job == PLACEHOLDER_STARTING ||
		    v->job == PLACEHOLDER_RUNNING ||
		    v->job == PLACEHOLDER_SUSPENDED;
	bool waits =
		v->job == PLACEHOLDER_PENDING || v->job == PLACEHOLDER_HELD;

	if (v->job == PLACEHOLDER_UNKNOWN || !v->pods_known)
		T_INT(d->action, GROUP_KEEP);
	if (v->strange)
		T_OK(d->action == GROUP_KEEP || d->action == GROUP_WAIT);
	T_OK(d->row && *d->row);
	switch (d->action) {
	case GROUP_SUBMIT:
		if (p->live) { /* they have lost theirs */
			T_OK((v->job == PLACEHOLDER_NONE || v->by_us) &&
			     v->early && p->live && !p->leaving &&
			     !v->refusal && !runs && !waits &&
			     d->n == p->live + p->waiting);
			break;
		}
		T_OK((v->job == PLACEHOLDER_NONE ||
		      v->job == PLACEHOLDER_ENDED) &&
		     !v->refusal && !p->live && !p->leaving && v->members &&
		     p->waiting >= v->members && d->n == p->waiting);
		break;
	case GROUP_BIND:
		T_OK(v->job == PLACEHOLDER_RUNNING && v->room && d->n > 0 &&
		     d->n <= p->waiting - p->refused && !p->astray &&
		     (!p->refused || p->live || p->leaving != p->away ||
		      p->succeeded || p->failed) &&
		     d->n + p->live + p->leaving - p->away <= v->made_for);
		break;
	case GROUP_UPDATE:
	case GROUP_NOTE:
		T_OK(waits);
		break;
	case GROUP_PIN:
		T_OK(waits && p->live && !v->requeued && !v->pinned);
		break;
	case GROUP_ADOPT:
		T_OK((waits || runs) && p->former);
		break;
	case GROUP_COMPLETE:
		T_OK(runs && (p->succeeded || p->failed));
		T_OK(!p->waiting && !p->live && p->leaving == p->away &&
		     !p->gated);
		T_OK(!d->exit_code == !p->failed);
		break;
	case GROUP_CANCEL:
		T_OK(d->job_id == v->twin ||
		     (d->job_id == v->job_id && (runs || waits) &&
		      ((!p->live && p->leaving == p->away) ||
		       (!v->gang && waits && !p->live && !p->waiting) ||
		       (v->early && !v->requeued && p->astray == p->live))));
		break;
	case GROUP_DELETE_PODS:
		T_OK(p->live || d->waiting_too);
		T_OK(!runs || (p->astray && d->astray_only));
		T_OK(!d->waiting_too || (v->job >= PLACEHOLDER_COMPLETING));
		break;
	case GROUP_REFUSE:
	case GROUP_WAIT:
		T_OK(*d->words);
		break;
	case GROUP_KEEP:
	default:
		break;
	}
}

/* The digits of `n`, each in a field of its own. */
static struct group_view view_of(unsigned long long n)
{
	const bool away = n % 5;
	struct group_view v = {
		.job_id = 42,
		.made_for = 4,
		.reason = "Priority",
		.kill_wait_s = 30,
		.pods.grace_s = 20,
		.gang = n % 7,
		.noted = {.reason = "Priority", .age_ms = 3600000}};
	unsigned int *const fields[] = {&v.pods.live, &v.pods.leaving,
					&v.pods.succeeded, &v.pods.failed,
					&v.pods.gated};

#define DIGIT(base)                                                            \
	({                                                                     \
		unsigned int digit_ = (unsigned int)(n % (base));              \
		n /= (base);                                                   \
		digit_;                                                        \
	})
	v.job = (enum placeholder_state)DIGIT(PLACEHOLDER_ENDED + 1);
	v.end = DIGIT(2) ? PLACEHOLDER_CANCELLED : PLACEHOLDER_NODE_FAIL;
	v.pods.waiting = DIGIT(3) * 2;
	v.pods.refused = DIGIT(3) * v.pods.waiting / 2;
	for (size_t i = 0; i < T_COUNT(fields); i++)
		*fields[i] = DIGIT(2);
	v.pods.exit_code = v.pods.failed ? 3 : 0;
	v.pods.astray = v.pods.live && DIGIT(2);
	v.pods.labelled = DIGIT(2) ? v.pods.waiting : 0;
	v.members = DIGIT(3) * 2;
	v.refusal = DIGIT(2) ? "no" : NULL;
	v.changed = DIGIT(2);
	v.room = DIGIT(2);
	v.requeued = DIGIT(2);
	v.short_ms = DIGIT(2) * 30000;
	v.state_ms = DIGIT(2) * 60000;
	v.pods_known = DIGIT(8) > 0;
	v.twin = DIGIT(2) ? 43 : 0;
	v.early = DIGIT(2);
	v.pods.foreign = DIGIT(2);
	v.pods.former = v.pods.live && DIGIT(2);
	v.by_us = DIGIT(2);
	v.pinned = DIGIT(2);
	v.strange = !DIGIT(4);
#undef DIGIT
	v.pods.away = v.job > PLACEHOLDER_HELD && away ? v.pods.leaving : 0;
	return v;
}

static void no_combination_leads_to_what_must_never_be(void)
{
	const unsigned long long all = 4ull * 9 * 2 * 3 * 3 * 32 * 2 * 2 * 3 *
				       2 * 2 * 2 * 2 * 2 * 2 * 8 * 2 * 32;
	unsigned int seen = 0;

	/* (a prime step reaches all of them in turn: here a 24000th) */
	for (unsigned long long n = 0; n < all; n += 24001) {
		struct group_view v = view_of(n);
		struct group_decision d;

		group_decide(&v, &d);
		t_row("combination %llu", n);
		seen |= 1u << d.action;
		check(&v, &d);
	}
	t_row("every action was seen, but for notes");
	T_INT(seen,
	      ((1u << (GROUP_DELETE_PODS + 1)) - 1) & ~(1u << GROUP_NOTE));
}

T_MAIN("group_decide_never", T(no_combination_leads_to_what_must_never_be))
