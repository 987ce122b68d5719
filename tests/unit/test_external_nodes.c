/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What keeping Kubernetes nodes and Slurm's external nodes in step costs
 * slurmctld: each creation and deletion has select reconfigured.
 */
#include "external_nodes_fixture.h"

static void equal_nodes_are_created_together(void)
{
	struct external_nodes b;

	begin(&b, HOSTS);
	pass(&b, 5000);
	T_INT(in_slurm(64), HOSTS);
	T_STR(slurm[7].gres, "gpu:8");
	T_INT(creations, BATCHES);
	T_INT(b.creations.anew, 0);
	end(&b);
}

static void one_that_slurm_refuses_does_not_keep_the_others_out(void)
{
	struct external_nodes b;

	begin(&b, 5);
	refused_node = "n3";
	pass(&b, 1000);
	T_INT(in_slurm(64), 4);
	T_OK(!slurm[3].is);
	refused_node = NULL;
	pass(&b, MINUTE);
	T_INT(in_slurm(64), 5);
	end(&b);
}

/* Another request for one that is there would delete it. */
static void what_was_created_without_an_answer_is_not_created_again(void)
{
	struct external_nodes b;

	begin(&b, 5);
	answers_late = true;
	pass(&b, MINUTE);
	answers_late = false;
	T_INT(in_slurm(64), 5);
	T_INT(creations, 1);
	T_OK(slurm[4].shared);
	end(&b);
}

/*
 * slurmctld keeps some memory of each request that it refuses: MaxNodeCount, or
 * a topology that is not there. It takes one of them at last, and then all.
 */
static void a_slurmctld_that_takes_none_is_asked_ever_less(void)
{
	struct external_nodes b;
	unsigned int hour;

	begin(&b, 50);
	refuses_all = true;
	pass(&b, MINUTE);
	T_OK(creations > 1 && creations <= 12);
	pass(&b, 59 * MINUTE);
	T_OK(creations <= 60);
	hour = creations;
	pass(&b, 60 * MINUTE);
	T_OK(creations > hour && creations <= hour + 4 * 7);
	refuses_all = false;
	pass(&b, 11 * MINUTE);
	T_INT(in_slurm(64), 50);
	end(&b);
}

/* (and none is asked for alone for ever) */
static void some_that_slurm_refuses_do_not_hide_the_others(void)
{
	struct external_nodes b;

	begin(&b, 20);
	refused_nodes = 10;
	pass(&b, 60 * MINUTE);
	T_INT(in_slurm(64), 10);
	refused_nodes = 0;
	pass(&b, 11 * MINUTE);
	T_INT(in_slurm(64), 20);
	end(&b);
}

/* Nor does it make a new one wait, or one that is made anew. */
static void one_that_slurm_never_takes_keeps_nobody_waiting(void)
{
	struct external_nodes b;

	begin(&b, 2);
	refused_node = "n0";
	pass(&b, 60 * MINUTE);
	put_host(&b, 2, 64, 8);
	pass(&b, 10000);
	T_OK(slurm[2].is && !slurm[0].is);
	slurm[2].lost = deletion_breaks = true;
	pass(&b, MINUTE);
	T_INT(deletions, 1);
	T_OK(slurm[2].is && !slurm[2].lost && !slurm[0].is);
	deletion_breaks = false;
	refused_node = NULL;
	end(&b);
}

static void daemonsets_that_restart_cost_slurmctld_nothing(void)
{
	struct external_nodes b;

	begin(&b, HOSTS);
	pass(&b, 5000);
	for (int round = 0; round < 10; round++) {
		for (int i = 0; i < HOSTS; i++)
			put_other(&b, i, true);
		pass(&b, 30000);
		for (int i = 0; i < HOSTS; i++)
			put_other(&b, i, false);
		pass(&b, 30000);
	}
	T_INT(creations, BATCHES);
	T_INT(deletions, 0);
	end(&b);
}

