/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a group's plan is made by: who bound its pods, how long these end. */
#include "group_observe_fixture.h"

/* A pod that job 6 of another group has bound, as it says itself. */
static void add_moved(struct pod_group *g, bool deleting)
{
	add_pod(g, "n1", deleting);
	g->members->pod->job_id = 6;
	g->members->pod->group = "Job ns another 1-1";
}

static enum claims_is claimed = CLAIMS_OURS;

enum claims_is claims_namespace(struct claims *c, const char *ns,
				char words[CLAIM_WORDS_MAX])
{
	(void)c;
	(void)ns;
	if (words)
		*words = '\0';
	return claimed;
}

/* A fifth one of a gang of four came with a node, and says that it is ours. */
static void what_others_have_bound_is_nothing_to_its_gang(void)
{
	static const struct {
		enum placeholder_state job;
		const char *row;
		size_t chosen;
	} rows[] = {
		{PLACEHOLDER_HELD, "note", 4},
		{PLACEHOLDER_PENDING, "note", 4},
		{PLACEHOLDER_RUNNING, "bind", 4},
		{PLACEHOLDER_SUSPENDED, "suspended", 4},
		{PLACEHOLDER_STARTING, "starting", 0},
		{PLACEHOLDER_NONE, "submit", 4},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_scene_ struct scene s = scene("ns", rows[i].job, "n2");
		struct pod_selection chosen = {0};

		t_row("%zu", i);
		s.b.active.since = clock_ms() - 1;
		s.q->job.made_for = s.g->of.members = 4;
		for (int n = 0; n < 4; n++)
			add_pod(s.g, "", false);
		add_pod(s.g, "n1", false);
		s.g->members->pod->job_id = 0;
		look(&s);
		str_copy(s.q->job.options_digest, s.j.order.id.options_digest,
			 sizeof(s.q->job.options_digest));
		look(&s);
		T_STR(s.j.plan.row, rows[i].row);
		T_OK(!s.j.order.places);
		T_INT(select_pods(s.g, &s.j, &chosen), 0);
		T_INT(chosen.n, rows[i].chosen);
		free(chosen.v);
	}
}

/* With one that we have bound: only that one counts. */
static void what_others_have_bound_is_not_where_its_gang_runs(void)
{
	static const struct {
		enum placeholder_state job;
		uint32_t job_id;
		const char *row;
	} rows[] = {
		{PLACEHOLDER_PENDING, 7, "forgotten"},
		{PLACEHOLDER_HELD, 7, "forgotten"},
		{PLACEHOLDER_RUNNING, 6, "adopted"},
		{PLACEHOLDER_COMPLETING, 7, "ended"},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_scene_ struct scene s = scene("ns", rows[i].job, "n1");
		struct pod_selection chosen = {0};

		t_row("%zu", i);
		s.b.active.since = clock_ms() - 1;
		s.q->job.state_at = clock_ms();
		add_pod(s.g, "n1", false);
		s.g->members->pod->job_id = rows[i].job_id;
		add_pod(s.g, "n3", false);
		s.g->members->pod->job_id = 0;
		look(&s);
		T_STR(s.j.plan.row, rows[i].row);
		T_INT(s.j.view.pods.misplaced, 0);
		T_INT(select_pods(s.g, &s.j, &chosen), 0);
		T_INT(chosen.n, 1);
		T_STR(chosen.n ? chosen.v->node : "", "n1");
		free(chosen.v);
	}
}

