/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>
#include <string.h>

#include "nodes/jobs/blame.h"
#include "t.h"

#define OOM "its pod has ended: slurmd: OOMKilled, exit code 137"
#define AGAIN "slurmd's container was restarted: slurmd: OOMKilled"

static void a_pod_that_ended_by_itself_may_have_been_ended_by_its_job(void)
{
	T_OK(blame_is(OOM));
	T_OK(blame_is("k8s: " OOM));
	T_OK(blame_is("its pod has ended"));
	T_OK(blame_is("k8s: " AGAIN));
	T_OK(!blame_is("its pod was deleted: slurmd: OOMKilled"));
	T_OK(!blame_is("pod ended: slurmd: Error, exit code 1"));
	T_OK(!blame_is("my notes: " OOM));
	T_OK(!blame_is("k8s: "));
	T_OK(!blame_is(""));
	T_OK(!blame_is(NULL));
}

static void a_job_that_ends_each_pod_pauses_and_is_held_at_its_third_run(void)
{
	static const struct {
		const char *words, *before;
		uint32_t restarts;
		enum blame blame;
		bool no_hold;
	} rows[] = {
		{OOM, NULL, 0, BLAME_PAUSE},
		{OOM, "k8s: " OOM " (run 1)", 1, BLAME_PAUSE},
		{OOM, "k8s: " OOM " (run 2)", 2, BLAME_HOLD},
		{AGAIN, "k8s: " OOM " (run 2)", 2, BLAME_HOLD},
		/* released: once more */
		{OOM, "k8s: " AGAIN "; held after 7 runs: scontrol release 1",
		 7, BLAME_HOLD},
		/* told, and not sent back yet: it is planned anew */
		{OOM, "k8s: " AGAIN "; held after 7 runs: scontrol release 1",
		 6, BLAME_HOLD},
		{OOM, "k8s: " OOM " (run 7)", 6, BLAME_PAUSE},
		/* (it was requeued meanwhile, for other causes) */
		{OOM, "k8s: " OOM " (run 2)", 3, BLAME_PAUSE},
		{OOM, "k8s: " OOM " (run 21)", 2, BLAME_PAUSE},
		{OOM, "k8s: " AGAIN "; held after 7 runs: scontrol release 1",
		 8, BLAME_PAUSE},
		{OOM, "k8s: " OOM, 2, BLAME_PAUSE},
		/* another job on that node may have been the one */
		{OOM, "k8s: " OOM " (run 2)", 2, BLAME_PAUSE, true},
		{OOM, "k8s: its pod is gone", 9, BLAME_PAUSE},
		{OOM, "somebody's (run 9)", 9, BLAME_PAUSE},
		{OOM, NULL, 9, BLAME_PAUSE},
		{"its pod is gone", "k8s: " OOM " (run 9)", 9, BLAME_NOBODY},
		{"slurmd: ImagePullBackOff", "k8s: " OOM " (run 9)", 9,
		 BLAME_NOBODY},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		t_row("%zu", i);
		T_INT(blame_of(rows[i].words, rows[i].before, rows[i].restarts,
			       !rows[i].no_hold),
		      rows[i].blame);
	}
}

static void what_is_noted_of_a_run_is_known_at_the_next_one(void)
{
	char text[300] = "k8s: ", *note = text + 5, words[400];

	blame_note(BLAME_NOBODY, "its pod is gone", 1, 17, note, 200);
	T_STR(note, "its pod is gone");
	blame_note(BLAME_PAUSE, OOM, 1, 17, note, 200);
	T_STR(note, OOM " (run 2)");
	T_INT(blame_of(OOM, text, 2, true), BLAME_HOLD);
	blame_note(BLAME_HOLD, OOM, 2, 17, note, 200);
	T_STR(note, OOM "; held after 3 runs: scontrol release 17");
	T_INT(blame_of(OOM, text, 3, true), BLAME_HOLD);
	T_INT(blame_of(OOM, text, 4, true), BLAME_PAUSE);
	/* of words that are too long the end goes */
	snprintf(words, sizeof(words), "%-390s", OOM);
	blame_note(BLAME_HOLD, words, UINT32_MAX - 1, UINT32_MAX, note, 200);
	T_OK(strlen(note) < 200);
	T_HAS(note,
	      "; held after 4294967295 runs: scontrol release 4294967295");
}

T_MAIN("blame", T(a_pod_that_ended_by_itself_may_have_been_ended_by_its_job),
       T(what_is_noted_of_a_run_is_known_at_the_next_one),
       T(a_job_that_ends_each_pod_pauses_and_is_held_at_its_third_run))
