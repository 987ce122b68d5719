/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a node that is deleted to be made anew must not cost: other nodes, a
 * reservation that is to come, or a suspended job.
 */
#include "external_nodes_fixture.h"

static unsigned int are_there(void)
{
	unsigned int n = 0;

	for (size_t i = 0; i < HOSTS; i++)
		n += slurm[i].is;
	return n;
}

static void begin_settled(struct external_nodes *b, int n)
{
	begin(b, n);
	pass(b, 5000);
	T_INT(in_slurm(64), n);
}

/* --- other nodes */

/* A DaemonSet changes the sizes of all: Slurm takes none of these any more. */
static void what_slurm_refuses_costs_one_node(void)
{
	struct external_nodes b;
	const char *said;

	begin_settled(&b, 100);
	for (int i = 0; i < 50; i++)
		put_other(&b, i, true);
	for (int i = 50; i < 100; i++)
		put_host(&b, i, 100, 8);
	refuses_all = true;
	pass(&b, BRIDGE_RESIZE_MS + 60 * MINUTE);
	T_INT(are_there(), 99);
	T_INT(deletions, 1);
	said = strstr(t_log(), "no other one is made anew before");
	T_OK(said && !strstr(said + 1, "no other one is made anew before"));
	/* (nor are those that it takes for lost) */
	slurm[99].lost = true;
	pass(&b, 10 * MINUTE);
	T_INT(are_there(), 99);
	refuses_all = false;
	pass(&b, 3 * MINUTE);
	T_INT(in_slurm(56), 50);
	T_INT(in_slurm(100), 50);
	end(&b);
}

/* Slurm does not take n0 again, and n1 waits for that. */
static void begin_with_one_missing(struct external_nodes *b)
{
	begin_settled(b, 4);
	put_other(b, 0, true);
	put_host(b, 1, 100, 8);
	refused_cpus = 56;
	pass(b, BRIDGE_RESIZE_MS + 5 * MINUTE);
	T_OK(!slurm[0].is);
	T_INT(in_slurm(64), 3);
}

/* One that is not to be Slurm's any more is not waited for. */
static void one_that_is_not_wanted_any_more_keeps_no_other(void)
{
	struct external_nodes b;

	begin_with_one_missing(&b);
	put(&b, 0, "", "", 64, 8, true);
	pass(&b, 2 * MINUTE);
	T_INT(in_slurm(100), 1);
	end(&b);
}

/* Nor one that is not to be created now: its kubelet has gone meanwhile. */
static void one_that_is_cordoned_keeps_no_other(void)
{
	struct external_nodes b;

	begin_with_one_missing(&b);
	put(&b, 0, "\"l\":\"\"", "\"unschedulable\":true", 64, 8, true);
	pass(&b, 2 * MINUTE);
	T_OK(!slurm[0].is);
	T_INT(in_slurm(100), 1);
	end(&b);
}

static void another_kind_that_it_takes_is_done(void)
{
	struct external_nodes b;

	begin_settled(&b, 20);
	for (int i = 0; i < 10; i++)
		put_other(&b, i, true);
	for (int i = 10; i < 20; i++)
		put_host(&b, i, 100, 8);
	refused_cpus = 100;
	pass(&b, BRIDGE_RESIZE_MS + 2 * MINUTE);
	T_INT(in_slurm(56), 10);
	T_INT(in_slurm(64), 9);
	T_INT(are_there(), 19);
	end(&b);
}

/* Without it nothing is created: another engine may do so. */
static void with_the_lease_the_deleted_come_back_first(void)
{
	struct external_nodes b;

	begin_settled(&b, 10);
	for (int i = 0; i < 10; i++)
		put_other(&b, i, true);
	lease_ends = true;
	pass(&b, BRIDGE_RESIZE_MS + MINUTE);
	T_INT(deletions, 1);
	T_INT(are_there(), 9);
	lease_ends = lease_is_lost = false;
	pass(&b, 1000);
	T_INT(deletions, 1);
	T_INT(are_there(), 10);
	pass(&b, MINUTE);
	T_INT(in_slurm(56), 10);
	end(&b);
}

/* --- reservations to come */