/* Job 7 was cancelled, and its owner has deleted one of its pods with a day. */
static void who_has_a_day_to_end_is_deleted_with_the_others(void)
{
	_cleanup_scene_ struct scene s = scene("ns", PLACEHOLDER_ENDED, NULL);
	struct pod_selection chosen = {0};

	s.q->job.end = PLACEHOLDER_CANCELLED;
	add_pod(s.g, "n1", true);
	s.g->members->pod->grace_s = 86400;
	add_pod(s.g, "n1", true); /* (it has 30 s) */
	look(&s);
	T_STR(s.j.plan.row, "ended");
	T_INT(select_pods(s.g, &s.j, &chosen), 0);
	T_INT(chosen.n, 1);
	T_STR(chosen.n ? chosen.v->uid : "", "u0");
	T_OK(chosen.n && chosen.v->leaving);
	free(chosen.v);
	/* (the API server has shortened it, and nothing is done again) */
	s.g->members->next->pod->grace_s = 30;
	look(&s);
	T_STR(s.j.plan.row, "leaving");
	/* somebody else's is left alone */
	s.g->members->next->pod->grace_s = 86400;
	s.g->members->next->pod->job_id = 0;
	look(&s);
	T_STR(s.j.plan.row, "leaving");
	/* and one where the job is not any more */
	s.g->members->next->pod->job_id = 7;
	s.q->job.state = PLACEHOLDER_RUNNING;
	s.q->job.requeued = true;
	s.q->nodes.names = strdup("n2");
	look(&s);
	T_STR(s.j.plan.row, "misplaced");
	T_INT(select_pods(s.g, &s.j, &chosen), 0);
	T_INT(chosen.n, 1);
	free(chosen.v);
}

/* There was no answer to its binding to n1, and the job has n2 by now. */
static void what_an_earlier_binding_has_put_elsewhere_is_misplaced(void)
{
	_cleanup_scene_ struct scene s = scene("ns", PLACEHOLDER_RUNNING, "n2");

	add_pod(s.g, "n1", false);
	look(&s);
	T_STR(s.j.plan.row, "running"); /* (not looked for: it costs time) */
	s.g->members->pod->elsewhere = true;
	look(&s);
	T_STR(s.j.plan.row, "misplaced");
	/* it has n1, too: there it may be */
	free(s.q->nodes.names);
	s.q->nodes.names = strdup("n[1-2]");
	look(&s);
	T_STR(s.j.plan.row, "running");
}

static void a_pod_that_leaves_on_a_dead_node_holds_up_no_other_job(void)
{
	static const struct {
		bool ready, kept;
		enum placeholder_state job;
		uint32_t id;
		uint32_t away;
		const char *row;
	} rows[] = {
		{true, false, PLACEHOLDER_ENDED, 7, 0, "leaving"},
		{false, false, PLACEHOLDER_ENDED, 7, 1, "submit"},
		{true, true, PLACEHOLDER_ENDED, 7, 1, "submit"},
		{true, false, PLACEHOLDER_PENDING, 8, 0, "leaving"},
		{false, false, PLACEHOLDER_PENDING, 8, 1, "asks anew"},
		{true, false, PLACEHOLDER_RUNNING, 8, 1, "bind"},
	};
	const job_option_set allow = served.allow;

	served.allow = ~(job_option_set)0;
	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_scene_ struct scene s = scene("ns", rows[i].job, "n2");

		t_row("%zu", i);
		s.q->job.id = rows[i].id;
		s.q->job.end = rows[i].job == PLACEHOLDER_ENDED
				       ? PLACEHOLDER_NODE_FAIL
				       : PLACEHOLDER_NOT_ENDED;
		s.q->job.state_at = clock_ms();
		s.q->job.made_for = s.g->of.members = 2;
		s.g->of.kind = WORKLOAD_JOB;
		strcpy(s.g->of.name, "g");
		strcpy(s.g->of.uid, "1-2");
		s.g->of.top = WORKLOAD_POD;
		inventory_find(s.b.inventory, "n1")->view.ready = rows[i].ready;
		inventory_node_kept(s.b.inventory,
				    inventory_find(s.b.inventory, "n1"),
				    rows[i].kept ? "ns/p0" : NULL, false);
		add_pod(s.g, "n1", true);
		add_pod(s.g, "", false);
		add_pod(s.g, "", false);
		objects[WORKLOAD_JOB] = NAMED("job", "\"parallelism\": 2");
		look(&s);
		T_INT(s.j.view.pods.away, rows[i].away);
		T_STR(s.j.plan.row, rows[i].row);
		objects[WORKLOAD_JOB] = NULL;
	}
	served.allow = allow;
}

