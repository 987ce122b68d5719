/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is planned for a gang of which no pod is left, or whose object is made
 * anew. */
#include "group_observe_fixture.h"

/* Its controller deletes all that are left, and then makes all anew. */
static void a_gang_that_was_put_back_waits_for_pods_when_none_is_left(void)
{
	static const struct {
		const char *key;
		enum placeholder_state job;
		bool requeued, kept; /* by a finalizer: one that has ended */
		const char *reason, *row, *later;
	} rows[] = {
		{"5 ns js ", PLACEHOLDER_HELD, true, false, "JobHeldAdmin",
		 "no longer complete?", "no longer complete"},
		{"5 ns js ", PLACEHOLDER_HELD, true, true, "JobHeldAdmin",
		 "no longer complete?", "no longer complete"},
		{"5 ns js ", PLACEHOLDER_PENDING, true, false, "Priority",
		 "no longer complete?", "no longer complete"},
		{"5 ns js ", PLACEHOLDER_PENDING, true, true, "Priority",
		 "no longer complete?", "no longer complete"},
		{"5 ns js ", PLACEHOLDER_HELD, false, false, "JobHeldAdmin",
		 "no longer complete?", "no longer complete"},
		{"5 ns js ", PLACEHOLDER_RUNNING, true, false, "",
		 "no longer complete?", "no longer complete"},
		/* nobody makes new ones for these */
		{"5 ns js ", PLACEHOLDER_PENDING, false, false, "Priority",
		 "pods gone", "pods gone"},
		{"0 ns u1", PLACEHOLDER_PENDING, true, false, "Priority",
		 "pods gone", "pods gone"},
		{"0 ns u1", PLACEHOLDER_HELD, true, false, "JobHeldAdmin",
		 "pods gone", "pods gone"},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_scene_ struct scene s =
			scene("ns", PLACEHOLDER_NONE, NULL);

		t_row("%zu", i);
		s.q = add_job(rows[i].key, rows[i].job, NULL);
		s.q->job.requeued = rows[i].requeued;
		s.q->job.reason = (char *)rows[i].reason;
		s.q->sight.seen = true;
		s.g->of.kind = WORKLOAD_JOBSET;
		s.g->of.members = 0; /* (the object says) */
		if (rows[i].kept) {
			add_pod(s.g, "n1", false);
			s.g->members->pod->phase = POD_FAILED;
			s.g->members->pod->ended = true;
			s.g->members->pod->job_id = 7;
		} else {
			s.g = NULL;
		}
		look(&s);
		T_STR(s.j.plan.row, rows[i].row);
		s.q->since.short_at -= BRIDGE_SHORT_MS;
		look(&s);
		T_STR(s.j.plan.row, rows[i].later);
		T_INT(s.j.plan.action, GROUP_CANCEL);
	}
}

/* (what is not in view is not short) */
static void a_gang_without_pods_in_view_has_its_time_when_they_are_known(void)
{
	_cleanup_scene_ struct scene s = scene("ns", PLACEHOLDER_NONE, NULL);

	s.q = add_job("5 ns js ", PLACEHOLDER_PENDING, NULL);
	s.q->job.requeued = s.q->whereabouts.lost = s.b.lost.disruption.is =
		true;
	s.g = NULL;
	look(&s);
	T_STR(s.j.plan.row, "pods unknown");
	T_INT(s.q->since.short_at, 0);
	s.b.lost.disruption.is = false;
	look(&s);
	T_STR(s.j.plan.row, "no longer complete?");
	T_OK(s.q->since.short_at);
}

