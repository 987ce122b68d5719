/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who goes back to the queue, and what becomes of him: tables. */
#include <stdlib.h>
#include <string.h>

#include "nodes/reconcile/requeue_decide.h"
#include "slurm/jobs_pace.h"
#include "t.h"

#define ENDED "its pod has ended: slurmd: OOMKilled"
#define BACK_S 1800000000

static void a_job_that_is_followed_is_begun_held_or_forgotten(void)
{
	static const struct {
		const char *row;
		enum ctl_job_wait wait;
		bool hold, later;
		int64_t followed_ms;
		size_t begun;
		enum requeue_do what;
	} rows[] = {
		{"still on its way", CTL_JOB_ENDING, false, false, 60000, 0,
		 REQUEUE_WAIT},
		{"on its way for more than a minute", CTL_JOB_ENDING, false,
		 false, 60001, 0, REQUEUE_FORGET},
		{"delayed by Slurm", CTL_JOB_DELAYED, false, false, 0, 0,
		 REQUEUE_BEGIN},
		{"delayed by Slurm, and by us", CTL_JOB_DELAYED, false, true, 0,
		 0, REQUEUE_BEGIN},
		{"delayed, however long it was followed", CTL_JOB_DELAYED,
		 false, false, 60001, 99, REQUEUE_BEGIN},
		{"the next step is soon enough", CTL_JOB_DELAYED, false, false,
		 0, 100, REQUEUE_WAIT},
		{"held after 3 runs", CTL_JOB_DELAYED, true, false, 0, 0,
		 REQUEUE_HOLD},
		{"held after 3 runs, in the next step", CTL_JOB_DELAYED, true,
		 false, 0, 100, REQUEUE_WAIT},
		{"not delayed by Slurm", CTL_JOB_ELIGIBLE, false, false, 0, 0,
		 REQUEUE_FORGET},
		{"not delayed by Slurm, but by us", CTL_JOB_ELIGIBLE, false,
		 true, 0, 0, REQUEUE_BEGIN},
		{"delayed by us, in the next step", CTL_JOB_ELIGIBLE, false,
		 true, 0, 100, REQUEUE_WAIT},
		{"not delayed by Slurm, held after 3 runs", CTL_JOB_ELIGIBLE,
		 true, false, 0, 0, REQUEUE_HOLD},
		{"somebody holds it", CTL_JOB_HELD, false, true, 0, 0,
		 REQUEUE_FORGET},
		{"somebody holds it already", CTL_JOB_HELD, true, false, 0, 0,
		 REQUEUE_FORGET},
		{"it runs, or is gone", CTL_JOB_FREE, false, true, 0, 0,
		 REQUEUE_FORGET},
		{"it runs, or is gone, to be held", CTL_JOB_FREE, true, false,
		 0, 0, REQUEUE_FORGET},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		t_row("%s", rows[i].row);
		T_INT(requeue_decide(rows[i].wait, rows[i].hold, rows[i].later,
				     rows[i].followed_ms, rows[i].begun),
		      rows[i].what);
	}
}

static void its_words_say_when_it_may_begin(void)
{
	static const struct {
		const char *words;
		int64_t begin_s;
	} rows[] = {
		{"k8s: " ENDED, REQUEUED_NEVER},
		{"k8s: slurmd's container was restarted", REQUEUED_NEVER},
		{"k8s: its pod is gone", REQUEUED_NOW},
		{"k8s: slurmd: ImagePullBackOff", REQUEUED_NOW},
		{"k8s: with features jax: slurmd: ImagePullBackOff",
		 REQUEUED_NEVER},
		{"k8s: exceeded quota", REQUEUED_NOW},
		{"k8s: again in 60 s (2 nodes): exceeded quota", BACK_S + 60},
		{"k8s: again in 30 s (with features jax): denied", BACK_S + 30},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		t_row("%s", rows[i].words);
		T_INT(requeue_begin_s(rows[i].words, BACK_S), rows[i].begin_s);
	}
}

static void they_are_looked_at_more_and_more_seldom(void)
{
	static const struct {
		int64_t before;
		bool any;
		int64_t pause;
	} rows[] = {{0, false, 50},	{24, false, 50},    {25, false, 50},
		    {26, false, 52},	{50, false, 100},   {499, false, 998},
		    {500, false, 1000}, {501, false, 1000}, {1000, false, 1000},
		    {1000, true, 50},	{0, true, 50}};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		t_row("%lld", (long long)rows[i].before);
		T_INT(requeue_pause(rows[i].before, rows[i].any),
		      rows[i].pause);
	}
	T_OK(!requeue_by_list(16));
	T_OK(requeue_by_list(17));
}

static void lists_take_a_twentieth_of_the_time(void)
{
	static const struct {
		int64_t took;
		bool failed;
		int64_t rest;
	} rows[] = {{0, false, 0},	  {100, false, 2000},
		    {0, true, 2000},	  {99, true, 2000},
		    {101, true, 2020},	  {1499, false, 29980},
		    {1500, false, 30000}, {1501, true, 30000}};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		t_row("%lld", (long long)rows[i].took);
		T_INT(jobs_rest_ms(rows[i].took, rows[i].failed), rows[i].rest);
	}
}

/* --- nodes that are given up */

static struct given_up g;

static void begin(const char *words, bool may_spare)
{
	memset(&g, 0, sizeof(g));
	given_up_add(&g, "n1", words, 7, may_spare);
	given_up_add(&g, "n2", words, 7, may_spare);
}