/*
 * Its node has died, and the job was put back and has n2 by now: the old pod is
 * none of the two that start there, nor are they bound around it.
 */
static void a_pod_that_leaves_where_its_job_is_not_counts_no_more(void)
{
	static const struct {
		const char *nodes;
		uint32_t away, n; /* to be bound */
		size_t chosen;	  /* these, and what runs beside them */
	} rows[] = {{"n2", 1, 2, 2}, {"n[1-2]", 0, 1, 2}};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_scene_ struct scene s =
			scene("ns", PLACEHOLDER_RUNNING, rows[i].nodes);
		struct pod_selection pods = {0};
		size_t bound = 0;

		t_row("%s", rows[i].nodes);
		s.q->job.requeued = true;
		s.q->job.made_for = s.g->of.members = 2;
		add_pod(s.g, "n1", true);
		look(&s);
		T_INT(s.q->since.short_at != 0, 1);
		/* (others of it may be there, and only not in view) */
		s.g->partial = true;
		look(&s);
		T_STR(s.j.plan.row, rows[i].away ? "pods unknown" : "running");
		s.g->partial = false;
		add_pod(s.g, "", false);
		look(&s);
		T_INT(s.q->since.short_at != 0, rows[i].away);
		add_pod(s.g, "", false);
		look(&s);
		T_STR(s.j.plan.row, "bind");
		T_INT(s.j.view.pods.away, rows[i].away);
		T_INT(s.j.plan.n, rows[i].n);
		T_INT(select_pods(s.g, &s.j, &pods), 0);
		T_INT(pods.n, rows[i].chosen);
		for (size_t k = 0; k < pods.n; k++)
			bound += !pods.v[k].waiting;
		T_INT(bound, !rows[i].away);
		free(pods.v);
	}
}

/* (since when is remembered; a hold is for who holds it) */
static void a_gang_of_another_size_is_one_while_its_job_waits(void)
{
	static const struct {
		enum placeholder_state job;
		bool resized;
	} rows[] = {{PLACEHOLDER_PENDING, true},
		    {PLACEHOLDER_HELD, false},
		    {PLACEHOLDER_RUNNING, false},
		    {PLACEHOLDER_ENDED, false}};

	change = JOBSIZE_LOST;
	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_scene_ struct scene s = scene("ns", rows[i].job, "n1");

		t_row("%zu", i);
		add_pod(s.g, "", false);
		look(&s);
		T_INT(s.j.view.resized, rows[i].resized);
		T_INT(s.q->since.resize_at != 0, rows[i].resized);
		if (!rows[i].resized)
			continue;
		s.q->since.resize_at -= 5000;
		look(&s);
		T_OK(s.j.view.resized_ms >= 5000);
		s.q->job.reason = (char *)"BeginTime";
		look(&s);
		T_OK(!s.j.view.resized && !s.q->since.resize_at);
		s.q->job.reason = (char *)"Resources";
		look(&s);
		T_OK(s.j.view.resized && s.q->since.resize_at);
		change = JOBSIZE_SAME;
		look(&s);
		T_OK(!s.j.view.resized && !s.q->since.resize_at);
		change = JOBSIZE_LOST;
	}
	change = JOBSIZE_SAME;
}

/* An engine that has just begun, and more pods than it can have in view. */
static void a_job_whose_pods_may_be_left_out_is_kept(void)
{
	static const enum placeholder_state rows[] = {
		PLACEHOLDER_RUNNING, PLACEHOLDER_PENDING, PLACEHOLDER_HELD,
		PLACEHOLDER_SUSPENDED, PLACEHOLDER_STARTING};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_scene_ struct scene s = scene("ns", rows[i], "n1");

		t_row("%zu", i);
		left_out = true;
		group_observe(&s.b, s.q, NULL, &s.j);
		T_STR(s.j.plan.row, "pods unknown");
		T_INT(s.j.plan.action, GROUP_KEEP);
		T_OK(s.j.plan.again_ms > 0);
		left_out = false; /* all are in view by now */
		s.j = (struct group_observation){0};
		group_observe(&s.b, s.q, NULL, &s.j);
		T_STR(s.j.plan.row, "pods gone");
		/* what was in view, and is not, is gone */
		left_out = true;
		add_pod(s.g, "", false);
		look(&s);
		s.j = (struct group_observation){0};
		group_observe(&s.b, s.q, NULL, &s.j);
		T_STR(s.j.plan.row, "pods gone");
		left_out = false;
	}
}

