/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How slurmctld is asked for a job, and what of its answer counts. That is the
 * test's. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "slurm/ctl.h"
#include "slurm/ctl_placeholder_list.h"
#include "slurm/release.h"
#include "syntax/wellknown.h"
#include "t.h"

int __wrap_slurm_load_job(job_info_msg_t **out, uint32_t job_id,
			  uint16_t flags);
int __wrap_slurm_allocation_lookup(uint32_t job_id,
				   resource_allocation_response_msg_t **out);
void __wrap_slurm_free_resource_allocation_response_msg(
	resource_allocation_response_msg_t *msg);

static resource_allocation_response_msg_t allocation;
static int asked, allocations_asked;
static uint16_t asked_with;
static bool is_there;

static job_info_t job = {.job_id = 7, .job_state = JOB_RUNNING};
static job_info_msg_t all_jobs = {.record_count = 1, .job_array = &job};

int __wrap_slurm_load_job(job_info_msg_t **out, uint32_t job_id, uint16_t flags)
{
	T_INT(job_id, 7);
	asked++;
	asked_with = flags;
	errno = ESLURM_INVALID_JOB_ID;
	*out = &all_jobs;
	return is_there ? 0 : -1;
}

int __wrap_slurm_allocation_lookup(uint32_t job_id,
				   resource_allocation_response_msg_t **out)
{
	(void)job_id;
	allocations_asked++;
	*out = &allocation;
	return 0;
}

void __wrap_slurm_free_resource_allocation_response_msg(
	resource_allocation_response_msg_t *msg)
{
	(void)msg;
}

/* (slurm_load_job() asks all clusters of a federation otherwise) */
static void only_this_cluster_is_asked(void)
{
	struct ctl_layout *layout = NULL;
	struct err err = {0};

	is_there = false;
	asked = 0;
	T_INT(ctl_job_wait(7, 120), CTL_JOB_FREE);
	T_INT(asked, 1);
	T_INT(asked_with, SHOW_ALL | SHOW_LOCAL);
	T_OK(ctl_layout_load(7, &layout, &err) < 0);
	T_INT(asked, 2);
	T_INT(asked_with, SHOW_ALL | SHOW_DETAIL | SHOW_LOCAL);
}

int __wrap_slurm_load_jobs(time_t since, job_info_msg_t **out, uint16_t flags);
void __wrap_slurm_free_job_info_msg(job_info_msg_t *msg);
void __wrap_slurm_xfree(void **text);

int __wrap_slurm_load_jobs(time_t since, job_info_msg_t **out, uint16_t flags)
{
	(void)since;
	(void)flags;
	*out = &all_jobs;
	return 0;
}

void __wrap_slurm_free_job_info_msg(job_info_msg_t *msg)
{
	(void)msg;
}

void __wrap_slurm_xfree(void **text)
{
	*text = NULL;
}

/* Its owner may have changed it, so it is asked what it has. */
static void a_list_and_the_job_itself_say_what_it_has(void)
{
	static const struct {
		uint64_t pn_min_memory, mib;
	} rows[] = {
		{500, 500}, {MEM_PER_CPU | 100, 400}, {0, 0}, {NO_VAL64, 0}};
	static int32_t inx[] = {3, 3, -1};

	is_there = true;
	job.job_state = JOB_RUNNING;
	job.nodes = (char *)"n1";
	job.node_inx = inx;
	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_(ctl_placeholders_freep) struct ctl_placeholders *all =
			NULL;
		struct placed_share has = {0};
		char *names = NULL;

		t_row("%zu", i);
		job.num_cpus = 4;
		job.pn_min_memory = rows[i].pn_min_memory;
		T_INT(ctl_layout_names(7, &names, &has, NULL), 0);
		T_STR(names, "n1");
		free(names);
		T_INT(has.cpus, 4);
		T_INT(has.memory_mib, rows[i].mib);
		job.admin_comment = (char *)WK_BRIDGE_ID;
		T_INT(ctl_placeholders_load(NULL, &all, NULL, NULL), 1);
		T_INT(ctl_placeholders_at(all, 0)->has.cpus, 4);
		T_INT(ctl_placeholders_at(all, 0)->has.memory_mib, rows[i].mib);
	}
}

