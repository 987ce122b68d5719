/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "bridge/jobspec/binpack.h"
#include "bridge/jobspec/job_size.h"
#include "bridge/jobspec/placement.h"
#include "syntax/gres_request.h"
#include "t.h"

#define GIB ((int64_t)1 << 30)
#define PODS_MAX 300

/* What the next job is made by. */
static struct pod_requests needs[PODS_MAX];
static struct job_size_pod pods[PODS_MAX];
static size_t n_pods;
static struct job_options options;
static const struct gresmap map[] = {{"nvidia.com/gpu", "gpu"},
				     {"x.org/a100", "gpu:a100"},
				     {"x.org/nic", "nic"},
				     {"hugepages-2Mi", "huge"}};
static struct job_size_node nodes[4];
static size_t n_nodes;
static bool whole;
static uint32_t on_one, had_nodes, had_cpus;

static void begin(void)
{
	n_pods = n_nodes = 0;
	whole = false;
	on_one = had_nodes = had_cpus = 0;
	job_options_clear(&options);
}

static void add(int n, int64_t cpu_milli, int64_t memory, int64_t gpus)
{
	while (n--) {
		struct pod_requests *need = &needs[n_pods];

		*need = (struct pod_requests){.cpu_milli = cpu_milli,
					      .memory_bytes = memory};
		if (gpus) {
			strcpy(need->ext[0].name, "nvidia.com/gpu");
			need->ext[0].count = gpus;
			need->n_ext = 1;
		}
		pods[n_pods++] = (struct job_size_pod){.need = need};
	}
}

static void add_node(uint32_t cpus, uint64_t gib)
{
	nodes[n_nodes++] =
		(struct job_size_node){.cpus = cpus, .memory_mib = gib * 1024};
}

static void ask(enum job_option_key key, int64_t n)
{
	options.v[key].num = n;
	options.given |= JOB_OPTION_BIT(key);
}

static void ask_gres(const char *text)
{
	free(options.v[JOB_OPTION_GRES].text);
	options.v[JOB_OPTION_GRES].text = strdup(text);
	options.given |= JOB_OPTION_BIT(JOB_OPTION_GRES);
}

static int make(struct job_size *out, struct err *err)
{
	const struct job_size_ask how = {.options = &options,
					 .pods = pods,
					 .n = n_pods,
					 .map = map,
					 .n_map = T_COUNT(map),
					 .nodes = nodes,
					 .n_nodes = n_nodes,
					 .whole = whole,
					 .on_nodes = on_one ? 2 : 0,
					 .on_one = on_one,
					 .had_nodes = had_nodes,
					 .had_cpus = had_cpus};

	return job_size_make(&how, out, err);
}

static void check(uint32_t tasks, uint16_t cpus, uint64_t mib)
{
	_cleanup_jobsize_ struct job_size s = {0};

	T_INT(make(&s, NULL), 0);
	T_INT(s.tasks, tasks);
	T_INT(s.cpus_per_task, cpus);
	/* (one task is all that its node has of the job) */
	T_INT(s.memory_per_task, tasks > 1 || s.min_nodes > 1 ? mib : 0);
	T_INT(s.memory_per_node, tasks > 1 || s.min_nodes > 1 ? 0 : mib);
	T_INT(s.max_nodes, tasks);
}

static void check_gres(const char *node, const char *task)
{
	_cleanup_jobsize_ struct job_size s = {0};

	T_INT(make(&s, NULL), 0);
	T_STR(s.gres_node, node);
	T_STR(s.gres_task, task);
}

static void equal_pods_are_a_task_each(void)
{
	begin();
	add_node(64, 64);
	add(3, 1500, GIB + 1, 0);
	check(3, 2, 1025);
	begin();
	add(1, 0, 0, 0);
	check(1, 1, 0);
}

static void a_large_leader_does_not_make_its_workers_large(void)
{
	begin();
	add(1, 64000, 8 * GIB, 0);
	add(7, 1000, GIB, 0);
	check(2, 64, 8192); /* (no node is known to be larger) */
	add_node(64, 512);
	check(2, 64, 8192);
	n_nodes = 0;
	add_node(128, 512);
	add_node(32, 512);
	check(1, 71, 15360);
	add_node(70, 512);
	check(2, 64, 8192);
	n_nodes = 0;
	add_node(128, 14); /* too little memory for all in one */
	check(2, 64, 8192);
}