/* (the wrong API server has none of so many jobs' pods) */
static void a_job_is_kept_while_so_many_have_lost_their_pods(void)
{
	static const enum placeholder_state rows[] = {
		PLACEHOLDER_RUNNING, PLACEHOLDER_PENDING, PLACEHOLDER_HELD,
		PLACEHOLDER_SUSPENDED, PLACEHOLDER_STARTING};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_scene_ struct scene s = scene("ns", rows[i], "n1");

		t_row("%zu", i);
		s.q->sight.seen = s.q->whereabouts.lost =
			s.b.lost.disruption.is = true;
		look(&s);
		T_STR(s.j.plan.row, "pods unknown");
		T_INT(s.j.plan.action, GROUP_KEEP);
		T_OK(s.j.plan.again_ms > 0);
		s.q->whereabouts.lost = false; /* its pods were seen to go */
		look(&s);
		T_STR(s.j.plan.row, "pods gone");
		s.q->whereabouts.lost = true; /* it is over */
		s.b.lost.disruption.is = false;
		look(&s);
		T_STR(s.j.plan.row, "pods gone");
		/* its user, or an administrator, has cancelled it */
		s.b.lost.disruption.is = true;
		s.q->job.state = PLACEHOLDER_ENDED;
		s.q->job.end = PLACEHOLDER_CANCELLED;
		look(&s);
		T_STR(s.j.plan.row, "nothing");
	}
}

static void a_gang_of_which_pods_are_left_out_is_not_short(void)
{
	_cleanup_scene_ struct scene s = scene("ns", PLACEHOLDER_PENDING, NULL);

	s.q->job.made_for = s.g->of.members = 4;
	add_pod(s.g, "", false);
	look(&s);
	T_OK(s.q->since.short_at);
	s.q->since.short_at -= BRIDGE_SHORT_MS;
	s.g->partial = true;
	look(&s);
	T_STR(s.j.plan.row, "no longer complete?");
	T_INT(s.j.plan.action, GROUP_WAIT);
	T_INT(s.q->since.short_at, 0);
	/* those that are in view have ended, the others may not have */
	s.q->job.state = PLACEHOLDER_RUNNING;
	s.g->members->pod->node = "n1";
	s.g->members->pod->phase = POD_SUCCEEDED;
	s.g->members->pod->ended = true;
	s.g->members->pod->job_id = 7;
	look(&s);
	T_STR(s.j.plan.row, "pods unknown");
	s.g->partial = false;
	look(&s);
	T_STR(s.j.plan.row, "over");
}

/*
 * Its labels were changed while no engine ran: it was bound by job 6, which is
 * the job of another group.
 */
static void a_pod_of_another_groups_job_is_deleted(void)
{
	static const enum placeholder_state rows[] = {
		PLACEHOLDER_HELD,     PLACEHOLDER_PENDING,
		PLACEHOLDER_RUNNING,  PLACEHOLDER_SUSPENDED,
		PLACEHOLDER_STARTING, PLACEHOLDER_NONE,
		PLACEHOLDER_ENDED,    PLACEHOLDER_COMPLETING};
	struct known_placeholder *k = calloc(1, sizeof(*k) + 16);

	k->job_id = 6;
	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_scene_ struct scene s = scene("ns", rows[i], "n1");
		struct pod_selection chosen = {0};

		t_row("%zu", i);
		strcpy(k->key, "2 ns a ");
		k->made = false;
		s.b.active.since = clock_ms() - 1;
		s.q->job.state_at = clock_ms();
		HASH_ADD(hh, s.b.jobs.identities, job_id, sizeof(k->job_id), k);
		add_pod(s.g, "n1", false);
		s.g->members->pod->job_id = 6;
		add_pod(s.g, "", false);
		look(&s);
		T_STR(s.j.plan.row, "moved");
		T_INT(s.j.plan.action, GROUP_DELETE_PODS);
		T_INT(s.j.view.pods.by_earlier_job, 0);
		T_INT(select_pods(s.g, &s.j, &chosen), 0);
		T_INT(chosen.n, 1);
		T_STR(chosen.n ? chosen.v->uid : "", "u0");
		free(chosen.v);
		/* it has the number of one that slurmctld has lost */
		k->made = true;
		look(&s);
		T_INT(s.j.view.pods.moved, 0);
		/* it is a former job of this group, or none of ours */
		k->made = false;
		strcpy(k->key, "mine");
		look(&s);
		T_INT(s.j.view.pods.moved, 0);
		strcpy(k->key, "");
		look(&s);
		T_INT(s.j.view.pods.moved, 0);
		HASH_DELETE(hh, s.b.jobs.identities, k);
	}
	free(k);
}

