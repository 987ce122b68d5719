/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is done about Slurm's nodes: once, by what Slurm has at that moment, in
 * few RPCs, and not for long at a time.
 */
#include "external_nodes_fixture.h"

static void pass_by(struct external_nodes *b, int64_t ms, int64_t each)
{
	for (const int64_t until = now + ms; now < until; now += each)
		external_nodes_step(b);
}

static void begin_settled(struct external_nodes *b, int n)
{
	begin(b, n);
	pass(b, 5000);
	T_INT(in_slurm(64), n);
	loads = 0;
}

static void put_closed(struct external_nodes *b, int i)
{
	put(b, i, "\"l\":\"\"", "\"unschedulable\":true", 64, 8, true);
}

/* --- once */

static unsigned int killed; /* jobs */

static void start_job(void)
{
	slurm[0].busy = true;
}

/* slurmctld was killed: n0 is ALLOCATED, and no job is there. */
static void begin_emptied(struct external_nodes *b)
{
	begin_settled(b, 2);
	slurm[0].busy = slurm[0].emptied = true;
	on_resume = start_job;
	killed = 0;
}

static void the_job_that_starts_on_an_idle_one_again_keeps_it(void)
{
	static const int64_t ms[] = {0, 5, 20, 200, 2000};

	for (size_t i = 0; i < T_COUNT(ms); i++) {
		struct external_nodes b;

		t_row("%zu", i);
		begin_emptied(&b);
		loading_ms = ms[i];
		pass_by(&b, MINUTE, 100);
		T_INT(drains, 1);
		T_INT(downs, 1);
		T_INT(resumes, 1);
		T_OK(slurm[0].busy && !slurm[0].drained && !slurm[0].down);
		end(&b);
	}
}

/* A read that fails does not count: the next look waits for one. */
static void nothing_is_done_again_before_it_is_known_what_it_did(void)
{
	struct external_nodes b;

	begin_settled(&b, 2);
	loading_ms = 20;
	put_closed(&b, 0);
	while (!drains)
		pass_by(&b, 100, 100);
	load_rc = -EIO;
	pass_by(&b, MINUTE, 100);
	T_INT(drains, 1);
	load_rc = 0;
	put_host(&b, 0, 64, 8);
	pass_by(&b, 5000, 100);
	T_INT(drains, 1);
	T_INT(resumes, 1);
	T_INT(are_drained(), 0);
	end(&b);
}

/* (slurmctld packs all nodes under a lock that its schedulers want) */
static void reading_takes_a_part_of_the_time_only(void)
{
	struct external_nodes b;

	begin_settled(&b, 100);
	loading_ms = 100;
	pass_by(&b, MINUTE, 100);
	T_OK(loads >= 10 && loads <= 15);
	loads = 0;
	for (int i = 0; i < 60; i++) { /* each second something is done */
		if (i % 2)
			put_host(&b, 0, 64, 8);
		else
			put_closed(&b, 0);
		pass_by(&b, 1000, 100);
	}
	T_OK(drains > 10);
	T_OK(loads <= 120); /* (each a second time, that node alone) */
	end(&b);
}

/* --- by what Slurm has at that moment */

static void drain_for_a_disk(void)
{
	slurm[0].drained = slurm[0].admins = true;
}

static void what_an_administrator_has_drained_meanwhile_is_left_to_him(void)
{
	static const struct {
		int n; /* nodes that Kubernetes closes at once */
		bool hybrid;
	} rows[] = {{1, false}, {1, true}, {20, false}};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		struct external_nodes b;

		t_row("%zu", i);
		begin_settled(&b, 20);
		for (int k = 0; k < 20; k++)
			slurm[k].hybrid = rows[i].hybrid;
		pass(&b, 20000);
		after_load = drain_for_a_disk;
		for (int k = 0; k < rows[i].n; k++)
			put_closed(&b, k);
		external_nodes_step(&b);
		after_load = NULL;
		pass_by(&b, 30000, 100);
		T_OK(slurm[0].admins && slurm[0].drained);
		T_INT(are_drained(), rows[i].n);
		for (int k = 0; k < rows[i].n; k++)
			put_host(&b, k, 64, 8);
		pass_by(&b, 30000, 100);
		T_OK(slurm[0].admins && slurm[0].drained);
		T_INT(are_drained(), 1);
		end(&b);
	}
}

/* (its DRAIN changes neither that the node is drained nor the Reason) */
static void drain_by_slurm(void)
{
	if (slurm[0].drained)
		slurm[0].failing = false;
}