static void a_device_plugin_that_restarts_does_neither(void)
{
	struct external_nodes b;

	begin(&b, 2);
	pass(&b, 5000);
	put_host(&b, 0, 64, 0);
	pass(&b, MINUTE);
	put_host(&b, 0, 64, 8);
	pass(&b, 10 * MINUTE);
	T_INT(creations, 1);
	T_INT(deletions, 0);
	/* (a driver comes later than its node) */
	put_host(&b, 0, 64, 9);
	pass(&b, MINUTE);
	T_STR(slurm[0].gres, "gpu:9");
	end(&b);
}

static void what_lasts_is_taken_over_at_once_for_all(void)
{
	struct external_nodes b;

	begin(&b, HOSTS);
	pass(&b, 5000);
	for (int i = 0; i < HOSTS; i++)
		put_other(&b, i, true);
	slurm[0].busy = true;
	pass(&b, BRIDGE_RESIZE_MS - 5000);
	T_INT(in_slurm(64), HOSTS);
	T_OK(!slurm[0].drained);
	pass(&b, MINUTE);
	T_INT(in_slurm(56), HOSTS - 1);
	/* (of each batch one first) */
	T_INT(creations, 3 * BATCHES);
	T_INT(deletions, 2 * BATCHES);
	T_OK(slurm[0].drained);
	slurm[0].busy = false;
	pass(&b, MINUTE);
	T_INT(in_slurm(56), HOSTS);
	T_OK(!slurm[0].drained);
	end(&b);
}

/* Each has another size now: one after the other. */
static void renewals_are_so_many_a_minute(void)
{
	const int some = 50;
	struct external_nodes b;
	unsigned int before;

	begin(&b, some);
	pass(&b, 5000);
	for (int i = 0; i < some; i++)
		put_host(&b, i, 100 + i, 8);
	pass(&b, BRIDGE_RESIZE_MS - 5000);
	before = creations;
	pass(&b, MINUTE);
	T_OK(creations - before <= EXTERNAL_SIZE_RENEWALS_MAX);
	T_OK(creations > before);
	pass(&b, 10 * MINUTE);
	T_INT(in_slurm(64), 0);
	end(&b);
}

/* As of 25.05 and 25.11 does to all when it is reconfigured. */
static void nodes_that_slurm_takes_for_lost_are_ten_times_as_many(void)
{
	const int some = 2 * EXTERNAL_LOST_RENEWALS_MAX;
	struct external_nodes b;
	unsigned int before;

	begin(&b, some);
	for (int i = 0; i < some; i++)
		put_host(&b, i, 100 + i, 8);
	pass(&b, 2 * MINUTE);
	for (int i = 0; i < some; i++)
		slurm[i].lost = true;
	before = creations;
	pass(&b, MINUTE - 10000);
	T_INT(creations - before, some / 2);
	pass(&b, MINUTE);
	T_INT(creations - before, some);
	T_INT(b.creations.anew, some); /* (Slurm has them in other places) */
	for (int i = 0; i < some; i++)
		T_OK(slurm[i].is && !slurm[i].lost && !slurm[i].drained);
	end(&b);
}

/* Slurm has deleted the others of them: they come back at once. */
static void a_deletion_that_slurm_refuses_in_part_loses_no_node(void)
{
	struct external_nodes b;

	begin(&b, 5);
	pass(&b, 5000);
	for (int i = 0; i < 5; i++)
		put_other(&b, i, true);
	refused_node = "n2";
	pass(&b, BRIDGE_RESIZE_MS + MINUTE);
	T_INT(in_slurm(56), 4);
	T_INT(in_slurm(64), 1);
	T_INT(b.creations.anew, 4);
	refused_node = NULL;
	pass(&b, 2 * MINUTE);
	T_INT(in_slurm(56), 5);
	T_INT(b.creations.anew, 5);
	end(&b);
}

