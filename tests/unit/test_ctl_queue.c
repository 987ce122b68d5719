/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which jobs wait for nodes, and for which. slurmctld's answer is ours. */
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "slurm/ctl.h"
#include "slurm/ctl_queue.h"
#include "slurm/release.h"
#include "t.h"

int __wrap_slurm_load_jobs(time_t since, job_info_msg_t **out, uint16_t flags);
int __wrap_slurm_load_partitions(time_t since, partition_info_msg_t **out,
				 uint16_t flags);
void __wrap_slurm_free_job_info_msg(job_info_msg_t *msg);
void __wrap_slurm_free_partition_info_msg(partition_info_msg_t *msg);
void __wrap_slurm_xfree(void **text);

static job_info_t job; /* the only one */
static job_info_msg_t jobs = {.record_count = 1, .job_array = &job};
static partition_info_t parts[] = {
	{.name = (char *)"cpu", .nodes = (char *)"n[1-4]"},
	{.name = (char *)"cpu2", .nodes = (char *)"n[5-8]"},
	{.name = (char *)"empty"},
};
static partition_info_msg_t partitions = {.record_count = T_COUNT(parts),
					  .partition_array = parts};
static int messages; /* given out and not freed */
static bool no_partitions;

int __wrap_slurm_load_jobs(time_t since, job_info_msg_t **out, uint16_t flags)
{
	(void)since, (void)flags;
	messages++;
	job.admin_comment = (char *)"k8s: quota";
	*out = &jobs;
	return 0;
}

int __wrap_slurm_load_partitions(time_t since, partition_info_msg_t **out,
				 uint16_t flags)
{
	(void)since, (void)flags;
	if (no_partitions) {
		errno = ECONNREFUSED;
		return -1;
	}
	messages++;
	*out = &partitions;
	return 0;
}

/* (those of the test are in no memory of Slurm's) */
void __wrap_slurm_xfree(void **text)
{
	*text = NULL;
}

/* Slurm 22.05 forgets what an administrator, or the engine, says of it. */
void __wrap_slurm_free_job_info_msg(job_info_msg_t *msg)
{
	T_OK(!msg->job_array[0].admin_comment);
	messages--;
}

void __wrap_slurm_free_partition_info_msg(partition_info_msg_t *msg)
{
	(void)msg;
	messages--;
}

static int parsed; /* lists of nodes */

release_hostlist __real_slurm_hostlist_create(const char *text);
release_hostlist __wrap_slurm_hostlist_create(const char *text);
release_hostlist __wrap_slurm_hostlist_create(const char *text)
{
	parsed++;
	return __real_slurm_hostlist_create(text);
}

/* One that waits for nodes. */
static void pending(void)
{
	job = (job_info_t){.job_state = JOB_PENDING,
			   .state_reason = WAIT_RESOURCES,
			   .priority = 1,
			   .num_nodes = 3,
			   .partition = (char *)"cpu",
			   .features = (char *)"pytorch"};
}

static struct ctl_queue *load(void)
{
	struct ctl_queue *q = NULL;
	struct err err = {0};

	T_INT(ctl_queue_load(NULL, &q, &err), 0);
	return q;
}

/* Is it one that waits? */
static bool waits(struct ctl_waiting *w)
{
	_cleanup_(ctl_queue_freep) struct ctl_queue *q = load();
	uint32_t at = 0;
	bool yes = ctl_queue_next(q, &at, w);

	T_OK(!yes || !ctl_queue_next(q, &at, w)); /* there is one job */
	return yes;
}

static void a_job_that_lacks_only_nodes_waits(void)
{
	struct ctl_waiting w;

	pending();
	T_OK(waits(&w));
	T_INT(w.n_nodes, 3);
	T_STR(w.features, "pytorch");
	T_OK(!w.held);
	job.num_nodes = 0;
	job.state_reason = WAIT_NODE_NOT_AVAIL;
	T_OK(waits(&w));
	T_INT(w.n_nodes, 1);
	T_INT(messages, 0);
}

