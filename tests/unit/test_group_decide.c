/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "bridge/reconcile/group_decide.h"
#include "t.h"

/* A single waiting pod that may be submitted, and its job, which is told. */
static struct group_view one(enum placeholder_state job)
{
	return (struct group_view){
		.job = job,
		.job_id = job == PLACEHOLDER_NONE ? 0 : 42,
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
static struct group_view four(enum placeholder_state job)
{
	struct group_view v = one(job);

	v.made_for = v.members = v.pods.waiting = 4;
	v.gang = true;
	return v;
}

static struct group_view ended(enum placeholder_end end)
{
	struct group_view v = one(PLACEHOLDER_ENDED);

	v.end = end;
	return v;
}

static struct group_decision planned(const struct group_view *v)
{
	struct group_decision d;

	group_decide(v, &d);
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
	v.pods = (struct group_counts)                                         \
	{                                                                      \
		__VA_ARGS__                                                    \
	}

static void what_is_not_known_leads_to_nothing(void)
{
	struct group_view v;
	struct group_decision d;

	ROW(one(PLACEHOLDER_UNKNOWN), (void)0, GROUP_KEEP, "Slurm unknown");
	ROW(one(PLACEHOLDER_UNKNOWN), PODS(.live = 1), GROUP_KEEP,
	    "Slurm unknown");
	ROW(one(PLACEHOLDER_UNKNOWN), PODS(.failed = 1), GROUP_KEEP,
	    "Slurm unknown");
	ROW(one(PLACEHOLDER_RUNNING), v.pods_known = false, GROUP_KEEP,
	    "pods unknown");
	ROW(ended(PLACEHOLDER_CANCELLED), v.pods_known = false, GROUP_KEEP,
	    "pods unknown");
	ROW(one(PLACEHOLDER_PENDING), PODS();
	    v.pods_known = false, GROUP_KEEP, "pods unknown");
}

static void of_two_jobs_one_is_cancelled(void)
{
	struct group_view v;
	struct group_decision d;

	ROW(one(PLACEHOLDER_PENDING), v.duplicate = 43, GROUP_CANCEL,
	    "duplicate job");
	T_INT(d.job_id, 43);
	T_STR(d.words, "job 43: its pods have another job");
	ROW(one(PLACEHOLDER_RUNNING), v.duplicate = 43, GROUP_CANCEL,
	    "duplicate job");
	T_INT(d.job_id, 43);
	ROW(one(PLACEHOLDER_UNKNOWN), v.duplicate = 43, GROUP_KEEP,
	    "Slurm unknown");
	ROW(one(PLACEHOLDER_PENDING), v.duplicate = 43;
	    v.duplicate_bound = 1, GROUP_KEEP, "pending");
}

static void a_job_without_its_pod_is_cancelled(void)
{
	struct group_view v;
	struct group_decision d;

	ROW(one(PLACEHOLDER_RUNNING), v.taken = true, GROUP_CANCEL, "taken");
	T_INT(d.job_id, 42);
	T_STR(d.words, "job 42: somebody else has bound a pod of its");
	ROW(one(PLACEHOLDER_PENDING), v.taken = true, GROUP_CANCEL, "taken");
	ROW(one(PLACEHOLDER_UNKNOWN), v.taken = true, GROUP_KEEP,
	    "Slurm unknown");
	ROW(ended(PLACEHOLDER_CANCELLED), v.taken = true, GROUP_SUBMIT,
	    "submit");
}

static void the_one_with_pods_or_the_older_one_is_kept(void)
{
	static const struct {
		struct duplicate_job keep, drop;
	} rows[] = {
		{{PLACEHOLDER_PENDING, 1, 0}, {PLACEHOLDER_PENDING, 2, 0}},
		{{PLACEHOLDER_RUNNING, 2, 0}, {PLACEHOLDER_PENDING, 1, 0}},
		{{PLACEHOLDER_RUNNING, 1, 0}, {PLACEHOLDER_RUNNING, 2, 0}},
		{{PLACEHOLDER_RUNNING, 2, 1}, {PLACEHOLDER_RUNNING, 1, 0}},
		{{PLACEHOLDER_PENDING, 1, 1}, {PLACEHOLDER_RUNNING, 2, 0}},
		{{PLACEHOLDER_RUNNING, 2, 0}, {PLACEHOLDER_COMPLETING, 1, 1}},
		{{PLACEHOLDER_PENDING, 2, 0}, {PLACEHOLDER_COMPLETING, 1, 1}},
		{{PLACEHOLDER_PENDING, 2, 0}, {PLACEHOLDER_ENDED, 1, 4}},
		{{PLACEHOLDER_ENDED, 2, 0}, {PLACEHOLDER_COMPLETING, 1, 4}},
		{{PLACEHOLDER_HELD, 2, 0}, {PLACEHOLDER_ENDED, 1, 0}},
		{{PLACEHOLDER_ENDED, 2, 0}, {PLACEHOLDER_ENDED, 1, 0}},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		t_row("%zu", i);
		T_OK(placeholder_to_keep(&rows[i].keep, &rows[i].drop));
		T_OK(!placeholder_to_keep(&rows[i].drop, &rows[i].keep));
	}
}

static void without_a_job_complete_groups_are_submitted(void)
{
	struct group_view v;
	struct group_decision d;

	ROW(one(PLACEHOLDER_NONE), (void)0, GROUP_SUBMIT, "submit");
	T_INT(d.n, 1);
	ROW(four(PLACEHOLDER_NONE), v.pods.waiting = 6, GROUP_SUBMIT, "submit");
	T_INT(d.n, 6);
	ROW(four(PLACEHOLDER_NONE), v.pods.waiting = 3, GROUP_WAIT,
	    "incomplete");
	T_STR(d.words, "3 of 4 pods are there");
	ROW(four(PLACEHOLDER_NONE), v.pods.waiting = 3;
	    v.pods.gated = 1, GROUP_WAIT, "incomplete");
	ROW(one(PLACEHOLDER_NONE), PODS(.gated = 1), GROUP_WAIT, "gated");
	ROW(one(PLACEHOLDER_NONE), v.pods.binding = 1, GROUP_KEEP,
	    "being bound");
	T_INT(d.again_ms, BRIDGE_BINDING_MS);
	ROW(four(PLACEHOLDER_NONE), v.members = 0, GROUP_WAIT, "unknown size");
	/* (its Job's annotations, say) */
	ROW(one(PLACEHOLDER_NONE), v.not_yet = "Job a/b: not known yet",
	    GROUP_WAIT, "unknown size");
	T_STR(d.words, "Job a/b: not known yet");
	ROW(four(PLACEHOLDER_NONE), v.members = 0;
	    v.not_yet = "no PodGroup g", GROUP_WAIT, "unknown size");
	T_STR(d.words, "no PodGroup g");
	ROW(one(PLACEHOLDER_NONE), v.refusal = "may\nnot", GROUP_REFUSE,
	    "refused");
	T_STR(d.words, "may not");
	ROW(four(PLACEHOLDER_NONE), v.refusal = "no";
	    v.members = 0, GROUP_REFUSE, "refused");
	ROW(one(PLACEHOLDER_NONE), PODS(), GROUP_KEEP, "nothing");
	ROW(one(PLACEHOLDER_NONE), PODS(.succeeded = 1, .failed = 1),
	    GROUP_KEEP, "nothing");
	ROW(four(PLACEHOLDER_NONE), v.pods.leaving = 1, GROUP_WAIT, "leaving");
}

static void pods_that_run_without_a_job_get_time(void)
{
	struct group_view v;
	struct group_decision d;

	ROW(one(PLACEHOLDER_NONE), PODS(.live = 1);
	    v.state_ms = 59999, GROUP_KEEP, "orphan?");
	T_INT(d.again_ms, 1);
	ROW(one(PLACEHOLDER_NONE), PODS(.live = 1, .grace_s = 20);
	    v.state_ms = 60000, GROUP_DELETE_PODS, "orphan");
	T_INT(d.grace_s, 20);
	T_OK(!d.waiting_too);
	/* and no job comes before they are gone */
	ROW(four(PLACEHOLDER_NONE), v.pods.live = 1;
	    v.state_ms = 0, GROUP_KEEP, "orphan?");
	/* those of a namespace that is not ours are another bridge's */
	ROW(one(PLACEHOLDER_NONE), PODS(.live = 1);
	    v.outside = true, GROUP_KEEP, "outside");
	ROW(one(PLACEHOLDER_NONE), PODS(.leaving = 1);
	    v.outside = true, GROUP_WAIT, "leaving");
	/* unless a job of ours has started them */
	ROW(ended(PLACEHOLDER_CANCELLED), PODS(.live = 1);
	    v.outside = true, GROUP_DELETE_PODS, "ended");
}

static void a_waiting_job_follows_its_pods(void)
{
	struct group_view v;
	struct group_decision d;

	ROW(one(PLACEHOLDER_PENDING), (void)0, GROUP_KEEP, "pending");
	ROW(one(PLACEHOLDER_HELD), (void)0, GROUP_KEEP, "pending");
	ROW(one(PLACEHOLDER_PENDING), PODS(.gated = 1), GROUP_KEEP, "pending");
	ROW(one(PLACEHOLDER_PENDING), v.changed = true, GROUP_UPDATE,
	    "changed");
	T_INT(d.job_id, 42);
	ROW(one(PLACEHOLDER_HELD), v.changed = true, GROUP_UPDATE, "changed");
	ROW(one(PLACEHOLDER_PENDING), v.changed = v.anew = true, GROUP_CANCEL,
	    "asks anew");
	ROW(one(PLACEHOLDER_PENDING), v.refusal = "may not", GROUP_CANCEL,
	    "refused now");
	T_STR(d.words, "job 42: may not");
	ROW(one(PLACEHOLDER_PENDING), PODS(), GROUP_CANCEL, "pods gone");
	T_INT(d.job_id, 42);
	ROW(one(PLACEHOLDER_PENDING), PODS(.failed = 1), GROUP_CANCEL,
	    "pods gone");
	ROW(four(PLACEHOLDER_PENDING), PODS(), GROUP_CANCEL, "pods gone");
	ROW(four(PLACEHOLDER_PENDING), v.members = 0, GROUP_KEEP, "pending");
}

static void a_gang_that_lost_pods_gets_time_for_new_ones(void)
{
	struct group_view v;
	struct group_decision d;

	ROW(four(PLACEHOLDER_PENDING), v.pods.waiting = 3, GROUP_WAIT,
	    "no longer complete?");
	T_INT(d.again_ms, 30000);
	ROW(four(PLACEHOLDER_PENDING), v.pods.waiting = 3;
	    v.short_ms = 30000, GROUP_CANCEL, "no longer complete");
	ROW(four(PLACEHOLDER_PENDING), v.pods.waiting = 3;
	    v.pods.gated = 1, GROUP_KEEP, "pending");
	ROW(four(PLACEHOLDER_PENDING), PODS();
	    v.requeued = true, GROUP_WAIT, "no longer complete?");
	ROW(four(PLACEHOLDER_PENDING), PODS(); v.requeued = true;
	    v.short_ms = 30000, GROUP_CANCEL, "no longer complete");
	ROW(four(PLACEHOLDER_RUNNING), v.pods.waiting = 3, GROUP_WAIT,
	    "no longer complete?");
	ROW(four(PLACEHOLDER_RUNNING), v.pods.waiting = 3;
	    v.short_ms = 30000, GROUP_CANCEL, "no longer complete");
	ROW(one(PLACEHOLDER_PENDING), PODS();
	    v.requeued = true, GROUP_CANCEL, "pods gone");
}

static void a_pod_that_took_more_than_its_job_has_ends(void)
{
	struct group_view v;
	struct group_decision d;

	ROW(four(PLACEHOLDER_RUNNING),
	    PODS(.live = 4, .grown = 1, .grace_s = 5), GROUP_DELETE_PODS,
	    "resized");
	T_OK(d.grown_only && !d.misplaced_only);
	T_INT(d.grace_s, 5);
	T_HAS(d.words, "job 42 has less than its pods ask for");
	ROW(four(PLACEHOLDER_SUSPENDED), PODS(.live = 4, .grown = 1),
	    GROUP_KEEP, "suspended");
}

static void a_job_that_was_put_back_ends_its_pods(void)
{
	struct group_view v;
	struct group_decision d;

	ROW(one(PLACEHOLDER_PENDING), v.requeued = true;
	    PODS(.live = 1, .grace_s = 60), GROUP_DELETE_PODS, "requeued");
	T_INT(d.grace_s, 30); /* KillWait */
	T_OK(!d.waiting_too && !d.misplaced_only);
	T_STR(d.words, "job 42 went back into the queue");
	ROW(four(PLACEHOLDER_HELD), v.requeued = true;
	    PODS(.live = 1, .waiting = 3), GROUP_DELETE_PODS, "requeued");
	ROW(four(PLACEHOLDER_PENDING), PODS(.leaving = 4), GROUP_WAIT,
	    "leaving");
	ROW(four(PLACEHOLDER_RUNNING),
	    PODS(.live = 4, .misplaced = 2, .grace_s = 5), GROUP_DELETE_PODS,
	    "misplaced");
	T_OK(d.misplaced_only);
	T_INT(d.grace_s, 5);
	ROW(four(PLACEHOLDER_STARTING), PODS(.live = 4, .misplaced = 4),
	    GROUP_DELETE_PODS, "misplaced");
	ROW(four(PLACEHOLDER_SUSPENDED), PODS(.live = 4, .misplaced = 4),
	    GROUP_DELETE_PODS, "misplaced");
}

/* slurmctld was killed before it saved that their job had started */
static void what_runs_goes_on_when_slurm_has_forgotten_its_job(void)
{
	struct group_view v;
	struct group_decision d;

#define RUNS PODS(.live = 2, .waiting = 2, .grace_s = 60)
#define JUST v.state_ms = 1000
	ROW(four(PLACEHOLDER_PENDING), RUNS; JUST, GROUP_PIN, "forgotten");
	T_INT(d.job_id, 42);
	T_INT(d.again_ms, 59000);
	ROW(four(PLACEHOLDER_PENDING), RUNS; JUST;
	    v.pinned = true, GROUP_KEEP, "forgotten");
	T_INT(d.again_ms, 59000);
	/* for a minute */
	ROW(four(PLACEHOLDER_PENDING), RUNS; v.state_ms = 60000;
	    v.pinned = true, GROUP_DELETE_PODS, "forgotten");
	T_HAS(d.words, "job 42 waits again: slurmctld was killed before");
	T_INT(d.grace_s, 30); /* KillWait */
	/* and those that waited are free to go anywhere again */
	ROW(four(PLACEHOLDER_PENDING), v.pinned = true, GROUP_CANCEL, "pinned");
	/* minCount was raised: with fewer it does not start */
	ROW(four(PLACEHOLDER_PENDING), v.members = 5;
	    v.pods.waiting = 5, GROUP_CANCEL, "grown");
	ROW(four(PLACEHOLDER_PENDING), v.members = 5;
	    v.short_ms = 0, GROUP_WAIT, "no longer complete?");
	ROW(four(PLACEHOLDER_PENDING), v.pods.waiting = 5, GROUP_KEEP,
	    "pending");
	ROW(four(PLACEHOLDER_RUNNING), v.members = 5;
	    v.pods.waiting = 5, GROUP_CANCEL, "grown");
	/* (what runs goes on) */
	ROW(four(PLACEHOLDER_RUNNING), v.members = 5;
	    PODS(.live = 4, .waiting = 1), GROUP_WAIT, "too many");
	/* minCount was lowered */
	ROW(four(PLACEHOLDER_PENDING), v.members = 3;
	    v.pods.waiting = 3, GROUP_KEEP, "pending");
	ROW(four(PLACEHOLDER_RUNNING), v.members = 3;
	    v.pods.waiting = 3, GROUP_BIND, "bind");
	/* not those that somebody has put back */
	ROW(four(PLACEHOLDER_PENDING), RUNS; JUST;
	    v.requeued = true, GROUP_DELETE_PODS, "requeued");
	/* who holds it ends that himself: as long as that takes, they run */
	ROW(four(PLACEHOLDER_HELD), RUNS; JUST, GROUP_PIN, "forgotten");
	T_HAS(d.words, "job 42 is held, and its pod runs");
	T_INT(d.again_ms, 0);
	ROW(four(PLACEHOLDER_HELD), RUNS;
	    v.pinned = true, GROUP_KEEP, "forgotten");
	ROW(four(PLACEHOLDER_HELD), RUNS; v.pinned = true;
	    v.pods.by_earlier_job = 2, GROUP_ADOPT, "adopted");
#undef RUNS
#undef JUST
}

/* Their owner deleted them with a day: Slurm gives their CPUs to others. */
static void who_takes_too_long_to_go_is_told_again(void)
{
#define SLOW .leaving = 2, .leaving_s = 31
	struct group_view v;
	struct group_decision d;

	ROW(four(PLACEHOLDER_NONE), PODS(SLOW), GROUP_DELETE_PODS, "orphan");
	T_INT(d.leaving_over_s, 30);
	ROW(four(PLACEHOLDER_NONE), PODS(SLOW);
	    v.state_ms = 1000, GROUP_KEEP, "orphan?");
	ROW(four(PLACEHOLDER_NONE), PODS(SLOW);
	    v.outside = true, GROUP_KEEP, "outside");
	ROW(four(PLACEHOLDER_NONE), PODS(.leaving = 2, .leaving_s = 30),
	    GROUP_WAIT, "leaving");
	ROW(four(PLACEHOLDER_PENDING), PODS(SLOW), GROUP_DELETE_PODS,
	    "requeued");
	ROW(four(PLACEHOLDER_HELD), PODS(SLOW), GROUP_DELETE_PODS, "requeued");
	/* theirs are the CPUs: whoever deleted them may wait */
	ROW(four(PLACEHOLDER_RUNNING), PODS(SLOW), GROUP_KEEP, "running");
	ROW(four(PLACEHOLDER_SUSPENDED), PODS(SLOW), GROUP_KEEP, "suspended");
	/* but not those that it has no more */
	ROW(four(PLACEHOLDER_RUNNING), PODS(SLOW, .lingering = 1),
	    GROUP_DELETE_PODS, "misplaced");
	T_INT(d.leaving_over_s, 30);
	T_OK(d.misplaced_only);
	/* who was not deleted has the end of its job's time, too */
	ROW(four(PLACEHOLDER_NONE), PODS(.live = 1, .grace_s = 86400),
	    GROUP_DELETE_PODS, "orphan");
	T_INT(d.grace_s, 30);
	ROW(four(PLACEHOLDER_NONE), v.kill_wait_s = 0;
	    PODS(.live = 1, .grace_s = 86400), GROUP_DELETE_PODS, "orphan");
	T_INT(d.grace_s, 1);
	ROW(four(PLACEHOLDER_RUNNING), PODS(SLOW, .live = 2, .grown = 1),
	    GROUP_DELETE_PODS, "resized");
	T_INT(d.leaving_over_s, 0);
#undef SLOW
}

/* They say that they are its pods, and nothing proves it. */
static void for_what_others_have_bound_nothing_is_done(void)
{
	static const enum placeholder_state waiting[] = {PLACEHOLDER_PENDING,
							 PLACEHOLDER_HELD},
					    started[] = {PLACEHOLDER_STARTING,
							 PLACEHOLDER_RUNNING,
							 PLACEHOLDER_SUSPENDED};
	struct group_view v;
	struct group_decision d;

	for (size_t i = 0; i < T_COUNT(waiting); i++) {
		ROW(four(waiting[i]), v.pods.foreign = 2, GROUP_KEEP,
		    "pending");
		ROW(four(waiting[i]), v.pods.foreign = 2; v.state_ms = 1000;
		    v.early = true, GROUP_KEEP, "pending");
	}
	for (size_t i = 0; i < T_COUNT(started); i++) {
		ROW(four(started[i]), PODS(.foreign = 1), GROUP_KEEP,
		    "bound by others");
		ROW(four(started[i]), PODS(.foreign = 1, .succeeded = 3),
		    GROUP_COMPLETE, "over");
	}
	ROW(four(PLACEHOLDER_RUNNING), v.pods.foreign = 2, GROUP_BIND, "bind");
	T_INT(d.n, 4);
	ROW(one(PLACEHOLDER_NONE), PODS(.foreign = 1);
	    v.early = true, GROUP_KEEP, "nothing");
	ROW(ended(PLACEHOLDER_CANCELLED), PODS(.foreign = 1), GROUP_KEEP,
	    "nothing");
}

static void what_runs_gets_another_job_when_slurm_has_lost_its_own(void)
{
	struct group_view v;
	struct group_decision d;

#define LOST                                                                   \
	PODS(.live = 2, .waiting = 2);                                         \
	v.early = true;                                                        \
	v.state_ms = 0
	ROW(four(PLACEHOLDER_NONE), LOST, GROUP_SUBMIT, "lost");
	T_INT(d.n, 4);
	/* (a gang of which some have ended has them, too) */
	ROW(four(PLACEHOLDER_NONE), LOST; v.pods.waiting = 0;
	    v.pods.succeeded = 2, GROUP_SUBMIT, "lost");
	T_INT(d.n, 2);
	ROW(four(PLACEHOLDER_NONE), LOST;
	    v.early = false, GROUP_KEEP, "orphan?");
	ROW(four(PLACEHOLDER_NONE), LOST;
	    v.pods.leaving = 1, GROUP_KEEP, "orphan?");
	ROW(four(PLACEHOLDER_NONE), LOST;
	    v.refusal = "no", GROUP_KEEP, "orphan?");
	ROW(four(PLACEHOLDER_NONE), LOST;
	    v.not_yet = "no", GROUP_KEEP, "orphan?");
	ROW(four(PLACEHOLDER_NONE), LOST;
	    v.outside = true, GROUP_KEEP, "outside");
	/* one that has ended is not lost */
	ROW(ended(PLACEHOLDER_CANCELLED), LOST, GROUP_DELETE_PODS, "ended");
	/* the pods are told */
	ROW(four(PLACEHOLDER_PENDING), LOST; v.pinned = true;
	    v.pods.by_earlier_job = 2, GROUP_ADOPT, "adopted");
	ROW(four(PLACEHOLDER_RUNNING), LOST;
	    v.pods.by_earlier_job = 2, GROUP_ADOPT, "adopted");
	ROW(four(PLACEHOLDER_RUNNING), LOST, GROUP_BIND, "bind");
	T_INT(d.n, 2);
}

static void what_runs_stays_when_slurm_starts_its_job_elsewhere(void)
{
	struct group_view v;
	struct group_decision d;

	ROW(four(PLACEHOLDER_RUNNING), LOST;
	    v.pods.misplaced = 2, GROUP_CANCEL, "elsewhere");
	T_INT(d.job_id, 42);
	ROW(ended(PLACEHOLDER_CANCELLED), LOST;
	    v.by_us = true, GROUP_SUBMIT, "lost");
	ROW(ended(PLACEHOLDER_CANCELLED), LOST; v.by_us = true;
	    v.job = PLACEHOLDER_COMPLETING, GROUP_KEEP, "completing");
	ROW(four(PLACEHOLDER_RUNNING), LOST; v.pods.misplaced = 2;
	    v.requeued = true, GROUP_DELETE_PODS, "misplaced");
	ROW(four(PLACEHOLDER_RUNNING), LOST; v.pods.misplaced = 2;
	    v.early = false, GROUP_DELETE_PODS, "misplaced");
#undef LOST
}

static void waiting_pods_are_told_why_without_a_flood(void)
{
	struct group_view v;
	struct group_decision d;

#define NEVER v.noted.reason = NULL
	ROW(one(PLACEHOLDER_PENDING), NEVER;
	    v.state_ms = 1000, GROUP_NOTE, "note");
	T_STR(d.words, "job 42 waits: Priority");
	ROW(one(PLACEHOLDER_PENDING), NEVER;
	    v.state_ms = 400, GROUP_KEEP, "pending");
	T_INT(d.again_ms, 600);
	ROW(one(PLACEHOLDER_HELD), NEVER;
	    v.reason = "JobHeldUser", GROUP_NOTE, "note");
	ROW(one(PLACEHOLDER_PENDING), NEVER;
	    v.reason = NULL, GROUP_NOTE, "note");
	ROW(one(PLACEHOLDER_PENDING), v.reason = "Resources";
	    v.noted.age_ms = 4999, GROUP_KEEP, "pending");
	T_INT(d.again_ms, 1);
	ROW(one(PLACEHOLDER_PENDING), v.reason = "Resources";
	    v.noted.age_ms = 5000, GROUP_NOTE, "note");
	ROW(one(PLACEHOLDER_PENDING), v.start_s = 59;
	    v.noted.age_ms = 99999, GROUP_KEEP, "pending");
	T_INT(d.again_ms, 0);
	ROW(one(PLACEHOLDER_PENDING), v.start_s = 60;
	    v.noted.age_ms = 29999, GROUP_KEEP, "pending");
	ROW(one(PLACEHOLDER_PENDING), v.start_s = 60;
	    v.noted.age_ms = 30000, GROUP_NOTE, "note");
	/* a pod has taken the place of one that was told */
	ROW(one(PLACEHOLDER_PENDING), v.noted.others = true;
	    v.noted.age_ms = 4999, GROUP_KEEP, "pending");
	ROW(one(PLACEHOLDER_PENDING), v.noted.others = true;
	    v.noted.age_ms = 5000, GROUP_NOTE, "note");
	ROW(one(PLACEHOLDER_PENDING), v.noted.start_s = 60, GROUP_NOTE, "note");
#undef NEVER
}

static void pods_are_bound_while_their_job_runs(void)
{
	struct group_view v;
	struct group_decision d;

	ROW(one(PLACEHOLDER_STARTING), (void)0, GROUP_KEEP, "starting");
	ROW(one(PLACEHOLDER_STARTING), PODS(), GROUP_CANCEL, "pods gone");
	ROW(one(PLACEHOLDER_RUNNING), (void)0, GROUP_BIND, "bind");
	T_INT(d.n, 1);
	T_INT(d.job_id, 42);
	ROW(four(PLACEHOLDER_RUNNING), (void)0, GROUP_BIND, "bind");
	T_INT(d.n, 4);
	ROW(four(PLACEHOLDER_RUNNING), PODS(.live = 3, .waiting = 1),
	    GROUP_BIND, "bind");
	T_INT(d.n, 1);
	ROW(four(PLACEHOLDER_RUNNING), PODS(.live = 3, .waiting = 3),
	    GROUP_BIND, "bind");
	T_INT(d.n, 1);
	/* a pod that failed is replaced in the same job */
	ROW(four(PLACEHOLDER_RUNNING),
	    PODS(.live = 3, .failed = 1, .waiting = 1), GROUP_BIND, "bind");
	ROW(four(PLACEHOLDER_RUNNING),
	    PODS(.live = 3, .leaving = 1, .waiting = 1), GROUP_WAIT,
	    "too many");
	ROW(four(PLACEHOLDER_RUNNING), PODS(.live = 4, .waiting = 1),
	    GROUP_WAIT, "too many");
	ROW(four(PLACEHOLDER_RUNNING), v.room = false, GROUP_WAIT,
	    "no room yet");
	T_OK(d.again_ms > 0);
	/* (a process there cannot be killed; KillWait is 30 s) */
	ROW(four(PLACEHOLDER_RUNNING), v.room = false;
	    v.kept_ms = BRIDGE_KEPT_MS - 1, GROUP_WAIT, "no room yet");
	ROW(four(PLACEHOLDER_RUNNING), v.room = false;
	    v.kept_ms = BRIDGE_KEPT_MS, GROUP_CANCEL, "not free");
	ROW(four(PLACEHOLDER_RUNNING), PODS(.live = 3, .waiting = 1);
	    v.room = false;
	    v.kept_ms = BRIDGE_KEPT_MS, GROUP_WAIT, "no room yet");
	ROW(four(PLACEHOLDER_RUNNING), v.overcommitted = true;
	    v.overcommitted_max_ms = 9;
	    v.overcommitted_ms = 8, GROUP_WAIT, "overcommitted");
	ROW(four(PLACEHOLDER_RUNNING), v.overcommitted = true;
	    v.overcommitted_max_ms = 9;
	    v.overcommitted_ms = 9, GROUP_CANCEL, "overcommitted for long");
	/* (some of its pods run: the others wait for as long as it takes) */
	ROW(four(PLACEHOLDER_RUNNING), PODS(.live = 3, .waiting = 1);
	    v.overcommitted = true; v.overcommitted_max_ms = 9;
	    v.overcommitted_ms = 9, GROUP_WAIT, "overcommitted");
	ROW(four(PLACEHOLDER_RUNNING), v.members = 0, GROUP_WAIT,
	    "unknown size");
	T_OK(d.again_ms > 0);
	/* its PodGroup was deleted, say, and its pods are there */
	ROW(four(PLACEHOLDER_RUNNING), v.members = 0;
	    v.unknown_ms = BRIDGE_UNKNOWN_MS, GROUP_CANCEL, "size unknown");
	ROW(four(PLACEHOLDER_RUNNING), v.members = 0;
	    v.refusal = "no", GROUP_CANCEL, "refused now");
	ROW(four(PLACEHOLDER_RUNNING), v.members = 0;
	    PODS(.live = 3, .waiting = 1), GROUP_BIND, "bind");
	/* what has run has ended, and what is left can not run */
	ROW(four(PLACEHOLDER_RUNNING),
	    PODS(.succeeded = 3, .waiting = 1, .refused = 1), GROUP_COMPLETE,
	    "over");
	ROW(four(PLACEHOLDER_RUNNING), PODS(.succeeded = 3, .gated = 1),
	    GROUP_COMPLETE, "over");
	ROW(four(PLACEHOLDER_RUNNING),
	    PODS(.succeeded = 2, .live = 1, .waiting = 1, .refused = 1),
	    GROUP_WAIT, "refused beside");
	ROW(four(PLACEHOLDER_RUNNING),
	    PODS(.succeeded = 2, .waiting = 2, .refused = 1), GROUP_BIND,
	    "bind");
	ROW(four(PLACEHOLDER_RUNNING), PODS(.waiting = 3, .gated = 1),
	    GROUP_WAIT, "gated");
	ROW(one(PLACEHOLDER_RUNNING), PODS(.gated = 1), GROUP_KEEP, "running");
	ROW(one(PLACEHOLDER_RUNNING), PODS(.live = 1), GROUP_KEEP, "running");
	ROW(one(PLACEHOLDER_RUNNING), PODS(.leaving = 1), GROUP_KEEP,
	    "running");
	/* too late for these */
	ROW(one(PLACEHOLDER_RUNNING), PODS(.live = 1);
	    v.refusal = "no", GROUP_KEEP, "running");
	ROW(one(PLACEHOLDER_RUNNING), PODS(.live = 1);
	    v.changed = true, GROUP_KEEP, "running");
}

static void a_job_ends_with_its_pods_and_as_they_did(void)
{
	struct group_view v;
	struct group_decision d;

	ROW(one(PLACEHOLDER_RUNNING), PODS(.succeeded = 1), GROUP_COMPLETE,
	    "over");
	T_INT(d.exit_code, 0);
	T_INT(d.job_id, 42);
	ROW(one(PLACEHOLDER_RUNNING), PODS(.failed = 1, .exit_code = 3),
	    GROUP_COMPLETE, "over");
	T_INT(d.exit_code, 3);
	ROW(four(PLACEHOLDER_RUNNING),
	    PODS(.succeeded = 3, .failed = 1, .exit_code = 9), GROUP_COMPLETE,
	    "over");
	T_INT(d.exit_code, 9);
	ROW(four(PLACEHOLDER_RUNNING), PODS(.live = 1, .succeeded = 3),
	    GROUP_KEEP, "running");
	ROW(four(PLACEHOLDER_RUNNING),
	    PODS(.live = 3, .failed = 1, .exit_code = 9), GROUP_KEEP,
	    "running");
	ROW(four(PLACEHOLDER_RUNNING), PODS(.leaving = 1, .succeeded = 3),
	    GROUP_KEEP, "running");
	ROW(one(PLACEHOLDER_RUNNING), PODS(), GROUP_CANCEL, "pods gone");
	ROW(four(PLACEHOLDER_RUNNING), PODS(), GROUP_CANCEL, "pods gone");
	ROW(four(PLACEHOLDER_SUSPENDED), PODS(.succeeded = 4), GROUP_COMPLETE,
	    "over");
}

static void a_suspended_job_binds_nothing_and_ends_nothing(void)
{
	struct group_view v;
	struct group_decision d;

	ROW(four(PLACEHOLDER_SUSPENDED), PODS(.live = 4), GROUP_KEEP,
	    "suspended");
	ROW(four(PLACEHOLDER_SUSPENDED), (void)0, GROUP_WAIT, "suspended");
	T_STR(d.words, "job 42 is suspended");
	ROW(four(PLACEHOLDER_SUSPENDED), PODS(.live = 3, .waiting = 1),
	    GROUP_WAIT, "suspended");
	ROW(one(PLACEHOLDER_SUSPENDED), PODS(), GROUP_CANCEL, "pods gone");
}

static void when_a_job_has_ended_its_pods_are_deleted(void)
{
	static const struct {
		enum placeholder_end end;
		const char *words;
	} rows[] = {
		{PLACEHOLDER_NOT_ENDED, "job 42 is not running any more"},
		{PLACEHOLDER_COMPLETED, "job 42 has ended"},
		{PLACEHOLDER_FAILED, "job 42 has failed"},
		{PLACEHOLDER_CANCELLED, "job 42 was cancelled"},
		{PLACEHOLDER_TIMEOUT, "job 42 has reached its time limit"},
		{PLACEHOLDER_PREEMPTED, "job 42 was preempted"},
		{PLACEHOLDER_NODE_FAIL, "job 42 has lost a node"},
		{PLACEHOLDER_DEADLINE, "job 42 could not start before its"},
		{PLACEHOLDER_ENDED_OTHERWISE, "job 42 was ended by Slurm"},
	};
	struct group_view v;
	struct group_decision d;

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		ROW(ended(rows[i].end), PODS(.live = 1, .grace_s = 20),
		    GROUP_DELETE_PODS, "ended");
		T_HAS(d.words, rows[i].words);
		T_INT(d.grace_s, 20);
		T_OK(!d.waiting_too);
		ROW(ended(rows[i].end), v.job = PLACEHOLDER_COMPLETING;
		    PODS(.live = 1), GROUP_DELETE_PODS, "ended");
		ROW(ended(rows[i].end), PODS(.leaving = 1, .leaving_s = 30),
		    GROUP_WAIT, "leaving");
		/* its owner deleted it, with a day */
		ROW(ended(rows[i].end), PODS(.leaving = 1, .leaving_s = 86400),
		    GROUP_DELETE_PODS, "ended");
		T_INT(d.leaving_over_s, 30);
		ROW(ended(rows[i].end), PODS(.live = 1, .grace_s = 86400),
		    GROUP_DELETE_PODS, "ended");
		T_INT(d.grace_s, 30);
		ROW(ended(rows[i].end), v.kill_wait_s = 0;
		    PODS(.live = 1, .grace_s = 86400), GROUP_DELETE_PODS,
		    "ended");
		T_INT(d.grace_s, 1);
		ROW(ended(rows[i].end), PODS(.succeeded = 1), GROUP_KEEP,
		    "nothing");
		ROW(ended(rows[i].end), v.job = PLACEHOLDER_COMPLETING,
		    GROUP_KEEP, "completing");
	}
}

static void pods_that_had_not_begun_go_with_the_job_or_get_another(void)
{
	static const struct {
		enum placeholder_end end;
		bool too;
	} rows[] = {
		{PLACEHOLDER_COMPLETED, false},
		{PLACEHOLDER_FAILED, false},
		{PLACEHOLDER_CANCELLED, true},
		{PLACEHOLDER_TIMEOUT, true},
		{PLACEHOLDER_PREEMPTED, false},
		{PLACEHOLDER_NODE_FAIL, false},
		{PLACEHOLDER_DEADLINE, true},
		{PLACEHOLDER_ENDED_OTHERWISE, false},
	};
	struct group_view v;
	struct group_decision d;

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		ROW(ended(rows[i].end), v.pods.labelled = 1,
		    rows[i].too ? GROUP_DELETE_PODS : GROUP_SUBMIT,
		    rows[i].too ? "ended" : "submit");
		T_INT(d.waiting_too, rows[i].too);
		/* Slurm has forgotten it since (MinJobAge) */
		ROW(ended(rows[i].end), v.job = PLACEHOLDER_NONE;
		    v.pods.labelled = 1,
		    rows[i].too ? GROUP_DELETE_PODS : GROUP_SUBMIT,
		    rows[i].too ? "ended" : "submit");
		T_INT(d.waiting_too, rows[i].too);
		/* a new pod: it never had that job */
		ROW(ended(rows[i].end), (void)0, GROUP_SUBMIT, "submit");
	}
	/* cancelled, but maybe by us */
	ROW(ended(PLACEHOLDER_CANCELLED), v.pods.labelled = 1;
	    v.by_us = true, GROUP_SUBMIT, "submit");
	ROW(ended(PLACEHOLDER_CANCELLED), v.pods.labelled = 1;
	    v.anew = true, GROUP_SUBMIT, "submit");
	/* what they ask for is not known yet, so neither who it was */
	ROW(ended(PLACEHOLDER_CANCELLED), v.pods.labelled = 1;
	    v.not_yet = "Job", GROUP_KEEP, "cancelled, by whom?");
	ROW(ended(PLACEHOLDER_TIMEOUT), v.pods.labelled = 1;
	    v.not_yet = "Job", GROUP_DELETE_PODS, "ended");
	ROW(ended(PLACEHOLDER_CANCELLED), v.pods.labelled = 1;
	    v.refusal = "no", GROUP_REFUSE, "refused");
	ROW(ended(PLACEHOLDER_CANCELLED), v.pods.labelled = 1;
	    v.members = 2, GROUP_WAIT, "incomplete");
	ROW(ended(PLACEHOLDER_CANCELLED), v.pods.labelled = 1;
	    v.members = 0, GROUP_WAIT, "unknown size");
}

T_MAIN("group_decide", T(a_job_without_its_pod_is_cancelled),
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
       T(pods_that_had_not_begun_go_with_the_job_or_get_another))