static void a_leader_with_much_memory_neither(void)
{
	begin();
	add(1, 1000, 64 * GIB, 0);
	add(7, 1000, GIB, 0);
	add_node(8, 128);
	check(1, 8, 71 * 1024);
	n_nodes = 0;
	add_node(4, 128);
	check(2, 4, 67 * 1024);
}

static void a_launcher_shares_with_workers_that_have_gpus(void)
{
	begin();
	add(1, 1000, GIB, 0);
	add(4, 16000, 64 * GIB, 8);
	add_node(32, 256);
	check(4, 17, 65 * 1024);
	check_gres(NULL, "gres/gpu:8");
}

static void who_spreads_pods_gets_a_task_for_each(void)
{
	begin();
	add(1, 64000, GIB, 0);
	add(7, 1000, GIB, 0);
	ask(JOB_OPTION_TASKS_PER_NODE, 1);
	check(8, 64, 1024);
	job_options_clear(&options);
	ask(JOB_OPTION_MIN_NODES, 8);
	check(8, 64, 1024);
}

static void pods_with_ports_of_the_host_are_not_in_one_task(void)
{
	begin();
	add(1, 8000, 0, 0);
	add(4, 1000, 0, 0);
	check(2, 8, 0);
	for (size_t i = 0; i < n_pods; i++)
		pods[i].ports = true;
	check(5, 8, 0);
}

static void too_many_kinds_are_a_task_each(void)
{
	begin();
	for (int i = 1; i <= JOBSIZE_KINDS_MAX; i++)
		add(2, i * 1000, 0, 0);
	add_node(64, 1);
	check(65, 64, 0); /* (64 are larger than half of the largest) */
	add(1, 65000, 0, 0);
	check(2 * JOBSIZE_KINDS_MAX + 1, 65, 0);
}

/* Any way Slurm spreads the tasks: tasks are whole, and each bin is one. */
static void binpack_hold_everything(void)
{
	const int64_t cap[BINS_DIMS] = {10, 100};
	struct binpack_kind kinds[] = {
		{{1, 5}, 20}, {{6, 10}, 3}, {{2, 60}, 2}};
	uint32_t n = 0;

	T_INT(binpack_count(kinds, 3, cap, &n), 0);
	T_INT(kinds[0].need[0], 6); /* (and {2,60} has the same share) */
	T_INT(n, 5);
	kinds[0].need[0] = 11;
	T_INT(binpack_count(kinds, 3, cap, &n), -EINVAL);
}

/* The same numbers in each run. */
static uint32_t random_below(uint32_t n)
{
	static uint32_t seed = 1;

	seed = seed * 1664525 + 1013904223;
	return (seed >> 8) % n;
}

static const struct placement_gres gres = {{"gpu", "nic", "huge"}, 3};

/* Some of the pods since `first` have other devices, and huge pages. */
static void add_others(size_t first)
{
	const int64_t nics = random_below(3), pages = random_below(4);

	for (; first < n_pods; first++) {
		struct pod_requests *need = &needs[first];

		if (pages) {
			strcpy(need->ext[need->n_ext].name, "hugepages-2Mi");
			need->ext[need->n_ext++].count = pages * (2 << 20);
		}
		if (nics) {
			strcpy(need->ext[need->n_ext].name, "x.org/nic");
			need->ext[need->n_ext++].count = nics;
		}
	}
}

static void add_some(void)
{
	for (uint32_t kinds = 1 + random_below(4); kinds; kinds--) {
		const size_t first = n_pods;

		add(1 + (int)random_below(random_below(2) ? 3 : 20),
		    1000 * (1 + (int64_t)random_below(64)),
		    GIB * (1 + (int64_t)random_below(100)),
		    random_below(3) ? 0 : random_below(8));
		if (random_below(2))
			add_others(first);
	}
}

/* What the job has of each for each task, or on each node. */
static void see_gres(const struct job_size *s, int64_t out[PACK_GRES_MAX])
{
	const char *const texts[] = {s->gres_task, s->gres_node};

	for (size_t g = 0; g < gres.n; g++) {
		char name[16];

		snprintf(name, sizeof(name), "gres/%s:", gres.names[g]);
		out[g] = 0;
		for (int i = 0; i < 2; i++) {
			const char *at =
				texts[i] ? strstr(texts[i], name) : NULL;

			out[g] += at ? strtoll(at + strlen(name), NULL, 10) : 0;
		}
	}
}

