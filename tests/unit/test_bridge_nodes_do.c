/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is done about Slurm's nodes: once, by what Slurm has at that moment. */
#include "nodes_fixture.h"

static void pass_by(struct bridge_thread *b, int64_t ms, int64_t each)
{
	for (const int64_t until = now + ms; now < until; now += each)
		nodes_step(b);
}

static void begin_settled(struct bridge_thread *b, int n)
{
	begin(b, n);
	pass(b, 5000);
	T_INT(in_slurm(64), n);
	loads = 0;
}

static void put_closed(struct bridge_thread *b, int i)
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
static void begin_emptied(struct bridge_thread *b)
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
		struct bridge_thread b;

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
	struct bridge_thread b;

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
	struct bridge_thread b;

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
		struct bridge_thread b;

		t_row("%zu", i);
		begin_settled(&b, 20);
		for (int k = 0; k < 20; k++)
			slurm[k].hybrid = rows[i].hybrid;
		pass(&b, 20000);
		after_load = drain_for_a_disk;
		for (int k = 0; k < rows[i].n; k++)
			put_closed(&b, k);
		nodes_step(&b);
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

/* The same when it was drained by us: his is not undone. */
static void what_was_ours_and_is_an_administrators_stays_drained(void)
{
	struct bridge_thread b;

	begin_settled(&b, 2);
	put_closed(&b, 0);
	pass(&b, 20000);
	T_OK(slurm[0].drained && !slurm[0].admins);
	after_load = drain_for_a_disk;
	put_host(&b, 0, 64, 8);
	while (!slurm[0].admins)
		nodes_step(&b), now += 100;
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
		struct bridge_thread b;
		bool anew;

		t_row("%d", steps);
		begin_settled(&b, 2);
		put_host(&b, 0, 64, 9);
		pass_by(&b, steps * 2000, 2000);
		anew = !strcmp(slurm[0].gres, "gpu:9");
		after_load = drain_for_a_disk;
		nodes_step(&b);
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
	struct bridge_thread b;

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

T_MAIN("bridge_nodes_do", T(the_job_that_starts_on_an_idle_one_again_keeps_it),
       T(nothing_is_done_again_before_it_is_known_what_it_did),
       T(reading_takes_a_part_of_the_time_only),
       T(what_an_administrator_has_drained_meanwhile_is_left_to_him),
       T(what_was_ours_and_is_an_administrators_stays_drained),
       T(nor_is_it_made_anew),
       T(where_slurmctld_does_not_answer_nothing_is_done))