static void its_size_on_each_node_is_known(void)
{
	static const struct {
		uint16_t each;
		uint32_t all, max_nodes;
		uint64_t memory;
		uint32_t cpus;
		uint64_t memory_mib;
	} rows[] = {
		{1, 1, 0, 0, 1, 0},
		{2, 8, 0, 400, 2, 400},
		{2, 8, 2, 400, 2, 400},
		{2, 8, 1, 400, 8, 400},
		{8, 2, 1, 400, 8, 400},
		{4, 8, 0, MEM_PER_CPU | 100, 4, 400},
		{4, 8, 1, MEM_PER_CPU | 100, 8, 800},
		{0, 0, 0, MEM_PER_CPU | 100, 0, 100},
		{4, 4, 0, MEM_PER_CPU, 4, 0},
		{4, 4, 0, MEM_PER_CPU | UINT64_MAX >> 2, 4, UINT64_MAX - 3},
		{5, 4, 0, MEM_PER_CPU | UINT64_MAX >> 2, 5, UINT64_MAX},
		{NO_VAL16, NO_VAL, 1, NO_VAL64, 0, 0},
		{1, INFINITE, 1, INFINITE64, 1, 0},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		struct ctl_waiting w;

		t_row("%zu", i);
		pending();
		job.pn_min_cpus = rows[i].each;
		job.num_cpus = rows[i].all;
		job.max_nodes = rows[i].max_nodes;
		job.pn_min_memory = rows[i].memory;
		job.tres_per_node = (char *)"gres/gpu:2";
		T_NEED(waits(&w));
		T_INT(w.cpus, rows[i].cpus);
		T_OK(w.memory_mib == rows[i].memory_mib);
		T_STR(w.gres, "gres/gpu:2");
	}
}

static void others_do_not(void)
{
	struct ctl_waiting w;

	pending();
	job.job_state = JOB_RUNNING;
	T_OK(!waits(&w));
	pending();
	job.priority = 0; /* held by somebody */
	T_OK(!waits(&w));
	pending();
	job.state_reason = WAIT_DEPENDENCY;
	T_OK(!waits(&w));
	pending();
	job.features = (char *)"";
	T_OK(!waits(&w));
	job.features = NULL;
	T_OK(!waits(&w));
}

/* Slurm holds a job whose --nodelist is with other features. */
static void a_job_held_for_its_nodelist_waits(void)
{
	struct ctl_waiting w;

	pending();
	job.state_reason = FAIL_BAD_CONSTRAINTS;
	job.priority = 0;
	T_OK(!waits(&w));
	job.req_nodes = (char *)"n1";
	T_OK(waits(&w));
	T_OK(w.held);
}

static void nodes_are_bounded_by_partition_and_lists(void)
{
	static const struct {
		const char *partition, *only, *except;
		const char *may, *may_not;
	} rows[] = {
		{"cpu", NULL, NULL, "n4", "n5"},
		{"cpu2", NULL, NULL, "n5", "n4"},
		{"cpu,cpu2", "", "", "n8", "n9"},
		{"cpu2,cpu", NULL, NULL, "n1", "n"},
		{"cpu", "n[1-2]", NULL, "n2", "n3"},
		{"cpu", NULL, "n[1-2]", "n3", "n2"},
		{"cpu", "n[1-2]", "n1", "n2", "n1"},
		{"empty,cpu", NULL, NULL, "n1", "n5"},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_(ctl_queue_freep) struct ctl_queue *q = NULL;
		struct ctl_waiting w;
		uint32_t at = 0;

		t_row("row %zu", i);
		pending();
		job.partition = (char *)rows[i].partition;
		job.req_nodes = (char *)rows[i].only;
		job.exc_nodes = (char *)rows[i].except;
		q = load();
		T_NEED(ctl_queue_next(q, &at, &w));
		T_OK(ctl_queue_may_use(q, &w, &(struct ctl_node){rows[i].may}));
		T_OK(!ctl_queue_may_use(q, &w,
					&(struct ctl_node){rows[i].may_not}));
	}
}