/* slurmctld would crash when it is asked for the allocation of such a job. */
static void who_has_lost_nodes_in_slurmctld_is_not_asked_for(void)
{
	static uint16_t cpus[] = {4, 2};
	static uint32_t times[] = {1, 1};
	static const struct {
		const char *nodes;
		int32_t inx[7];
		uint32_t state;
		int rc;
	} rows[] = {
		{"n[1-2]", {3, 4, -1}, JOB_RUNNING, 0},
		{"n[1-2]", {3, 3, 9, 9, -1}, JOB_RUNNING, 0},
		{"n[1-2]", {3, 4, -1}, JOB_SUSPENDED, 0},
		{"n[1-2]", {3, 3, -1}, JOB_RUNNING, -EAGAIN},
		{"n[1-2]", {-1}, JOB_RUNNING, -EAGAIN},
		{"n[1-2]", {3, 4, -1}, JOB_PENDING, -ENOENT},
		{"n[1-2]", {3, 4, -1}, JOB_CANCELLED, -ENOENT},
		{"", {-1}, JOB_RUNNING, -ENOENT},
		{NULL, {-1}, JOB_RUNNING, -ENOENT},
	};

	is_there = true;
	allocation = (resource_allocation_response_msg_t){
		.node_list = (char *)"n[1-2]",
		.num_cpu_groups = 2,
		.cpus_per_node = cpus,
		.cpu_count_reps = times};
	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_(ctl_layout_freep) struct ctl_layout *l = NULL;
		struct placed_share has;
		char *names = NULL;
		struct err err = {0};

		t_row("%zu", i);
		job.nodes = (char *)rows[i].nodes;
		job.node_inx = (int32_t *)rows[i].inx;
		job.job_state = rows[i].state;
		allocations_asked = 0;
		T_INT(ctl_layout_names(7, &names, &has, &err), rows[i].rc);
		T_INT(allocations_asked, 0);
		T_OK(!names == !!rows[i].rc);
		free(names);
		T_INT(ctl_layout_load(7, &l, &err), rows[i].rc);
		T_INT(allocations_asked, !rows[i].rc);
		if (rows[i].rc)
			continue;
		T_INT(ctl_layout_count(l), 2);
		T_STR(ctl_layout_at(l, 1)->name, "n2");
		T_INT(ctl_layout_at(l, 1)->cpus, 2);
	}
	job.job_state = JOB_RUNNING;
}

int __wrap_slurm_load_node(time_t since, node_info_msg_t **out, uint16_t flags);
void __wrap_slurm_free_node_info_msg(node_info_msg_t *msg);

static node_info_t table[9];
static uint32_t table_n;
static int tables_asked, tables_out;

int __wrap_slurm_load_node(time_t since, node_info_msg_t **out, uint16_t flags)
{
	static node_info_msg_t msg = {.node_array = table};

	T_INT(since, 0);
	T_INT(flags, SHOW_ALL);
	tables_asked++;
	if (!table_n)
		return -1;
	tables_out++;
	msg.record_count = table_n;
	*out = &msg;
	return 0;
}

void __wrap_slurm_free_node_info_msg(node_info_msg_t *msg)
{
	(void)msg;
	tables_out--;
}