/* Each of the first nodes has a size of its own, and another one each time. */
static void change_sizes(struct external_nodes *b, int nodes, int round)
{
	char containers[128];

	for (int i = 0; i < nodes; i++) {
		snprintf(containers, sizeof(containers),
			 "[{\"resources\":{\"requests\":{\"cpu\":\"100m\","
			 "\"memory\":\"%dMi\"}}}]",
			 100 + 40 * i + round);
		put_foreign(b, i, containers);
	}
}

/* Whoever makes pods there may change the sizes of many idle nodes. */
static void sizes_that_change_again_and_again_keep_no_node_drained(void)
{
	struct external_nodes b;
	bool is_back = false;

	begin(&b, 150);
	pass(&b, MINUTE);
	put_other(&b, 149, true);
	find("n149")->busy = true;
	for (int round = 0; round < 8 && !is_back; round++) {
		change_sizes(&b, 120, round);
		for (int s = 0; s < 310 && !is_back; s++) {
			pass(&b, 1000);
			if (find("n149")->drained)
				find("n149")->busy = false;
			is_back = find("n149")->cpus < 64 &&
				  !find("n149")->drained;
		}
	}
	T_OK(is_back);
	end(&b);
}

/* They take none of those few renewals, nor slurmctld's locks. */
static void reserved_nodes_wait_until_they_are_so_no_more(void)
{
	const int reserved = EXTERNAL_SIZE_RENEWALS_MAX + 1;
	struct external_nodes b;

	begin(&b, reserved + 2);
	pass(&b, 5000);
	for (int i = 0; i < reserved; i++) {
		slurm[i].reserved = true;
		put_host(&b, i, 100 + i, 8);
	}
	put_host(&b, reserved, 200, 8);
	slurm[reserved + 1].reserved = true;
	delete_host(&b, reserved + 1);
	pass(&b, BRIDGE_RESIZE_MS + MINUTE);
	T_INT(in_slurm(200), 1);
	T_INT(in_slurm(64), reserved + 1);
	T_INT(deletions, 1);
	for (int i = 0; i < HOSTS; i++)
		slurm[i].reserved = false;
	pass(&b, 5 * MINUTE);
	T_INT(in_slurm(64), 0);
	T_INT(in_slurm(100), 1);
	end(&b);
}

static unsigned int shared(void)
{
	unsigned int n = 0;

	for (size_t i = 0; i < HOSTS; i++)
		n += slurm[i].is && slurm[i].shared;
	return n;
}

/* Before 26.05.3: each takes RPCs, and one may fail. */
static void one_that_is_not_settled_does_not_keep_the_others_so(void)
{
	struct external_nodes b;
	unsigned int before;

	begin(&b, 20);
	unsettled_node = "n3";
	pass(&b, 1000);
	T_INT(shared(), 19);
	T_HAS(t_log(), "1 of 20 new nodes get exclusive jobs only for now, and "
		       "are tried again; node n3: it is busy");
	T_INT(creations, 1);
	/* (more and more seldom) */
	before = settlings;
	pass(&b, 10 * MINUTE);
	T_OK(settlings - before <= 18);
	T_OK(settlings - before >= 10);
	unsettled_node = NULL;
	pass(&b, 2 * MINUTE);
	T_INT(shared(), 20);
	before = settlings;
	pass(&b, 10 * MINUTE);
	T_INT(settlings, before);
	T_INT(creations, 1);
	end(&b);
}

/* Each RPC may take its time until slurmctld is there again. */
static void of_a_slurmctld_that_takes_none_few_are_asked(void)
{
	struct external_nodes b;

	begin(&b, 20);
	slurmctld_answers = false;
	external_nodes_step(&b);
	external_nodes_step(&b);
	now += 500;
	external_nodes_step(&b);
	T_INT(settlings, 3);
	T_HAS(t_log(), "20 of 20 new nodes");
	slurmctld_answers = true;
	pass(&b, 2 * MINUTE);
	T_INT(shared(), 20);
	end(&b);
}

