/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/blame.h"
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
	} rows[] = {
		{OOM, NULL, 0, BLAME_PAUSE},
		{OOM, "k8s: " OOM, 1, BLAME_PAUSE},
		{OOM, "k8s: " OOM, 2, BLAME_HOLD},
		{AGAIN, "k8s: " OOM, 2, BLAME_HOLD},
		{OOM, "k8s: " AGAIN, 7, BLAME_HOLD}, /* released: once more */
		{OOM, "k8s: its pod is gone", 9, BLAME_PAUSE},
		{OOM, "somebody's", 9, BLAME_PAUSE},
		{OOM, NULL, 9, BLAME_PAUSE},
		{"its pod is gone", "k8s: " OOM, 9, BLAME_NOBODY},
		{"slurmd: ImagePullBackOff", "k8s: " OOM, 9, BLAME_NOBODY},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		t_row("%zu", i);
		T_INT(blame_of(rows[i].words, rows[i].before, rows[i].restarts),
		      rows[i].blame);
	}
}

T_MAIN("blame", T(a_pod_that_ended_by_itself_may_have_been_ended_by_its_job),
       T(a_job_that_ends_each_pod_pauses_and_is_held_at_its_third_run))