/* Another Reason is rather a Prolog's, which would fail for the next job. */
static void what_was_not_launched_is_made_anew_if_its_id_was_given_twice(void)
{
	static const struct {
		enum placeholder_state job;
		bool drained;
		const char *of_node, *reason;
		int64_t age_ms, drained_ms;
		bool is;
	} rows[] = {
		{PLACEHOLDER_HELD, true, WK_REASON_DUPLICATE,
		 PLACED_LAUNCH_FAILED, 1, 1000, true},
		{PLACEHOLDER_HELD, false, WK_REASON_DUPLICATE,
		 PLACED_LAUNCH_FAILED, 1, 1000, false},
		{PLACEHOLDER_HELD, true, "Prolog error", PLACED_LAUNCH_FAILED,
		 1, 1000, false},
		{PLACEHOLDER_HELD, true, WK_REASON_DUPLICATE,
		 PLACED_LAUNCH_FAILED, BRIDGE_LAUNCH_MS, 1000, false},
		{PLACEHOLDER_HELD, true, WK_REASON_DUPLICATE, "JobHeldUser", 1,
		 1000, false},
		{PLACEHOLDER_HELD, true, WK_REASON_DUPLICATE, NULL, 1, 1000,
		 false},
		{PLACEHOLDER_PENDING, true, WK_REASON_DUPLICATE,
		 PLACED_LAUNCH_FAILED, 1, 1000, false},
		/* (that was another job's) */
		{PLACEHOLDER_HELD, true, WK_REASON_DUPLICATE,
		 PLACED_LAUNCH_FAILED, 1, 2 * BRIDGE_LAUNCH_MS + 1000, false},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_scene_ struct scene s = scene("ns", rows[i].job, NULL);

		t_row("%zu", i);
		only_node = (struct ctl_node){.name = "n9",
					      .drained = rows[i].drained,
					      .reason = rows[i].of_node,
					      .reason_ms = clock_real_ms() -
							   rows[i].drained_ms};
		s.b.external.slurm.nodes = (void *)&only_node;
		s.b.external.slurm.read_at = 5;
		s.q->job.state_at = clock_ms() - rows[i].age_ms;
		s.q->job.reason = (char *)rows[i].reason;
		add_pod(s.g, "", false);
		look(&s);
		T_INT(s.q->launch.twice, rows[i].is);
		T_INT(!strcmp(s.j.plan.row, "not launched"), rows[i].is);
		if (!rows[i].is)
			continue;
		/* what was once seen stays, whatever becomes of the node */
		only_node.drained = false;
		s.b.external.slurm.read_at = 6;
		look(&s);
		T_STR(s.j.plan.row, "not launched");
	}
}

/* A Prolog that fails beside such a drain would drain a node for each job. */
static void that_is_done_three_times_and_then_it_stays_held(void)
{
	_cleanup_scene_ struct scene s = scene("ns", PLACEHOLDER_HELD, NULL);

	only_node = (struct ctl_node){.name = "n9",
				      .drained = true,
				      .reason = WK_REASON_DUPLICATE,
				      .reason_ms = clock_real_ms()};
	s.b.external.slurm.nodes = (void *)&only_node;
	s.b.external.slurm.read_at = 5;
	s.q->job.reason = (char *)PLACED_LAUNCH_FAILED;
	add_pod(s.g, "", false);
	for (unsigned int i = 0; i < 4; i++) {
		t_row("job %u", i);
		s.q->launch.twice = false; /* (each is another job) */
		s.q->job.state_at = clock_ms();
		look(&s);
		T_INT(!strcmp(s.j.plan.row, "not launched"), i < 3);
	}
}

/*
 * Replaced while its pods run: the newest pod, and the object if we see it by
 * now, say that it is another one. (u0 and its job are the former one's.)
 */