/* An administrator, or Slurm, which need not say why. */
static void what_others_have_taken_is_not_settled(void)
{
	for (int admins = 0; admins < 2; admins++) {
		struct external_nodes b;

		begin(&b, 1);
		unsettled_node = "n0";
		pass(&b, 1000);
		slurm[0].drained = slurm[0].admins = admins;
		slurm[0].down = slurm[0].unexplained = !admins;
		unsettled_node = NULL;
		pass(&b, 5 * MINUTE);
		T_INT(shared(), 0);
		slurm[0].drained = slurm[0].down = false;
		pass(&b, 5 * MINUTE);
		T_INT(shared(), 1);
		end(&b);
	}
}

static unsigned int are_down(void)
{
	unsigned int n = 0;

	for (size_t i = 0; i < HOSTS; i++)
		n += slurm[i].is && slurm[i].down;
	return n;
}

static void begin_busy(struct external_nodes *b, int n)
{
	begin(b, n);
	pass(b, 5000);
	for (int i = 0; i < n; i++)
		slurm[i].busy = true;
}

static void one_that_is_lost_for_long_is_down(void)
{
	for (int gone = 0; gone <= 1; gone++) {
		struct external_nodes b;

		t_row("gone: %d", gone);
		begin_busy(&b, 5);
		if (gone)
			delete_host(&b, 0);
		else
			put_node(&b, 0, 64, 8, false);
		pass(&b, gone ? 20000 : 50000);
		T_INT(are_drained(), 1);
		T_INT(are_down(), 0);
		pass(&b, 30000);
		T_INT(are_down(), 1);
		T_OK(slurm[0].down);
		put_host(&b, 0, 64, 8);
		pass(&b, 30000);
		T_INT(are_down() + are_drained(), 0);
		T_LACKS(t_log(), "no job is taken");
		end(&b);
	}
}

static void an_idle_one_that_is_gone_for_long_is_deleted(void)
{
	struct external_nodes b;

	begin(&b, 5);
	pass(&b, 5000);
	/* (its kubelet registers it anew, again and again) */
	for (int i = 0; i < 3; i++) {
		delete_host(&b, 0);
		pass(&b, 20000);
		T_INT(are_drained(), 1);
		put_host(&b, 0, 64, 8);
		pass(&b, 20000);
		T_INT(are_drained(), 0);
	}
	T_INT(deletions, 0);
	/* (an autoscaler takes more than half of them) */
	for (int i = 0; i < 4; i++)
		delete_host(&b, i);
	pass(&b, 20000);
	T_INT(are_drained(), 4);
	T_INT(deletions, 0);
	pass(&b, 30000);
	T_INT(in_slurm(64), 1);
	T_LACKS(t_log(), "no job is taken");
	end(&b);
}

static void list_no_host(struct external_nodes *b)
{
	struct informer_handler on;

	on = inventory_handler(b->inventory);
	on.on_list(on.arg);
	on.on_synced(on.arg);
}

/* (the wrong API server, or an empty one) */
static void where_none_is_left_idle_ones_stay(void)
{
	static const struct {
		int busy;
		bool others; /* it has nodes without the label */
	} rows[] = {{0, false}, {0, true}, {2, false}, {2, true}};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		struct external_nodes b;

		t_row("%zu", i);
		begin(&b, 5);
		pass(&b, 5000);
		for (int k = 0; k < rows[i].busy; k++)
			slurm[k].busy = true;
		list_no_host(&b);
		if (rows[i].others)
			put(&b, 9, "", "", 64, 8, true);
		pass(&b, 10 * MINUTE);
		T_INT(are_drained(), 5);
		T_INT(are_down(), 0);
		T_INT(deletions, 0);
		T_HAS(t_log(), "5 of 5 Kubernetes nodes with the label l");
		/* some are back: the others have their time anew */
		put_host(&b, 0, 64, 8);
		put_host(&b, 1, 64, 8);
		put_host(&b, 2, 64, 8);
		pass(&b, 20000);
		T_INT(are_drained(), 2);
		pass(&b, MINUTE);
		T_INT(in_slurm(64), 3);
		T_INT(are_drained(), 0);
		end(&b);
	}
}