/* (else who names thousands has the engine parse them once for each node) */
static void a_jobs_lists_are_parsed_once(void)
{
	_cleanup_(ctl_queue_freep) struct ctl_queue *q = NULL;
	struct ctl_waiting w;
	uint32_t at = 0;

	pending();
	job.req_nodes = (char *)"n[1-3]";
	job.exc_nodes = (char *)"n[3-4]";
	q = load();
	T_NEED(ctl_queue_next(q, &at, &w));
	parsed = 0;
	for (int i = 0; i < 100; i++) {
		T_OK(ctl_queue_may_use(q, &w, &(struct ctl_node){"n2"}));
		T_OK(!ctl_queue_may_use(q, &w, &(struct ctl_node){"n3"}));
		T_OK(!ctl_queue_may_use(q, &w, &(struct ctl_node){"n4"}));
	}
	T_INT(parsed, 2);
}

static void nodes_are_bounded_by_reservations(void)
{
	static const struct {
		const char *jobs;
		bool reserved;
		const char *nodes;
		bool may;
	} rows[] = {
		{NULL, false, NULL, true}, {"", false, NULL, true},
		{NULL, true, "a", false},  {"", true, "a", false},
		{NULL, true, NULL, false}, /* in maintenance, or 22.05 */
		{"a", false, NULL, false}, {"a", true, "a", true},
		{"a", true, "b", false},   {"a", true, NULL, false},
		{"b,a", true, "a", true},  {"b,aa", true, "a", false},
		{"a", false, "a", false}, /* it has ended */
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_(ctl_queue_freep) struct ctl_queue *q = NULL;
		const struct ctl_node node = {.name = "n1",
					      .reserved = rows[i].reserved,
					      .reservation = rows[i].nodes};
		struct ctl_waiting w;
		uint32_t at = 0;

		t_row("row %zu", i);
		pending();
		job.resv_name = (char *)rows[i].jobs;
		q = load();
		T_NEED(ctl_queue_next(q, &at, &w));
		T_INT(ctl_queue_may_use(q, &w, &node), rows[i].may);
	}
}

#define KILLED_MAX 64

static void on_killed(void *arg, const char *node)
{
	char *names = arg;
	const size_t at = strlen(names);

	snprintf(names + at, KILLED_MAX - at, "%s ", node);
}

static void jobs_that_cannot_be_requeued_are_known_by_their_nodes(void)
{
	static const struct {
		uint32_t state;
		uint16_t batch, requeue;
		const char *nodes, *killed;
	} rows[] = {
		{JOB_RUNNING, 0, 1, "n[1-3]", "n1 n2 n3 "}, /* srun */
		{JOB_RUNNING, 1, 0, "n2", "n2 "},	    /* --no-requeue */
		{JOB_SUSPENDED, 0, 0, "n2", "n2 "},
		{JOB_RUNNING, 1, 1, "n[1-3]", ""},
		{JOB_PENDING, 0, 0, "n[1-3]", ""},
		{JOB_COMPLETE, 0, 0, "n[1-3]", ""},
		{JOB_RUNNING, 0, 0, "", ""},
		{JOB_RUNNING, 0, 0, NULL, ""},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_(ctl_jobs_freep) struct ctl_jobs *all = NULL;
		struct err err = {0};
		char names[KILLED_MAX] = "";

		t_row("row %zu", i);
		pending();
		job.job_state = rows[i].state;
		job.batch_flag = rows[i].batch;
		job.requeue = rows[i].requeue;
		job.nodes = (char *)rows[i].nodes;
		T_NEED(!ctl_jobs_load(&all, &err));
		ctl_jobs_drain_kills(all, on_killed, names);
		T_STR(names, rows[i].killed);
	}
	T_INT(messages, 0);
}

static void without_partitions_there_is_no_queue(void)
{
	struct ctl_queue *q = NULL;
	struct err err = {0};

	no_partitions = true;
	T_INT(ctl_queue_load(NULL, &q, &err), -EIO);
	no_partitions = false;
	T_OK(!q);
	T_HAS(err.msg, "cannot read slurmctld's jobs and partitions");
	T_INT(messages, 0);
}

T_MAIN("ctl_queue", T(jobs_that_cannot_be_requeued_are_known_by_their_nodes),
       T(a_job_that_lacks_only_nodes_waits), T(others_do_not),
       T(its_size_on_each_node_is_known), T(a_job_held_for_its_nodelist_waits),
       T(nodes_are_bounded_by_partition_and_lists),
       T(a_jobs_lists_are_parsed_once), T(nodes_are_bounded_by_reservations),
       T(without_partitions_there_is_no_queue))
