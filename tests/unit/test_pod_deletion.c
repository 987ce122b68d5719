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
	(void)w, (void)pod, (void)node, (void)job;
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
	static const struct {
		enum placeholder_end end;
		bool grown, leaving, disrupts;
	} rows[] = {
		{PLACEHOLDER_NOT_ENDED, false, false, true}, /* it went back */
		{PLACEHOLDER_PREEMPTED, false, false, true},
		{PLACEHOLDER_NODE_FAIL, false, false, true},
		{PLACEHOLDER_COMPLETED, false, false, false},
		{PLACEHOLDER_FAILED, false, false, false},
		{PLACEHOLDER_CANCELLED, false, false, false},
		{PLACEHOLDER_TIMEOUT, false, false, false},
		{PLACEHOLDER_DEADLINE, false, false, false},
		{PLACEHOLDER_ENDED_OTHERWISE, false, false, false},
		/* its owner has resized it */
		{PLACEHOLDER_NOT_ENDED, true, false, false},
		/* it says so already */
		{PLACEHOLDER_PREEMPTED, false, true, false},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		struct selected_pod v = {
			.ns = "ns", .uid = "u1", .leaving = rows[i].leaving};
		const struct pod_selection pods = {.v = &v, .n = 1};
		struct bridge b = {0};
		struct group_observation j = {
			.plan = {.action = GROUP_DELETE_PODS,
				 .row = "x",
				 .grown_only = rows[i].grown,
				 .words = "job 7 went"},
			.view = {.end = rows[i].end}};
		struct queue_entry *q = calloc(1, sizeof(*q) + 1);

		t_row("%zu", i);
		disruptions = deletions = 0;
		delete_pods(&b, q, &j, &pods);
		T_INT(disruptions, rows[i].disrupts);
		T_INT(deletions, !rows[i].disrupts);
		free(q);
	}
}

T_MAIN("pod_deletion", T(what_slurm_takes_away_is_a_disruption))