/* (it has its time again and again) */
static void one_that_registers_anew_keeps_its_jobs(void)
{
	struct external_nodes b;

	begin_busy(&b, 5);
	for (int i = 0; i < 3; i++) {
		delete_host(&b, 0);
		pass(&b, 20000);
		T_INT(are_down(), 0);
		put_host(&b, 0, 64, 8);
		pass(&b, 20000);
		T_INT(are_down() + are_drained(), 0);
	}
	end(&b);
}

/* (external nodes that somebody else has made are no Kubernetes nodes) */
static void nodes_of_others_do_not_count(void)
{
	struct external_nodes b;

	begin_busy(&b, 5);
	for (int i = 10; i < 20; i++) {
		slurm[i] = slurm[0];
		snprintf(slurm[i].name, sizeof(slurm[i].name), "x%d", i);
		slurm[i].others = true;
	}
	put_node(&b, 0, 64, 8, false);
	pass(&b, 2 * MINUTE);
	T_INT(are_down(), 1);
	T_LACKS(t_log(), "no job is taken");
	end(&b);
}

static void when_most_are_lost_at_once_no_job_is_taken(void)
{
	static const struct {
		int of, lost, gone; /* of these */
	} rows[] = {{5, 5, 0}, {5, 3, 0}, {5, 5, 5}, {5, 3, 2}, {2, 2, 1}};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		struct external_nodes b;

		t_row("%zu", i);
		begin_busy(&b, rows[i].of);
		for (int k = 0; k < rows[i].lost; k++)
			if (k < rows[i].gone)
				delete_host(&b, k);
			else
				put_node(&b, k, 64, 8, false);
		pass(&b, 10 * MINUTE);
		T_INT(are_drained(), rows[i].lost);
		T_INT(are_down(), 0);
		T_HAS(t_log(), "Kubernetes nodes with the label l are not "
			       "ready, or gone: their Slurm nodes are drained, "
			       "but no job is taken from them");
		/* all but one are back; that one has its time anew */
		for (int k = 1; k < rows[i].lost; k++)
			put_host(&b, k, 64, 8);
		pass(&b, rows[i].gone ? 20000 : 50000);
		T_INT(are_drained(), 1);
		T_INT(are_down(), 0);
		T_HAS(t_log(), "are ready again (1 of ");
		pass(&b, MINUTE);
		T_INT(are_down(), 1);
		end(&b);
	}
}

static void cordon(struct external_nodes *b, const char *labels)
{
	put(b, 0, labels, "\"unschedulable\":true", 64, 8, true);
}

static void leave(struct external_nodes *b, bool gone)
{
	if (gone)
		delete_host(b, 0);
	else
		cordon(b, "");
}

static void begin_hybrid(struct external_nodes *b)
{
	begin(b, 4);
	for (int i = 0; i < 4; i++) {
		slurm[i] = (struct fake){.is = true, .hybrid = true};
		snprintf(slurm[i].name, sizeof(slurm[i].name), "n%d", i);
	}
	cordon(b, "\"l\":\"\"");
	pass(b, 2 * MINUTE);
	T_STR(slurm[0].reason, "k8s: Kubernetes node is cordoned");
}

static void a_hybrid_node_that_leaves_kubernetes_is_undrained(void)
{
	for (int gone = 0; gone <= 1; gone++) {
		struct external_nodes b;

		t_row("gone: %d", gone);
		begin_hybrid(&b);
		leave(&b, gone);
		pass(&b, 20000);
		T_INT(are_drained(), 1);
		cordon(&b, "\"l\":\"\""); /* it was registered anew */
		pass(&b, MINUTE);
		T_INT(are_drained(), 1);
		leave(&b, gone);
		pass(&b, 50000);
		T_INT(are_drained(), 0);
		cordon(&b, "\"l\":\"\"");
		pass(&b, 15000);
		T_INT(are_drained(), 1);
		end(&b);
	}
}

