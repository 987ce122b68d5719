/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "bridge/reconcile/group_decide.h"
#include "t.h"

/* A single waiting pod that may be submitted, and its job, which is told. */
static struct bridge_view one(enum bridge_job job)
{
	return (struct bridge_view){
		.job = job,
		.job_id = job == BRIDGE_NONE ? 0 : 42,
		.made_for = 1,
		.state_ms = 3600000,
		.reason = "Priority",
		.kill_wait_s = 30,
		.pods_known = true,
		.pods = {.waiting = 1, .grace_s = 20},
		.members = 1,
		.room = true,
		.noted = {.reason = "Priority", .age_ms = 3600000},
	};
}

/* The same with a gang of four. */
static struct bridge_view four(enum bridge_job job)
{
	struct bridge_view v = one(job);

	v.made_for = v.members = v.pods.waiting = 4;
	v.gang = true;
	return v;
}

static struct bridge_view ended(enum bridge_end end)
{
	struct bridge_view v = one(BRIDGE_ENDED);

	v.end = end;
	return v;
}

static struct bridge_do planned(const struct bridge_view *v)
{
	struct bridge_do d;

	bridge_plan(v, &d);
	return d;
}

/* `setup` on a view of `base`, its action and row */
#define ROW(base, setup, what, name)                                           \
	do {                                                                   \
		v = base;                                                      \
		setup;                                                         \
		t_row("%s, %s", #base, #setup);                                \
		d = planned(&v);                                               \
		T_INT(d.action, what);                                         \
		T_STR(d.row, name);                                            \
	} while (0)
#define PODS(...)                                                              \
	v.pods = (struct bridge_pods)                                          \
	{                                                                      \
		__VA_ARGS__                                                    \
	}

static void what_is_not_known_leads_to_nothing(void)
{
	struct bridge_view v;
	struct bridge_do d;

	ROW(one(BRIDGE_UNKNOWN), (void)0, BRIDGE_KEEP, "Slurm unknown");
	ROW(one(BRIDGE_UNKNOWN), PODS(.live = 1), BRIDGE_KEEP, "Slurm unknown");
	ROW(one(BRIDGE_UNKNOWN), PODS(.failed = 1), BRIDGE_KEEP,
	    "Slurm unknown");
	ROW(one(BRIDGE_RUNNING), v.pods_known = false, BRIDGE_KEEP,
	    "pods unknown");
	ROW(ended(BRIDGE_CANCELLED), v.pods_known = false, BRIDGE_KEEP,
	    "pods unknown");
	ROW(one(BRIDGE_PENDING), PODS();
	    v.pods_known = false, BRIDGE_KEEP, "pods unknown");
}

static void of_two_jobs_one_is_cancelled(void)
{
	struct bridge_view v;
	struct bridge_do d;

	ROW(one(BRIDGE_PENDING), v.twin = 43, BRIDGE_CANCEL, "twin");
	T_INT(d.job_id, 43);
	T_STR(d.words, "job 43: its pods have another job");
	ROW(one(BRIDGE_RUNNING), v.twin = 43, BRIDGE_CANCEL, "twin");
	T_INT(d.job_id, 43);
	ROW(one(BRIDGE_UNKNOWN), v.twin = 43, BRIDGE_KEEP, "Slurm unknown");
	ROW(one(BRIDGE_PENDING), v.twin = 43;
	    v.twin_bound = 1, BRIDGE_KEEP, "pending");
}

static void a_job_without_its_pod_is_cancelled(void)
{
	struct bridge_view v;
	struct bridge_do d;

	ROW(one(BRIDGE_RUNNING), v.taken = true, BRIDGE_CANCEL, "taken");
	T_INT(d.job_id, 42);
	T_STR(d.words, "job 42: somebody else has bound a pod of its");
	ROW(one(BRIDGE_PENDING), v.taken = true, BRIDGE_CANCEL, "taken");
	ROW(one(BRIDGE_UNKNOWN), v.taken = true, BRIDGE_KEEP, "Slurm unknown");
	ROW(ended(BRIDGE_CANCELLED), v.taken = true, BRIDGE_SUBMIT, "submit");
}

static void the_one_with_pods_or_the_older_one_is_kept(void)
{
	static const struct {
		struct bridge_twin keep, drop;
	} rows[] = {
		{{BRIDGE_PENDING, 1, 0}, {BRIDGE_PENDING, 2, 0}},
		{{BRIDGE_RUNNING, 2, 0}, {BRIDGE_PENDING, 1, 0}},
		{{BRIDGE_RUNNING, 1, 0}, {BRIDGE_RUNNING, 2, 0}},
		{{BRIDGE_RUNNING, 2, 1}, {BRIDGE_RUNNING, 1, 0}},
		{{BRIDGE_PENDING, 1, 1}, {BRIDGE_RUNNING, 2, 0}},
		{{BRIDGE_RUNNING, 2, 0}, {BRIDGE_COMPLETING, 1, 1}},
		{{BRIDGE_PENDING, 2, 0}, {BRIDGE_COMPLETING, 1, 1}},
		{{BRIDGE_PENDING, 2, 0}, {BRIDGE_ENDED, 1, 4}},
		{{BRIDGE_ENDED, 2, 0}, {BRIDGE_COMPLETING, 1, 4}},
		{{BRIDGE_HELD, 2, 0}, {BRIDGE_ENDED, 1, 0}},
		{{BRIDGE_ENDED, 2, 0}, {BRIDGE_ENDED, 1, 0}},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		t_row("%zu", i);
		T_OK(bridge_keeps(&rows[i].keep, &rows[i].drop));
		T_OK(!bridge_keeps(&rows[i].drop, &rows[i].keep));
	}
}

static void without_a_job_complete_groups_are_submitted(void)
{
	struct bridge_view v;
	struct bridge_do d;

	ROW(one(BRIDGE_NONE), (void)0, BRIDGE_SUBMIT, "submit");
	T_INT(d.n, 1);
	ROW(four(BRIDGE_NONE), v.pods.waiting = 6, BRIDGE_SUBMIT, "submit");
	T_INT(d.n, 6);
	ROW(four(BRIDGE_NONE), v.pods.waiting = 3, BRIDGE_WAIT, "incomplete");
	T_STR(d.words, "3 of 4 pods are there");
	ROW(four(BRIDGE_NONE), v.pods.waiting = 3;
	    v.pods.gated = 1, BRIDGE_WAIT, "incomplete");
	ROW(one(BRIDGE_NONE), PODS(.gated = 1), BRIDGE_WAIT, "gated");
	ROW(one(BRIDGE_NONE), v.pods.binding = 1, BRIDGE_KEEP, "being bound");
	T_INT(d.again_ms, BRIDGE_BINDING_MS);
	ROW(four(BRIDGE_NONE), v.members = 0, BRIDGE_WAIT, "unknown size");
	/* (its Job's annotations, say) */
	ROW(one(BRIDGE_NONE), v.not_yet = "Job a/b: not known yet", BRIDGE_WAIT,
	    "unknown size");
	T_STR(d.words, "Job a/b: not known yet");
	ROW(four(BRIDGE_NONE), v.members = 0;
	    v.not_yet = "no PodGroup g", BRIDGE_WAIT, "unknown size");
	T_STR(d.words, "no PodGroup g");
	ROW(one(BRIDGE_NONE), v.refusal = "may\nnot", BRIDGE_REFUSE, "refused");
	T_STR(d.words, "may not");
	ROW(four(BRIDGE_NONE), v.refusal = "no";
	    v.members = 0, BRIDGE_REFUSE, "refused");
	ROW(one(BRIDGE_NONE), PODS(), BRIDGE_KEEP, "nothing");
	ROW(one(BRIDGE_NONE), PODS(.succeeded = 1, .failed = 1), BRIDGE_KEEP,
	    "nothing");
	ROW(four(BRIDGE_NONE), v.pods.leaving = 1, BRIDGE_WAIT, "leaving");
}

static void pods_that_run_without_a_job_get_time(void)
{
	struct bridge_view v;
	struct bridge_do d;

	ROW(one(BRIDGE_NONE), PODS(.live = 1);
	    v.state_ms = 59999, BRIDGE_KEEP, "orphan?");
	T_INT(d.again_ms, 1);
	ROW(one(BRIDGE_NONE), PODS(.live = 1, .grace_s = 20);
	    v.state_ms = 60000, BRIDGE_DELETE_PODS, "orphan");
	T_INT(d.grace_s, 20);
	T_OK(!d.waiting_too);
	/* and no job comes before they are gone */
	ROW(four(BRIDGE_NONE), v.pods.live = 1;
	    v.state_ms = 0, BRIDGE_KEEP, "orphan?");
	/* those of a namespace that is not ours are another bridge's */
	ROW(one(BRIDGE_NONE), PODS(.live = 1);
	    v.outside = true, BRIDGE_KEEP, "outside");
	ROW(one(BRIDGE_NONE), PODS(.leaving = 1);
	    v.outside = true, BRIDGE_WAIT, "leaving");
	/* unless a job of ours has started them */
	ROW(ended(BRIDGE_CANCELLED), PODS(.live = 1);
	    v.outside = true, BRIDGE_DELETE_PODS, "ended");
}

static void a_waiting_job_follows_its_pods(void)
{
	struct bridge_view v;
	struct bridge_do d;

	ROW(one(BRIDGE_PENDING), (void)0, BRIDGE_KEEP, "pending");
	ROW(one(BRIDGE_HELD), (void)0, BRIDGE_KEEP, "pending");
	ROW(one(BRIDGE_PENDING), PODS(.gated = 1), BRIDGE_KEEP, "pending");
	ROW(one(BRIDGE_PENDING), v.changed = true, BRIDGE_UPDATE, "changed");
	T_INT(d.job_id, 42);
	ROW(one(BRIDGE_HELD), v.changed = true, BRIDGE_UPDATE, "changed");
	ROW(one(BRIDGE_PENDING), v.changed = v.anew = true, BRIDGE_CANCEL,
	    "asks anew");
	ROW(one(BRIDGE_PENDING), v.refusal = "may not", BRIDGE_CANCEL,
	    "refused now");
	T_STR(d.words, "job 42: may not");
	ROW(one(BRIDGE_PENDING), PODS(), BRIDGE_CANCEL, "pods gone");
	T_INT(d.job_id, 42);
	ROW(one(BRIDGE_PENDING), PODS(.failed = 1), BRIDGE_CANCEL, "pods gone");
	ROW(four(BRIDGE_PENDING), PODS(), BRIDGE_CANCEL, "pods gone");
	ROW(four(BRIDGE_PENDING), v.members = 0, BRIDGE_KEEP, "pending");
}

static void a_gang_that_lost_pods_gets_time_for_new_ones(void)
{
	struct bridge_view v;
	struct bridge_do d;

	ROW(four(BRIDGE_PENDING), v.pods.waiting = 3, BRIDGE_WAIT,
	    "no longer complete?");
	T_INT(d.again_ms, 30000);
	ROW(four(BRIDGE_PENDING), v.pods.waiting = 3;
	    v.short_ms = 30000, BRIDGE_CANCEL, "no longer complete");
	ROW(four(BRIDGE_PENDING), v.pods.waiting = 3;
	    v.pods.gated = 1, BRIDGE_KEEP, "pending");
	ROW(four(BRIDGE_PENDING), PODS();
	    v.requeued = true, BRIDGE_WAIT, "no longer complete?");
	ROW(four(BRIDGE_PENDING), PODS(); v.requeued = true;
	    v.short_ms = 30000, BRIDGE_CANCEL, "no longer complete");
	ROW(four(BRIDGE_RUNNING), v.pods.waiting = 3, BRIDGE_WAIT,
	    "no longer complete?");
	ROW(four(BRIDGE_RUNNING), v.pods.waiting = 3;
	    v.short_ms = 30000, BRIDGE_CANCEL, "no longer complete");
	ROW(one(BRIDGE_PENDING), PODS();
	    v.requeued = true, BRIDGE_CANCEL, "pods gone");
}

static void a_pod_that_took_more_than_its_job_has_ends(void)
{
	struct bridge_view v;
	struct bridge_do d;

	ROW(four(BRIDGE_RUNNING), PODS(.live = 4, .grown = 1, .grace_s = 5),
	    BRIDGE_DELETE_PODS, "resized");
	T_OK(d.grown_only && !d.astray_only);
	T_INT(d.grace_s, 5);
	T_HAS(d.words, "job 42 has less than its pods ask for");
	ROW(four(BRIDGE_SUSPENDED), PODS(.live = 4, .grown = 1), BRIDGE_KEEP,
	    "suspended");
}

static void a_job_that_was_put_back_ends_its_pods(void)
{
	struct bridge_view v;
	struct bridge_do d;

	ROW(one(BRIDGE_PENDING), v.requeued = true;
	    PODS(.live = 1, .grace_s = 60), BRIDGE_DELETE_PODS, "requeued");
	T_INT(d.grace_s, 30); /* KillWait */
	T_OK(!d.waiting_too && !d.astray_only);
	T_STR(d.words, "job 42 went back into the queue");
	ROW(four(BRIDGE_HELD), v.requeued = true;
	    PODS(.live = 1, .waiting = 3), BRIDGE_DELETE_PODS, "requeued");
	ROW(four(BRIDGE_PENDING), PODS(.leaving = 4), BRIDGE_WAIT, "leaving");
	ROW(four(BRIDGE_RUNNING), PODS(.live = 4, .astray = 2, .grace_s = 5),
	    BRIDGE_DELETE_PODS, "astray");
	T_OK(d.astray_only);
	T_INT(d.grace_s, 5);
	ROW(four(BRIDGE_STARTING), PODS(.live = 4, .astray = 4),
	    BRIDGE_DELETE_PODS, "astray");
	ROW(four(BRIDGE_SUSPENDED), PODS(.live = 4, .astray = 4),
	    BRIDGE_DELETE_PODS, "astray");
}

/* slurmctld was killed before it saved that their job had started */
static void what_runs_goes_on_when_slurm_has_forgotten_its_job(void)
{
	struct bridge_view v;
	struct bridge_do d;

#define RUNS PODS(.live = 2, .waiting = 2, .grace_s = 60)
#define JUST v.state_ms = 1000
	ROW(four(BRIDGE_PENDING), RUNS; JUST, BRIDGE_PIN, "forgotten");
	T_INT(d.job_id, 42);
	T_INT(d.again_ms, 59000);
	ROW(four(BRIDGE_PENDING), RUNS; JUST;
	    v.pinned = true, BRIDGE_KEEP, "forgotten");
	T_INT(d.again_ms, 59000);
	/* for a minute */
	ROW(four(BRIDGE_PENDING), RUNS; v.state_ms = 60000;
	    v.pinned = true, BRIDGE_DELETE_PODS, "forgotten");
	T_HAS(d.words, "job 42 waits again: slurmctld was killed before");
	T_INT(d.grace_s, 30); /* KillWait */
	/* and those that waited are free to go anywhere again */
	ROW(four(BRIDGE_PENDING), v.pinned = true, BRIDGE_CANCEL, "pinned");
	/* minCount was raised: with fewer it does not start */
	ROW(four(BRIDGE_PENDING), v.members = 5;
	    v.pods.waiting = 5, BRIDGE_CANCEL, "grown");
	ROW(four(BRIDGE_PENDING), v.members = 5;
	    v.short_ms = 0, BRIDGE_WAIT, "no longer complete?");
	ROW(four(BRIDGE_PENDING), v.pods.waiting = 5, BRIDGE_KEEP, "pending");
	ROW(four(BRIDGE_RUNNING), v.members = 5;
	    v.pods.waiting = 5, BRIDGE_CANCEL, "grown");
	/* (what runs goes on) */
	ROW(four(BRIDGE_RUNNING), v.members = 5;
	    PODS(.live = 4, .waiting = 1), BRIDGE_WAIT, "too many");
	/* minCount was lowered */
	ROW(four(BRIDGE_PENDING), v.members = 3;
	    v.pods.waiting = 3, BRIDGE_KEEP, "pending");
	ROW(four(BRIDGE_RUNNING), v.members = 3;
	    v.pods.waiting = 3, BRIDGE_BIND, "bind");
	/* not those that somebody has put back */
	ROW(four(BRIDGE_PENDING), RUNS; JUST;
	    v.requeued = true, BRIDGE_DELETE_PODS, "requeued");
	/* who holds it ends that himself: as long as that takes, they run */
	ROW(four(BRIDGE_HELD), RUNS; JUST, BRIDGE_PIN, "forgotten");
	T_HAS(d.words, "job 42 is held, and its pod runs");
	T_INT(d.again_ms, 0);
	ROW(four(BRIDGE_HELD), RUNS; v.pinned = true, BRIDGE_KEEP, "forgotten");
	ROW(four(BRIDGE_HELD), RUNS; v.pinned = true;
	    v.pods.former = 2, BRIDGE_ADOPT, "adopted");
#undef RUNS
#undef JUST
}

/* Their owner deleted them with a day: Slurm gives their CPUs to others. */
static void who_takes_too_long_to_go_is_told_again(void)
{
#define SLOW .leaving = 2, .leaving_s = 31
	struct bridge_view v;
	struct bridge_do d;

	ROW(four(BRIDGE_NONE), PODS(SLOW), BRIDGE_DELETE_PODS, "orphan");
	T_INT(d.leaving_over_s, 30);
	ROW(four(BRIDGE_NONE), PODS(SLOW);
	    v.state_ms = 1000, BRIDGE_KEEP, "orphan?");
	ROW(four(BRIDGE_NONE), PODS(SLOW);
	    v.outside = true, BRIDGE_KEEP, "outside");
	ROW(four(BRIDGE_NONE), PODS(.leaving = 2, .leaving_s = 30), BRIDGE_WAIT,
	    "leaving");
	ROW(four(BRIDGE_PENDING), PODS(SLOW), BRIDGE_DELETE_PODS, "requeued");
	ROW(four(BRIDGE_HELD), PODS(SLOW), BRIDGE_DELETE_PODS, "requeued");
	/* theirs are the CPUs: whoever deleted them may wait */
	ROW(four(BRIDGE_RUNNING), PODS(SLOW), BRIDGE_KEEP, "running");
	ROW(four(BRIDGE_SUSPENDED), PODS(SLOW), BRIDGE_KEEP, "suspended");
	/* but not those that it has no more */
	ROW(four(BRIDGE_RUNNING), PODS(SLOW, .lingering = 1),
	    BRIDGE_DELETE_PODS, "astray");
	T_INT(d.leaving_over_s, 30);
	T_OK(d.astray_only);
	/* who was not deleted has the end of its job's time, too */
	ROW(four(BRIDGE_NONE), PODS(.live = 1, .grace_s = 86400),
	    BRIDGE_DELETE_PODS, "orphan");
	T_INT(d.grace_s, 30);
	ROW(four(BRIDGE_NONE), v.kill_wait_s = 0;
	    PODS(.live = 1, .grace_s = 86400), BRIDGE_DELETE_PODS, "orphan");
	T_INT(d.grace_s, 1);
	ROW(four(BRIDGE_RUNNING), PODS(SLOW, .live = 2, .grown = 1),
	    BRIDGE_DELETE_PODS, "resized");
	T_INT(d.leaving_over_s, 0);
#undef SLOW
}

/* They say that they are its pods, and nothing proves it. */
static void for_what_others_have_bound_nothing_is_done(void)
{
	static const enum bridge_job waiting[] = {BRIDGE_PENDING, BRIDGE_HELD},
				     started[] = {BRIDGE_STARTING,
						  BRIDGE_RUNNING,
						  BRIDGE_SUSPENDED};
	struct bridge_view v;
	struct bridge_do d;

	for (size_t i = 0; i < T_COUNT(waiting); i++) {
		ROW(four(waiting[i]), v.pods.foreign = 2, BRIDGE_KEEP,
		    "pending");
		ROW(four(waiting[i]), v.pods.foreign = 2; v.state_ms = 1000;
		    v.early = true, BRIDGE_KEEP, "pending");
	}
	for (size_t i = 0; i < T_COUNT(started); i++) {
		ROW(four(started[i]), PODS(.foreign = 1), BRIDGE_KEEP,
		    "bound by others");
		ROW(four(started[i]), PODS(.foreign = 1, .succeeded = 3),
		    BRIDGE_COMPLETE, "over");
	}
	ROW(four(BRIDGE_RUNNING), v.pods.foreign = 2, BRIDGE_BIND, "bind");
	T_INT(d.n, 4);
	ROW(one(BRIDGE_NONE), PODS(.foreign = 1);
	    v.early = true, BRIDGE_KEEP, "nothing");
	ROW(ended(BRIDGE_CANCELLED), PODS(.foreign = 1), BRIDGE_KEEP,
	    "nothing");
}

static void what_runs_gets_another_job_when_slurm_has_lost_its_own(void)
{
	struct bridge_view v;
	struct bridge_do d;

#define LOST                                                                   \
	PODS(.live = 2, .waiting = 2);                                         \
	v.early = true;                                                        \
	v.state_ms = 0
	ROW(four(BRIDGE_NONE), LOST, BRIDGE_SUBMIT, "lost");
	T_INT(d.n, 4);
	/* (a gang of which some have ended has them, too) */
	ROW(four(BRIDGE_NONE), LOST; v.pods.waiting = 0;
	    v.pods.succeeded = 2, BRIDGE_SUBMIT, "lost");
	T_INT(d.n, 2);
	ROW(four(BRIDGE_NONE), LOST; v.early = false, BRIDGE_KEEP, "orphan?");
	ROW(four(BRIDGE_NONE), LOST;
	    v.pods.leaving = 1, BRIDGE_KEEP, "orphan?");
	ROW(four(BRIDGE_NONE), LOST; v.refusal = "no", BRIDGE_KEEP, "orphan?");
	ROW(four(BRIDGE_NONE), LOST; v.not_yet = "no", BRIDGE_KEEP, "orphan?");
	ROW(four(BRIDGE_NONE), LOST; v.outside = true, BRIDGE_KEEP, "outside");
	/* one that has ended is not lost */
	ROW(ended(BRIDGE_CANCELLED), LOST, BRIDGE_DELETE_PODS, "ended");
	/* the pods are told */
	ROW(four(BRIDGE_PENDING), LOST; v.pinned = true;
	    v.pods.former = 2, BRIDGE_ADOPT, "adopted");
	ROW(four(BRIDGE_RUNNING), LOST;
	    v.pods.former = 2, BRIDGE_ADOPT, "adopted");
	ROW(four(BRIDGE_RUNNING), LOST, BRIDGE_BIND, "bind");
	T_INT(d.n, 2);
}

static void what_runs_stays_when_slurm_starts_its_job_elsewhere(void)
{
	struct bridge_view v;
	struct bridge_do d;

	ROW(four(BRIDGE_RUNNING), LOST;
	    v.pods.astray = 2, BRIDGE_CANCEL, "elsewhere");
	T_INT(d.job_id, 42);
	ROW(ended(BRIDGE_CANCELLED), LOST;
	    v.by_us = true, BRIDGE_SUBMIT, "lost");
	ROW(ended(BRIDGE_CANCELLED), LOST; v.by_us = true;
	    v.job = BRIDGE_COMPLETING, BRIDGE_KEEP, "completing");
	ROW(four(BRIDGE_RUNNING), LOST; v.pods.astray = 2;
	    v.requeued = true, BRIDGE_DELETE_PODS, "astray");
	ROW(four(BRIDGE_RUNNING), LOST; v.pods.astray = 2;
	    v.early = false, BRIDGE_DELETE_PODS, "astray");
#undef LOST
}

static void waiting_pods_are_told_why_without_a_flood(void)
{
	struct bridge_view v;
	struct bridge_do d;

#define NEVER v.noted.reason = NULL
	ROW(one(BRIDGE_PENDING), NEVER; v.state_ms = 1000, BRIDGE_NOTE, "note");
	T_STR(d.words, "job 42 waits: Priority");
	ROW(one(BRIDGE_PENDING), NEVER;
	    v.state_ms = 400, BRIDGE_KEEP, "pending");
	T_INT(d.again_ms, 600);
	ROW(one(BRIDGE_HELD), NEVER;
	    v.reason = "JobHeldUser", BRIDGE_NOTE, "note");
	ROW(one(BRIDGE_PENDING), NEVER; v.reason = NULL, BRIDGE_NOTE, "note");
	ROW(one(BRIDGE_PENDING), v.reason = "Resources";
	    v.noted.age_ms = 4999, BRIDGE_KEEP, "pending");
	T_INT(d.again_ms, 1);
	ROW(one(BRIDGE_PENDING), v.reason = "Resources";
	    v.noted.age_ms = 5000, BRIDGE_NOTE, "note");
	ROW(one(BRIDGE_PENDING), v.start_s = 59;
	    v.noted.age_ms = 99999, BRIDGE_KEEP, "pending");
	T_INT(d.again_ms, 0);
	ROW(one(BRIDGE_PENDING), v.start_s = 60;
	    v.noted.age_ms = 29999, BRIDGE_KEEP, "pending");
	ROW(one(BRIDGE_PENDING), v.start_s = 60;
	    v.noted.age_ms = 30000, BRIDGE_NOTE, "note");
	/* a pod has taken the place of one that was told */
	ROW(one(BRIDGE_PENDING), v.noted.others = true;
	    v.noted.age_ms = 4999, BRIDGE_KEEP, "pending");
	ROW(one(BRIDGE_PENDING), v.noted.others = true;
	    v.noted.age_ms = 5000, BRIDGE_NOTE, "note");
	ROW(one(BRIDGE_PENDING), v.noted.start_s = 60, BRIDGE_NOTE, "note");
#undef NEVER
}

static void pods_are_bound_while_their_job_runs(void)
{
	struct bridge_view v;
	struct bridge_do d;

	ROW(one(BRIDGE_STARTING), (void)0, BRIDGE_KEEP, "starting");
	ROW(one(BRIDGE_STARTING), PODS(), BRIDGE_CANCEL, "pods gone");
	ROW(one(BRIDGE_RUNNING), (void)0, BRIDGE_BIND, "bind");
	T_INT(d.n, 1);
	T_INT(d.job_id, 42);
	ROW(four(BRIDGE_RUNNING), (void)0, BRIDGE_BIND, "bind");
	T_INT(d.n, 4);
	ROW(four(BRIDGE_RUNNING), PODS(.live = 3, .waiting = 1), BRIDGE_BIND,
	    "bind");
	T_INT(d.n, 1);
	ROW(four(BRIDGE_RUNNING), PODS(.live = 3, .waiting = 3), BRIDGE_BIND,
	    "bind");
	T_INT(d.n, 1);
	/* a pod that failed is replaced in the same job */
	ROW(four(BRIDGE_RUNNING), PODS(.live = 3, .failed = 1, .waiting = 1),
	    BRIDGE_BIND, "bind");
	ROW(four(BRIDGE_RUNNING), PODS(.live = 3, .leaving = 1, .waiting = 1),
	    BRIDGE_WAIT, "too many");
	ROW(four(BRIDGE_RUNNING), PODS(.live = 4, .waiting = 1), BRIDGE_WAIT,
	    "too many");
	ROW(four(BRIDGE_RUNNING), v.room = false, BRIDGE_WAIT, "no room yet");
	ROW(four(BRIDGE_RUNNING), v.crowded = true; v.crowded_max_ms = 9;
	    v.crowded_ms = 8, BRIDGE_WAIT, "crowded");
	ROW(four(BRIDGE_RUNNING), v.crowded = true; v.crowded_max_ms = 9;
	    v.crowded_ms = 9, BRIDGE_CANCEL, "crowded out");
	/* (some of its pods run: the others wait for as long as it takes) */
	ROW(four(BRIDGE_RUNNING), PODS(.live = 3, .waiting = 1);
	    v.crowded = true; v.crowded_max_ms = 9;
	    v.crowded_ms = 9, BRIDGE_WAIT, "crowded");
	ROW(four(BRIDGE_RUNNING), v.members = 0, BRIDGE_WAIT, "unknown size");
	ROW(four(BRIDGE_RUNNING), v.members = 0;
	    PODS(.live = 3, .waiting = 1), BRIDGE_BIND, "bind");
	ROW(four(BRIDGE_RUNNING), PODS(.waiting = 3, .gated = 1), BRIDGE_WAIT,
	    "gated");
	ROW(one(BRIDGE_RUNNING), PODS(.gated = 1), BRIDGE_KEEP, "running");
	ROW(one(BRIDGE_RUNNING), PODS(.live = 1), BRIDGE_KEEP, "running");
	ROW(one(BRIDGE_RUNNING), PODS(.leaving = 1), BRIDGE_KEEP, "running");
	/* too late for these */
	ROW(one(BRIDGE_RUNNING), PODS(.live = 1);
	    v.refusal = "no", BRIDGE_KEEP, "running");
	ROW(one(BRIDGE_RUNNING), PODS(.live = 1);
	    v.changed = true, BRIDGE_KEEP, "running");
}

static void a_job_ends_with_its_pods_and_as_they_did(void)
{
	struct bridge_view v;
	struct bridge_do d;

	ROW(one(BRIDGE_RUNNING), PODS(.succeeded = 1), BRIDGE_COMPLETE, "over");
	T_INT(d.exit_code, 0);
	T_INT(d.job_id, 42);
	ROW(one(BRIDGE_RUNNING), PODS(.failed = 1, .exit_code = 3),
	    BRIDGE_COMPLETE, "over");
	T_INT(d.exit_code, 3);
	ROW(four(BRIDGE_RUNNING),
	    PODS(.succeeded = 3, .failed = 1, .exit_code = 9), BRIDGE_COMPLETE,
	    "over");
	T_INT(d.exit_code, 9);
	ROW(four(BRIDGE_RUNNING), PODS(.live = 1, .succeeded = 3), BRIDGE_KEEP,
	    "running");
	ROW(four(BRIDGE_RUNNING), PODS(.live = 3, .failed = 1, .exit_code = 9),
	    BRIDGE_KEEP, "running");
	ROW(four(BRIDGE_RUNNING), PODS(.leaving = 1, .succeeded = 3),
	    BRIDGE_KEEP, "running");
	ROW(one(BRIDGE_RUNNING), PODS(), BRIDGE_CANCEL, "pods gone");
	ROW(four(BRIDGE_RUNNING), PODS(), BRIDGE_CANCEL, "pods gone");
	ROW(four(BRIDGE_SUSPENDED), PODS(.succeeded = 4), BRIDGE_COMPLETE,
	    "over");
}

static void a_suspended_job_binds_nothing_and_ends_nothing(void)
{
	struct bridge_view v;
	struct bridge_do d;

	ROW(four(BRIDGE_SUSPENDED), PODS(.live = 4), BRIDGE_KEEP, "suspended");
	ROW(four(BRIDGE_SUSPENDED), (void)0, BRIDGE_WAIT, "suspended");
	T_STR(d.words, "job 42 is suspended");
	ROW(four(BRIDGE_SUSPENDED), PODS(.live = 3, .waiting = 1), BRIDGE_WAIT,
	    "suspended");
	ROW(one(BRIDGE_SUSPENDED), PODS(), BRIDGE_CANCEL, "pods gone");
}

static void when_a_job_has_ended_its_pods_are_deleted(void)
{
	static const struct {
		enum bridge_end end;
		const char *words;
	} rows[] = {
		{BRIDGE_NOT_ENDED, "job 42 is not running any more"},
		{BRIDGE_COMPLETED, "job 42 has ended"},
		{BRIDGE_FAILED, "job 42 has failed"},
		{BRIDGE_CANCELLED, "job 42 was cancelled"},
		{BRIDGE_TIMEOUT, "job 42 has reached its time limit"},
		{BRIDGE_PREEMPTED, "job 42 was preempted"},
		{BRIDGE_NODE_FAIL, "job 42 has lost a node"},
		{BRIDGE_DEADLINE, "job 42 could not start before its"},
		{BRIDGE_OTHER, "job 42 was ended by Slurm"},
	};
	struct bridge_view v;
	struct bridge_do d;

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		ROW(ended(rows[i].end), PODS(.live = 1, .grace_s = 20),
		    BRIDGE_DELETE_PODS, "ended");
		T_HAS(d.words, rows[i].words);
		T_INT(d.grace_s, 20);
		T_OK(!d.waiting_too);
		ROW(ended(rows[i].end), v.job = BRIDGE_COMPLETING;
		    PODS(.live = 1), BRIDGE_DELETE_PODS, "ended");
		ROW(ended(rows[i].end), PODS(.leaving = 1, .leaving_s = 30),
		    BRIDGE_WAIT, "leaving");
		/* its owner deleted it, with a day */
		ROW(ended(rows[i].end), PODS(.leaving = 1, .leaving_s = 86400),
		    BRIDGE_DELETE_PODS, "ended");
		T_INT(d.leaving_over_s, 30);
		ROW(ended(rows[i].end), PODS(.live = 1, .grace_s = 86400),
		    BRIDGE_DELETE_PODS, "ended");
		T_INT(d.grace_s, 30);
		ROW(ended(rows[i].end), v.kill_wait_s = 0;
		    PODS(.live = 1, .grace_s = 86400), BRIDGE_DELETE_PODS,
		    "ended");
		T_INT(d.grace_s, 1);
		ROW(ended(rows[i].end), PODS(.succeeded = 1), BRIDGE_KEEP,
		    "nothing");
		ROW(ended(rows[i].end), v.job = BRIDGE_COMPLETING, BRIDGE_KEEP,
		    "completing");
	}
}