static void promise(int n, bool is)
{
	for (int i = 0; i < n; i++)
		slurm[i].promised = is;
}

static void a_node_of_a_reservation_to_come_keeps_its_size(void)
{
	static const char words[] = "while reservation maint has it";
	struct external_nodes b;

	begin_settled(&b, 4);
	T_INT(reserved_read, 0); /* (nothing depends on it) */
	promise(2, true);
	for (int i = 0; i < 4; i++)
		put_other(&b, i, true);
	slurm[1].busy = slurm[3].busy = true;
	pass(&b, BRIDGE_RESIZE_MS + 10 * MINUTE);
	T_INT(slurm[0].cpus, 64);
	T_INT(slurm[2].cpus, 56);
	/* (nor is one drained to become idle) */
	T_OK(!slurm[1].drained && slurm[3].drained);
	T_HAS(t_log(), words);
	T_OK(reserved_read > 0 && reserved_read <= 10 * 30 + 1);
	promise(2, false);
	slurm[1].busy = slurm[3].busy = false;
	pass(&b, 2 * MINUTE);
	T_INT(in_slurm(56), 4);
	T_INT(are_drained(), 0);
	end(&b);
}

/* One that was drained before the reservation was made is not left so. */
static void what_is_promised_later_is_undrained(void)
{
	struct external_nodes b;

	begin_settled(&b, 2);
	put_other(&b, 0, true);
	slurm[0].busy = true;
	pass(&b, BRIDGE_RESIZE_MS + MINUTE);
	T_OK(slurm[0].drained);
	promise(1, true);
	pass(&b, MINUTE);
	T_OK(!slurm[0].drained);
	end(&b);
}

static void while_it_is_not_known_all_stays(void)
{
	struct external_nodes b;

	begin_settled(&b, 3);
	for (int i = 0; i < 3; i++)
		put_other(&b, i, true);
	slurm[1].busy = true;
	slurm[2].lost = true;
	reserved_rc = -EIO;
	pass(&b, BRIDGE_RESIZE_MS + MINUTE);
	T_INT(deletions, 0);
	T_INT(are_drained(), 0);
	reserved_rc = 0;
	slurm[1].busy = false;
	pass(&b, MINUTE);
	T_INT(in_slurm(56), 3);
	T_OK(!slurm[2].lost);
	end(&b);
}

/* No job starts there, in the reservation either: each by itself. */
static void what_slurm_takes_for_lost_is_made_anew_all_the_same(void)
{
	struct external_nodes b;

	begin_settled(&b, 10);
	for (int i = 0; i < 10; i++) {
		slurm[i].lost = true;
		slurm[i].promised = i >= 5;
	}
	pass(&b, MINUTE);
	for (int i = 0; i < 10; i++)
		T_OK(slurm[i].is && !slurm[i].lost);
	/* (one, the four like it, and these five) */
	T_INT(deletions, 5 + 2);
	T_HAS(t_log(), "see whether reservation maint has it still");
	end(&b);
}

static void what_depends_on_reservations_is_said(void)
{
	const struct kube_node host = {
		.name = "n", .ready = true, .external = true};
	const struct external_node_shape shape = {
		.name = "n", .cpus = 8, .features = WK_FEATURE_EXTERNAL};
	static const struct {
		uint32_t cpus;
		bool idle, lost, relabelled;
		enum external_node_do what, promised;
	} rows[] = {
		{8, true, false, false, EXTERNAL_NODE_KEEP, EXTERNAL_NODE_KEEP},
		{4, true, false, false, EXTERNAL_NODE_RENEW,
		 EXTERNAL_NODE_KEEP},
		{8, true, false, true, EXTERNAL_NODE_RENEW, EXTERNAL_NODE_KEEP},
		{16, false, false, false, EXTERNAL_NODE_DRAIN,
		 EXTERNAL_NODE_KEEP},
		{4, false, false, false, EXTERNAL_NODE_KEEP,
		 EXTERNAL_NODE_KEEP},
		{8, true, true, false, EXTERNAL_NODE_RENEW,
		 EXTERNAL_NODE_RENEW},
		{4, true, true, false, EXTERNAL_NODE_RENEW,
		 EXTERNAL_NODE_RENEW},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		struct external_node_view v = {.host = &host,
					       .shape = &shape,
					       .settled = true,
					       .known = true,
					       .external = true,
					       .features = WK_FEATURE_EXTERNAL,
					       .cpus = rows[i].cpus,
					       .idle = rows[i].idle,
					       .lost = rows[i].lost,
					       .relabelled =
						       rows[i].relabelled};
		struct external_decision p = external_decide(&v);

		t_row("%zu", i);
		T_INT(p.what, rows[i].what);
		T_INT(p.if_not_promised, p.what != EXTERNAL_NODE_KEEP);
		v.promised = "r";
		p = external_decide(&v);
		T_INT(p.what, rows[i].promised);
		T_OK(!p.if_not_promised);
		/* what else is due is done */
		v.topology = "t";
		p = external_decide(&v);
		T_INT(p.what, rows[i].lost ? EXTERNAL_NODE_RENEW
					   : EXTERNAL_NODE_UPDATE);
	}
}