/* (nodes that are created later are behind the others in the table) */
static void what_a_smaller_job_has_is_by_the_order_of_the_table(void)
{
	static char *both[] = {(char *)"gpu:1(IDX:0)", (char *)"gpu:1(IDX:0)"},
		    *first[] = {(char *)"gpu:1(IDX:0)", (char *)""};
	static const struct {
		const char *what;
		time_t resized;
		const char *names, *third, *seventh; /* (3 and 7: table) */
		uint32_t n_table;
		uint16_t cpus[2];
		char **gres;
		int rc, asked;
		const char *node; /* that has what is said first */
	} rows[] = {
		{"CPUs", 9, "a,z", "z", "a", 8, {16, 1}, both, 0, 1, "z"},
		{"gres", 9, "a,z", "z", "a", 9, {4, 4}, first, 0, 1, "z"},
		{"in order", 9, "a,z", "a", "z", 8, {16, 1}, both, 0, 1, "a"},
		{"alike", 9, "a,z", "z", "a", 8, {4, 4}, both, 0, 0, NULL},
		{"as it began", 0, "z,a", "", "", 0, {16, 1}, both, 0, 0, "z"},
		{"others by now",
		 9,
		 "a,z",
		 "z",
		 "b",
		 8,
		 {16, 1},
		 both,
		 -ESTALE,
		 1,
		 NULL},
		{"hidden",
		 9,
		 "a,z",
		 NULL,
		 "a",
		 8,
		 {16, 1},
		 both,
		 -ESTALE,
		 1,
		 NULL},
		{"short",
		 9,
		 "a,z",
		 "z",
		 "a",
		 7,
		 {16, 1},
		 both,
		 -ESTALE,
		 1,
		 NULL},
		{"smaller by now",
		 0,
		 "a",
		 "z",
		 "a",
		 8,
		 {16, 1},
		 both,
		 -ESTALE,
		 0,
		 NULL},
		{"no answer",
		 9,
		 "a,z",
		 "z",
		 "a",
		 0,
		 {16, 1},
		 both,
		 -EIO,
		 1,
		 NULL},
	};
	static int32_t inx[] = {3, 3, 7, 7, -1};
	static uint32_t times[] = {1, 1};

	is_there = true;
	job.job_state = JOB_RUNNING;
	job.nodes = (char *)"a,z";
	job.node_inx = inx;
	job.gres_detail_cnt = 2;
	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_(ctl_layout_freep) struct ctl_layout *l = NULL;
		struct err err = {0};
		size_t has = 0;

		t_row("%s", rows[i].what);
		job.resize_time = rows[i].resized;
		job.gres_detail_str = rows[i].gres;
		allocation = (resource_allocation_response_msg_t){
			.node_list = (char *)rows[i].names,
			.num_cpu_groups = 2,
			.cpus_per_node = (uint16_t *)rows[i].cpus,
			.cpu_count_reps = times};
		table_n = rows[i].n_table;
		table[3].name = (char *)rows[i].third;
		table[7].name = (char *)rows[i].seventh;
		tables_asked = 0;
		T_INT(ctl_layout_load(7, &l, &err), rows[i].rc);
		T_INT(tables_asked, rows[i].asked);
		T_INT(tables_out, 0);
		if (rows[i].rc || !rows[i].node)
			continue;
		T_INT(ctl_layout_count(l), 2);
		has = strcmp(ctl_layout_at(l, 0)->name, rows[i].node) != 0;
		T_STR(ctl_layout_at(l, has)->name, rows[i].node);
		T_INT(ctl_layout_at(l, has)->cpus, rows[i].cpus[0]);
		T_STR(ctl_layout_at(l, has)->gres, rows[i].gres[0]);
		T_INT(ctl_layout_at(l, !has)->cpus, rows[i].cpus[1]);
		T_STR(ctl_layout_at(l, !has)->gres, rows[i].gres[1]);
	}
	job.gres_detail_cnt = 0;
}

static bool is_seven(void *arg, uint32_t job_id)
{
	(void)arg;
	return job_id == 7;
}

/* (scancel --admin-comment) */
static void a_job_that_is_known_is_listed_whatever_is_written_on_it(void)
{
	static const struct placed_known known = {.has = is_seven};
	static const struct {
		const char *comment;
		bool known, listed;
	} rows[] = {
		{WK_BRIDGE_ID, false, true}, {"spam", false, false},
		{NULL, false, false},	     {"spam", true, true},
		{NULL, true, true},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_(ctl_placeholders_freep) struct ctl_placeholders *all =
			NULL;

		t_row("%zu", i);
		job.admin_comment = (char *)rows[i].comment;
		job.submit_time = 60;
		T_INT(ctl_placeholders_load(
			      NULL, &all, rows[i].known ? &known : NULL, NULL),
		      1);
		T_INT(ctl_placeholders_count(all), rows[i].listed);
		T_INT(ctl_placeholders_is_other(all, 7), !rows[i].listed);
		if (!rows[i].listed)
			continue;
		T_STR(ctl_placeholders_at(all, 0)->admin_comment,
		      rows[i].comment ? rows[i].comment : "");
		T_INT(ctl_placeholders_at(all, 0)->submit, 60);
	}
}

