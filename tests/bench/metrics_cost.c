/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What metrics cost slurmctld's process at 2,000 nodes, 64 nodesets, 64
 * partitions and 10,000 jobs: processor time, as a share of the time between
 * two files, two looks, two counts of jobs. slurmctld's answers are played, so
 * what it takes to make and to read them is not in it.
 *
 * Usage: metrics_cost FOLDER    (a file is written there, and removed)
 *
 * A reference loop is timed in each round: shares are told as this machine has
 * them, and as they are where the loop takes REFERENCE_US. Prints one JSON
 * line. Exit code: 0; 1: the share is above its goal; 2: it cannot be measured.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "engine/metrics_file.h"
#include "engine/slurm_census.h"
#include "metrics/table.h"
#include "nodes/reconcile/node_metrics.h"
#include "slurm/ctl_reader.h"
#include "slurm/release.h"

#define NODES 2000
#define SETS METRICS_NAMES_MAX /* nodesets, and partitions */
#define JOBS 10000
#define RUNNING 2000	/* of these; each has four nodes */
#define ROUNDS 31	/* the middle one counts */
#define COUNTS 100000	/* in a round */
#define GOAL_PPM 1000.0 /* 0.1 % of a processor */

/* How often it is done, as etc/k8s.yaml.example and docs/metrics.md have it. */
#define FILE_S 15
#define LOOK_S 1 /* at all nodes, at most */
#define JOBS_S 60
#define COUNTS_PER_S 1000 /* more than the engine has requests and events */

/* The loop, on the machine of docs/benchmarks.md. */
#define REFERENCE_LINES 10000
#define REFERENCE_US 700.0

/* --- what slurmctld says */

static char names[NODES][16], hosts[NODES][32];
static char parts[SETS][16], both[SETS][32], ranges[SETS][32];
static node_info_t node_records[NODES];
static node_info_msg_t node_message = {.record_count = NODES,
				       .node_array = node_records};
static partition_info_t part_records[SETS];
static partition_info_msg_t part_message = {.record_count = SETS,
					    .partition_array = part_records};
static job_info_t job_records[JOBS];
static job_info_msg_t job_message = {.record_count = JOBS,
				     .job_array = job_records};

int __wrap_slurm_load_node(time_t since, node_info_msg_t **out, uint16_t flags);
int __wrap_slurm_load_node(time_t since, node_info_msg_t **out, uint16_t flags)
{
	(void)since, (void)flags;
	*out = &node_message;
	return 0;
}

int __wrap_slurm_load_partitions(time_t since, partition_info_msg_t **out,
				 uint16_t flags);
int __wrap_slurm_load_partitions(time_t since, partition_info_msg_t **out,
				 uint16_t flags)
{
	(void)since, (void)flags;
	*out = &part_message;
	return 0;
}

int __wrap_slurm_load_jobs(time_t since, job_info_msg_t **out, uint16_t flags);
int __wrap_slurm_load_jobs(time_t since, job_info_msg_t **out, uint16_t flags)
{
	(void)since, (void)flags;
	*out = &job_message;
	return 0;
}

void __wrap_slurm_free_node_info_msg(node_info_msg_t *m);
void __wrap_slurm_free_node_info_msg(node_info_msg_t *m)
{
	(void)m;
}

void __wrap_slurm_free_partition_info_msg(partition_info_msg_t *m);
void __wrap_slurm_free_partition_info_msg(partition_info_msg_t *m)
{
	(void)m;
}

void __wrap_slurm_free_job_info_msg(job_info_msg_t *m);
void __wrap_slurm_free_job_info_msg(job_info_msg_t *m)
{
	(void)m;
}

void __wrap_slurm_xfree(void **text);
void __wrap_slurm_xfree(void **text)
{
	*text = NULL;
}