/* An Epilog fails there: pods of its job may run yet. The Reason is ours. */
static void what_slurm_has_drained_as_well_stays_so_and_is_said_once(void)
{
	static const char words[] = "node n0: stays drained";
	struct external_nodes b;
	const char *said;

	begin_hybrid(&b);
	T_OK(slurm[0].failing);
	slurm[0].failing = false;
	put_host(&b, 0, 64, 8);
	t_log_clear();
	pass(&b, 5 * MINUTE);
	T_OK(slurm[0].drained);
	said = strstr(t_log(), words);
	T_OK(said && !strstr(said + 1, words));
	slurm[0].failing = true; /* as after State=UNDRAIN */
	pass(&b, MINUTE);
	T_OK(!slurm[0].drained);
	end(&b);
}

/* (its Reason is old by Slurm's clock; two of the nodes have no label) */
static void what_slurm_has_drained_for_a_forgotten_job_comes_back(void)
{
	struct external_nodes b;

	begin(&b, 4);
	for (int i = 0; i < 4; i++) {
		slurm[i] = (struct fake){.is = true,
					 .hybrid = true,
					 .drained = true,
					 .reason = "Duplicate jobid"};
		snprintf(slurm[i].name, sizeof(slurm[i].name), "n%d", i);
		put(&b, i, i % 2 ? "\"l\":\"\"" : "", "", 64, 8, true);
	}
	slurm[0].busy = true;
	str_copy(slurm[1].reason, "disk", sizeof(slurm[1].reason));
	pass(&b, MINUTE);
	T_OK(slurm[0].drained && slurm[1].drained);
	T_OK(!slurm[2].drained && !slurm[3].drained);
	end(&b);
}

static void it_stays_drained_while_kubernetes_is_not_to_be_believed(void)
{
	static const enum {
		OLD,
		NONE,
		DISRUPTED
	} whys[] = {OLD, NONE, DISRUPTED};

	for (size_t i = 0; i < T_COUNT(whys); i++) {
		struct external_nodes b;

		begin_hybrid(&b);
		t_row("%zu", i);
		b.view_is_old = whys[i] == OLD;
		delete_host(&b, 0);
		for (int k = 1; k < 4; k++)
			if (whys[i] == NONE)
				delete_host(&b, k);
			else if (whys[i] == DISRUPTED)
				put_node(&b, k, 64, 8, false);
		pass(&b, 5 * MINUTE);
		T_OK(slurm[0].drained);
		b.view_is_old = false;
		for (int k = 1; k < 4; k++)
			put_host(&b, k, 64, 8);
		pass(&b, MINUTE);
		T_INT(are_drained(), 0);
		end(&b);
	}
}

/* "bad DIMM", and the machine is rebooted: its kubelet registers anew. */
static void what_an_administrator_has_drained_outlives_its_host(void)
{
	static const char words[] = "is not deleted in Slurm";
	struct external_nodes b;
	const char *said;

	begin(&b, 4);
	pass(&b, 5000);
	slurm[0].drained = slurm[0].admins = true;
	delete_host(&b, 0);
	delete_host(&b, 1);
	t_log_clear();
	pass(&b, 20 * MINUTE);
	T_OK(slurm[0].is && slurm[0].drained && slurm[0].admins);
	T_OK(!slurm[1].is);
	said = strstr(t_log(), words);
	T_OK(said && !strstr(said + 1, words));
	/* (also of another size, which it gets when it is undrained) */
	t_log_clear();
	put_host(&b, 0, 32, 8);
	pass(&b, 20 * MINUTE);
	T_OK(slurm[0].is && slurm[0].drained && slurm[0].admins);
	T_INT(slurm[0].cpus, 64);
	T_STR(t_log(), "");
	slurm[0].drained = slurm[0].admins = false;
	pass(&b, MINUTE);
	T_INT(slurm[0].cpus, 32);
	/* it goes when he says so */
	slurm[0].drained = slurm[0].admins = true;
	delete_host(&b, 0);
	pass(&b, 5 * MINUTE);
	T_OK(slurm[0].is);
	slurm[0].drained = slurm[0].admins = false;
	pass(&b, MINUTE);
	T_OK(!slurm[0].is);
	end(&b);
}