/* When the last of all jobs should start; it is made ours. */
static int64_t told_start(void)
{
	_cleanup_(ctl_placeholders_freep) struct ctl_placeholders *all = NULL;
	const uint32_t last = all_jobs.record_count - 1;

	/* (texts are freed as soon as they are read) */
	all_jobs.job_array[last].admin_comment = (char *)WK_BRIDGE_ID;

	T_INT(ctl_placeholders_load(NULL, &all, NULL, NULL), 1);
	return ctl_placeholders_at(all, 0)->start;
}

/* (a job without a time limit is taken for one of a year) */
static void no_start_is_expected_after_a_job_without_a_time_limit(void)
{
	enum { DAY = 24 * 3600 };
	static const struct {
		uint32_t limit, state;
		int ran; /* the other one, for these days, */
		const char *there;
		int in; /* and ours should start in so many */
		bool said;
	} rows[] = {
		{60, JOB_RUNNING, 1, "a", 1, true},
		{60, JOB_RUNNING, 1, "a", 363, true},
		{60, JOB_RUNNING, 1, "a", 364, false},
		{INFINITE, JOB_RUNNING, 1, "a", 1, true},
		{INFINITE, JOB_RUNNING, 1, "a", 364, false},
		{INFINITE, JOB_RUNNING, 200, "a", 164, true},
		{INFINITE, JOB_RUNNING, 200, "a", 165, false},
		{INFINITE, JOB_RUNNING, 200, "a", 166, false},
		{INFINITE, JOB_RUNNING, 200, "c,b", 165, false},
		{INFINITE, JOB_RUNNING, 200, "c", 165, true},
		{INFINITE, JOB_RUNNING, 200, NULL, 165, false},
		{INFINITE, JOB_SUSPENDED, 200, "a", 165, false},
		{60, JOB_RUNNING, 200, "a", 165, true},
		{INFINITE, JOB_PENDING, 200, "a", 165, true},
		{INFINITE, JOB_COMPLETE, 200, "a", 165, true},
		/* Slurm guesses anew. */
		{INFINITE, JOB_RUNNING, 366, "a", 1, true},
		{INFINITE, JOB_RUNNING, 366, "a", 363, true},
	};
	job_info_t both[] = {job, job};
	const job_info_msg_t before = all_jobs;
	const time_t now = time(NULL);

	all_jobs.job_array = both;
	all_jobs.record_count = 2;
	both[0].admin_comment = NULL;
	both[1].job_state = JOB_PENDING;
	both[1].partition = (char *)"a,b";
	for (size_t i = 0; i < T_COUNT(rows); i++) {
		const time_t start = now + rows[i].in * (time_t)DAY;

		t_row("%zu", i);
		both[0].job_state = rows[i].state;
		both[0].time_limit = rows[i].limit;
		both[0].partition = (char *)rows[i].there;
		both[0].start_time = now - rows[i].ran * (time_t)DAY;
		both[1].start_time = start;
		T_INT(told_start(), rows[i].said ? start : 0);
	}
	t_row("the time that it asks for itself");
	both[0].job_state = JOB_RUNNING;
	both[0].time_limit = INFINITE;
	both[0].start_time = now - DAY;
	both[1].start_time = now + 700 * (time_t)DAY;
	both[1].state_reason = WAIT_TIME;
	T_INT(told_start(), both[1].start_time);
	both[1].state_reason = WAIT_PRIORITY;
	T_INT(told_start(), 0);
	all_jobs = before;
}

/* There may be any number of partitions: those for which there is no room count
 * for all. */
static void of_many_partitions_none_is_forgotten(void)
{
	enum { MANY = 40, DAY = 24 * 3600 };
	job_info_t many[MANY + 1];
	char names[MANY][8];
	const job_info_msg_t before = all_jobs;
	const time_t now = time(NULL);

	for (int i = 0; i < MANY; i++) {
		snprintf(names[i], sizeof(names[i]), "p%d", i);
		many[i] = job;
		many[i].partition = names[i];
		many[i].admin_comment = NULL;
		many[i].job_state = JOB_RUNNING;
		many[i].time_limit = INFINITE;
		many[i].start_time = now - i * (time_t)DAY;
	}
	many[MANY] = job;
	many[MANY].job_state = JOB_PENDING;
	many[MANY].partition = (char *)"other";
	all_jobs.job_array = many;
	all_jobs.record_count = MANY + 1;
	many[MANY].start_time = now + (365 - MANY) * (time_t)DAY;
	T_INT(told_start(), many[MANY].start_time);
	many[MANY].start_time = now + (366 - MANY) * (time_t)DAY;
	T_INT(told_start(), 0);
	all_jobs = before;
}