/*
 * The same, and Slurm has purged job 6 (MinJobAge): it ran on by the job of its
 * new group, or held its room. On the pod is whose job it was.
 */
static void it_is_so_when_slurm_has_forgotten_that_job(void)
{
	static const enum placeholder_state rows[] = {
		PLACEHOLDER_HELD,     PLACEHOLDER_PENDING,
		PLACEHOLDER_RUNNING,  PLACEHOLDER_SUSPENDED,
		PLACEHOLDER_STARTING, PLACEHOLDER_NONE,
		PLACEHOLDER_ENDED,    PLACEHOLDER_COMPLETING};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_scene_ struct scene s = scene("ns", rows[i], "n1");

		t_row("%zu", i);
		s.b.active.since = clock_ms() - 1;
		s.q->job.state_at = clock_ms();
		add_moved(s.g, false);
		add_pod(s.g, "", false);
		look(&s);
		T_STR(s.j.plan.row, "moved");
		T_INT(s.j.view.pods.by_earlier_job, 0);
		T_OK(s.q->whereabouts.misplaced);
		/* it is its own, or an earlier build has bound it */
		s.g->members->next->pod->group = "Podmine";
		look(&s);
		T_INT(s.j.view.pods.moved, 0);
		s.g->members->next->pod->group = "";
		look(&s);
		T_INT(s.j.view.pods.moved, 0);
	}
}

/* After a start the claims are read later than the pods. */
static void nothing_is_done_with_it_before_its_namespace_is_ours(void)
{
	static const enum placeholder_state rows[] = {
		PLACEHOLDER_HELD,     PLACEHOLDER_PENDING,
		PLACEHOLDER_RUNNING,  PLACEHOLDER_SUSPENDED,
		PLACEHOLDER_STARTING, PLACEHOLDER_NONE};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_scene_ struct scene s = scene("other", rows[i], "n1");

		t_row("%zu", i);
		s.b.active.since = clock_ms() - 1;
		s.q->job.state_at = clock_ms();
		add_moved(s.g, false);
		look(&s);
		T_STR(s.j.plan.row, "outside");
		T_INT(s.j.plan.action, GROUP_KEEP);
		T_INT(s.j.view.pods.by_earlier_job, 0);
	}
}

/*
 * Who may write Leases in its namespace has another cluster have it by the
 * claim, and has given the pod a label: it ran on, on a node that Slurm gives
 * away. What another cluster has bound is left alone.
 */
