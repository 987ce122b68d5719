/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How pods are deleted whose job does not run any more. A deletion that the API
 * server refuses (no right, a webhook that fails) is tried again more and more
 * seldom.
 */
#include <string.h>

#include "base/backoff.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/str.h"
#include "bridge/binding/binding.h"

#define DELETE_MIN_MS 4000
#define DELETE_MAX_MS 60000
/* How long the words of a deletion are not logged again, in ms */
#define TELL_MS 60000

/* End pods that an old view shows: each is read first. */
static void end_pods(struct bridge *b, const struct group_decision *plan,
		     const struct pod_selection *pods, bool disrupts)
{
	for (size_t i = 0; i < pods->n; i++) {
		const struct selected_pod *c = &pods->v[i];
		const struct pod_ref ref = {c->ns, c->name, c->uid};
		const uint32_t most = placeholder_kill_wait(b->kill_wait_s);
		const struct pod_deletion end = {
			.job_id = plan->job_id,
			.grace_s = c->grace_s < most ? c->grace_s : most,
			.words = plan->words,
			.disrupts = disrupts && !c->leaving};

		bridge_requests_end(b->requests, &ref, c->node, &end);
	}
	log_debug("bridge: %zu pods are looked at: %s", pods->n, plan->words);
}

/*
 * True if these pods were deleted with these words less than TELL_MS ago, which
 * is not in view yet. If not, note that they are now.
 */
static bool is_told(struct queue_entry *q, const char *words,
		    const struct pod_selection *pods)
{
	const int64_t now = clock_ms();
	const uint32_t sum = str_hash(STR_HASH, words, strlen(words)) +
			     pod_selection_sum(pods);

	if (sum == q->deletion.told_sum && now < q->deletion.told_at + TELL_MS)
		return true;
	q->deletion.told_sum = sum;
	q->deletion.told_at = now;
	return false;
}

void delete_pods(struct bridge *b, struct queue_entry *q,
		 const struct group_observation *j,
		 const struct pod_selection *pods)
{
	const struct group_decision *plan = &j->plan;
	const char *reason = plan->grown_only ? "Resized" : "Slurm job ended";
	/* What could not be deleted has the condition by now. */
	const bool disrupts = group_view_is_disruption(&j->view) &&
			      !plan->grown_only && !plan->misplaced_only &&
			      !q->deletion.tries;

	if (!pods->n)
		return;
	if (plan->look) {
		end_pods(b, plan, pods, disrupts);
		return;
	}
	if (is_told(q, plan->words, pods))
		reason = NULL;
	else
		log_info("bridge: %zu pods deleted: %s", pods->n, plan->words);
	for (size_t i = 0; i < pods->n; i++) {
		const struct selected_pod *c = &pods->v[i];
		const struct pod_ref ref = {c->ns, c->name, c->uid};
		/*
		 * A waiting pod may be bound by now, and gets KillWait then;
		 * the API server removes one that is not bound at once. The
		 * plan's grace is for live pods.
		 */
		const uint32_t most =
			c->waiting || c->leaving
				? placeholder_kill_wait(b->kill_wait_s)
				: plan->grace_s;

		/* A leaving pod says why already. */
		(disrupts && !c->leaving ? bridge_requests_disrupt
					 : bridge_requests_delete)(
			b->requests, &ref,
			c->grace_s < most ? c->grace_s : most, reason,
			plan->words);
	}
}

void delete_failed(struct bridge *b, const struct bridge_request_failure *f)
{
	const int64_t now = clock_ms();
	struct queue_entry *q = queue_entry_of_pod(b, f->uid);
	int64_t ms;

	/* Another pod of this round has been counted already. */
	if (!q || now < q->deletion.again_at)
		return;
	ms = backoff_doubled(DELETE_MIN_MS, q->deletion.tries++, DELETE_MAX_MS);
	q->deletion.again_at = now + ms;
	q->deletion.told_sum = 0; /* an Event is due when it is done */
	queue_entry_later(b, q, ms);
}
