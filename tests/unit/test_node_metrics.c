/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is counted of nodes; as a reader of the metrics' text sees it. */
#include "metrics/metrics.h"
#include "node_observe_fixture.h"
#include "nodes/reconcile/node_metrics.h"

#define EPOCH_MS 1700000000000 /* of the monotonic clock's 0 */

int64_t __wrap_clock_real_ms(void);
int64_t __wrap_clock_real_ms(void)
{
	return EPOCH_MS + now_ms;
}

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

static void a_start_that_nobody_saw_began_with_its_pod(void)
{
	static const struct {
		const char *what;
		struct node_start s;
		int64_t want;
	} rows[] = {
		{"seen", {.begun = 1000, .created = 2000, .up = 9000}, 8000},
		{"seen, without a pod",
		 {.begun = 1000, .created = -1, .up = 9000},
		 8000},
		{"not seen",
		 {.begun = -1, .created = 2000, .up = 9000, .down_at = 7000},
		 7000},
		{"not seen, a pod of earlier",
		 {.begun = -1, .created = 2000, .up = 9000, .down_at = 7001},
		 -1},
		{"neither power-up nor pod were seen",
		 {.begun = -1, .created = -1, .up = 9000, .down_at = 7000},
		 -1},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		int64_t out[METRICS_START_PHASES];

		t_row("%s", rows[i].what);
		T_INT(node_start_took(&rows[i].s), rows[i].want);
		node_start_phases(&rows[i].s, out);
		T_INT(out[METRICS_CREATED], i ? -1 : 1000);
	}
}

#define TIME "slurm_k8s_node_start_duration_seconds"
#define PHASE "slurm_k8s_node_start_phase_duration_seconds"

#define NOT_TOLD INT64_MAX

/* Its pod, which was created and has run so many ms ago, as its kubelet tells.
 */
static void show_pod(int64_t created_ms, int64_t ran_ms)
{
	const bool told = ran_ms != NOT_TOLD;
	const int64_t now = clock_real_ms();
	char created[CLOCK_RFC3339_MAX], ran[CLOCK_RFC3339_MAX];
	_cleanup_json_ json_object *pod = NULL;
	_cleanup_free_ char *text = NULL;

	T_OK(clock_write_rfc3339(now - created_ms, created));
	T_OK(clock_write_rfc3339(now - (told ? ran_ms : 0), ran));
	text = str_printf("{\"metadata\": {\"name\": \"cpu-1\", \"uid\": \"1\","
			  " \"creationTimestamp\": \"%s\","
			  " \"labels\": {\"" WK_LABEL_NODE "\": \"cpu-1\"}},"
			  " \"spec\": {\"nodeName\": \"worker-7\"},"
			  " \"status\": {\"phase\": \"%s\", \"conditions\": [{"
			  " \"type\": \"PodScheduled\", \"status\": \"True\","
			  " \"lastTransitionTime\": \"%s\"}],"
			  " \"containerStatuses\": [{\"name\": \"" WK_CONTAINER
			  "\","
			  " \"state\": {\"%s\": {\"startedAt\": \"%s\"}}}]}}",
			  created, told ? "Running" : "Pending", created,
			  told ? "running" : "waiting", ran);
	pod = t_parse(text);
	T_OK(worker_pods_put(pods, pod, WK_CONTAINER));
}

/* Powered down, and then, where it is seen, powering up for a second. */
static void power_up(bool seen)
{
	begin();
	node.busy = false;
	node.power = CTL_POWERED_DOWN;
	engine->slurm.whole_at = now_ms;
	NOTHING(0);
	if (seen) {
		node.power = CTL_POWERING_UP;
		NOTHING(1000);
	}
}

static void a_start_is_counted_when_the_node_is_seen_up(void)
{
	power_up(true);
	HAS(TIME "_count 0\n");
	NOTHING(10000);
	show_pod(9000, 1000);
	node.power = CTL_UP;
	NOTHING(2000);
	HAS(TIME "_sum 12.000\n" TIME "_count 1\n");
	HAS(PHASE "_sum{phase=\"created\"} 1.000\n");
	HAS(PHASE "_sum{phase=\"scheduled\"} 0.000\n");
	HAS(PHASE "_sum{phase=\"started\"} 8.000\n");
	HAS(PHASE "_sum{phase=\"registered\"} 3.000\n");
	NOTHING(1000);
	HAS(TIME "_count 1\n");
	end();
}

static void slurmd_may_register_before_the_kubelet_tells_that_it_runs(void)
{
	power_up(true);
	show_pod(0, NOT_TOLD);
	node.power = CTL_UP;
	NOTHING(1000);
	HAS(TIME "_count 1\n");
	now_ms += 4000;
	show_pod(5000, 4000);
	NOTHING(0);
	HAS(TIME "_sum 13.000\n" TIME "_count 2\n");
	HAS(PHASE "_sum{phase=\"started\"} 9.000\n");
	HAS(PHASE "_count{phase=\"registered\"} 2\n");
	HAS(PHASE "_sum{phase=\"registered\"} 3.000\n");
	end();
}

static void what_the_kubelet_never_tells_is_waited_for_a_minute(void)
{
	power_up(true);
	show_pod(0, NOT_TOLD);
	node.power = CTL_UP;
	NOTHING(2000);
	NOTHING(59000);
	HAS(TIME "_count 2\n");
	NOTHING(1000);
	HAS(TIME "_sum 15.000\n" TIME "_count 3\n");
	HAS(PHASE "_count{phase=\"scheduled\"} 3\n");
	HAS(PHASE "_count{phase=\"registered\"} 2\n");
	end();
}

static void a_node_that_goes_at_once_is_counted_as_it_goes(void)
{
	power_up(true);
	node.power = CTL_UP;
	NOTHING(5000);
	node.power = CTL_POWERING_DOWN;
	NOTHING(1000);
	HAS(TIME "_sum 20.000\n" TIME "_count 4\n");
	HAS(PHASE "_count{phase=\"created\"} 3\n");
	end();
}

static void a_start_that_was_over_before_a_look_is_counted_by_its_pod(void)
{
	power_up(false);
	show_pod(-1000, -2000);
	node.power = CTL_UP;
	NOTHING(4000);
	HAS(TIME "_sum 23.000\n" TIME "_count 5\n");
	HAS(PHASE "_count{phase=\"created\"} 3\n");
	HAS(PHASE "_count{phase=\"registered\"} 3\n");
	end();
}

static void a_node_that_was_up_with_its_pod_has_not_started(void)
{
	power_up(false);
	show_pod(6000, 6000);
	node.power = CTL_UP;
	NOTHING(1000);
	NOTHING(600000);
	HAS(TIME "_count 5\n");
	end();
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
       T(a_start_that_nobody_saw_began_with_its_pod),
       T(a_start_is_counted_when_the_node_is_seen_up),
       T(slurmd_may_register_before_the_kubelet_tells_that_it_runs),
       T(what_the_kubelet_never_tells_is_waited_for_a_minute),
       T(a_node_that_goes_at_once_is_counted_as_it_goes),
       T(a_start_that_was_over_before_a_look_is_counted_by_its_pod),
       T(a_node_that_was_up_with_its_pod_has_not_started),
       T(only_rows_that_take_nodes_from_jobs_count),
       T(nodes_and_pods_are_counted_in_each_full_look))