static void pods_that_had_not_begun_go_with_the_job_or_get_another(void)
{
	static const struct {
		enum bridge_end end;
		bool too;
	} rows[] = {
		{BRIDGE_COMPLETED, false}, {BRIDGE_FAILED, false},
		{BRIDGE_CANCELLED, true},  {BRIDGE_TIMEOUT, true},
		{BRIDGE_PREEMPTED, false}, {BRIDGE_NODE_FAIL, false},
		{BRIDGE_DEADLINE, true},   {BRIDGE_OTHER, false},
	};
	struct bridge_view v;
	struct bridge_do d;

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		ROW(ended(rows[i].end), v.pods.labelled = 1,
		    rows[i].too ? BRIDGE_DELETE_PODS : BRIDGE_SUBMIT,
		    rows[i].too ? "ended" : "submit");
		T_INT(d.waiting_too, rows[i].too);
		/* a new pod: it never had that job */
		ROW(ended(rows[i].end), (void)0, BRIDGE_SUBMIT, "submit");
	}
	/* cancelled, but maybe by us */
	ROW(ended(BRIDGE_CANCELLED), v.pods.labelled = 1;
	    v.by_us = true, BRIDGE_SUBMIT, "submit");
	ROW(ended(BRIDGE_CANCELLED), v.pods.labelled = 1;
	    v.anew = true, BRIDGE_SUBMIT, "submit");
	/* what they ask for is not known yet, so neither who it was */
	ROW(ended(BRIDGE_CANCELLED), v.pods.labelled = 1;
	    v.not_yet = "Job", BRIDGE_KEEP, "cancelled, by whom?");
	ROW(ended(BRIDGE_TIMEOUT), v.pods.labelled = 1;
	    v.not_yet = "Job", BRIDGE_DELETE_PODS, "ended");
	ROW(ended(BRIDGE_CANCELLED), v.pods.labelled = 1;
	    v.refusal = "no", BRIDGE_REFUSE, "refused");
	ROW(ended(BRIDGE_CANCELLED), v.pods.labelled = 1;
	    v.members = 2, BRIDGE_WAIT, "incomplete");
	ROW(ended(BRIDGE_CANCELLED), v.pods.labelled = 1;
	    v.members = 0, BRIDGE_WAIT, "unknown size");
}

