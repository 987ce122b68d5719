/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Slurm's jobs and nodes by partition, as a reader of the metrics sees them. */
#include "engine/slurm_census.h"

#include "metrics/metrics.h"
#include "nodes/watch/nodes.h"
#include "slurm/ctl_reader.h"

/* NODE_RESUME is a macro there, and not what the engine has by that name. */
#include "jobs_fixture.h"

int64_t __wrap_clock_ms(void);
int __wrap_slurm_load_node(time_t since, node_info_msg_t **out, uint16_t flags);
void __wrap_slurm_free_node_info_msg(node_info_msg_t *m);
int __wrap_slurm_load_partitions(time_t since, partition_info_msg_t **out,
				 uint16_t flags);
void __wrap_slurm_free_partition_info_msg(partition_info_msg_t *m);
const struct nodeset *__wrap_config_nodeset_of(const struct config *c,
					       const char *node);

static int64_t now;
int64_t __wrap_clock_ms(void)
{
	return now;
}

static node_info_t node_records[] = {
	{.name = (char *)"cpu-0", .node_state = NODE_STATE_IDLE},
	{.name = (char *)"cpu-1",
	 .node_state = NODE_STATE_IDLE | NODE_STATE_POWERED_DOWN},
	{.name = (char *)"old-0", .node_state = NODE_STATE_DOWN},
};
static node_info_msg_t node_message = {.record_count = T_COUNT(node_records),
				       .node_array = node_records};
int __wrap_slurm_load_node(time_t since, node_info_msg_t **out, uint16_t flags)
{
	(void)since;
	(void)flags;
	*out = &node_message;
	return 0;
}

void __wrap_slurm_free_node_info_msg(node_info_msg_t *m)
{
	(void)m;
}

static partition_info_t parts[] = {
	{.name = (char *)"batch", .nodes = (char *)"cpu-[0-1],no-such"},
	{.name = (char *)"all", .nodes = (char *)"cpu-[0-1],old-0"},
	{.name = (char *)"none"},
};
static partition_info_msg_t part_message = {.record_count = T_COUNT(parts),
					    .partition_array = parts};
int __wrap_slurm_load_partitions(time_t since, partition_info_msg_t **out,
				 uint16_t flags)
{
	(void)since;
	(void)flags;
	*out = &part_message;
	return 0;
}

void __wrap_slurm_free_partition_info_msg(partition_info_msg_t *m)
{
	(void)m;
}

/* Of Slurm's nodes cpu-* are pods. */
const struct nodeset *__wrap_config_nodeset_of(const struct config *c,
					       const char *node)
{
	static char name[] = "cpu";
	static const struct nodeset cpu = {.name = name};

	(void)c;
	return *node == 'c' ? &cpu : NULL;
}

static struct config config;
static struct nodes *nodes;
static struct slurm_census census;

static void begin(void)
{
	now = 100000;
	config.metrics.slurm_ms = 60000;
	msg.record_count = 0;
	nodes = calloc(1, sizeof(*nodes));
	if (!nodes)
		abort();
	nodes->config = &config;
	nodes->reader = ctl_reader_new();
	T_INT(ctl_nodes_load(&nodes->slurm.all, NULL), 0);
}

static void end(void)
{
	slurm_census_clear(&census);
	T_INT(messages, 0);
	ctl_nodes_free(nodes->slurm.all);
	ctl_reader_free(nodes->reader);
	free(nodes);
}

static void job(uint32_t state, const char *partition, const char *on)
{
	job_info_t *j = &jobs[msg.record_count++];

	*j = (job_info_t){.job_state = state,
			  .partition = (char *)partition,
			  .nodes = (char *)on};
}

static void check_has(struct t_at at, const char *line, bool wanted)
{
	_cleanup_buf_ struct buf out = BUF_INIT(METRICS_TEXT_MAX);

	T_INT(metrics_render(&out), 0);
	t_has(at, buf_str(&out), line, wanted);
}
#define HAS(line) check_has(T_HERE, line "\n", true)
#define LACKS(part) check_has(T_HERE, part, false)

#define JOBS(partition, state)                                                 \
	"slurm_k8s_partition_jobs{partition=\"" partition "\",state=\"" state  \
	"\"} "
#define NODES(partition, state)                                                \
	"slurm_k8s_partition_nodes{partition=\"" partition "\",state=\"" state \
	"\"} "
