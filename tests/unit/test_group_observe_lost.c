/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a group's plan is made by: Slurm has lost the job of pods that run. */
#include "group_observe_fixture.h"

/* Slurm has lost the job, and refuses another one, or is to get their node. */
static void what_slurm_does_not_take_yet_makes_no_orphans_for_a_while(void)
{
	static const struct {
		int rc; /* of where they run */
		enum placeholder_state job;
		const char *row, *late;
		bool by_us;
	} rows[] = {
		{0, PLACEHOLDER_NONE, "lost", "orphan"},
		{-EAGAIN, PLACEHOLDER_NONE, "lost?", "orphan"},
		{-ENOENT, PLACEHOLDER_NONE, "orphan", "orphan"},
		{-EAGAIN, PLACEHOLDER_ENDED, "ended", "ended"},
		/* (it named a node that was deleted, and could not be pinned)
		 */
		{0, PLACEHOLDER_ENDED, "lost", "ended", .by_us = true},
		{-EAGAIN, PLACEHOLDER_ENDED, "lost?", "ended", .by_us = true},
		/* (it has one: that is elsewhere only as the bridge begins) */
		{0, PLACEHOLDER_RUNNING, "running", "running"},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_scene_ struct scene s = scene("ns", rows[i].job, "n2");
		const int64_t now = clock_ms();
		struct informer_handler on;

		t_row("%zu", i);
		on = inventory_handler(s.b.inventory);
		on.on_synced(on.arg);
		no_places = rows[i].rc;
		s.q->job.by_us = rows[i].by_us;
		s.q->job.state_at = now - BRIDGE_ORPHAN_MS - 1;
		s.b.active.since = now - BRIDGE_EARLY_MS - 1;
		s.q->early.jobless_at = now - BRIDGE_EARLY_MS;
		add_pod(s.g, "n1", false);
		look(&s);
		T_STR(s.j.plan.row, rows[i].row);
		s.q->early.jobless_at = now - BRIDGE_JOBLESS_MS;
		look(&s);
		T_STR(s.j.plan.row, rows[i].late);
	}
	no_places = 0;
}

/* (it may have run for days before its node has left Slurm) */
static void a_node_is_waited_for_only_when_the_bridge_begins(void)
{
	for (int early = 0; early < 2; early++) {
		_cleanup_scene_ struct scene s =
			scene("ns", PLACEHOLDER_NONE, NULL);
		struct informer_handler on;

		t_row("%d", early);
		on = inventory_handler(s.b.inventory);
		on.on_synced(on.arg);
		no_places = -EAGAIN;
		s.b.active.since =
			clock_ms() - (early ? 1 : BRIDGE_EARLY_MS + 1);
		add_pod(s.g, "n1", false);
		look(&s);
		T_STR(s.j.plan.row, early ? "lost?" : "orphan");
		T_OK(!s.q->early.jobless_at == !early);
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
			scene("ns", PLACEHOLDER_PENDING, NULL);

		t_row("%zu", i);
		s.q->update.no_node = rows[i].no_node;
		s.q->update.at = clock_ms() + rows[i].ms;
		s.q->job.state_at = clock_ms();
		add_pod(s.g, "", false);
		look(&s);
		str_copy(s.q->job.options_digest, s.j.order.id.options_digest,
			 sizeof(s.q->job.options_digest));
		look(&s);
		T_STR(s.j.plan.row, rows[i].row);
	}
}

static void until_its_turn_to_be_told_other_nodes_a_job_is_as_any(void)
{
	_cleanup_scene_ struct scene s = scene("ns", PLACEHOLDER_PENDING, NULL);

	s.q->job.state_at = clock_ms();
	add_pod(s.g, "", false);
	look(&s);
	str_copy(s.q->job.options_digest, s.j.order.id.options_digest,
		 sizeof(s.q->job.options_digest));
	/* (its second half is of nodes) */
	s.q->job.options_digest[JOB_OPTIONS_DIGEST_OWN] = 'x';
	look(&s);
	T_STR(s.j.plan.row, "changed");
	s.q->update.waits = true;
	look(&s);
	T_STR(s.j.plan.row, "pending");
}

/* (Slurm goes by the places of nodes in its table, which are others then) */
static void
a_job_that_names_nodes_is_told_them_again_when_one_was_made_anew(void)
{
	static const struct {
		const char *excluded;
		unsigned int told; /* when that had happened so often */
		const char *row;
	} rows[] = {{"n7", 2, "changed"},
		    {"n7", 3, "pending"},
		    {NULL, 2, "pending"}};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_scene_ struct scene s =
			scene("ns", PLACEHOLDER_PENDING, NULL);

		t_row("%zu", i);
		excluded = rows[i].excluded;
		s.b.external.creations.anew = 3;
		s.q->update.anew = rows[i].told;
		s.q->job.state_at = clock_ms();
		add_pod(s.g, "", false);
		look(&s);
		str_copy(s.q->job.options_digest, s.j.order.id.options_digest,
			 sizeof(s.q->job.options_digest));
		look(&s);
		T_STR(s.j.plan.row, rows[i].row);
		T_OK(!s.j.view.anew);
	}
	excluded = NULL;
}

