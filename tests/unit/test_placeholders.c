/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How placeholders go on. */
#include "placeholders_fixture.h"

/* A pod that was bound then would run beside the next job. */
static void what_was_not_sent_is_taken_back_when_a_job_stops(void)
{
	static const struct {
		enum placed_state state;
		uint32_t job_id;
		const char *back;
	} rows[] = {
		{PLACED_RUNNING, 7, ""},    {PLACED_COMPLETING, 7, "7"},
		{PLACED_PENDING, 7, "7"},   {PLACED_ENDED, 7, "7"},
		{PLACED_SUSPENDED, 7, "7"}, {PLACED_RUNNING, 8, "7"},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		struct bridge b;
		char id[BRIDGE_ID_MAX];

		t_row("%zu", i);
		begin(&b, id);
		job.status.state = rows[i].state;
		job.job_id = rows[i].job_id;
		now += 60000;
		placeholders_refresh(&b);
		T_STR(taken_back, rows[i].back);
		end(&b);
	}
}

/* (else its pods would pass for those of a start that Slurm has forgotten) */
static void a_job_that_ran_and_waits_was_put_back(void)
{
	static const struct {
		enum placed_state state;
		bool back;
	} rows[] = {
		{PLACED_PENDING, true},
		{PLACED_COMPLETING, false},
		{PLACED_SUSPENDED, false},
		{PLACED_ENDED, false},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		struct bridge b;
		char id[BRIDGE_ID_MAX];

		t_row("%zu", i);
		begin(&b, id);
		T_OK(!q->job.requeued);
		job.status.state = rows[i].state;
		now += 500; /* no list yet */
		placeholders_refresh(&b);
		T_INT(q->job.requeued, rows[i].back);
		end(&b);
	}
}

/* Nobody tells slurmctld that a node without slurmd is free: jobs of sbatch may
 * wait for it, too. */
static void others_get_their_turn_when_a_job_has_ended(void)
{
	static const struct {
		enum placed_state state;
		int scheduled;
	} rows[] = {
		{PLACED_RUNNING, 0},
		{PLACED_COMPLETING, 0},
		{PLACED_SUSPENDED, 0},
		{PLACED_ENDED, 1},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		struct bridge b;
		char id[BRIDGE_ID_MAX];

		t_row("%zu", i);
		begin(&b, id);
		job.status.state = rows[i].state;
		now += 60000;
		scheduled = 0;
		placeholders_refresh(&b);
		placeholders_look_for_room(&b);
		placeholders_look_for_room(&b);
		T_INT(scheduled, rows[i].scheduled);
		end(&b);
	}
}

/* PrologSlurmctld may fail for each of them, as fast as they are submitted. */
static void jobs_that_end_with_no_pod_bound_come_slower_and_slower(void)
{
	struct bridge b;
	char id[BRIDGE_ID_MAX];
	int64_t rest = 0;

	begin(&b, id);
	for (int i = 0; i < 20; i++) {
		job.status.state = PLACED_ENDED;
		now += 60000;
		placeholders_refresh(&b);
		T_INT(q->job.state, PLACEHOLDER_ENDED);
		T_OK(q->refused.submit_at - now >= rest);
		rest = q->refused.submit_at - now;
		job.job_id++; /* (the next one) */
		job.status.state = PLACED_RUNNING;
		now += 60000;
		placeholders_refresh(&b);
	}
	T_OK(rest >= 30000 && rest <= 60000);
	end(&b);
}

static void a_job_that_we_end_or_whose_pods_were_bound_delays_no_other(void)
{
	for (int bound = 0; bound < 2; bound++) {
		struct bridge b;
		char id[BRIDGE_ID_MAX];

		t_row("%d", bound);
		begin(&b, id);
		q->job.by_us = !bound;
		q->bound.job = bound ? 7 : 0;
		q->refused.in_vain = 3;
		job.status.state = PLACED_ENDED;
		now += 60000;
		placeholders_refresh(&b);
		T_INT(q->job.state, PLACEHOLDER_ENDED);
		T_INT(q->refused.submit_at, 0);
		T_INT(q->refused.in_vain, bound ? 0 : 3);
		end(&b);
	}
}

/* (a Prolog may fail for it, too, and drain one node after the other) */
static void a_job_that_could_not_be_launched_delays_the_next(void)
{
	struct bridge b;
	char id[BRIDGE_ID_MAX];

	begin(&b, id);
	q->job.by_us = q->launch.twice = true;
	job.status.state = PLACED_ENDED;
	now += 60000;
	placeholders_refresh(&b);
	T_OK(q->refused.submit_at > now);
	T_INT(q->vain.n, 1);
	job.job_id = 8;
	job.status.state = PLACED_PENDING;
	now += 60000;
	placeholders_refresh(&b);
	T_OK(!q->launch.twice);
	end(&b);
}

/* An engine has cancelled it, and was killed: the next one knows it by the job.
 */
