/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is planned for a gang of which no pod is left. */
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
	s.q->job.requeued = s.q->astray.lost = s.b.lost.disruption.is = true;
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

T_MAIN("group_observe_gang", T(that_is_done_three_times_and_then_it_stays_held),
       T(what_was_not_launched_is_made_anew_if_its_id_was_given_twice),
       T(a_gang_that_was_put_back_waits_for_pods_when_none_is_left),
       T(a_gang_without_pods_in_view_has_its_time_when_they_are_known))