#define ON(state) "slurm_k8s_nodeset_jobs{nodeset=\"cpu\",state=\"" state "\"} "

static void jobs_count_where_they_are_and_wait(void)
{
	begin();
	job(JOB_PENDING, "batch,all", NULL);
	job(JOB_PENDING, "batch", "");
	job(JOB_RUNNING, "all", "cpu-[0-1],old-0");
	job(JOB_RUNNING | JOB_CONFIGURING, "batch", "cpu-1");
	job(JOB_COMPLETE | JOB_COMPLETING, "batch", "cpu-0");
	job(JOB_SUSPENDED, "all", "old-0");
	job(JOB_COMPLETE, "batch", "cpu-0");
	job(JOB_FAILED, "batch", "cpu-0");
	job(JOB_RUNNING, "all", "]");
	slurm_census_step(&census, nodes);
	HAS(JOBS("batch", "pending") "2");
	HAS(JOBS("all", "pending") "1");
	HAS(JOBS("all", "running") "2");
	HAS(JOBS("batch", "running") "0");
	HAS(JOBS("batch", "configuring") "1");
	HAS(JOBS("batch", "completing") "1");
	HAS(JOBS("all", "suspended") "1");
	HAS(ON("pending") "0");
	HAS(ON("running") "1");
	HAS(ON("configuring") "1");
	HAS(ON("completing") "1");
	HAS(ON("suspended") "0");
	end();
}

static void nodes_count_in_each_of_their_partitions(void)
{
	begin();
	slurm_census_step(&census, nodes);
	HAS(NODES("batch", "up") "1");
	HAS(NODES("batch", "powered_down") "1");
	HAS(NODES("batch", "down") "0");
	HAS(NODES("all", "up") "1");
	HAS(NODES("all", "down") "1");
	HAS(NODES("none", "up") "0");
	end();
}

static void they_are_counted_as_often_as_is_wanted(void)
{
	begin();
	job(JOB_RUNNING, "batch", "cpu-0");
	slurm_census_step(&census, nodes);
	HAS(JOBS("batch", "running") "1");
	job(JOB_RUNNING, "batch", "cpu-1");
	now += 59999;
	slurm_census_step(&census, nodes);
	HAS(JOBS("batch", "running") "1");
	now++;
	slurm_census_step(&census, nodes);
	HAS(JOBS("batch", "running") "2");
	job(JOB_RUNNING, "batch", "cpu-1");
	now += 15000;
	slurm_census_step(&census, nodes);
	HAS(JOBS("batch", "running") "2");
	config.metrics.slurm_ms = 15000; /* by another k8s.yaml */
	slurm_census_step(&census, nodes);
	HAS(JOBS("batch", "running") "3");
	end();
}

static void what_is_not_known_or_not_wanted_is_not_there(void)
{
	begin();
	slurm_census_step(&census, nodes);
	HAS(JOBS("batch", "running") "0");
	is_away = true;
	now += 60000;
	slurm_census_step(&census, nodes);
	LACKS("\nslurm_k8s_partition_jobs{");
	LACKS("\nslurm_k8s_partition_nodes{");
	LACKS("\nslurm_k8s_nodeset_jobs{");
	is_away = false;
	now += 2000; /* it is not waited for a minute */
	slurm_census_step(&census, nodes);
	HAS(JOBS("batch", "running") "0");
	ctl_nodes_free(nodes->slurm.all);
	nodes->slurm.all = NULL;
	now += 60000;
	slurm_census_step(&census, nodes);
	LACKS("\nslurm_k8s_partition_nodes{");
	T_INT(ctl_nodes_load(&nodes->slurm.all, NULL), 0);
	now += 2000;
	slurm_census_step(&census, nodes);
	HAS(NODES("all", "down") "1");
	config.metrics.slurm_ms = 0;
	slurm_census_step(&census, nodes);
	LACKS("\nslurm_k8s_partition_jobs{");
	LACKS("\nslurm_k8s_nodeset_jobs{");
	end();
}

T_MAIN("slurm_census", T(jobs_count_where_they_are_and_wait),
       T(nodes_count_in_each_of_their_partitions),
       T(they_are_counted_as_often_as_is_wanted),
       T(what_is_not_known_or_not_wanted_is_not_there))