static void what_slurm_drains_as_it_was_to_be_undrained_stays_drained(void)
{
	struct external_nodes b;

	begin_settled(&b, 2);
	slurm[0].hybrid = true;
	put_closed(&b, 0);
	pass(&b, 20000);
	T_OK(slurm[0].drained && slurm[0].failing);
	put_host(&b, 0, 64, 8);
	after_load = drain_by_slurm;
	for (int i = 0; i < 200 && slurm[0].failing; i++)
		external_nodes_step(&b), now += 100;
	after_load = NULL;
	pass_by(&b, MINUTE, 100);
	T_OK(slurm[0].drained && !slurm[0].failing);
	end(&b);
}

/* The same when it was drained by us: his is not undone. */
static void what_was_ours_and_is_an_administrators_stays_drained(void)
{
	struct external_nodes b;

	begin_settled(&b, 2);
	put_closed(&b, 0);
	pass(&b, 20000);
	T_OK(slurm[0].drained && !slurm[0].admins);
	after_load = drain_for_a_disk;
	put_host(&b, 0, 64, 8);
	while (!slurm[0].admins)
		external_nodes_step(&b), now += 100;
	after_load = NULL;
	pass_by(&b, MINUTE, 100);
	T_OK(slurm[0].drained && slurm[0].admins);
	T_INT(resumes, 0);
	end(&b);
}

/* Deleted and created anew it would be drained no more. */
static void nor_is_it_made_anew(void)
{
	unsigned int kept = 0, others = 0;

	for (int steps = 1; steps < 20; steps++) {
		struct external_nodes b;
		bool anew;

		t_row("%d", steps);
		begin_settled(&b, 2);
		put_host(&b, 0, 64, 9);
		pass_by(&b, steps * 2000, 2000);
		anew = !strcmp(slurm[0].gres, "gpu:9");
		after_load = drain_for_a_disk;
		external_nodes_step(&b);
		after_load = NULL;
		pass_by(&b, MINUTE, 2000);
		T_OK(slurm[0].drained && slurm[0].admins);
		T_STR(slurm[0].gres, anew ? "gpu:9" : "gpu:8");
		kept += !anew;
		others += anew;
		end(&b);
	}
	T_OK(kept > 2 && others > 2);
}

/* What cannot be confirmed is not done. */
static void refuse_loads(void)
{
	load_rc = -EIO;
}

static void where_slurmctld_does_not_answer_nothing_is_done(void)
{
	struct external_nodes b;

	begin_settled(&b, 2);
	pass(&b, 20000);
	put_closed(&b, 0);
	loads = 0;
	after_load = refuse_loads;
	pass_by(&b, MINUTE, 100);
	T_INT(drains, 0);
	T_OK(loads < 40);
	load_rc = 0;
	after_load = NULL;
	pass_by(&b, 10000, 100);
	T_INT(drains, 1);
	end(&b);
}

/*
 * It may be back since: the watch of nodes stands still, while the lease has a
 * connection of its own. Its jobs would end, and their pods are well.
 */
static void a_node_is_lost_only_as_long_as_it_is_seen(void)
{
	for (int gone = 0; gone < 2; gone++) {
		struct external_nodes b;

		t_row("%d", gone);
		begin(&b, 5);
		pass(&b, 5000);
		slurm[0].busy = true;
		if (gone)
			delete_host(&b, 0);
		else
			put_node(&b, 0, 64, 8, false);
		pass(&b, 20000);
		for (b.nodes_age = 0; b.nodes_age < 90000; b.nodes_age += 1000)
			pass(&b, 1000);
		T_OK(!downs && slurm[0].is && slurm[0].drained);
		if (gone) {
			b.nodes_age = 1000;
			pass(&b, 10000);
			T_OK(downs);
		} else {
			put_host(&b, 0, 64, 8);
			b.nodes_age = 0;
			pass(&b, MINUTE);
			T_OK(!downs && !slurm[0].drained);
		}
		downs = 0;
		end(&b);
	}
}

/* (it comes back in another place of Slurm's table) */
/*
 * "bad DIMM": he has drained it for its jobs to end there, and it dies first.
 * These jobs have no end else; his Reason says yet why it takes no more.
 */
static void jobs_end_on_a_dead_node_that_an_administrator_has_drained(void)
{
	for (int busy = 0; busy <= 1; busy++) {
		struct external_nodes b;

		t_row("busy: %d", busy);
		begin(&b, 5);
		pass(&b, 5000);
		downs = 0;
		slurm[0].busy = busy;
		slurm[0].drained = slurm[0].admins = true;
		put_node(&b, 0, 64, 8, false);
		pass(&b, 50000);
		T_OK(!slurm[0].down);
		pass(&b, 30000);
		T_INT(slurm[0].down, busy);
		T_INT(downs, busy);
		T_OK(slurm[0].drained && slurm[0].admins);
		/* it is his to resume */
		slurm[0].busy = false;
		put_host(&b, 0, 64, 8);
		pass(&b, MINUTE);
		T_INT(slurm[0].down, busy);
		T_OK(slurm[0].drained && slurm[0].admins);
		end(&b);
	}
}