/* "scontrol requeuehold" leaves words that stay when somebody else holds it. */
static void who_holds_a_job_is_said_whatever_its_words_are(void)
{
	static const struct {
		const char *desc;
		uint16_t reason;
		const char *says;
	} rows[] = {
		{NULL, WAIT_HELD, "JobHeldAdmin"},
		{"job requeued in held state", WAIT_HELD_USER, "JobHeldUser"},
		{"job requeued in held state", WAIT_HELD, "JobHeldAdmin"},
		{"launch failed requeued held", WAIT_HELD_USER,
		 "launch failed requeued held"},
		{"launch failed requeued held", WAIT_HELD, "JobHeldAdmin"},
		{"Nodes required for job are DOWN", WAIT_RESOURCES,
		 "Nodes required for job are DOWN"},
		{NULL, WAIT_RESOURCES, "Resources"},
		{NULL, WAIT_NO_REASON, ""},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_(ctl_placeholders_freep) struct ctl_placeholders *all =
			NULL;

		t_row("%zu", i);
		job.job_state = JOB_PENDING;
		job.state_desc = (char *)rows[i].desc;
		job.state_reason = rows[i].reason;
		job.admin_comment = (char *)WK_BRIDGE_ID;
		T_INT(ctl_placeholders_load(NULL, &all, NULL, NULL), 1);
		T_STR(ctl_placeholders_at(all, 0)->reason, rows[i].says);
	}
	job.state_desc = NULL;
}

/* Of one that has started nobody looks at it any more. */
static void how_long_the_list_of_a_job_that_waits_is_is_known(void)
{
	static const struct {
		uint32_t state;
		uint32_t priority;
		const char *exclude;
		size_t want;
	} rows[] = {
		{JOB_PENDING, 1, "n[1-9]", 6},	 {JOB_PENDING, 0, "n[1-9]", 6},
		{JOB_PENDING, 1, NULL, 0},	 {JOB_RUNNING, 1, "n[1-9]", 0},
		{JOB_CANCELLED, 1, "n[1-9]", 0}, {JOB_COMPLETE, 1, "n1", 0},
	};
	const uint32_t priority = job.priority;

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_(ctl_placeholders_freep) struct ctl_placeholders *all =
			NULL;

		t_row("%zu", i);
		job.job_state = rows[i].state;
		job.priority = rows[i].priority;
		job.exc_nodes = (char *)rows[i].exclude;
		job.admin_comment = (char *)WK_BRIDGE_ID;
		T_INT(ctl_placeholders_load(NULL, &all, NULL, NULL), 1);
		T_INT(ctl_placeholders_at(all, 0)->exclude, rows[i].want);
	}
	job.exc_nodes = NULL;
	job.priority = priority;
}

/* (the small RPC for states does not tell) */
static void a_job_itself_says_whether_somebody_holds_it(void)
{
	static const struct {
		uint32_t state, priority;
		bool held;
	} rows[] = {
		{JOB_PENDING, 0, true},
		{JOB_PENDING, 1, false},
		{JOB_RUNNING, 0, false},
		{JOB_PENDING | JOB_COMPLETING, 0, false},
	};
	char reason[PLACED_REASON_MAX];
	struct err err = {0};
	bool held;

	is_there = true;
	job.state_reason = WAIT_HELD;
	for (size_t i = 0; i < T_COUNT(rows); i++) {
		t_row("%zu", i);
		job.job_state = rows[i].state;
		job.priority = rows[i].priority;
		held = !rows[i].held;
		T_INT(ctl_placeholder_held(7, &held, reason, &err), 0);
		T_INT(asked_with, SHOW_ALL | SHOW_LOCAL);
		T_INT(held, rows[i].held);
		T_STR(reason, "JobHeldAdmin");
	}
	job.job_id = 8; /* (another one is none) */
	T_INT(ctl_placeholder_held(7, &held, reason, &err), -ENOENT);
	job.job_id = 7;
	is_there = false;
	T_INT(ctl_placeholder_held(7, &held, reason, &err), -ENOENT);
	job.job_state = JOB_RUNNING;
	job.state_reason = WAIT_NO_REASON;
}

