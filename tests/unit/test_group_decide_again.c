/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Jobs that the bridge cancels so that their pods get another one. */
#include <string.h>

#include "bridge/reconcile/group_decide.h"
#include "t.h"

/* A pod that waits, and was told of its job. */
static struct group_view view(enum placeholder_state job)
{
	return (struct group_view){
		.job = job,
		.end = job == PLACEHOLDER_ENDED ? PLACEHOLDER_CANCELLED
						: PLACEHOLDER_NOT_ENDED,
		.job_id = 42,
		.made_for = 1,
		.reason = "",
		.members = 1,
		.pods_known = true,
		.room = true,
		.pods = {.waiting = 1, .labelled = 1},
	};
}

static const char *row_of(const struct group_view *v, struct group_decision *d)
{
	group_decide(v, d);
	return d->row;
}

/* Nothing but the job tells whose doing it was: slurmctld was killed. */
static void
a_job_whose_node_was_overcommitted_is_none_that_its_user_cancelled(void)
{
	struct group_view v = view(PLACEHOLDER_RUNNING);
	struct group_decision d;

	v.overcommitted = true;
	v.overcommitted_ms = v.overcommitted_max_ms = 9;
	T_STR(row_of(&v, &d), "overcommitted for long");
	T_INT(d.action, GROUP_CANCEL);
	v = view(PLACEHOLDER_ENDED);
	T_STR(row_of(&v, &d), "ended"); /* its user did it */
	T_OK(d.waiting_too);
	v.by_us = true;
	T_STR(row_of(&v, &d), "submit");
	v.not_yet = "its Job is not known";
	T_STR(row_of(&v, &d), "unknown size");
}

/* It says that it is to be cancelled, and slurmctld was killed before it was.
 */
static void what_was_to_be_cancelled_is(void)
{
	static const enum placeholder_state jobs[] = {
		PLACEHOLDER_PENDING, PLACEHOLDER_HELD, PLACEHOLDER_STARTING,
		PLACEHOLDER_RUNNING, PLACEHOLDER_SUSPENDED};
	struct group_decision d;

	for (size_t i = 0; i < T_COUNT(jobs); i++) {
		struct group_view v = view(jobs[i]);

		t_row("%zu", i);
		v.by_us = true;
		T_STR(row_of(&v, &d), "given up");
		T_INT(d.action, GROUP_CANCEL);
		T_INT(d.job_id, 42);
		/* (a binding came late: by that job it runs) */
		v.pods = (struct group_counts){.live = 1};
		T_OK(strcmp(row_of(&v, &d), "given up") != 0);
	}
}

/* (what their Job or PodGroup says is not in view yet) */
static void who_may_have_lost_a_job_runs_on_until_that_is_known(void)
{
	static const struct {
		enum placeholder_state job;
		bool by_us;
		const char *row, *otherwise;
	} rows[] = {
		{PLACEHOLDER_NONE, false, "lost?", "orphan"},
		{PLACEHOLDER_COMPLETING, true, "completing", "ended"},
		{PLACEHOLDER_ENDED, true, "lost?", "ended"},
	};
	struct group_decision d;

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		struct group_view v = view(rows[i].job);

		t_row("%zu", i);
		v.by_us = rows[i].by_us;
		v.early = v.loss_unclear = true;
		v.not_yet = "its Job is not known";
		v.state_ms = BRIDGE_ORPHAN_MS;
		v.pods = (struct group_counts){.live = 2};
		T_STR(row_of(&v, &d), rows[i].row);
		T_INT(d.action, GROUP_KEEP);
		v.loss_unclear = false;
		T_STR(row_of(&v, &d), rows[i].otherwise);
		T_INT(d.action, GROUP_DELETE_PODS);
	}
}

/* (nodes come and go, and are made anew: that is no reason) */
static void a_gang_is_made_for_other_nodes_when_these_have_lasted(void)
{
	struct group_view v = view(PLACEHOLDER_PENDING);
	struct group_decision d;

	v.noted.reason = "";
	v.resized = true;
	v.resized_max_ms = 300000;
	v.resized_ms = 299000;
	T_STR(row_of(&v, &d), "pending");
	T_INT(d.again_ms, 1000);
	v.resized_ms = 300000;
	T_STR(row_of(&v, &d), "other nodes");
	T_INT(d.action, GROUP_CANCEL);
	v.resized = false;
	T_STR(row_of(&v, &d), "pending");
	T_INT(d.again_ms, 0);
}

/* All its pods are told each time that the words change. */
static void a_large_gang_that_grows_is_told_of_in_few_words(void)
{
	struct group_view v = view(PLACEHOLDER_NONE);
	char last[BRIDGE_WORDS_MAX] = "";
	struct group_decision d;
	int changes = 0;

	v.gang = true;
	v.members = 8192;
	for (v.pods.waiting = 1; v.pods.waiting < 8192; v.pods.waiting++) {
		T_STR(row_of(&v, &d), "incomplete");
		changes += strcmp(d.words, last) != 0;
		memcpy(last, d.words, sizeof(last));
		if (v.pods.waiting == 5)
			T_STR(d.words, "5 of 8192 pods are there");
		if (v.pods.waiting == 500)
			T_STR(d.words,
			      "fewer than 1024 of 8192 pods are there");
		if (v.pods.waiting == 8000)
			T_STR(d.words, "at least 7168 of 8192 pods are there");
	}
	T_OK(changes < 20);
}

/* (its turn to be told other nodes may come minutes later) */
static void who_waits_to_be_told_other_nodes_is_told_the_rest(void)
{
	struct group_view v = view(PLACEHOLDER_PENDING);
	struct group_decision d;

	v.changed = true;
	v.state_ms = BRIDGE_NOTE_FIRST_MS;
	T_STR(row_of(&v, &d), "changed");
	T_INT(d.action, GROUP_UPDATE);
	v.update_waits = true;
	T_STR(row_of(&v, &d), "note");
	v.noted = (struct pods_told){.reason = ""};
	T_STR(row_of(&v, &d), "pending");
	/* its author changes it: that is another job */
	v.anew = true;
	T_STR(row_of(&v, &d), "asks anew");
}

T_MAIN("group_decide_again",
       T(who_waits_to_be_told_other_nodes_is_told_the_rest),
       T(a_large_gang_that_grows_is_told_of_in_few_words),
       T(a_job_whose_node_was_overcommitted_is_none_that_its_user_cancelled),
       T(what_was_to_be_cancelled_is),
       T(who_may_have_lost_a_job_runs_on_until_that_is_known),
       T(a_gang_is_made_for_other_nodes_when_these_have_lasted))