static void one_that_an_administrator_deletes_is_made_anew(void)
{
	struct external_nodes b;

	begin_settled(&b, 5);
	T_INT(b.creations.anew, 0);
	slurm[2].is = false;
	pass(&b, MINUTE);
	T_OK(slurm[2].is);
	T_INT(b.creations.anew, 1);
	end(&b);
}

/* --- in few RPCs, and not for long */

/* A step with all that it does. */
static int64_t longest(struct external_nodes *b, int64_t ms)
{
	const int64_t until = now + ms;
	int64_t most = 0;

	while (now < until) {
		const int64_t begin_at = now;

		external_nodes_step(b);
		if (now - begin_at > most)
			most = now - begin_at;
		now += 100;
	}
	return most;
}

static void what_befalls_many_is_one_rpc(void)
{
	struct external_nodes b;

	begin_settled(&b, 100);
	for (int i = 0; i < 100; i++)
		put_closed(&b, i);
	pass_by(&b, 30000, 100);
	T_INT(are_drained(), 100);
	T_OK(drains <= 2);
	for (int i = 0; i < 100; i++)
		put_host(&b, i, 64, 8);
	pass_by(&b, 30000, 100);
	T_INT(are_drained(), 0);
	T_OK(resumes <= 2);
	end(&b);
}

/* (for each of those slurmctld looks through all its jobs) */
static void those_that_end_jobs_are_so_many_in_one(void)
{
	struct external_nodes b;

	begin_settled(&b, 300);
	for (int i = 0; i < 100; i++) {
		slurm[i].busy = true;
		put_node(&b, i, 64, 8, false);
	}
	pass_by(&b, 2 * MINUTE, 100);
	T_INT(downs, 2);
	end(&b);
}

static void put_taint(struct external_nodes *b, int i)
{
	char spec[100];

	snprintf(spec, sizeof(spec),
		 "\"taints\":[{\"key\":\"node.kubernetes.io/"
		 "%d\",\"effect\":\"NoSchedule\"}]",
		 i);
	put(b, i, "\"l\":\"\"", spec, 64, 8, true);
}

/* (its updates of nodes wait for the locks of its schedulers) */
static void a_slow_slurmctld_does_not_keep_the_bridge(void)
{
	for (int alike = 0; alike < 2; alike++) {
		struct external_nodes b;

		t_row("alike: %d", alike);
		begin_settled(&b, 100);
		pass(&b, 20000);
		for (int i = 0; i < 100; i++)
			alike ? put_closed(&b, i) : put_taint(&b, i);
		loading_ms = updating_ms = 1000;
		/* (with reading them, and an RPC that began in time) */
		T_OK(longest(&b, 20 * MINUTE) <= 5000);
		T_INT(are_drained(), 100);
		T_INT(drains, alike ? 1 : 100);
		end(&b);
	}
}

/* Slurm has drained the others of the list. */
static void one_that_slurm_refuses_keeps_no_other(void)
{
	static const int64_t ms[] = {0, 1000};

	for (size_t i = 0; i < T_COUNT(ms); i++) {
		struct external_nodes b;

		t_row("%zu", i);
		begin_settled(&b, 100);
		undrainable_node = "n7";
		updating_ms = loading_ms = ms[i];
		for (int k = 0; k < 100; k++)
			put_closed(&b, k);
		pass_by(&b, 10000, 100);
		T_INT(are_drained(), 99);
		T_HAS(t_log(), "node n7: n7 is wrong");
		T_LACKS(t_log(), "node n8: n");
		T_OK(drains <= 4);
		undrainable_node = NULL;
		pass_by(&b, MINUTE, 100);
		T_INT(are_drained(), 100);
		end(&b);
	}
}

/* Slurm is to get so many, slowly, and refuses one; two others are away. */
static void begin_to_create(struct external_nodes *b, int some)
{
	begin_settled(b, 3);
	updating_ms = 1000;
	refused_node = "n10";
	for (int i = 10; i < 10 + some; i++)
		put_host(b, i, 100 + i, 8);
	delete_host(b, 0);
	put_closed(b, 1);
}

/* What Slurm refuses slowly, again and again, keeps nothing else. */
static void other_kinds_have_their_turn(void)
{
	const int some = 60;
	struct external_nodes b;

	begin_to_create(&b, some);
	pass_by(&b, MINUTE, 100);
	T_OK(!slurm[0].is);
	T_OK(slurm[1].drained);
	T_OK(longest(&b, 2 * MINUTE) <= 4000);
	T_INT(in_slurm(111), 1);
	T_INT(in_slurm(100 + 10 + some - 1), 1);
	end(&b);
}