static void drain_n0(void)
{
	slurm[0].drained = slurm[0].admins = true;
	after_load = NULL;
}

/* He has done so after Slurm's nodes were read. */
static void a_drain_is_seen_right_before_the_deletion(void)
{
	struct external_nodes b;

	begin(&b, 4);
	pass(&b, 5000);
	delete_host(&b, 0);
	pass(&b, EXTERNAL_NODE_GONE_MS - 1000);
	T_OK(slurm[0].is && slurm[0].drained && !slurm[0].admins);
	now += 2000;
	after_load = drain_n0;
	pass(&b, MINUTE);
	T_OK(slurm[0].is && slurm[0].admins);
	end(&b);
}

/* (a node a minute comes and goes in a cluster that scales) */
static void nothing_is_remembered_of_nodes_that_are_gone(void)
{
	struct external_nodes b;

	begin(&b, 5);
	refused_node = "n3";
	pass(&b, MINUTE);
	T_INT(in_slurm(64), 4);
	T_OK(HASH_COUNT(b.memos) > 0);
	list_no_host(&b);
	memset(slurm, 0, sizeof(slurm));
	pass(&b, MINUTE);
	T_INT(HASH_COUNT(b.memos), 0);
	end(&b);
}

T_MAIN("external_nodes", T(what_an_administrator_has_drained_outlives_its_host),
       T(a_drain_is_seen_right_before_the_deletion),
       T(what_slurm_has_drained_as_well_stays_so_and_is_said_once),
       T(a_hybrid_node_that_leaves_kubernetes_is_undrained),
       T(what_slurm_has_drained_for_a_forgotten_job_comes_back),
       T(it_stays_drained_while_kubernetes_is_not_to_be_believed),
       T(nothing_is_remembered_of_nodes_that_are_gone),
       T(one_that_is_not_settled_does_not_keep_the_others_so),
       T(of_a_slurmctld_that_takes_none_few_are_asked),
       T(what_others_have_taken_is_not_settled),
       T(equal_nodes_are_created_together),
       T(one_that_slurm_refuses_does_not_keep_the_others_out),
       T(what_was_created_without_an_answer_is_not_created_again),
       T(a_slurmctld_that_takes_none_is_asked_ever_less),
       T(some_that_slurm_refuses_do_not_hide_the_others),
       T(one_that_slurm_never_takes_keeps_nobody_waiting),
       T(daemonsets_that_restart_cost_slurmctld_nothing),
       T(a_device_plugin_that_restarts_does_neither),
       T(what_lasts_is_taken_over_at_once_for_all),
       T(renewals_are_so_many_a_minute),
       T(nodes_that_slurm_takes_for_lost_are_ten_times_as_many),
       T(sizes_that_change_again_and_again_keep_no_node_drained),
       T(a_deletion_that_slurm_refuses_in_part_loses_no_node),
       T(reserved_nodes_wait_until_they_are_so_no_more),
       T(one_that_is_lost_for_long_is_down),
       T(an_idle_one_that_is_gone_for_long_is_deleted),
       T(where_none_is_left_idle_ones_stay),
       T(one_that_registers_anew_keeps_its_jobs),
       T(nodes_of_others_do_not_count),
       T(when_most_are_lost_at_once_no_job_is_taken))