/* One of thousands that have lost their jobs: 30 s are over before its look. */
static struct scene late_one(enum placeholder_state job, const char *nodes)
{
	struct scene s = scene("ns", job, nodes);

	s.q->early.begins = true;
	s.q->job.state_at = clock_ms() - BRIDGE_ORPHAN_MS - 1;
	s.b.active.since = clock_ms() - BRIDGE_EARLY_MS - 1;
	add_pod(s.g, "n1", false);
	return s;
}

static void who_comes_late_to_its_first_look_gets_a_job_too(void)
{
	_cleanup_scene_ struct scene s = late_one(PLACEHOLDER_NONE, NULL);

	/* (these find nothing out) */
	s.b.jobs.known = false;
	look(&s);
	T_STR(s.j.plan.row, "Slurm unknown");
	s.b.jobs.known = true;
	s.b.view.old = true;
	look(&s);
	T_STR(s.j.plan.row, "stale");
	s.b.view.old = false;
	look(&s);
	T_STR(s.j.plan.row, "lost");
	/* it has as long as the first ones, and no longer */
	T_OK(clock_ms() - s.q->early.own_at < 10000);
	s.q->early.own_at -= BRIDGE_EARLY_MS + 1;
	look(&s);
	T_STR(s.j.plan.row, "orphan?");
	s.q->job.state_at -= BRIDGE_ORPHAN_MS + 1;
	look(&s);
	T_STR(s.j.plan.row, "orphan");
}

/* (60 s from when it was known that it waits; it was not asked to start yet) */
static void a_job_that_waits_again_is_pinned_before_it_is_given_up(void)
{
	_cleanup_scene_ struct scene s = late_one(PLACEHOLDER_PENDING, NULL);

	look(&s);
	T_STR(s.j.plan.row, "forgotten");
	T_INT(s.j.plan.action, GROUP_PIN);
	s.q->did.pinned = 7;
	look(&s);
	T_INT(s.j.plan.action, GROUP_KEEP);
	s.q->job.state_at -= BRIDGE_FORGOTTEN_MS + 1;
	look(&s);
	T_INT(s.j.plan.action, GROUP_DELETE_PODS);
}

/* Its job was started elsewhere, and goes; that is seen late, too. */
static void what_was_elsewhere_gets_another_job_when_its_turn_comes(void)
{
	static const enum placeholder_state rows[] = {PLACEHOLDER_COMPLETING,
						      PLACEHOLDER_ENDED};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_scene_ struct scene s =
			late_one(PLACEHOLDER_RUNNING, "n2");

		t_row("%zu", i);
		look(&s);
		T_STR(s.j.plan.row, "elsewhere");
		s.q->early.own_at -= BRIDGE_EARLY_MS + 1;
		s.q->job.state = rows[i];
		s.q->job.by_us = true;
		s.q->job.end = PLACEHOLDER_CANCELLED;
		look(&s);
		T_STR(s.j.plan.row, i ? "lost" : "completing");
		s.q->early.jobless_at -= BRIDGE_JOBLESS_MS + 1;
		look(&s);
		T_STR(s.j.plan.row, "ended");
	}
}

/* (until then its pods' nodes are nobody's: test_node_room.c) */
static void the_first_look_that_counts_finds_pods_elsewhere(void)
{
	_cleanup_scene_ struct scene s = late_one(PLACEHOLDER_RUNNING, "n2");

	s.b.jobs.known = false;
	look(&s);
	T_OK(!s.q->sight.looked);
	s.b.jobs.known = true;
	s.b.view.old = true;
	look(&s);
	T_OK(!s.q->sight.looked);
	s.b.view.old = false;
	look(&s);
	T_STR(s.j.plan.row, "elsewhere");
	T_OK(s.q->sight.looked);
}

T_MAIN("group_observe_lost", T(who_comes_late_to_its_first_look_gets_a_job_too),
       T(a_job_that_waits_again_is_pinned_before_it_is_given_up),
       T(what_was_elsewhere_gets_another_job_when_its_turn_comes),
       T(until_its_turn_to_be_told_other_nodes_a_job_is_as_any),
       T(a_job_that_names_nodes_is_told_them_again_when_one_was_made_anew),
       T(a_job_that_cannot_be_changed_is_so_until_that_is_tried_again),
       T(what_slurm_does_not_take_yet_makes_no_orphans_for_a_while),
       T(a_node_is_waited_for_only_when_the_bridge_begins),
       T(the_first_look_that_counts_finds_pods_elsewhere))