static void make_site(void)
{
	const int slice = NODES / SETS;

	for (int i = 0; i < NODES; i++) {
		snprintf(names[i], sizeof(names[i]), "n-%d", i);
		snprintf(hosts[i], sizeof(hosts[i]), "n-[%d-%d]", i / 4 * 4,
			 i / 4 * 4 + 3);
		node_records[i] = (node_info_t){
			.name = names[i],
			.node_state = i % 2 ? NODE_STATE_ALLOCATED
					    : NODE_STATE_IDLE |
						      NODE_STATE_POWERED_DOWN};
	}
	for (int i = 0; i < SETS; i++) {
		snprintf(parts[i], sizeof(parts[i]), "p%d", i);
		snprintf(both[i], sizeof(both[i]), "p%d,p%d", i,
			 (i + 1) % SETS);
		snprintf(ranges[i], sizeof(ranges[i]), "n-[%d-%d]", i * slice,
			 i + 1 < SETS ? (i + 1) * slice - 1 : NODES - 1);
		part_records[i] = (partition_info_t){.name = parts[i],
						     .nodes = ranges[i]};
	}
	for (int i = 0; i < JOBS; i++)
		job_records[i] = (job_info_t){
			.job_id = (uint32_t)i + 1,
			.job_state = i < RUNNING ? JOB_RUNNING : JOB_PENDING,
			.partition =
				i < RUNNING ? parts[i % SETS] : both[i % SETS],
			.nodes = i < RUNNING ? hosts[i % NODES] : NULL};
}

static struct config *make_config(struct err *err)
{
	_cleanup_buf_ struct buf y = BUF_INIT(65536);
	struct config *c = NULL;
	int rc = buf_addf(&y, "clusters: [{name: main, kubeconfig: k, "
			      "namespace: slurm}]\nnodesets:\n");

	for (int i = 0; !rc && i < SETS; i++)
		rc = buf_addf(&y,
			      "- {name: set%d, cluster: main, nodes: '%s', "
			      "podTemplate: {spec: {containers: [{name: "
			      "slurmd}]}}}\n",
			      i, ranges[i]);
	if (rc || config_parse("k8s.yaml", y.data, y.len, &c, err))
		return NULL;
	c->metrics.interval_ms = FILE_S * 1000;
	c->metrics.slurm_ms = JOBS_S * 1000;
	return c;
}

/* --- what is measured: each function does it once */

static struct nodes *nodes;
static struct metrics_file file;
static struct slurm_census census;
static char *reference_text;

static void write_file(void)
{
	file.next = 0;
	metrics_file_step(&file, &nodes->config->metrics, true);
}

static void count_jobs(void)
{
	census.asked_at = 0;
	slurm_census_step(&census, nodes);
}

/*
 * The engine walks over its nodes, and finds their nodesets, without metrics,
 * too.
 */
static struct ctl_node walked[NODES];
static const struct nodeset *set_of[NODES];

static void count_nodes(void)
{
	static const struct node_state with_pod = {
		.pod = {.has = true, .phase = POD_RUNNING}};

	node_census_begin(nodes);
	for (size_t i = 0; i < NODES; i++)
		node_census_add(nodes, set_of[i], &walked[i], &with_pod);
	node_census_end(nodes);
}

static void count_events(void)
{
	for (unsigned int i = 0; i < COUNTS / 2; i++) {
		metrics_count(METRIC_API_REQUESTS, i % METRICS_VERBS,
			      i % METRICS_CODES);
		metrics_time(METRIC_API_TIME, i % METRICS_TIMED_VERBS, i % 500);
	}
}

/* Such work as most of it is: lines of text are made, in memory. */
static void refer(void)
{
	char *at = reference_text;

	for (int i = 0; i < REFERENCE_LINES; i++)
		at += snprintf(at, 80, "slurm_k8s_line{name=\"%s\"} %d\n",
			       names[i % NODES], i);
}

enum { WRITE, NODE_COUNT, JOB_COUNT, EVENTS, REFERENCE, PARTS };
static void (*const work[PARTS])(void) = {write_file, count_nodes, count_jobs,
					  count_events, refer};

