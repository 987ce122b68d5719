/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a group's plan is made by: Slurm has lost the job of pods that run. */
#include "judge_fixture.h"

/* Slurm has lost the job, and refuses another one, or is to get their node. */
static void what_slurm_does_not_take_yet_makes_no_orphans_for_a_while(void)
{
	static const struct {
		int rc; /* of where they run */
		enum bridge_job job;
		const char *row, *late;
		bool by_us;
	} rows[] = {
		{0, BRIDGE_NONE, "lost", "orphan"},
		{-EAGAIN, BRIDGE_NONE, "lost?", "orphan"},
		{-ENOENT, BRIDGE_NONE, "orphan", "orphan"},
		{-EAGAIN, BRIDGE_ENDED, "ended", "ended"},
		/* (it named a node that was deleted, and could not be pinned)
		 */
		{0, BRIDGE_ENDED, "lost", "ended", .by_us = true},
		{-EAGAIN, BRIDGE_ENDED, "lost?", "ended", .by_us = true},
		/* (it has one: that is elsewhere only as the bridge begins) */
		{0, BRIDGE_RUNNING, "running", "running"},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_scene_ struct scene s = scene("ns", rows[i].job, "n2");
		const int64_t now = clock_ms();
		struct informer_handler on;

		t_row("%zu", i);
		bridge_hosts_handler(s.b.hosts, &on);
		on.on_synced(on.arg);
		no_places = rows[i].rc;
		s.q->by_us = rows[i].by_us;
		s.q->state_at = now - BRIDGE_ORPHAN_MS - 1;
		s.b.on_at = now - BRIDGE_EARLY_MS - 1;
		s.q->jobless_at = now - BRIDGE_EARLY_MS;
		add_pod(s.g, "n1", false);
		look(&s);
		T_STR(s.j.plan.row, rows[i].row);
		s.q->jobless_at = now - BRIDGE_JOBLESS_MS;
		look(&s);
		T_STR(s.j.plan.row, rows[i].late);
	}
	no_places = 0;
}

/* (it may have run for days before its node has left Slurm) */
static void a_node_is_waited_for_only_when_the_bridge_begins(void)
{
	for (int early = 0; early < 2; early++) {
		_cleanup_scene_ struct scene s = scene("ns", BRIDGE_NONE, NULL);
		struct informer_handler on;

		t_row("%d", early);
		bridge_hosts_handler(s.b.hosts, &on);
		on.on_synced(on.arg);
		no_places = -EAGAIN;
		s.b.on_at = clock_ms() - (early ? 1 : BRIDGE_EARLY_MS + 1);
		add_pod(s.g, "n1", false);
		look(&s);
		T_STR(s.j.plan.row, early ? "lost?" : "orphan");
		T_OK(!s.q->jobless_at == !early);
	}
	no_places = 0;
}

/* (Slurm has no node that it names) */
static void a_job_that_cannot_be_changed_is_so_until_that_is_tried_again(void)
{
	static const struct {
		uint32_t no_node;
		int ms; /* so long not before */
		const char *row;
	} rows[] = {
		{7, 60000, "no such node"},
		{7, -1, "pending"},
		{6, 60000, "pending"}, /* (it was the last one) */
		{0, 60000, "pending"},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_scene_ struct scene s =
			scene("ns", BRIDGE_PENDING, NULL);

		t_row("%zu", i);
		s.q->no_node = rows[i].no_node;
		s.q->update_at = clock_ms() + rows[i].ms;
		s.q->state_at = clock_ms();
		add_pod(s.g, "", false);
		look(&s);
		str_copy(s.q->wish, s.j.order.id.wish, sizeof(s.q->wish));
		look(&s);
		T_STR(s.j.plan.row, rows[i].row);
	}
}

static void until_its_turn_to_be_told_other_nodes_a_job_is_as_any(void)
{
	_cleanup_scene_ struct scene s = scene("ns", BRIDGE_PENDING, NULL);

	s.q->state_at = clock_ms();
	add_pod(s.g, "", false);
	look(&s);
	str_copy(s.q->wish, s.j.order.id.wish, sizeof(s.q->wish));
	/* (its second half is of nodes) */
	s.q->wish[JOBWISH_DIGEST_OWN] = 'x';
	look(&s);
	T_STR(s.j.plan.row, "changed");
	s.q->update_waits = true;
	look(&s);
	T_STR(s.j.plan.row, "pending");
}

T_MAIN("bridge_judge_lost",
       T(until_its_turn_to_be_told_other_nodes_a_job_is_as_any),
       T(a_job_that_cannot_be_changed_is_so_until_that_is_tried_again),
       T(what_slurm_does_not_take_yet_makes_no_orphans_for_a_while),
       T(a_node_is_waited_for_only_when_the_bridge_begins))