static void each_pod_is_counted_once(void)
{
	const struct {
		const struct bpod *pod; /* (its end is open: never a member) */
		struct bridge_pods want;
	} rows[] = {
#define POD(...)                                                               \
	&(const struct bpod){.name = "p", .ns = "n", .uid = "1", __VA_ARGS__}
#define OTHERS .node = "n1"
#define BOUND .node = "n1", .job_id = 42
#define FREE .node = "", .ended = true
		{POD(FREE, .phase = POD_PENDING), {.waiting = 1}},
		{POD(FREE, .phase = POD_PENDING, .job_id = 42),
		 {.waiting = 1, .labelled = 1}},
		{POD(FREE, .phase = POD_PENDING, .job_id = 41), {.waiting = 1}},
		{POD(FREE, .phase = POD_PENDING, .gated = true), {.gated = 1}},
		{POD(FREE, .phase = POD_PENDING, .deleting = true), {0}},
		{POD(FREE, .phase = POD_FAILED, .exit_code = 1),
		 {.failed = 1, .exit_code = 1}},
		{POD(BOUND, .phase = POD_PENDING, .grace_s = 7),
		 {.live = 1, .grace_s = 7}},
		{POD(BOUND, .phase = POD_RUNNING, .deleting = true,
		     .grace_s = 9),
		 {.leaving = 1, .leaving_s = 9}},
		{POD(BOUND, .phase = POD_SUCCEEDED, .ended = true),
		 {.succeeded = 1, .done = 1}},
		{POD(BOUND, .phase = POD_SUCCEEDED, .ended = true,
		     .deleting = true),
		 {.succeeded = 1}},
		{POD(BOUND, .phase = POD_FAILED, .ended = true, .exit_code = 3),
		 {.failed = 1, .exit_code = 3}},
		/* what an earlier job's pods came to is not this one's */
		{POD(OTHERS, .phase = POD_FAILED, .ended = true, .exit_code = 3,
		     .job_id = 41),
		 {0}},
		{POD(OTHERS, .phase = POD_SUCCEEDED, .ended = true,
		     .job_id = 41),
		 {.done = 1}},
		{POD(BOUND, .phase = POD_RUNNING), {.live = 1}},
		{POD(OTHERS, .phase = POD_RUNNING, .job_id = 41),
		 {.live = 1, .former = 1}},
		/* nor is what others have bound */
		{POD(OTHERS, .phase = POD_RUNNING), {.foreign = 1}},
		{POD(OTHERS, .phase = POD_RUNNING, .deleting = true),
		 {.foreign = 1}},
		{POD(OTHERS, .phase = POD_FAILED, .exit_code = 3),
		 {.foreign = 1}},
		{POD(OTHERS, .phase = POD_FAILED, .ended = true,
		     .exit_code = 3),
		 {0}},
		/* (killed as it was deleted) */
		{POD(BOUND, .phase = POD_FAILED, .ended = true,
		     .deleting = true, .exit_code = 143),
		 {0}},
		{POD(BOUND, .phase = POD_RUNNING, .ended = true,
		     .deleting = true),
		 {0}},
		/* (its node is lost: it may run) */
		{POD(BOUND, .phase = POD_FAILED, .exit_code = 1), {.live = 1}},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		struct bridge_pods got = {0};

		t_row("%zu", i);
		bridge_count(&got, rows[i].pod, 42);
		T_OK(!memcmp(&got, &rows[i].want, sizeof(got)));
	}
}