static struct placement_pod to_place(const struct pod_requests *need)
{
	struct placement_pod p = {.cpu_milli = need->cpu_milli,
				  .memory_bytes = need->memory_bytes,
				  .node = PACK_NONE};

	for (size_t g = 0; g < gres.n; g++)
		p.gres[g] = pod_requests_gres_count(need, map, T_COUNT(map),
						    gres.names[g]);
	return p;
}

/* Tasks on nodes as Slurm might spread them; how many nodes. */
static size_t spread(const struct job_size *s, struct placement_node *on)
{
	int64_t each[PACK_GRES_MAX];
	uint32_t left = s->tasks;
	size_t n = 0;

	see_gres(s, each);
	while (left) {
		const uint32_t k = 1 + random_below(left < 9 ? left : 9);

		left -= k;
		on[n] = (struct placement_node){.cpus = k * s->cpus_per_task,
						.memory_mib =
							k * s->memory_per_task};
		for (size_t g = 0; g < gres.n; g++)
			on[n].gres[g] = k * each[g];
		n++;
	}
	return n;
}

static void all_pods_have_room_however_tasks_are_spread(void)
{
	static struct placement_pod placed[PODS_MAX];
	static struct placement_node on[PODS_MAX];

	for (int round = 0; round < 2000; round++) {
		_cleanup_jobsize_ struct job_size s = {0};
		struct err err = {0};
		size_t n;

		begin();
		add_node(round % 2 ? 512 : 64, 4096);
		add_some();
		T_INT(make(&s, NULL), 0);
		T_OK(s.tasks <= n_pods);
		n = spread(&s, on);
		for (size_t i = 0; i < n_pods; i++)
			placed[i] = to_place(&needs[i]);
		t_row("round %d: %zu pods, %zu nodes", round, n_pods, n);
		T_INT(place_pods(&gres, on, n, placed, n_pods, &err), 0);
		T_STR(err.msg, "");
	}
}

static void check_whole(uint32_t tasks, uint32_t min_nodes, uint16_t node_cpus,
			uint64_t mib)
{
	_cleanup_jobsize_ struct job_size s = {0};

	T_INT(make(&s, NULL), 0);
	T_INT(s.tasks, tasks);
	T_INT(s.min_nodes, min_nodes);
	T_INT(s.max_nodes,
	      job_options_num(&options, JOB_OPTION_MAX_NODES, min_nodes));
	T_INT(s.node_cpus, node_cpus);
	T_OK(s.memory_per_node == mib);
	T_INT(s.memory_per_task, 0);
	T_STR(s.gres_task, NULL);
}

static void whole_nodes_are_asked_for_memory_of_each(void)
{
	begin();
	whole = true;
	add_node(64, 256);
	add(1, 1000, 16 * GIB, 0);
	check_whole(1, 1, 0, 16 * 1024);
	add(1, 1000, 16 * GIB, 0); /* both on one */
	check_whole(2, 1, 2, 32 * 1024);
	add(2, 1000, 16 * GIB, 0);
	check_whole(4, 1, 4, 64 * 1024);
	begin();
	whole = true;
	add_node(64, 256);
	add(4, 1000, 100 * GIB, 0); /* memory is for two a node */
	check_whole(4, 2, 2, 200 * 1024);
	add(1, 1000, 100 * GIB, 0); /* two, two, one */
	check_whole(5, 3, 2, 200 * 1024);
	begin();
	whole = true;
	add_node(64, 256);
	add(10, 15000, GIB, 0); /* CPUs are for four a node */
	check_whole(10, 3, 60, 4 * 1024);
	begin();
	whole = true; /* no node is known, or none is large enough */
	add(10, 15000, GIB, 0);
	check_whole(10, 1, 150, 10 * 1024);
	add_node(4, 256);
	check_whole(10, 1, 150, 10 * 1024);
}

