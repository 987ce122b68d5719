/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What others' pods, which anybody may create, do to external nodes. */
#include "external_nodes_fixture.h"

#define NINE                                                                   \
	"\"a.b/1\":1,\"a.b/2\":1,\"a.b/3\":1,\"a.b/4\":1,\"a.b/5\":1,"         \
	"\"a.b/6\":1,\"a.b/7\":1,\"a.b/8\":1,\"a.b/9\":1"

/* Who may create a pod may bind it, and a kubelet runs it. */
static void kinds_that_nobody_has_take_no_node(void)
{
	static const char *const pods[] = {
		CONTAINER("\"x/1\":1,\"x/2\":1,\"x/3\":1,\"x/4\":1,\"x/5\":1,"
			  "\"x/6\":1,\"x/7\":1,\"x/8\":1,\"x/9\":1"),
		CONTAINER(NINE), /* (Gres of other nodes) */
		CONTAINER("\"a.b/1\":9223372036854775807},\"limits\":{"
			  "\"a.b/2\":9223372036854775807"),
	};

	for (size_t i = 0; i < T_COUNT(pods); i++) {
		struct external_nodes b;

		t_row("%zu", i);
		begin(&b, 2);
		pass(&b, 5000);
		slurm[0].busy = true;
		put_foreign(&b, 0, pods[i]);
		put_foreign(&b, 1, pods[i]);
		pass(&b, 10 * MINUTE);
		T_INT(are_drained(), 0);
		T_INT(creations, 1);
		T_INT(deletions, 0);
		end(&b);
	}
}

/* Node 0 has all kinds. */
static void put_rich_host(struct external_nodes *b)
{
	struct informer_handler on;
	_cleanup_json_ json_object *node = t_parse(
		"{\"metadata\":{\"name\":\"n0\",\"uid\":\"u0\",\"labels\":{"
		"\"l\":\"\"}},\"status\":{\"allocatable\":{\"cpu\":\"64\","
		"\"memory\":\"64Gi\"," NINE "},\"conditions\":[{\"type\":"
		"\"Ready\",\"status\":\"True\"}]}}");

	on = inventory_handler(b->inventory);
	on.on_object(on.arg, node);
}

/* So do what cannot be counted, or not be read, and is taken for as much. */
static void others_that_leave_nothing_drain_a_node_when_that_lasts(void)
{
	static const struct {
		const char *pod, *words;
	} rows[] = {
		{CONTAINER("\"cpu\":64"), "leave no whole CPU or no memory"},
		{CONTAINER("\"memory\":\"64Gi\""), "leave no whole CPU"},
		{"{}", "leave no whole CPU or no memory"},
		{CONTAINER(NINE), "more than 8 kinds of extended resources"},
	};

	for (size_t i = 0; i < 2 * T_COUNT(rows); i++) {
		const char *pod = rows[i / 2].pod;
		struct external_nodes b;

		t_row("%zu", i);
		begin(&b, 0);
		put_rich_host(&b);
		pass(&b, 5000);
		slurm[0].busy = i % 2;
		/* (the kubelet turns it away, say) */
		for (int n = 0; n < 20; n++) {
			put_foreign(&b, 0, n % 2 ? NULL : pod);
			pass(&b, 30000);
		}
		T_INT(are_drained(), 0);
		put_foreign(&b, 0, pod);
		pass(&b, BRIDGE_RESIZE_MS - 5000);
		T_INT(are_drained(), 0);
		T_INT(in_slurm(64), 1);
		pass(&b, MINUTE);
		T_INT(are_drained(), 1);
		T_HAS(t_log(), rows[i / 2].words);
		/* an engine that has just begun knows that no better */
		external_nodes_free(&b);
		b.memos = NULL;
		b.slurm.nodes = NULL;
		pass(&b, MINUTE);
		T_INT(are_drained(), 1);
		put_foreign(&b, 0, NULL);
		pass(&b, MINUTE);
		T_INT(are_drained(), 0);
		T_INT(creations, 1);
		T_INT(deletions, 0);
		end(&b);
	}
}

/*
 * The pod of a job that was made for another schedulerName is not ours any
 * more, and no DaemonSet's: the node has all that Slurm gave the job.
 */
static void what_a_job_has_does_not_make_its_node_smaller(void)
{
	for (int has = 0; has < 2; has++) {
		struct external_nodes b;

		t_row("%d", has);
		begin(&b, 1);
		pass(&b, 5000);
		job_with_nodes = has ? 7 : 0;
		put_bound(&b, 0, "7");
		slurm[0].busy = true;
		pass(&b, BRIDGE_RESIZE_MS + MINUTE);
		T_INT(slurm[0].drained, !has);
		T_INT(slurm[0].cpus, 64);
		/* it ends: what runs on is counted, in its time */
		job_with_nodes = 0;
		slurm[0].busy = false;
		pass(&b, BRIDGE_RESIZE_MS + 2 * MINUTE);
		T_INT(slurm[0].cpus, 56);
		end(&b);
	}
}

/* (Slurm would take the node out of what topology.yaml says) */
static void a_place_is_written_only_where_it_is_another_one(void)
{
	for (int moved = 0; moved < 2; moved++) {
		struct external_nodes b;

		t_row("%d", moved);
		begin(&b, 1);
		pass(&b, 5000);
		updates = 0;
		pass(&b, MINUTE);
		T_INT(updates, 0);
		is_relabelled = true;
		if (moved)
			memcpy(placed, "t:s1", 5);
		pass(&b, 10000);
		T_OK(updates > 0);
		T_INT(updated_topology, moved);
		is_relabelled = false;
		*placed = '\0';
		end(&b);
	}
}

T_MAIN("external_nodes_others",
       T(a_place_is_written_only_where_it_is_another_one),
       T(kinds_that_nobody_has_take_no_node),
       T(others_that_leave_nothing_drain_a_node_when_that_lasts),
       T(what_a_job_has_does_not_make_its_node_smaller))
