/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is done about Slurm's nodes is done once. */
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
	T_OK(loads <= 60);
	end(&b);
}

T_MAIN("bridge_nodes_do", T(the_job_that_starts_on_an_idle_one_again_keeps_it),
       T(nothing_is_done_again_before_it_is_known_what_it_did),
       T(reading_takes_a_part_of_the_time_only))