static void what_a_former_engine_has_given_up_says_so(void)
{
	for (int again = 0; again < 2; again++) {
		const struct job_identity of = {
			.cluster = "c",
			.of = {.ns = "ns", .name = "p", .uid = "u"},
			.pods = 1,
			.again = again};
		struct bridge b;
		char id[BRIDGE_ID_MAX], given_up[BRIDGE_ID_MAX];

		t_row("%d", again);
		T_INT(job_identity_make(&of, given_up, NULL), 0);
		begin(&b, id);
		T_OK(!q->job.by_us);
		job.status.state = PLACED_ENDED;
		job.admin_comment = given_up;
		now += 60000;
		placeholders_refresh(&b);
		T_INT(q->job.state, PLACEHOLDER_ENDED);
		T_INT(q->job.by_us, again);
		/* (the next one is not) */
		job.job_id = 8;
		job.admin_comment = id;
		now += 60000;
		placeholders_refresh(&b);
		T_OK(!q->job.by_us);
		end(&b);
	}
}

/* Slurm has it for some minutes (MinJobAge), and names it first. */
static void a_job_that_has_ended_is_not_the_groups_job_again(void)
{
	struct bridge b;
	char id[BRIDGE_ID_MAX];

	begin(&b, id);
	older = job;
	older.job_id = 6;
	older.status.state = PLACED_ENDED;
	q->bound.job = 7;
	for (int i = 0; i < 3; i++) {
		now += 60000;
		placeholders_refresh(&b);
		T_INT(q->job.id, 7);
		T_STR(taken_back, ""); /* bindings of job 7 */
		T_INT(q->vain.n, 0);
		T_INT(q->refused.submit_at, 0);
	}
	/* (also when both have) */
	job.status.state = PLACED_ENDED;
	now += 60000;
	placeholders_refresh(&b);
	T_INT(q->job.id, 7);
	T_INT(q->vain.n, 0);
	end(&b);
}

/* (pods on its former nodes are to go) */
static void other_nodes_are_looked_at(void)
{
	struct bridge b;
	char id[BRIDGE_ID_MAX];

	begin(&b, id);
	q->look.touched = false;
	q->nodes.layout = malloc(1); /* of its nodes before */
	now += 60000;
	placeholders_refresh(&b);
	T_OK(!q->look.touched && q->nodes.layout);
	job.nodes = "w-2";
	job.restarts = 1;
	now += 60000;
	placeholders_refresh(&b);
	T_OK(q->look.touched && q->job.requeued && !q->nodes.layout);
	T_STR(q->nodes.names, "w-2");
	end(&b);
}

/*
 * Its user has taken a node from it (scontrol update NumNodes=1), which Slurm
 * gives to others at once.
 */
static void nodes_that_a_running_job_loses_are_looked_after(void)
{
	static const struct {
		const char *layout; /* by an RPC, before the list; or NULL */
		const char *before, *now;
		bool others;
	} rows[] = {
		{NULL, "w-[1-2]", "w-[1-2]", false},
		{NULL, "w-[1-2]", "w-1", true},
		{"w-[1-2]", NULL, "w-[1-2]", false},
		{"w-2,w-1", NULL, "w-[1-2]", false},
		{"w-[1-2]", NULL, "w-1", true},
		{"w-[1-2]", NULL, "w-[2-3]", true},
		{NULL, NULL, "w-1", false}, /* (none are known yet) */
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		struct bridge b;
		char id[BRIDGE_ID_MAX];

		t_row("%zu", i);
		begin(&b, id);
		free(q->nodes.names);
		q->nodes.names = rows[i].before ? strdup(rows[i].before) : NULL;
		q->nodes.layout =
			rows[i].layout ? (void *)strdup(rows[i].layout) : NULL;
		q->bound.until = now + 1000000;
		q->sight.looked = true;
		job.nodes = rows[i].now;
		now += 60000;
		placeholders_refresh(&b);
		T_STR(q->nodes.names, rows[i].now);
		T_INT(q->nodes.others_at, rows[i].others ? now : 0);
		/* (until the next look pods may be on any of their nodes) */
		T_INT(q->sight.looked, str_eq(rows[i].before, rows[i].now));
		T_INT(!q->nodes.layout, rows[i].others || !rows[i].layout);
		T_OK(!q->job.requeued);
		/* (nor is a pod bound to it that is on its way there) */
		T_STR(taken_back, rows[i].others ? "7" : "");
		T_INT(!q->bound.until, rows[i].others);
		free(q->nodes.layout);
		q->nodes.layout = NULL;
		/* (of another job nothing is known) */
		job.job_id = 8;
		now += 60000;
		placeholders_refresh(&b);
		T_INT(q->nodes.others_at, 0);
		end(&b);
	}
}

/*
 * slurmctld was killed before it had saved the job's start, and starts it anew,
 * maybe elsewhere, before it could be told where its pods run.
 */