static void take_wait(void *arg, uint32_t job_id, enum ctl_job_wait wait)
{
	T_INT(job_id, 7);
	*(enum ctl_job_wait *)arg = wait;
}

/* (a hold of ours would make an administrator's one that the user may end) */
static void a_job_that_somebody_holds_is_not_one_to_be_begun_or_held(void)
{
	_cleanup_(ctl_jobs_freep) struct ctl_jobs *jobs = NULL;
	enum ctl_job_wait wait = CTL_JOB_FREE;

	job.job_state = JOB_PENDING;
	job.restart_cnt = 1;
	job.submit_time = time(NULL);
	job.eligible_time = job.submit_time + 121;
	job.priority = 100;
	T_INT(ctl_jobs_load(&jobs, NULL), 0);
	ctl_jobs_each_wait(jobs, 120, take_wait, &wait);
	T_INT(wait, CTL_JOB_DELAYED);
	job.priority = 0;
	ctl_jobs_each_wait(jobs, 120, take_wait, &wait);
	T_INT(wait, CTL_JOB_HELD);
	job.submit_time -= 130; /* its time has come */
	job.eligible_time -= 130;
	ctl_jobs_each_wait(jobs, 120, take_wait, &wait);
	T_INT(wait, CTL_JOB_HELD);
	job.priority = 100;
	ctl_jobs_each_wait(jobs, 120, take_wait, &wait);
	T_INT(wait, CTL_JOB_ELIGIBLE);
	/* scontrol update StartTime=now, before it had */
	job.eligible_time -= 20;
	ctl_jobs_each_wait(jobs, 120, take_wait, &wait);
	T_INT(wait, CTL_JOB_FREE);
	job.eligible_time = 0; /* by Slurm: it waits for another job, say */
	ctl_jobs_each_wait(jobs, 120, take_wait, &wait);
	T_INT(wait, CTL_JOB_ELIGIBLE);
#ifdef EXPEDITED_REQUEUE
	job.bitflags = EXPEDITED_REQUEUE;
	ctl_jobs_each_wait(jobs, 120, take_wait, &wait);
	T_INT(wait, CTL_JOB_ELIGIBLE);
	job.eligible_time = job.submit_time + 2; /* it has been looked at */
	ctl_jobs_each_wait(jobs, 120, take_wait, &wait);
	T_INT(wait, CTL_JOB_ELIGIBLE);
	job.eligible_time = job.submit_time + 30; /* by its user */
	ctl_jobs_each_wait(jobs, 120, take_wait, &wait);
	T_INT(wait, CTL_JOB_FREE);
	job.bitflags = 0;
#endif
	job.eligible_time = job.submit_time + 121;
	job.restart_cnt = 0;
	ctl_jobs_each_wait(jobs, 120, take_wait, &wait);
	T_INT(wait, CTL_JOB_FREE);
}

static int64_t went_s;

static void on_back(void *arg, uint32_t job_id, const char *words,
		    enum ctl_job_wait wait, int64_t back_s)
{
	*(enum ctl_job_wait *)arg = wait;
	T_INT(job_id, 7);
	T_STR(words, "k8s: exceeded quota");
	went_s = back_s;
}

