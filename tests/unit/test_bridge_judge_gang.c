/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is planned for a gang of which no pod is left. */
#include "judge_fixture.h"

/* Its controller deletes all that are left, and then makes all anew. */
static void a_gang_that_was_put_back_waits_for_pods_when_none_is_left(void)
{
	static const struct {
		const char *key;
		enum bridge_job job;
		bool requeued, kept; /* by a finalizer: one that has ended */
		const char *reason, *row, *later;
	} rows[] = {
		{"5 ns js ", BRIDGE_HELD, true, false, "JobHeldAdmin",
		 "no longer complete?", "no longer complete"},
		{"5 ns js ", BRIDGE_HELD, true, true, "JobHeldAdmin",
		 "no longer complete?", "no longer complete"},
		{"5 ns js ", BRIDGE_PENDING, true, false, "Priority",
		 "no longer complete?", "no longer complete"},
		{"5 ns js ", BRIDGE_PENDING, true, true, "Priority",
		 "no longer complete?", "no longer complete"},
		{"5 ns js ", BRIDGE_HELD, false, false, "JobHeldAdmin",
		 "no longer complete?", "no longer complete"},
		{"5 ns js ", BRIDGE_RUNNING, true, false, "",
		 "no longer complete?", "no longer complete"},
		/* nobody makes new ones for these */
		{"5 ns js ", BRIDGE_PENDING, false, false, "Priority",
		 "pods gone", "pods gone"},
		{"0 ns u1", BRIDGE_PENDING, true, false, "Priority",
		 "pods gone", "pods gone"},
		{"0 ns u1", BRIDGE_HELD, true, false, "JobHeldAdmin",
		 "pods gone", "pods gone"},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_scene_ struct scene s = scene("ns", BRIDGE_NONE, NULL);

		t_row("%zu", i);
		s.q = add_job(rows[i].key, rows[i].job, NULL);
		s.q->requeued = rows[i].requeued;
		s.q->reason = (char *)rows[i].reason;
		s.q->seen = true;
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
		s.q->short_at -= BRIDGE_SHORT_MS;
		look(&s);
		T_STR(s.j.plan.row, rows[i].later);
		T_INT(s.j.plan.action, BRIDGE_CANCEL);
	}
}

/* (what is not in view is not short) */
static void a_gang_without_pods_in_view_has_its_time_when_they_are_known(void)
{
	_cleanup_scene_ struct scene s = scene("ns", BRIDGE_NONE, NULL);

	s.q = add_job("5 ns js ", BRIDGE_PENDING, NULL);
	s.q->requeued = s.q->lost = s.b.lost.is = true;
	s.g = NULL;
	look(&s);
	T_STR(s.j.plan.row, "pods unknown");
	T_INT(s.q->short_at, 0);
	s.b.lost.is = false;
	look(&s);
	T_STR(s.j.plan.row, "no longer complete?");
	T_OK(s.q->short_at);
}

T_MAIN("bridge_judge_gang",
       T(a_gang_that_was_put_back_waits_for_pods_when_none_is_left),
       T(a_gang_without_pods_in_view_has_its_time_when_they_are_known))