static void what_is_to_be_deleted_is_deleted_together(void)
{
	static const struct {
		int n;
		int64_t ms;
	} rows[] = {{40, 0}, {40, 1000}, {10, 0}, {10, 1000}};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		struct external_nodes b;

		t_row("%zu", i);
		begin_settled(&b, 100);
		for (int k = 0; k < rows[i].n; k++)
			delete_host(&b, k);
		pass_by(&b, 25000, 100); /* (they are drained) */
		refused_node = "n0";
		loading_ms = updating_ms = rows[i].ms;
		T_OK(longest(&b, MINUTE) <= 4000);
		T_INT(in_slurm(64), 100 - rows[i].n + 1);
		T_OK(deletions <= 5);
		T_LACKS(t_log(), "node n1: failed");
		refused_node = NULL;
		pass_by(&b, MINUTE, 100);
		T_INT(in_slurm(64), 100 - rows[i].n);
		end(&b);
	}
}

/* (jobs whose lists name a node that Slurm does not have are refused) */
static void one_that_is_created_anew_is_never_left_deleted(void)
{
	struct external_nodes b;
	int missing = 0;

	begin_settled(&b, 10);
	loading_ms = updating_ms = 1000;
	for (int i = 0; i < 10; i++)
		put_host(&b, i, 100 + i, 8);
	for (const int64_t until = now + 3 * BRIDGE_RESIZE_MS; now < until;
	     now += 100) {
		external_nodes_step(&b);
		for (int i = 0; i < 10; i++)
			missing += !slurm[i].is;
	}
	T_INT(missing, 0);
	T_INT(in_slurm(64), 0);
	end(&b);
}

static void drain_another_for_a_disk(void)
{
	slurm[3].drained = slurm[3].admins = true;
	on_resume = NULL;
}

static void nor_is_his_drain_undone_as_another_node_is_refused(void)
{
	struct external_nodes b;

	begin_settled(&b, 5);
	for (int i = 0; i < 5; i++)
		put_closed(&b, i);
	pass_by(&b, 30000, 100);
	T_INT(are_drained(), 5);
	unresumable_node = "n0";
	on_resume = drain_another_for_a_disk;
	for (int i = 0; i < 5; i++)
		put_host(&b, i, 64, 8);
	pass_by(&b, 30000, 100);
	T_OK(!on_resume);
	T_OK(slurm[3].drained && slurm[3].admins);
	T_INT(are_drained(), 2);
	end(&b);
}

/* (they would be of no use for long, and jobs go to nodes that are closed) */
static void many_that_cannot_be_created_keep_no_node_open(void)
{
	struct external_nodes b;

	begin_to_create(&b, 200);
	pass_by(&b, 2 * MINUTE, 100);
	T_OK(!slurm[0].is);
	T_OK(slurm[1].drained);
	end(&b);
}

static void reading_them_takes_nothing_from_what_is_done(void)
{
	struct external_nodes b;

	begin_settled(&b, 100);
	pass(&b, 20000);
	for (int i = 0; i < 100; i++)
		put_taint(&b, i);
	loading_ms = 3000;
	updating_ms = 100;
	pass_by(&b, MINUTE, 100);
	T_INT(are_drained(), 100);
	end(&b);
}

T_MAIN("external_actions",
       T(jobs_end_on_a_dead_node_that_an_administrator_has_drained),
       T(one_that_an_administrator_deletes_is_made_anew),
       T(a_node_is_lost_only_as_long_as_it_is_seen),
       T(the_job_that_starts_on_an_idle_one_again_keeps_it),
       T(nothing_is_done_again_before_it_is_known_what_it_did),
       T(reading_takes_a_part_of_the_time_only),
       T(what_an_administrator_has_drained_meanwhile_is_left_to_him),
       T(what_was_ours_and_is_an_administrators_stays_drained),
       T(what_slurm_drains_as_it_was_to_be_undrained_stays_drained),
       T(nor_is_it_made_anew),
       T(where_slurmctld_does_not_answer_nothing_is_done),
       T(what_befalls_many_is_one_rpc),
       T(those_that_end_jobs_are_so_many_in_one),
       T(a_slow_slurmctld_does_not_keep_the_bridge),
       T(one_that_slurm_refuses_keeps_no_other), T(other_kinds_have_their_turn),
       T(what_is_to_be_deleted_is_deleted_together),
       T(one_that_is_created_anew_is_never_left_deleted),
       T(nor_is_his_drain_undone_as_another_node_is_refused),
       T(many_that_cannot_be_created_keep_no_node_open),
       T(reading_them_takes_nothing_from_what_is_done))