static void a_forged_claim_keeps_no_pod_alive(void)
{
	static const struct {
		const char *by;	 /* on the pod */
		const char *key; /* of job 6, if Slurm knows it */
		bool ours;
	} rows[] = {
		{"slurm/a", NULL, true},
		{"slurm/a", "6 ns y 1-1", true},
		{"slurm/b", NULL, false},
		{"slurm/b", "6 ns another 1-1", false},
		/* an earlier build has bound it */
		{"", "6 ns another 1-1", true},
		{"", "6 ns y 1-1", false},
		{"", NULL, false},
	};
	struct known_placeholder *k = calloc(1, sizeof(*k) + 32);

	k->job_id = 6;
	for (size_t i = 0; i < 2 * T_COUNT(rows); i++) {
		_cleanup_scene_ struct scene s =
			scene("ns", PLACEHOLDER_NONE, NULL);
		const char *key = rows[i / 2].key;
		struct pod_selection chosen = {0};

		t_row("%zu", i);
		claimed = i % 2 ? CLAIMS_OTHERS : CLAIMS_UNKNOWN;
		s.b.bound_by = "slurm/a";
		strcpy(k->key, key ? key : "");
		if (key)
			HASH_ADD(hh, s.b.jobs.identities, job_id,
				 sizeof(k->job_id), k);
		add_moved(s.g, false);
		s.g->members->pod->by = rows[i / 2].by;
		add_moved(s.g, false); /* (and one of that other cluster) */
		s.g->members->pod->by = "slurm/b";
		look(&s);
		T_STR(s.j.plan.row, rows[i / 2].ours ? "moved" : "outside");
		T_INT(select_pods(s.g, &s.j, &chosen), 0);
		T_INT(chosen.n, rows[i / 2].ours);
		T_STR(chosen.n ? chosen.v->uid : "u0", "u0");
		T_INT(s.g->members->next->look.ours, rows[i / 2].ours);
		free(chosen.v);
		if (key)
			HASH_DELETE(hh, s.b.jobs.identities, k);
	}
	free(k);
	claimed = CLAIMS_OURS;
}

/*
 * slurmctld has lost the job of a pod that runs, and for a minute nobody says
 * whose its namespace is: then it gets another job, and is not deleted.
 */
static void what_had_to_wait_for_its_claim_is_not_late(void)
{
	_cleanup_scene_ struct scene s = scene("ns", PLACEHOLDER_NONE, "n1");
	const int64_t now = clock_ms();

	s.q->job.id = 0;
	s.q->job.state_at = now - BRIDGE_ORPHAN_MS - 1;
	s.b.active.since = now - 1;
	add_pod(s.g, "n1", false);
	claimed = CLAIMS_UNKNOWN;
	look(&s);
	T_STR(s.j.plan.row, "outside");
	s.b.active.since = now - BRIDGE_EARLY_MS - 1;
	look(&s);
	T_STR(s.j.plan.row, "outside");
	claimed = CLAIMS_OURS;
	look(&s);
	T_STR(s.j.plan.row, "lost");
	s.q->early.own_at = now - BRIDGE_EARLY_MS - 1;
	look(&s);
	T_STR(s.j.plan.row, "orphan");
	/* (one that comes later is not lost) */
	s.q->early.own_at = 0;
	claimed = CLAIMS_UNKNOWN;
	look(&s);
	claimed = CLAIMS_OURS;
	look(&s);
	T_STR(s.j.plan.row, "orphan");
	claimed = CLAIMS_OTHERS;
	s.b.active.since = now - 1;
	look(&s);
	T_STR(s.j.plan.row, "outside");
	T_OK(!s.q->early.unclaimed);
	claimed = CLAIMS_OURS;
}

/* slurmctld answers a minute after the pods were listed: it is busy then. */
static void what_slurm_did_not_say_for_a_minute_is_not_late(void)
{
	_cleanup_scene_ struct scene s = scene("ns", PLACEHOLDER_NONE, NULL);

	s.q->job.state_at = clock_ms() - BRIDGE_ORPHAN_MS - 1;
	s.b.active.on = true;
	s.b.jobs.known = false;
	add_pod(s.g, "n1", false);
	look(&s);
	T_STR(s.j.plan.row, "Slurm unknown");
	T_INT(s.b.active.since, 0);
	s.b.jobs.known = true;
	look(&s);
	T_STR(s.j.plan.row, "lost");
	s.b.active.since -= BRIDGE_EARLY_MS;
	look(&s);
	T_STR(s.j.plan.row, "orphan");
}

/*
 * slurmctld has lost the job of a gang that runs, and what would tell how it
 * was made is listed late, or not all of it.
 */