static void no_node_that_has_room_for_a_task_is_lost(void)
{
	static const struct kube_extended gpus[] = {{"nvidia.com/gpu", 4}};

	begin();
	whole = true;
	add(8, 1000, 8 * GIB, 0);
	add_node(64, 256);
	add_node(64, 32);
	check_whole(8, 2, 4, 32 * 1024);
	nodes[1].pods = 3; /* (there are not three nodes: it is left out) */
	check_whole(8, 1, 8, 64 * 1024);
	nodes[0].more = 1; /* (another one like it) */
	check_whole(8, 3, 3, 24 * 1024);
	nodes[0].more = 0;
	add_node(64, 256);
	check_whole(8, 3, 3, 24 * 1024);
	n_nodes = 1;
	add_node(64, 7); /* (it has none) */
	check_whole(8, 1, 8, 64 * 1024);
	/* nodes without GPUs are nothing to who wants some */
	begin();
	whole = true;
	add(8, 1000, 8 * GIB, 2);
	add_node(2, 64);
	add_node(64, 256);
	nodes[1].ext = gpus;
	nodes[1].n_ext = 1;
	check_whole(8, 4, 2, 16 * 1024);
	check_gres("gres/gpu:4", NULL);
}

/* Nodes have come or gone since it was submitted. */
static void a_job_that_waits_may_be_of_another_size_by_now(void)
{
	static const struct {
		uint32_t had_nodes, had_cpus; /* of its job; 8 pods of a CPU */
		uint32_t large, small;	      /* nodes of 8 and of 4 CPUs */
		uint32_t nodes, cpus;	      /* that it would get now */
		enum job_size_change change;
	} rows[] = {
		{0, 0, 1, 0, 1, 8, JOBSIZE_SAME}, /* it has none */
		{1, 8, 1, 0, 1, 8, JOBSIZE_SAME},
		{2, 4, 0, 2, 2, 4, JOBSIZE_SAME},
		/* the large one has gone */
		{1, 8, 0, 2, 2, 4, JOBSIZE_LOST},
		/* and there are too few of the others yet */
		{1, 8, 0, 1, 2, 4, JOBSIZE_SAME},
		/* small ones have come: it may start on these, too */
		{1, 8, 1, 2, 2, 4, JOBSIZE_MORE},
		/* (one of them is not enough for it) */
		{1, 8, 1, 0, 1, 8, JOBSIZE_SAME},
		/* they have gone, and what it asks for is there all the same */
		{2, 4, 3, 0, 1, 8, JOBSIZE_SAME},
		{2, 4, 1, 0, 1, 8, JOBSIZE_LOST},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_jobsize_ struct job_size s = {0};

		t_row("%zu", i);
		begin();
		whole = true;
		add(8, 1000, GIB, 0);
		if (rows[i].large)
			add_node(8, 64);
		if (rows[i].large)
			nodes[0].more = rows[i].large - 1;
		if (rows[i].small)
			add_node(4, 64);
		if (rows[i].small)
			nodes[n_nodes - 1].more = rows[i].small - 1;
		had_nodes = rows[i].had_nodes;
		had_cpus = rows[i].had_cpus;
		T_INT(make(&s, NULL), 0);
		T_INT(s.nodes_each, rows[i].nodes);
		T_INT(s.cpus_each, rows[i].cpus);
		T_INT(s.change, rows[i].change);
	}
	for (size_t i = 0; i < T_COUNT(nodes); i++)
		nodes[i].more = 0;
}

/* A leader and seven workers, in one task of 71 CPUs, or in two of 64. */
static void a_shared_task_that_no_node_can_have_any_more_is_lost(void)
{
	for (uint32_t cpus = 64; cpus <= 128; cpus += 64) {
		_cleanup_jobsize_ struct job_size s = {0};

		t_row("%u", cpus);
		begin();
		add(1, 64000, GIB, 0);
		add(7, 1000, GIB, 0);
		add_node(cpus, 64);
		had_cpus = 71;
		T_INT(make(&s, NULL), 0);
		T_INT(s.nodes_each, 0);
		T_INT(s.cpus_each, cpus == 64 ? 64 : 71);
		T_INT(s.change, cpus == 64 ? JOBSIZE_LOST : JOBSIZE_SAME);
	}
}

