/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a group's plan is made by: a job that waits must not lose its place. */
#include "group_observe_fixture.h"

/* Nodes get a taint for a minute, and then too many do not fit, say. */
static void a_job_stays_whatever_becomes_of_nodes(void)
{
	static const struct {
		int rc; /* of what would be asked of Slurm */
		const char *waits, *none;
	} rows[] = {
		{-EHOSTUNREACH, "pending", "refused"},
		{-ETIME, "pending", "refused"},
		{-ENXIO, "pending", "unknown size"},
		/* (what its pods ask for) */
		{-E2BIG, "refused now", "refused"},
		{-EINVAL, "refused now", "refused"},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_scene_ struct scene s =
			scene("ns", PLACEHOLDER_PENDING, NULL);

		t_row("%zu", i);
		no_order = rows[i].rc;
		s.q->job.state_at = clock_ms();
		s.q->told.reason = (char *)"";
		s.q->told.at = clock_ms();
		add_pod(s.g, "", false);
		look(&s);
		T_STR(s.j.plan.row, rows[i].waits);
		if (rows[i].rc == -ETIME) /* (nothing else asks again) */
			T_OK(s.j.plan.again_ms > 0 &&
			     s.j.plan.again_ms <= FIT_SLOW_MS);
		s.q->job.state = PLACEHOLDER_NONE;
		s.q->job.id = 0;
		look(&s);
		T_STR(s.j.plan.row, rows[i].none);
		T_INT(s.j.plan.again_ms,
		      rows[i].rc == -ETIME ? FIT_SLOW_MS : 0);
	}
	no_order = 0;
}

/* (at another API server its list may come before that of pods) */
static void a_namespace_that_is_not_in_view_refuses_nobody(void)
{
	for (int in_view = 0; in_view < 2; in_view++) {
		_cleanup_scene_ struct scene s =
			scene("other", PLACEHOLDER_PENDING, NULL);

		t_row("%d", in_view);
		has_space = in_view;
		s.q->told.reason = (char *)"";
		s.q->told.at = clock_ms();
		add_pod(s.g, "", false);
		s.q->told.pods = pod_sum("u0");
		look(&s);
		T_STR(s.j.plan.row, in_view ? "refused now" : "pending");
		s.q->job.state = PLACEHOLDER_NONE;
		s.q->job.id = 0;
		look(&s);
		T_STR(s.j.plan.row, in_view ? "refused" : "unknown size");
		T_HAS(s.j.plan.words,
		      in_view ? "namespace other may not use Slurm's queue"
			      : "namespace other is not in view");
	}
	has_space = true;
}

/* (the 30 s begin when it is in view) */
static void nor_are_its_pods_late_that_have_lost_their_job(void)
{
	for (int in_view = 0; in_view < 2; in_view++) {
		_cleanup_scene_ struct scene s =
			scene("other", PLACEHOLDER_NONE, NULL);

		t_row("%d", in_view);
		has_space = in_view;
		s.b.active.since = clock_ms() - 1;
		s.q->job.state_at = clock_ms() - BRIDGE_ORPHAN_MS - 1;
		add_pod(s.g, "n1", false);
		look(&s);
		T_STR(s.j.plan.row, "outside");
		s.b.active.since = clock_ms() - BRIDGE_EARLY_MS - 1;
		has_space = true;
		strcpy(s.g->of.ns, "ns"); /* (which may enter) */
		look(&s);
		T_STR(s.j.plan.row, in_view ? "orphan" : "lost");
	}
}

/* Each is noted since when it is so, and forgotten when it is over. */
static void how_long_a_job_lacks_what_it_needs_is_known(void)
{
	_cleanup_scene_ struct scene s = scene("ns", PLACEHOLDER_RUNNING, "n1");

	add_pod(s.g, "", false);
	room = is_kept = false; /* it is about to end */
	look(&s);
	T_INT(s.q->since.kept_at, 0);
	is_kept = true;
	look(&s);
	T_OK(s.q->since.kept_at > 0);
	T_STR(s.j.plan.row, "no room yet");
	s.q->since.kept_at -= BRIDGE_KEPT_MS;
	look(&s);
	T_STR(s.j.plan.row, "not free");
	room = true;
	look(&s);
	T_INT(s.q->since.kept_at, 0);
	T_STR(s.j.plan.row, "bind");
	/* its object is gone */
	s.g->of.members = 0;
	look(&s);
	T_OK(s.q->since.unknown_at > 0);
	T_STR(s.j.plan.row, "unknown size");
	s.q->since.unknown_at -= BRIDGE_UNKNOWN_MS;
	look(&s);
	T_STR(s.j.plan.row, "size unknown");
	s.g->of.members = 1;
	look(&s);
	T_INT(s.q->since.unknown_at, 0);
	T_STR(s.j.plan.row, "bind");
}

T_MAIN("group_observe_wait", T(how_long_a_job_lacks_what_it_needs_is_known),
       T(a_job_stays_whatever_becomes_of_nodes),
       T(a_namespace_that_is_not_in_view_refuses_nobody),
       T(nor_are_its_pods_late_that_have_lost_their_job))
