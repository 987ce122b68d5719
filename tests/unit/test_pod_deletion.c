/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which deleted pods are told that it is Slurm's doing; requests are the
 * test's. */
#include <stdlib.h>

#include "bridge/binding/binding.h"
#include "t.h"

static int64_t now;
static int deletions, disruptions;

int64_t __wrap_clock_ms(void);
int64_t __wrap_clock_ms(void)
{
	return now;
}

bool bridge_requests_delete(struct bridge_requests *w,
			    const struct pod_ref *pod, int64_t grace_s,
			    const char *reason, const char *words)
{
	(void)w, (void)pod, (void)grace_s, (void)reason, (void)words;
	deletions++;
	return true;
}

bool bridge_requests_disrupt(struct bridge_requests *w,
			     const struct pod_ref *pod, int64_t grace_s,
			     const char *reason, const char *words)
{
	(void)w, (void)pod, (void)grace_s, (void)reason;
	disruptions++;
	T_STR(words, "job 7 went");
	return true;
}

bool bridge_requests_end(struct bridge_requests *w, const struct pod_ref *pod,
			 const char *node, const struct pod_deletion *job)
{
	(void)w, (void)pod, (void)node;
	disruptions += job->disrupts;
	deletions += !job->disrupts;
	return true;
}

struct queue_entry *queue_entry_of_pod(struct bridge *b, const char *uid)
{
	(void)b, (void)uid;
	return NULL;
}

void queue_entry_later(struct bridge *b, struct queue_entry *q, int64_t ms)
{
	(void)b, (void)q, (void)ms;
}

static void what_slurm_takes_away_is_a_disruption(void)
{
	enum { GROWN = 1, LEAVING = 2, MISPLACED = 4, FAILED = 8 };
	static const struct {
		enum placeholder_state job;
		enum placeholder_end end;
		unsigned int what;
		bool disrupts;
	} rows[] = {
		/* it goes back, or has */
		{PLACEHOLDER_COMPLETING, PLACEHOLDER_NOT_ENDED, 0, true},
		{PLACEHOLDER_PENDING, PLACEHOLDER_NOT_ENDED, 0, true},
		{PLACEHOLDER_HELD, PLACEHOLDER_NOT_ENDED, 0, true},
		{PLACEHOLDER_COMPLETING, PLACEHOLDER_PREEMPTED, 0, true},
		{PLACEHOLDER_ENDED, PLACEHOLDER_PREEMPTED, 0, true},
		{PLACEHOLDER_ENDED, PLACEHOLDER_NODE_FAIL, 0, true},
		/* it is over, by whomever */
		{PLACEHOLDER_ENDED, PLACEHOLDER_COMPLETED, 0, false},
		{PLACEHOLDER_ENDED, PLACEHOLDER_FAILED, 0, false},
		{PLACEHOLDER_ENDED, PLACEHOLDER_CANCELLED, 0, false},
		{PLACEHOLDER_COMPLETING, PLACEHOLDER_TIMEOUT, 0, false},
		{PLACEHOLDER_ENDED, PLACEHOLDER_DEADLINE, 0, false},
		{PLACEHOLDER_ENDED, PLACEHOLDER_ENDED_OTHERWISE, 0, false},
		/* nobody knows what became of it */
		{PLACEHOLDER_NONE, PLACEHOLDER_NOT_ENDED, 0, false},
		/* its owner has resized, relabelled or shrunk it */
		{PLACEHOLDER_RUNNING, PLACEHOLDER_NOT_ENDED, GROWN, false},
		{PLACEHOLDER_RUNNING, PLACEHOLDER_NOT_ENDED, MISPLACED, false},
		{PLACEHOLDER_PENDING, PLACEHOLDER_NOT_ENDED, MISPLACED, false},
		/* it says so already */
		{PLACEHOLDER_ENDED, PLACEHOLDER_PREEMPTED, LEAVING, false},
		{PLACEHOLDER_ENDED, PLACEHOLDER_PREEMPTED, FAILED, false},
	};

	/* Twice: as usual, and by an old view, with a look before. */
	for (size_t i = 0; i < 2 * T_COUNT(rows); i++) {
		const unsigned int what = rows[i / 2].what;
		struct selected_pod v = {
			.ns = "ns", .uid = "u1", .leaving = what & LEAVING};
		const struct pod_selection pods = {.v = &v, .n = 1};
		struct bridge b = {0};
		struct group_observation j = {
			.plan = {.action = GROUP_DELETE_PODS,
				 .row = "x",
				 .look = i % 2,
				 .grown_only = what & GROWN,
				 .misplaced_only = what & MISPLACED,
				 .words = "job 7 went"},
			.view = {.job = rows[i / 2].job,
				 .end = rows[i / 2].end}};
		struct queue_entry *q = calloc(1, sizeof(*q) + 1);

		t_row("%zu", i);
		q->deletion.tries = what & FAILED ? 1 : 0;
		disruptions = deletions = 0;
		delete_pods(&b, q, &j, &pods);
		T_INT(disruptions, rows[i / 2].disrupts);
		T_INT(deletions, !rows[i / 2].disrupts);
		free(q);
	}
}

T_MAIN("pod_deletion", T(what_slurm_takes_away_is_a_disruption))