/* What a JobSet's former attempts came to counts no more, in whatever order. */
static void the_last_attempt_counts(void)
{
	const struct bpod *const pods[] = {
		POD(BOUND, .phase = POD_SUCCEEDED, .ended = true),
		POD(BOUND, .phase = POD_SUCCEEDED, .ended = true, .attempt = 2),
		POD(BOUND, .phase = POD_SUCCEEDED, .ended = true, .attempt = 1),
		POD(FREE, .phase = POD_PENDING, .attempt = 2),
		POD(BOUND, .phase = POD_SUCCEEDED, .ended = true,
		    .deleting = true, .attempt = 2),
	};

	for (size_t first = 0; first < T_COUNT(pods); first++) {
		struct bridge_pods got = {0};

		t_row("from %zu on", first);
		for (size_t i = 0; i < T_COUNT(pods); i++)
			bridge_count(&got, pods[(first + i) % T_COUNT(pods)],
				     42);
		T_INT(got.done, 1);
		T_INT(got.succeeded, 4);
	}
}

static void the_first_that_failed_says_how(void)
{
	const struct bpod *const pods[] = {
		POD(BOUND, .phase = POD_FAILED, .ended = true, .exit_code = 143,
		    .failed_ms = 2000),
		POD(BOUND, .phase = POD_FAILED, .ended = true, .exit_code = 3,
		    .failed_ms = 1000),
		POD(BOUND, .phase = POD_FAILED, .ended = true, .exit_code = 1,
		    .failed_ms = INT64_MAX),
	};

	for (size_t first = 0; first < T_COUNT(pods); first++) {
		struct bridge_pods got = {0};

		t_row("from %zu on", first);
		for (size_t i = 0; i < T_COUNT(pods); i++)
			bridge_count(&got, pods[(first + i) % T_COUNT(pods)],
				     42);
		T_INT(got.failed, 3);
		T_INT(got.exit_code, 3);
	}
}