static void who_spreads_pods_over_whole_nodes_gets_so_many(void)
{
	begin();
	whole = true;
	add_node(64, 256);
	add(8, 1000, 8 * GIB, 1);
	ask(JOB_OPTION_MIN_NODES, 4);
	check_whole(8, 4, 2, 16 * 1024);
	check_gres("gres/gpu:2", NULL);
	job_options_clear(&options);
	ask(JOB_OPTION_TASKS_PER_NODE, 3);
	nodes[0].ext = (const struct kube_extended[]){{"nvidia.com/gpu", 8}};
	nodes[0].n_ext = 1;
	check_whole(8, 3, 3, 24 * 1024);
	job_options_clear(&options);
	nodes[0].memory_mib = 16384; /* Slurm's to refuse */
	ask(JOB_OPTION_MAX_NODES, 2);
	check_whole(8, 2, 4, 32 * 1024);
	begin();
	whole = true;
	add(3, 1000, GIB, 0);
	for (size_t i = 0; i < n_pods; i++)
		pods[i].ports = true;
	check_whole(3, 3, 1, 1024);
	/* they run already: as they do */
	begin();
	whole = true;
	on_one = 2;
	add(3, 1000, GIB, 1);
	check_whole(3, 2, 0, 2048);
	check_gres("gres/gpu:2", NULL);
}

/* (packed, they could run on one; a NodeList alone lets Slurm choose) */
static void pods_that_run_need_all_their_nodes(void)
{
	_cleanup_jobsize_ struct job_size s = {0}, few = {0};

	begin();
	add(3, 1000, GIB, 0);
	on_one = 2;
	T_INT(make(&s, NULL), 0);
	T_INT(s.tasks, 3);
	T_INT(s.min_nodes, 2);
	T_INT(s.max_nodes, 3);
	ask(JOB_OPTION_MAX_NODES, 1);
	T_INT(make(&few, NULL), 0);
	T_INT(few.min_nodes, 2);
	T_INT(few.max_nodes, 2);
	/* of a job that waits it is as asked for, and Slurm's to refuse */
	job_size_clear(&few);
	on_one = 0;
	ask(JOB_OPTION_MIN_NODES, 2);
	T_INT(make(&few, NULL), 0);
	T_INT(few.min_nodes, 2);
	T_INT(few.max_nodes, 1);
	job_options_clear(&options);
}

static void memory_of_whole_nodes_may_be_asked_for(void)
{
	begin();
	whole = true;
	add_node(64, 256);
	add(4, 1000, 2 * GIB, 0);
	ask(JOB_OPTION_MEM_NODE, 9000);
	check_whole(4, 1, 4, 9000);
	ask(JOB_OPTION_MEM_NODE, 3000);
	check_whole(4, 1, 4, 8192);
	ask(JOB_OPTION_MEM_NODE, 0);
	check_whole(4, 1, 4, JOBSIZE_ALL_MEMORY);
	job_options_clear(&options);
	ask(JOB_OPTION_MEM_CPU, 3000); /* never times all CPUs of the node */
	check_whole(4, 1, 4, 12000);
	begin();
	whole = true;
	add(3, 1000, INT64_MAX / 4, 0);
	T_INT(make(&(struct job_size){0}, NULL), 0);
}

/* Whatever nodes Slurm takes that have what is asked of each. */
static void whole_nodes_have_room_for_all_pods(void)
{
	static struct placement_pod placed[PODS_MAX];
	static struct placement_node on[PODS_MAX];

	for (int round = 0; round < 2000; round++) {
		_cleanup_jobsize_ struct job_size s = {0};
		struct err err = {0};
		const uint32_t more = random_below(3);
		int64_t each[PACK_GRES_MAX];

		begin();
		whole = true;
		add_node(round % 2 ? 512 : 64, 1 + random_below(400));
		add_some();
		T_INT(make(&s, NULL), 0);
		see_gres(&s, each);
		if (s.tasks == 1)
			s.node_cpus = s.cpus_per_task;
		for (size_t i = 0; i < s.min_nodes + more; i++)
			on[i] = (struct placement_node){
				.cpus = s.node_cpus + random_below(9),
				.memory_mib = s.memory_per_node,
				.gres = {each[0], each[1], each[2]}};
		for (size_t i = 0; i < n_pods; i++)
			placed[i] = to_place(&needs[i]);
		t_row("round %d: %zu pods, %u nodes", round, n_pods,
		      s.min_nodes + more);
		T_INT(place_pods(&gres, on, s.min_nodes + more, placed, n_pods,
				 &err),
		      0);
		T_STR(err.msg, "");
	}
}