static void a_job_made_anew_gets_a_job_of_its_own(void)
{
	static const struct {
		enum workload_kind kind;
		uint32_t asked; /* gang-size */
		bool seen, refused;
		const char *row;
	} rows[] = {
		{WORKLOAD_JOB, 0, true, false, "submit"},
		{WORKLOAD_JOB, 1, true, false, "submit"},
		{WORKLOAD_JOB, 0, false, false, "unknown size"},
		{WORKLOAD_JOB, 1, false, false, "unknown size"},
		{WORKLOAD_JOB, 0, true, true, "refused"},
		{WORKLOAD_JOB, 1, true, true, "refused"},
		{WORKLOAD_JOBSET, 1, true, false, "submit"},
	};
	const job_option_set allow = served.allow;

	served.allow = ~(job_option_set)0;
	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_scene_ struct scene s =
			scene("ns", PLACEHOLDER_RUNNING, "n1");

		t_row("%zu", i);
		objects[rows[i].kind] =
			rows[i].seen ? NAMED("job", "\"parallelism\": 1")
				     : NULL;
		shape.refusal = rows[i].refused ? (char *)"no" : NULL;
		s.g->of.kind = rows[i].kind;
		s.g->of.members = rows[i].asked;
		strcpy(s.g->of.name, "g");
		if (rows[i].kind == WORKLOAD_JOB)
			strcpy(s.g->of.uid, "1-2");
		strcpy(s.q->job.uid, "1-1");
		add_pod(s.g, "n1", true);
		add_pod(s.g, "", false);
		look(&s);
		T_STR(s.j.plan.row, "duplicate job");
		T_INT(s.j.plan.action, GROUP_CANCEL);
		T_INT(s.j.plan.job_id, 7);
		/* (whoever holds it has not released it) */
		s.q->job.state = PLACEHOLDER_HELD;
		s.q->job.reason = strdup("JobHeldAdmin");
		look(&s);
		T_STR(s.j.plan.row, "held");
		T_INT(s.j.plan.job_id, 7);
		free(steal_ptr(s.q->job.reason));
		/* what still runs is let end */
		s.q->job.state = PLACEHOLDER_COMPLETING;
		look(&s);
		T_STR(s.j.plan.row, "leaving");
		s.q->job.state = PLACEHOLDER_ENDED;
		s.q->job.end = PLACEHOLDER_CANCELLED;
		s.g->members->next->pod->ended = true;
		s.g->members->pod->job_id =
			7; /* (it was told of the old one) */
		look(&s);
		T_STR(s.j.plan.row, rows[i].row);
	}
	served.allow = allow;
	shape.refusal = NULL;
	memset(objects, 0, sizeof(objects));
}

/*
 * (the job was cancelled, with all that ran, as soon as another pod waited)
 */
static void pods_that_outlive_their_object_keep_their_job(void)
{
	static const struct {
		enum workload_kind kind;
		const char *spec;
	} rows[] = {
		{WORKLOAD_PODGROUP, "\"minMember\": 1"},
		{WORKLOAD_GROUP,
		 "\"schedulingPolicy\": {\"gang\": {\"minCount\": 1}}"},
		{WORKLOAD_WORKLOAD,
		 "\"podGroups\": [{\"name\": \"a\", \"policy\": {\"gang\": "
		 "{\"minCount\": 1}}}]"},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_scene_ struct scene s =
			scene("ns", PLACEHOLDER_RUNNING, "n1");
		_cleanup_free_ char *text =
			str_printf("{\"metadata\": {\"name\": \"g\", "
				   "\"namespace\": \"ns\", \"uid\": \"1-2\"}, "
				   "\"spec\": {%s}}",
				   rows[i].spec);

		t_row("%zu", i);
		objects[rows[i].kind] = text;
		s.g->of.kind = rows[i].kind;
		s.g->of.members = 0;
		strcpy(s.g->of.name, "g");
		strcpy(s.g->of.part, "a");
		strcpy(s.q->job.uid, "1-1");
		add_pod(s.g, "n1", true);
		add_pod(s.g, "n1", false);
		add_pod(s.g, "", false);
		look(&s);
		T_STR(s.j.order.id.of.uid, "1-2");
		T_STR(s.j.plan.row, "too many");
		T_INT(s.j.view.job, PLACEHOLDER_RUNNING);
		/* those that run do so by another one, or end: it is not theirs
		 */
		s.g->members->next->pod->job_id = 6;
		look(&s);
		T_STR(s.j.plan.row, "duplicate job");
		s.g->members->next->pod->job_id = 7;
		s.g->members->next->pod->deleting = true;
		look(&s);
		T_STR(s.j.plan.row, "duplicate job");
		/* one that waits is made anew */
		s.g->members->next->pod->node = "";
		s.g->members->next->pod->deleting = false;
		s.g->members->next->next->pod->ended = true;
		s.q->job.state = PLACEHOLDER_PENDING;
		look(&s);
		T_STR(s.j.plan.row, "duplicate job");
	}
	memset(objects, 0, sizeof(objects));
}

T_MAIN("group_observe_gang", T(pods_that_outlive_their_object_keep_their_job),
       T(a_job_made_anew_gets_a_job_of_its_own),
       T(that_is_done_three_times_and_then_it_stays_held),
       T(what_was_not_launched_is_made_anew_if_its_id_was_given_twice),
       T(a_gang_that_was_put_back_waits_for_pods_when_none_is_left),
       T(a_gang_without_pods_in_view_has_its_time_when_they_are_known))