static void see(const struct ctl_occupant *jobs, size_t n)
{
	for (size_t i = 0; i < n; i++)
		given_up_count(&g, &jobs[i]);
	for (size_t i = 0; i < n; i++)
		given_up_take(&g, &jobs[i]);
}

static void a_failed_power_up_is_spared_for_who_cannot_come_back(void)
{
	static const struct ctl_occupant jobs[] = {
		{.node = "n1", .job_id = 1, .requeueable = true},
		{.node = "n1", .job_id = 2},
		{.node = "n2", .job_id = 3, .requeueable = true},
		{.node = "n3", .job_id = 4, .requeueable = true},
	};

	t_row("failed power-up");
	begin("no image", true);
	see(jobs, T_COUNT(jobs));
	T_OK(given_up_spares(&g, "n1"));
	T_OK(!given_up_spares(&g, "n2"));
	T_OK(given_up_spares(&g, "n3")); /* it is not given up */
	T_INT(g.n_jobs, 1);
	T_INT(g.jobs[0].id, 3);
	given_up_clear(&g);
	t_row("lost node");
	begin("its pod is gone", false);
	see(jobs, T_COUNT(jobs));
	T_OK(!given_up_spares(&g, "n1"));
	T_INT(g.n_jobs, 2);
	T_INT(g.jobs[0].id, 1);
	given_up_clear(&g);
}

static void a_job_goes_back_when_it_was_told_why(void)
{
	static const struct ctl_occupant jobs[] = {
		{.node = "n1", .job_id = 1, .requeueable = true},
		{.node = "n2", .job_id = 1, .requeueable = true},
		{.node = "n2", .job_id = 2, .requeueable = true},
	};

	begin("its pod is gone", false);
	see(jobs, T_COUNT(jobs));
	T_INT(g.n_jobs, 2);
	T_OK(given_up_lacks_words(&g, "n1") && given_up_lacks_words(&g, "n2"));
	g.n_told = 1;
	T_OK(!given_up_lacks_words(&g, "n1") && given_up_lacks_words(&g, "n2"));
	g.n_told = 2;
	T_OK(!given_up_lacks_words(&g, "n2"));
	T_INT(given_up_job(&g, 0), BACK_NOT);
	given_up_done(&g, "n1");
	given_up_done(&g, "n3");
	T_INT(given_up_job(&g, 0), BACK_BEGINS);
	T_INT(g.jobs[0].on->begin_s, 7);
	T_INT(given_up_job(&g, 1), BACK_NOT);
	given_up_clear(&g);
}

static void what_there_is_no_room_for_does_not_go_back(void)
{
	struct ctl_occupant job = {.node = "n1", .requeueable = true};

	begin("its pod is gone", false);
	for (job.job_id = 1; job.job_id <= REQUEUED_MAX; job.job_id++)
		given_up_take(&g, &job);
	T_INT(g.n_jobs, REQUEUED_MAX);
	g.n_told = REQUEUED_MAX;
	T_OK(!given_up_lacks_words(&g, "n1"));
	t_row("the last one, on another node");
	job.node = "n2";
	job.job_id = REQUEUED_MAX;
	given_up_take(&g, &job);
	T_OK(!given_up_lacks_words(&g, "n2"));
	t_row("one too many");
	job.job_id++;
	given_up_take(&g, &job);
	T_INT(g.n_jobs, REQUEUED_MAX);
	T_OK(given_up_lacks_words(&g, "n2"));
	given_up_clear(&g);
}

static void the_third_run_in_a_row_is_held(void)
{
	static const struct {
		const char *row, *words, *before;
		uint32_t restarts;
		bool held;
		enum back_as as;
	} rows[] = {
		{"pod gone", "its pod is gone", NULL, 0, false, BACK_BEGINS},
		{"pod ended", ENDED, NULL, 0, false, BACK_WAITS},
		{"pod ended, second run", ENDED, "k8s: " ENDED " (run 1)", 1,
		 false, BACK_WAITS},
		{"pod ended, third run", ENDED, "k8s: " ENDED " (run 2)", 2,
		 false, BACK_HELD},
		{"pod ended, but not the last time", ENDED,
		 "k8s: " ENDED " (run 1)", 2, false, BACK_WAITS},
		{"pod ended, somebody holds it", ENDED,
		 "k8s: " ENDED " (run 2)", 2, true, BACK_WAITS},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		const struct ctl_occupant job = {.node = "n1",
						 .job_id = 17,
						 .requeueable = true,
						 .admin_comment =
							 rows[i].before,
						 .restarts = rows[i].restarts,
						 .held = rows[i].held};

		t_row("%s", rows[i].row);
		begin(rows[i].words, false);
		see(&job, 1);
		given_up_done(&g, "n1");
		T_INT(given_up_job(&g, 0), rows[i].as);
		given_up_clear(&g);
	}
}

T_MAIN("requeue_decide", T(a_job_that_is_followed_is_begun_held_or_forgotten),
       T(its_words_say_when_it_may_begin),
       T(they_are_looked_at_more_and_more_seldom),
       T(lists_take_a_twentieth_of_the_time),
       T(a_failed_power_up_is_spared_for_who_cannot_come_back),
       T(a_job_goes_back_when_it_was_told_why),
       T(what_there_is_no_room_for_does_not_go_back),
       T(the_third_run_in_a_row_is_held))