T_MAIN("bridgeplan", T(a_job_without_its_pod_is_cancelled),
       T(what_is_not_known_leads_to_nothing), T(of_two_jobs_one_is_cancelled),
       T(the_one_with_pods_or_the_older_one_is_kept),
       T(without_a_job_complete_groups_are_submitted),
       T(pods_that_run_without_a_job_get_time),
       T(a_waiting_job_follows_its_pods),
       T(a_gang_that_lost_pods_gets_time_for_new_ones),
       T(a_pod_that_took_more_than_its_job_has_ends),
       T(a_job_that_was_put_back_ends_its_pods),
       T(what_runs_goes_on_when_slurm_has_forgotten_its_job),
       T(who_takes_too_long_to_go_is_told_again),
       T(for_what_others_have_bound_nothing_is_done),
       T(what_runs_gets_another_job_when_slurm_has_lost_its_own),
       T(what_runs_stays_when_slurm_starts_its_job_elsewhere),
       T(waiting_pods_are_told_why_without_a_flood),
       T(pods_are_bound_while_their_job_runs),
       T(a_job_ends_with_its_pods_and_as_they_did),
       T(a_suspended_job_binds_nothing_and_ends_nothing),
       T(when_a_job_has_ended_its_pods_are_deleted),
       T(pods_that_had_not_begun_go_with_the_job_or_get_another),
       T(each_pod_is_counted_once), T(the_last_attempt_counts),
       T(the_first_that_failed_says_how))