static void a_job_that_starts_after_its_pods_may_be_elsewhere(void)
{
	static const struct {
		const char *node; /* its pod's */
		uint32_t job_id;
		bool ended, by_list, requeued, starts, others;
	} rows[] = {
		{"w-2", 7, .others = true},
		/* (its nodes are known when it has) */
		{"w-2", 7, .starts = true, .others = true},
		{"w-2", 7, .by_list = true, .others = true},
		{"", 7},
		{"w-2", 6},
		{"w-2", 7, .ended = true},
		/* (its pods are to go) */
		{"w-2", 7, .requeued = true},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		struct bridged_pod pod = {.node = rows[i].node,
					  .job_id = rows[i].job_id,
					  .ended = rows[i].ended};
		struct group_pod m = {.pod = &pod};
		struct pod_group g = {.members = &m};
		struct bridge b;
		char id[BRIDGE_ID_MAX];

		t_row("%zu", i);
		begin(&b, id);
		q->job.state = PLACEHOLDER_PENDING;
		q->job.requeued = rows[i].requeued;
		pods = &g;
		answers = rows[i].by_list ? 0 : -1;
		job.status.configuring = rows[i].starts;
		now += rows[i].by_list ? 60000 : 500;
		placeholders_refresh(&b);
		job.status.configuring = false;
		now += rows[i].starts ? 60000 : 0;
		placeholders_refresh(&b);
		T_INT(q->job.state, PLACEHOLDER_RUNNING);
		T_INT(q->nodes.others_at, rows[i].others ? now : 0);
		T_INT(q->early.own_at, q->nodes.others_at);
		answers = -1;
		pods = NULL;
		end(&b);
	}
}

/* Slurm may not count it as a change that it has found a reason. */
static void a_reason_is_found_though_nothing_has_changed(void)
{
	struct bridge b;
	char id[BRIDGE_ID_MAX];

	begin(&b, id);
	job.status.state = PLACED_PENDING;
	now += 10000;
	placeholders_refresh(&b);
	T_INT(q->job.state, PLACEHOLDER_PENDING);
	T_OK(!q->job.reason);
	changed = false;
	job.reason = "Resources";
	now += 10000;
	placeholders_refresh(&b);
	T_STR(q->job.reason, "Resources");
	job.reason = "Priority"; /* (then only what has changed) */
	now += 10000;
	placeholders_refresh(&b);
	T_STR(q->job.reason, "Resources");
	/* (slurmctld was asked for it; the RPC for states does not tell) */
	placeholders_held(&b, q, "JobHeldAdmin");
	b.jobs.stale = false;
	now += 500;
	placeholders_refresh(&b);
	T_INT(q->job.state, PLACEHOLDER_HELD);
	T_STR(q->job.reason, "JobHeldAdmin");
	changed = true;
	end(&b);
}

/* In a long queue Slurm has none for most: that is no ground to ask for all. */
static void reasons_of_old_jobs_are_asked_for_seldom(void)
{
	struct bridge b;
	char id[BRIDGE_ID_MAX];

	begin(&b, id);
	job.status.state = PLACED_PENDING;
	now += 60000;
	placeholders_refresh(&b);
	now += 11000; /* it is not young any more: asked, this once */
	placeholders_refresh(&b);
	changed = false;
	job.reason = "Resources";
	now += 5000;
	placeholders_refresh(&b);
	T_OK(!q->job.reason);
	now += 6000;
	placeholders_refresh(&b);
	T_STR(q->job.reason, "Resources");
	changed = true;
	end(&b);
}

/* It was the former job that ran. */
static void a_new_job_was_not_put_back(void)
{
	struct bridge b;
	char id[BRIDGE_ID_MAX];
	struct job_identity other = {
		.cluster = "c",
		.of = {.ns = "ns", .name = "p", .uid = "v"},
		.pods = 1};

	begin(&b, id);
	T_INT(q->job.state, PLACEHOLDER_RUNNING);
	placeholders_submitted(&b, q, 78, &other);
	T_INT(q->job.state, PLACEHOLDER_PENDING);
	T_INT(q->job.id, 78);
	T_OK(!q->job.requeued);
	end(&b);
}

T_MAIN("placeholders", T(reasons_of_old_jobs_are_asked_for_seldom),
       T(nodes_that_a_running_job_loses_are_looked_after),
       T(a_job_that_starts_after_its_pods_may_be_elsewhere),
       T(a_new_job_was_not_put_back), T(other_nodes_are_looked_at),
       T(others_get_their_turn_when_a_job_has_ended),
       T(jobs_that_end_with_no_pod_bound_come_slower_and_slower),
       T(a_job_that_has_ended_is_not_the_groups_job_again),
       T(a_job_that_we_end_or_whose_pods_were_bound_delays_no_other),
       T(a_job_that_could_not_be_launched_delays_the_next),
       T(what_a_former_engine_has_given_up_says_so),
       T(a_job_that_ran_and_waits_was_put_back),
       T(a_reason_is_found_though_nothing_has_changed),
       T(what_was_not_sent_is_taken_back_when_a_job_stops))