static void annotations_do_not_make_a_job_smaller(void)
{
	_cleanup_jobsize_ struct job_size s = {0};

	begin();
	add(1, 64000, 8 * GIB, 8);
	ask(JOB_OPTION_CPUS_PER_TASK, 1);
	ask(JOB_OPTION_MEM_NODE, 1024);
	ask_gres("gpu:0,nic:1");
	check(1, 64, 8192);
	check_gres("gres/gpu:8,gres/nic:1", NULL);
	job_options_clear(&options);
	ask(JOB_OPTION_CPUS_PER_TASK, 80);
	ask(JOB_OPTION_MEM_CPU, 10);
	check(1, 80, 8192);
	ask(JOB_OPTION_MEM_CPU, 1024);
	check(1, 80, 80 * 1024);
	job_options_clear(&options);
	ask(JOB_OPTION_CPUS_PER_TASK, 65536);
	T_INT(make(&s, NULL), -EINVAL);
}

static void memory_of_each_node_is_enough_for_all_or_for_each(void)
{
	static const struct {
		int64_t node;
		uint64_t per_node, per_task;
	} rows[] = {
		{0, JOBSIZE_ALL_MEMORY, 0},
		{8192, 8192, 0},
		{9000, 9000, 0},
		{8191, 0, 8191},
		{3000, 0, 3000},
		{2047, 0, 2048},
	};

	begin();
	add(4, 1000, 2 * GIB, 0);
	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_jobsize_ struct job_size s = {0};

		t_row("%lld", (long long)rows[i].node);
		ask(JOB_OPTION_MEM_NODE, rows[i].node);
		T_INT(make(&s, NULL), 0);
		T_OK(s.memory_per_node == rows[i].per_node);
		T_INT(s.memory_per_task, rows[i].per_task);
	}
}

static void the_greater_gres_counts(void)
{
	static const struct {
		const char *asked, *need;
		uint32_t tasks;
		const char *node, *task;
	} rows[] = {
		{NULL, NULL, 1, NULL, NULL},
		{NULL, "gres/gpu:2", 1, "gres/gpu:2", NULL},
		{NULL, "gres/gpu:2", 4, NULL, "gres/gpu:2"},
		{"gpu", "gres/gpu:2", 1, "gres/gpu:2", NULL},
		{"none", "gres/gpu:2", 1, "gres/gpu:2", NULL},
		{"none", NULL, 1, NULL, NULL},
		{"gpu:4", "gres/gpu:2", 1, "gres/gpu:4", NULL},
		{"gpu:8", "gres/gpu:2", 4, "gres/gpu:8", NULL},
		{"gpu:7", "gres/gpu:2", 4, NULL, "gres/gpu:7"},
		{"gpu:1", "gres/gpu:2", 4, NULL, "gres/gpu:2"},
		{"nic:2", "gres/gpu:2", 4, "gres/nic:2", "gres/gpu:2"},
		/* types */
		{"gpu:a100:1", "gres/gpu:2", 1, "gres/gpu:a100:2", NULL},
		{"gpu:a100", "gres/gpu:1", 1, "gres/gpu:a100:1", NULL},
		{"gpu:4", "gres/gpu:a100:2", 1, "gres/gpu:a100:4", NULL},
		{"gpu:v100:1", "gres/gpu:a100:2", 1,
		 "gres/gpu:v100:1,gres/gpu:a100:2", NULL},
		{"gpu:a100:2", "gres/gpu:2,gres/gpu:a100:2", 1,
		 "gres/gpu:a100:4", NULL},
		{"gpu:3g.20gb:1", NULL, 1, "gres/gpu:3g.20gb:1", NULL},
		/* numbers */
		{"craynetwork:2K", NULL, 1, "gres/craynetwork:2048", NULL},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_free_ char *node = NULL, *task = NULL;

		t_row("%s %s", rows[i].asked, rows[i].need);
		T_INT(gresmax(rows[i].asked, rows[i].need, rows[i].tasks, &node,
			      &task, NULL),
		      0);
		T_STR(node, rows[i].node);
		T_STR(task, rows[i].task);
	}
}