/* (a requeue sets the time of submission) */
static void jobs_that_went_back_say_when(void)
{
	const time_t now = time(NULL);
	static const struct {
		const char *what;
		uint32_t state, delay_s;
		int submitted, eligible; /* from now */
		enum ctl_job_wait wait;	 /* FREE: it is not told */
		int back; /* the same; 0 or a little more if it is now */
	} rows[] = {
		{"not yet", JOB_RUNNING, 120, -100, -90, CTL_JOB_ENDING, 1},
		{"on its way", JOB_PENDING | JOB_COMPLETING, 120, -100, -90,
		 CTL_JOB_ENDING, 0},
		{"Slurm's two minutes", JOB_PENDING, 120, -50, 71,
		 CTL_JOB_DELAYED, -50},
		{"past them", JOB_PENDING, 120, -130, -9, CTL_JOB_ELIGIBLE,
		 -130},
		{"of its own", JOB_PENDING, 120, -50, 550, CTL_JOB_FREE, 0},
		{"cred_expire=10", JOB_PENDING, 10, -5, 6, CTL_JOB_DELAYED, -5},
		{"cred_expire=600", JOB_PENDING, 600, -50, 551, CTL_JOB_DELAYED,
		 -50},
		{"two minutes where it is 600", JOB_PENDING, 600, -50, 71,
		 CTL_JOB_FREE, 0},
		{"requeue_delay=0", JOB_PENDING, 0, -5, -4, CTL_JOB_ELIGIBLE,
		 -5},
		{"not to wait, by its user", JOB_PENDING, 120, -50, -20,
		 CTL_JOB_FREE, 0},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		const bool told = rows[i].wait != CTL_JOB_FREE &&
				  rows[i].state != JOB_RUNNING;
		_cleanup_(ctl_jobs_freep) struct ctl_jobs *all = NULL;
		enum ctl_job_wait wait = CTL_JOB_FREE, each = CTL_JOB_FREE;

		t_row("%s", rows[i].what);
		job.admin_comment = (char *)"k8s: exceeded quota";
		job.job_state = rows[i].state;
		job.restart_cnt = 1;
		job.priority = 100;
		job.submit_time = now + rows[i].submitted;
		job.eligible_time = now + rows[i].eligible;
		job.start_time = now + 118; /* planned by backfill */
		went_s = 0;
		T_INT(ctl_jobs_load(&all, NULL), 0);
		T_STR(ctl_job_says(all, 7), "k8s: exceeded quota");
		T_OK(!ctl_job_says(all, 8));
		ctl_jobs_sent_back(all, rows[i].delay_s, on_back, &wait);
		T_INT(went_s != 0, told);
		if (told)
			T_OK(went_s >= now + rows[i].back &&
			     went_s < now + rows[i].back + 10);
		if (told)
			T_INT(wait, rows[i].wait);
		ctl_jobs_each_wait(all, rows[i].delay_s, take_wait, &each);
		T_INT(each, rows[i].wait);
	}
}

int __wrap_slurm_update_job(job_desc_msg_t *desc);

static unsigned int updates; /* of the AdminComment */

int __wrap_slurm_update_job(job_desc_msg_t *desc)
{
	updates++;
	T_STR(desc->admin_comment, "k8s: its pod is gone");
	return 0;
}

/* A node's jobs are told as often as that is planned: it may be many. */
static void a_job_that_was_told_is_not_told_the_same_again(void)
{
	static const struct {
		const char *has;
		unsigned int updates;
	} rows[] = {{NULL, 1},
		    {"", 1},
		    {"k8s: exceeded quota", 1},
		    {"k8s: its pod is gone", 0},
		    {"somebody's", 0}};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_(ctl_jobs_freep) struct ctl_jobs *all = NULL;
		struct err err = {0};

		t_row("%zu", i);
		updates = 0;
		job.admin_comment = (char *)rows[i].has;
		T_INT(ctl_jobs_load(&all, NULL), 0);
		T_INT(ctl_job_comment(all, 7, "k8s: its pod is gone", &err), 0);
		T_INT(updates, rows[i].updates);
	}
	job.admin_comment = NULL;
}

T_MAIN("ctl_job", T(a_job_that_was_told_is_not_told_the_same_again),
       T(jobs_that_went_back_say_when),
       T(a_job_that_is_known_is_listed_whatever_is_written_on_it),
       T(no_start_is_expected_after_a_job_without_a_time_limit),
       T(of_many_partitions_none_is_forgotten),
       T(who_holds_a_job_is_said_whatever_its_words_are),
       T(how_long_the_list_of_a_job_that_waits_is_is_known),
       T(a_job_itself_says_whether_somebody_holds_it),
       T(a_job_that_somebody_holds_is_not_one_to_be_begun_or_held),
       T(a_list_and_the_job_itself_say_what_it_has),
       T(who_has_lost_nodes_in_slurmctld_is_not_asked_for),
       T(what_a_smaller_job_has_is_by_the_order_of_the_table),
       T(only_this_cluster_is_asked))