static void what_is_not_in_view_makes_no_orphans(void)
{
	static const struct {
		int rc;
		bool hosts; /* it is the node that is not in view */
		const char *row;
	} rows[] = {
		{-EAGAIN, false, "lost?"},  {-EDQUOT, false, "lost?"},
		{-EAGAIN, true, "lost?"},   {-ENOMEM, true, "lost?"},
		{-ENOENT, false, "orphan"}, {-ESTALE, false, "orphan"},
	};

	objects[WORKLOAD_PODGROUP] =
		"{\"metadata\": {\"name\": \"mine\", \"namespace\": \"ns\", "
		"\"uid\": \"1-1\"}, "
		"\"spec\": {\"minMember\": 1}}";
	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_scene_ struct scene s =
			scene("ns", PLACEHOLDER_NONE, NULL);
		const int64_t late = clock_ms() - BRIDGE_EARLY_MS - 1;

		t_row("%zu", i);
		s.q->job.state_at = clock_ms() - BRIDGE_ORPHAN_MS - 1;
		s.b.active.since = clock_ms() - 1;
		s.g->of.kind = WORKLOAD_PODGROUP;
		add_pod(s.g, "n1", false);
		cannot_see = rows[i].hosts ? NULL : "not listed";
		no_places = rows[i].hosts ? rows[i].rc : 0;
		cannot_see_rc = rows[i].rc;
		look(&s);
		T_STR(s.j.plan.row, rows[i].row);
		s.b.active.since = late;
		look(&s);
		T_STR(s.j.plan.row, rows[i].row);
		/* (a Slurm that does not answer for a moment changes nothing)
		 */
		s.b.jobs.known = false;
		look(&s);
		s.b.jobs.known = true;
		cannot_see = NULL;
		no_places = 0;
		look(&s);
		T_STR(s.j.plan.row,
		      !strcmp(rows[i].row, "lost?") ? "lost" : "orphan");
		s.q->early.own_at = late;
		look(&s);
		T_STR(s.j.plan.row, "orphan");
	}
	cannot_see_rc = -EAGAIN;
	memset(objects, 0, sizeof(objects));
}

/* Who takes a namespace out of k8s.yaml does not keep ended jobs' pods alive.
 */
static void the_pods_of_an_ended_job_go_all_the_same(void)
{
	static const enum placeholder_state rows[] = {PLACEHOLDER_ENDED,
						      PLACEHOLDER_COMPLETING};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_scene_ struct scene s = scene("other", rows[i], "n1");
		struct pod_selection chosen = {0};

		t_row("%zu", i);
		s.b.active.since = clock_ms() - 1;
		s.q->job.state_at = clock_ms();
		add_moved(s.g, false);
		add_pod(s.g, "n1", false);
		s.g->members->pod->job_id = s.q->job.id;
		look(&s);
		T_STR(s.j.plan.row, "ended");
		T_INT(select_pods(s.g, &s.j, &chosen), 0);
		T_OK(chosen.n >= 1);
		free(chosen.v);
	}
}

/* (and a pod with the number of another job that slurmctld gave anew) */
static void what_is_on_the_pod_is_believed_before_slurm(void)
{
	_cleanup_scene_ struct scene s = scene("ns", PLACEHOLDER_RUNNING, "n1");
	struct known_placeholder *k = calloc(1, sizeof(*k) + 16);

	k->job_id = 6;
	strcpy(k->key, "2 ns a ");
	HASH_ADD(hh, s.b.jobs.identities, job_id, sizeof(k->job_id), k);
	add_pod(s.g, "n1", false);
	s.g->members->pod->job_id = 6;
	s.g->members->pod->group = "Podmine";
	look(&s);
	T_STR(s.j.plan.row, "adopted");
	s.g->members->pod->group = "";
	look(&s);
	T_STR(s.j.plan.row, "moved");
	/* which is so also when that job is forgotten, before the pod is gone
	 */
	HASH_DELETE(hh, s.b.jobs.identities, k);
	free(k);
	look(&s);
	T_STR(s.j.plan.row, "moved");
}