static void a_node_covers_what_is_asked_of_it_if_it_has_as_much(void)
{
	static const struct {
		const char *node, *asked;
		bool covers;
	} rows[] = {
		{NULL, NULL, true},
		{"gpu:2", NULL, true},
		{NULL, "gres/gpu:1", false},
		{"", "gres:gpu:1", false},
		{"gpu:2", "gpu", true},
		{"gpu", "gpu:2", false},
		{"gpu:2", "gres/gpu:3", false},
		{"gpu:2", "gres:gpu:2", true},
		{"gpu:a100:2(S:0,1)", "gres/gpu:2", true},
		{"gpu:a100:2(S:0,1),gpu:h100:2(S:1)", "gres/gpu:4", true},
		{"gpu:a100:2(S:0,1),gpu:h100:2(S:1)", "gres/gpu:5", false},
		{"gpu:a100:2(S:0,1)", "gres/gpu:a100:2", true},
		{"gpu:a100:2(S:0,1)", "gres/gpu:A100:2", true},
		{"gpu:a100:2(S:0,1)", "gres/gpu:h100:1", false},
		{"gpu:a100:2(S:0,1)", "gres/gpu:a100:3", false},
		{"gpu:1g.5gb:3", "gres/gpu:1g.5gb:3", true},
		{"gpu:1g.5gb:3", "gres/gpu:1g.5gb:4", false},
		{"gpu:2,shard:8", "gres/gpu:1,gres/shard:8", true},
		{"gpu:2,shard:8", "gres/gpu:1,gres/shard:9", false},
		{"gpus:2", "gres/gpu:1", false},
		{"nic:4K", "gres/nic:4096", true},
		{"nic:4K", "gres/nic:4097", false},
		{"gpu:2", "none", true},
		{"gpu:2(((", "gres/gpu:2", true},
		/* Slurm may know of which type they are */
		{"gpu:2", "gres/gpu:a100:2", true},
		{"gpu:2", "gres/gpu:a100:3", false},
		/* not counted, or not to be read */
		{"bw:lustre:no_consume:4g", "gres/bw:8", true},
		{"gpu:2", "gres/gpu=3", true},
		{"gpu:2", "license/matlab:1", true},
		{"gpu:99999999999999999999", "gres/gpu:1", true},
		{"gpu:2", "gres/gpu:99999999999999999999", true},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		t_row("%s %s", rows[i].node, rows[i].asked);
		T_INT(gres_covers(rows[i].node, rows[i].asked), rows[i].covers);
	}
}

static void gres_without_end_are_refused(void)
{
	_cleanup_free_ char *many = t_repeat("g:1,", GRESMAX_ITEMS_MAX + 1);
	char *node = NULL, *task = NULL;
	struct err err = {0};

	T_ERR(gresmax("gpu:99999999999999999999", NULL, 1, &node, &task, &err),
	      &err, -ERANGE, "too many gpu");
	T_ERR(gresmax("gpu:9P", NULL, 1, &node, &task, &err), &err, -ERANGE,
	      "too many gpu");
	T_ERR(gresmax(many, NULL, 1, &node, &task, &err), &err, -E2BIG,
	      "too many kinds");
	begin();
	T_INT(make(&(struct job_size){0}, NULL), -EINVAL);
}

/* (who doubles it would never end) */
static void no_number_of_bins_to_begin_with_is_0(void)
{
	const struct binpack_kind small = {.need = {1}, .n = 3};
	const int64_t cap[BINS_DIMS] = {10};

	T_INT(binpack_least(&small, 1, cap), 1);
	T_INT(binpack_least(&small, 0, cap), 1);
	T_INT(binpack_least(&small, 1, (int64_t[BINS_DIMS]){0}), UINT32_MAX);
}

T_MAIN("job_size", T(no_number_of_bins_to_begin_with_is_0),
       T(equal_pods_are_a_task_each),
       T(a_large_leader_does_not_make_its_workers_large),
       T(a_leader_with_much_memory_neither),
       T(a_launcher_shares_with_workers_that_have_gpus),
       T(who_spreads_pods_gets_a_task_for_each),
       T(pods_with_ports_of_the_host_are_not_in_one_task),
       T(too_many_kinds_are_a_task_each), T(binpack_hold_everything),
       T(all_pods_have_room_however_tasks_are_spread),
       T(whole_nodes_are_asked_for_memory_of_each),
       T(a_job_that_waits_may_be_of_another_size_by_now),
       T(a_shared_task_that_no_node_can_have_any_more_is_lost),
       T(no_node_that_has_room_for_a_task_is_lost),
       T(who_spreads_pods_over_whole_nodes_gets_so_many),
       T(pods_that_run_need_all_their_nodes),
       T(memory_of_whole_nodes_may_be_asked_for),
       T(whole_nodes_have_room_for_all_pods),
       T(annotations_do_not_make_a_job_smaller),
       T(memory_of_each_node_is_enough_for_all_or_for_each),
       T(the_greater_gres_counts), T(gres_without_end_are_refused),
       T(a_node_covers_what_is_asked_of_it_if_it_has_as_much))
