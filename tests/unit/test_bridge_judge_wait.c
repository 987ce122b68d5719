/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a group's plan is made by: a job that waits must not lose its place. */
#include "judge_fixture.h"

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
			scene("ns", BRIDGE_PENDING, NULL);

		t_row("%zu", i);
		no_order = rows[i].rc;
		s.q->state_at = clock_ms();
		s.q->told.reason = (char *)"";
		s.q->told.at = clock_ms();
		add_pod(s.g, "", false);
		look(&s);
		T_STR(s.j.plan.row, rows[i].waits);
		if (rows[i].rc == -ETIME) /* (nothing else asks again) */
			T_OK(s.j.plan.again_ms > 0 &&
			     s.j.plan.again_ms <= FIT_SLOW_MS);
		s.q->job = BRIDGE_NONE;
		s.q->job_id = 0;
		look(&s);
		T_STR(s.j.plan.row, rows[i].none);
		T_INT(s.j.plan.again_ms,
		      rows[i].rc == -ETIME ? FIT_SLOW_MS : 0);
	}
	no_order = 0;
}

T_MAIN("bridge_judge_wait", T(a_job_stays_whatever_becomes_of_nodes))