/* Its author has deleted it, with a day to end. */
static void it_gets_no_day_to_end(void)
{
	_cleanup_scene_ struct scene s = scene("ns", PLACEHOLDER_RUNNING, "n1");
	struct pod_selection chosen = {0};

	add_moved(s.g, true);
	s.g->members->pod->grace_s = 86400;
	add_pod(s.g, "n1", true);
	s.g->members->pod->grace_s = 86400;
	s.g->members->pod->group = "Podmine";
	look(&s);
	T_STR(s.j.plan.row, "moved");
	T_INT(select_pods(s.g, &s.j, &chosen), 0);
	T_INT(chosen.n, 1);
	T_STR(chosen.n ? chosen.v->uid : "", "u0");
	free(chosen.v);
	s.g->members->next->pod->grace_s = 30;
	look(&s);
	T_STR(s.j.plan.row, "running");
	T_OK(s.q->whereabouts.misplaced);
}

/* (it was bound before it was known that its PodGroup is none) */
static void of_a_pod_that_is_apart_both_are_its_own(void)
{
	_cleanup_scene_ struct scene s = scene("ns", PLACEHOLDER_RUNNING, "n1");
	struct workload besides = {
		.kind = WORKLOAD_JOB, .ns = "ns", .name = "j", .uid = "1-1"};
	struct group_pod *m;

	add_pod(s.g, "n1", false);
	m = s.g->members;
	m->besides = &besides;
	strcpy(s.g->of.group, "g");
	m->pod->group = "Job ns j 1-1";
	look(&s);
	T_INT(s.j.view.pods.moved, 0);
	m->apart = true;
	look(&s);
	T_INT(s.j.view.pods.moved, 1);
	m->pod->group = "SchedulingPodGroup ns g";
	look(&s);
	T_INT(s.j.view.pods.moved, 0);
	m->besides = NULL;
}

/* (running pods have it: other words would have them deleted) */
static void marks_of_groups_stay(void)
{
	static const struct {
		const char *key, *mark;
	} rows[] = {
		{"0 ns 6b-9d", "Pod ns 6b-9d"},
		{"1 ns g ", "SchedulingPodGroup ns g"},
		{"2 ns w part/3", "Workload ns w part/3"},
		{"3 ns g ", "PodGroup ns g"},
		{"4 ns l 2", "LeaderWorkerSet ns l 2"},
		{"5 ns s ", "JobSet ns s"},
		{"6 ns j u", "Job ns j u"},
		{"7 ns g ", "VolcanoPodGroup ns g"},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		char mark[BRIDGE_KEY_MAX];

		pod_groups_mark(rows[i].key, mark);
		T_STR(mark, rows[i].mark);
	}
}

T_MAIN("group_observe_bound", T(what_had_to_wait_for_its_claim_is_not_late),
       T(a_forged_claim_keeps_no_pod_alive),
       T(what_slurm_did_not_say_for_a_minute_is_not_late),
       T(what_is_not_in_view_makes_no_orphans),
       T(a_pod_of_another_groups_job_is_deleted),
       T(it_is_so_when_slurm_has_forgotten_that_job),
       T(nothing_is_done_with_it_before_its_namespace_is_ours),
       T(the_pods_of_an_ended_job_go_all_the_same),
       T(what_is_on_the_pod_is_believed_before_slurm), T(it_gets_no_day_to_end),
       T(of_a_pod_that_is_apart_both_are_its_own), T(marks_of_groups_stay),
       T(a_job_whose_pods_may_be_left_out_is_kept),
       T(a_job_is_kept_while_so_many_have_lost_their_pods),
       T(a_gang_of_which_pods_are_left_out_is_not_short),
       T(a_gang_of_another_size_is_one_while_its_job_waits),

       T(a_pod_that_leaves_where_its_job_is_not_counts_no_more),
       T(what_an_earlier_binding_has_put_elsewhere_is_misplaced),
       T(a_pod_that_leaves_on_a_dead_node_holds_up_no_other_job),
       T(who_has_a_day_to_end_is_deleted_with_the_others),
       T(what_others_have_bound_is_nothing_to_its_gang),
       T(what_others_have_bound_is_not_where_its_gang_runs))
