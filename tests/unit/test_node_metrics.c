/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is counted of nodes; as a reader of the metrics' text sees it. */
#include "metrics/metrics.h"
#include "node_observe_fixture.h"
#include "nodes/reconcile/node_metrics.h"

static char *rendered(void)
{
	struct buf out = BUF_INIT(METRICS_TEXT_MAX);

	T_INT(metrics_render(&out), 0);
	return out.data;
}

static void check_has(struct t_at at, const char *line)
{
	_cleanup_free_ char *text = rendered();

	t_has(at, text, line, true);
}
#define HAS(line) check_has(T_HERE, line)

static void a_start_has_phases(void)
{
	static const struct {
		const char *what;
		struct node_start s;
		int64_t want[METRICS_START_PHASES];
	} rows[] = {
		{"all is known",
		 {1000, 1500, 2500, 9000, 9100},
		 {500, 1000, 6500, 100}},
		{"clocks differ",
		 {1000, 900, 800, 9000, 8000},
		 {0, 0, 8200, 0}},
		{"nothing but its creation",
		 {1000, 1500, -1, -1, 9100},
		 {500, -1, -1, -1}},
		{"no condition PodScheduled",
		 {1000, 1500, -1, 9000, 9100},
		 {500, -1, -1, 100}},
		{"a pod of 5 s before",
		 {6000, 1000, 1000, 2000, 9000},
		 {0, 0, 1000, 7000}},
		{"a pod of earlier",
		 {6001, 1000, 1000, 2000, 9000},
		 {-1, -1, -1, -1}},
		{"when it was created is not known",
		 {1000, -1, 2000, 3000, 4000},
		 {-1, -1, 1000, 1000}},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		int64_t out[METRICS_START_PHASES];

		node_start_phases(&rows[i].s, out);
		for (int k = 0; k < METRICS_START_PHASES; k++) {
			t_row("%s: %d", rows[i].what, k);
			T_INT(out[k], rows[i].want[k]);
		}
	}
}

#define TIME "slurm_k8s_node_start_duration_seconds"
#define PHASE "slurm_k8s_node_start_phase_duration_seconds"

static void a_start_is_counted_when_the_node_is_seen_up(void)
{
	begin();
	node.busy = false;
	node.power = CTL_POWERED_DOWN;
	NOTHING(0);
	HAS(TIME "_count 0\n");
	node.power = CTL_POWERING_UP;
	NOTHING(1000);
	show("1", "Running", false);
	NOTHING(10000);
	node.power = CTL_UP;
	NOTHING(2000);
	HAS(TIME "_sum 12.000\n" TIME "_count 1\n");
	NOTHING(1000);
	HAS(TIME "_count 1\n");
	end();
}

static void a_power_up_that_nobody_saw_is_not_timed(void)
{
	begin();
	node.busy = false;
	node.power = CTL_POWERED_DOWN;
	NOTHING(0);
	node.power = CTL_UP;
	show("1", "Running", false);
	NOTHING(600000);
	HAS(TIME "_count 1\n");
	end();
}

static void a_start_without_a_pod_in_view_has_no_phases(void)
{
	node_metrics_started(3000, NULL);
	HAS(TIME "_sum 15.000\n" TIME "_count 2\n");
	HAS(PHASE "_count{phase=\"created\"} 0\n");
}

static void phases_are_by_what_the_pod_says(void)
{
	const int64_t now = clock_real_ms();
	const struct pod_view pod = {.created_ms = now - 50000,
				     .scheduled_ms = now - 40000,
				     .running_ms = now - 10000};

	node_metrics_started(60000, &pod);
	HAS(PHASE "_bucket{phase=\"created\",le=\"15\"} 1\n");
	HAS(PHASE "_sum{phase=\"scheduled\"} 10.000\n");
	HAS(PHASE "_sum{phase=\"started\"} 30.000\n");
	HAS(PHASE "_count{phase=\"registered\"} 1\n");
}

static void only_rows_that_take_nodes_from_jobs_count(void)
{
	static const char *const rows[] = {"pod ended", "powered down", "",
					   "host lost", "pod ended"};

	for (size_t i = 0; i < T_COUNT(rows); i++)
		node_metrics_acted(&(struct node_decision){.row = rows[i]});
	HAS("slurm_k8s_failovers_total{reason=\"pod ended\"} 2\n");
	HAS("slurm_k8s_failovers_total{reason=\"host lost\"} 1\n");
	HAS("slurm_k8s_failovers_total{reason=\"not started\"} 0\n");
}

static void look_at_all(void)
{
	struct actions a = {0};

	now_ms += FULL_MS;
	nodes_observe(engine, &a);
	free(a.v);
}

#define NODES(state) "slurm_k8s_nodes{nodeset=\"cpu\",state=\"" state "\"} "

static void nodes_and_pods_are_counted_in_each_full_look(void)
{
	begin();
	engine->cooling = &cooling;
	config.nodesets = &set;
	config.n_nodesets = 1;
	for (n_all = 0; n_all < 6; n_all++)
		all[n_all] = node;
	all[0].name = "cpu-2";
	all[1].power = CTL_POWERING_UP;
	all[1].name = "cpu-3";
	all[2].power = CTL_POWERED_DOWN;
	all[2].drained = true;
	all[2].reason = "k8s: nodeset cpu cools down";
	all[2].name = "cpu-4";
	all[3].down = all[3].drained = true;
	all[3].reason = "broken";
	all[3].name = "cpu-5";
	all[4].name = NULL;
	show("1", "Pending", false);
	look_at_all();
	look_at_all();
	HAS(NODES("up") "2\n" NODES("powering_down") "0\n");
	HAS(NODES("powering_up") "1\n" NODES("up") "2\n");
	HAS(NODES("powered_down") "0\n");
	HAS(NODES("drained") "1\n" NODES("down") "1\n");
	HAS("slurm_k8s_nodes_set_aside{nodeset=\"cpu\"} 1\n");
	HAS("slurm_k8s_worker_pods{nodeset=\"cpu\",phase=\"pending\"} 1\n");
	n_all = 1;
	look_at_all();
	HAS(NODES("up") "1\n" NODES("powering_down") "0\n");
	HAS("slurm_k8s_nodes_set_aside{nodeset=\"cpu\"} 0\n");
	HAS("slurm_k8s_worker_pods{nodeset=\"cpu\",phase=\"pending\"} 0\n");
	config.nodesets = NULL;
	config.n_nodesets = 0;
	end();
}

T_MAIN("node_metrics", T(a_start_has_phases),
       T(a_start_is_counted_when_the_node_is_seen_up),
       T(a_power_up_that_nobody_saw_is_not_timed),
       T(a_start_without_a_pod_in_view_has_no_phases),
       T(phases_are_by_what_the_pod_says),
       T(only_rows_that_take_nodes_from_jobs_count),
       T(nodes_and_pods_are_counted_in_each_full_look))