/* --- suspended jobs */

static void no_node_is_deleted_under_a_suspended_job(void)
{
	struct external_nodes b;
	const char *said;

	begin_settled(&b, 5);
	b.hides_suspended = true;
	slurm[0].suspended = slurm[0].lost = true;
	slurm[1].lost = true;
	slurm[2].suspended = true;
	put_other(&b, 2, true);
	slurm[3].suspended = true;
	delete_host(&b, 3);
	delete_host(&b, 4);
	pass(&b, BRIDGE_RESIZE_MS + 3 * MINUTE);
	T_OK(slurm[0].is && slurm[0].lost);
	T_OK(slurm[1].is && !slurm[1].lost);
	T_INT(slurm[2].cpus, 64);
	T_OK(slurm[3].is && slurm[3].drained);
	T_OK(!slurm[4].is);
	said = strstr(t_log(), "node n0: is neither deleted nor made anew, as "
			       "job 7 is there");
	T_OK(said && !strstr(said + 1, "node n0: is neither"));
	/* (30 s are between two looks) */
	T_OK(jobs_read <= 40);
	slurm[0].suspended = slurm[2].suspended = slurm[3].suspended = false;
	pass(&b, 2 * MINUTE);
	T_OK(slurm[0].is && !slurm[0].lost);
	T_INT(slurm[2].cpus, 56);
	T_OK(!slurm[3].is);
	end(&b);
}

static void while_jobs_are_not_known_no_node_is_deleted(void)
{
	struct external_nodes b;

	begin_settled(&b, 2);
	b.hides_suspended = true;
	slurm[0].lost = true;
	delete_host(&b, 1);
	jobs_rc = -EIO;
	pass(&b, 3 * MINUTE);
	T_INT(deletions, 0);
	jobs_rc = 0;
	pass(&b, MINUTE);
	T_INT(deletions, 2);
	end(&b);
}

/* A list of all jobs is dear. */
static void where_memory_is_counted_jobs_are_not_read(void)
{
	struct external_nodes b;

	begin_settled(&b, 2);
	slurm[0].lost = true;
	delete_host(&b, 1);
	pass(&b, 3 * MINUTE);
	T_INT(deletions, 2);
	T_INT(jobs_read, 0);
	end(&b);
}

T_MAIN("external_renewals", T(what_slurm_refuses_costs_one_node),
       T(one_that_is_not_wanted_any_more_keeps_no_other),
       T(one_that_is_cordoned_keeps_no_other),
       T(another_kind_that_it_takes_is_done),
       T(with_the_lease_the_deleted_come_back_first),
       T(a_node_of_a_reservation_to_come_keeps_its_size),
       T(what_is_promised_later_is_undrained),
       T(while_it_is_not_known_all_stays),
       T(what_slurm_takes_for_lost_is_made_anew_all_the_same),
       T(what_depends_on_reservations_is_said),
       T(no_node_is_deleted_under_a_suspended_job),
       T(while_jobs_are_not_known_no_node_is_deleted),
       T(where_memory_is_counted_jobs_are_not_read))