/* Processor time of this thread, the kernel's for it included. */
static double used_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static int compare(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double middle(double v[ROUNDS])
{
	qsort(v, ROUNDS, sizeof(*v), compare);
	return v[ROUNDS / 2];
}

/* All of it in turns, so that each has the same of what else goes on. */
static void measure(double us[PARTS])
{
	static double taken[PARTS][ROUNDS];

	for (int i = 0; i < PARTS; i++)
		work[i]();
	for (int r = 0; r < ROUNDS; r++)
		for (int i = 0; i < PARTS; i++) {
			const double begin = used_us();

			work[i]();
			taken[i][r] = used_us() - begin;
		}
	for (int i = 0; i < PARTS; i++)
		us[i] = middle(taken[i]);
}

/* Something in each series that such a site has. */
static void fill_series(void)
{
	metrics_name(METRICS_CLUSTER_NAMES, "main");
	for (int i = 0; i < METRICS; i++) {
		const struct metrics_info *m = &metrics_table[i];

		for (unsigned int a = 0; a < metrics_values(m, 0); a++)
			metrics_time((enum metric)i, a, 700);
		metrics_fill((enum metric)i, 1000);
	}
}

/* False: it cannot be measured. */
static bool begin(const char *folder)
{
	struct err err = {0};
	struct config *config;

	make_site();
	config = make_config(&err);
	reference_text = malloc((size_t)REFERENCE_LINES * 80);
	nodes = calloc(1, sizeof(*nodes));
	if (!config || !reference_text || !nodes ||
	    ctl_nodes_load(&nodes->slurm.all, &err)) {
		fprintf(stderr, "metrics_cost: %s\n", err.msg);
		return false;
	}
	config->metrics.file = str_printf("%s/slurm-k8s.prom", folder);
	nodes->config = config;
	nodes->cooling = calloc(SETS, sizeof(*nodes->cooling));
	nodes->reader = ctl_reader_new();
	for (size_t i = 0; i < NODES; i++)
		if (!ctl_nodes_at(nodes->slurm.all, i, &walked[i]) ||
		    !(set_of[i] = config_nodeset_of(config, names[i])))
			return false;
	fill_series();
	return config->metrics.file && nodes->cooling && nodes->reader;
}

static bool tell(const double us[PARTS], size_t bytes)
{
	const double speed = REFERENCE_US / us[REFERENCE];
	const double ppm[] = {us[WRITE] / FILE_S, us[NODE_COUNT] / LOOK_S,
			      us[EVENTS] / COUNTS * COUNTS_PER_S,
			      us[JOB_COUNT] / JOBS_S};
	double sum = 0;

	for (size_t i = 0; i < sizeof(ppm) / sizeof(*ppm); i++)
		sum += ppm[i];
	printf("{\"bench\": \"metrics\", \"nodes\": %d, \"nodesets\": %d, "
	       "\"partitions\": %d, \"jobs\": %d, \"bytes\": %zu, "
	       "\"file_us\": %.0f, \"nodes_us\": %.0f, \"jobs_us\": %.0f, "
	       "\"count_ns\": %.1f, \"reference_us\": %.0f, "
	       "\"share_percent\": %.4f, \"calibrated_percent\": %.4f}\n",
	       NODES, SETS, SETS, JOBS, bytes, us[WRITE], us[NODE_COUNT],
	       us[JOB_COUNT], us[EVENTS] * 1000 / COUNTS, us[REFERENCE],
	       sum / 1e4, sum * speed / 1e4);
	return sum * speed < GOAL_PPM;
}

int main(int argc, char **argv)
{
	double us[PARTS];
	struct stat st;
	bool good;

	if (argc != 2) {
		fprintf(stderr, "usage: metrics_cost FOLDER\n");
		return 2;
	}
	if (!begin(argv[1]))
		return 2;
	measure(us);
	if (file.failed || census.failed ||
	    stat(nodes->config->metrics.file, &st)) {
		fprintf(stderr, "metrics_cost: no file was written\n");
		return 2;
	}
	metrics_file_end(&file);
	good = tell(us, (size_t)st.st_size);
	if (!good)
		fprintf(stderr, "metrics_cost: more than 0.1 %%\n");
	return good ? 0 : 1;
}
