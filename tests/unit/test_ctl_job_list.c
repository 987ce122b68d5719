/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How slurmctld's jobs are told, and which of them an id means. */
#include <string.h>

#include "base/cleanup.h"
#include "job_numbers.h"
#include "jobs_fixture.h"
#include "queue_place.h"

static void slurmctld_has_jobs(void)
{
	static const job_info_t all[] = {
		{.job_id = 12, .array_task_id = NO_VAL},
		{.job_id = 125, .array_job_id = 123, .array_task_id = 4},
		{.job_id = 123,
		 .array_job_id = 123,
		 .array_task_id = NO_VAL,
		 .array_task_str = (char *)"5-7,9%2"},
		{.job_id = 124, .array_job_id = 123, .array_task_id = 3},
		{.job_id = 40, .het_job_id = 40, .array_task_id = NO_VAL},
		{.job_id = 41,
		 .het_job_id = 40,
		 .het_job_offset = 1,
		 .array_task_id = NO_VAL},
	};

	memcpy(jobs, all, sizeof(all));
	msg.record_count = T_COUNT(all);
	is_away = false;
}

static void an_id_has_numbers(void)
{
	static const struct {
		const char *text;
		uint32_t numbers[4]; /* up to 0 */
	} rows[] = {
		{"12", {12}},
		{"123", {123, 124, 125}},
		{"123_4", {125}},
		{"123_[3-4]", {124, 125}},
		{"123_[4-5]", {123, 125}},
		{"123_8", {0}},
		{"40", {40, 41}},
		{"40+1", {41}},
		{"40+2", {0}},
		{"41", {41}},
		{"99", {99}}, /* slurmctld forgets jobs, and logs do not */
	};
	_cleanup_(ctl_jobs_freep) struct ctl_jobs *all = NULL;
	struct err err = {0};

	slurmctld_has_jobs();
	T_INT(ctl_jobs_load(&all, &err), 0);
	for (size_t i = 0; i < T_COUNT(rows); i++) {
		struct job_numbers got;
		struct job_ref ref;
		size_t n = 0;

		t_row("%s", rows[i].text);
		T_INT(job_ref_of(rows[i].text, &ref, &err), 1);
		T_INT(job_numbers_of(all, &ref, &got), 0);
		for (; n < got.n && n < 4; n++)
			T_INT(got.v[n], rows[i].numbers[n]);
		T_OK(n == 4 || !rows[i].numbers[n]);
		job_numbers_clear(&got);
	}
}

static void without_slurmctld_a_number_is_itself(void)
{
	const struct job_ref whole = {.id = 123};
	const struct job_ref task = {
		.id = 123, .part = JOB_TASKS, .tasks = "4"};
	struct job_numbers got;

	T_INT(job_numbers_of(NULL, &whole, &got), 0);
	T_INT(got.n, 1);
	T_INT(got.v[0], 123);
	job_numbers_clear(&got);
	T_INT(job_numbers_of(NULL, &task, &got), 0);
	T_INT(got.n, 0);
	job_numbers_clear(&got);
}

struct seen {
	char words[6][JOB_ID_TEXT_MAX];
	size_t n;
};

static int note(void *arg, const struct ctl_job *job)
{
	struct seen *seen = arg;

	job_id_words(job, seen->words[seen->n++]);
	return seen->n == T_COUNT(seen->words);
}

static void each_is_told_as_squeue_has_it(void)
{
	static const char *const wanted[] = {
		"12",	       "123_4 (125)", "123_[5-7,9%2] (123)",
		"123_3 (124)", "40+0 (40)",   "40+1 (41)"};
	_cleanup_(ctl_jobs_freep) struct ctl_jobs *all = NULL;
	struct seen seen = {.n = 0};
	struct err err = {0};

	slurmctld_has_jobs();
	T_INT(ctl_jobs_load(&all, &err), 0);
	T_INT(ctl_jobs_each(all, note, &seen), 1);
	for (size_t i = 0; i < T_COUNT(wanted); i++)
		T_STR(seen.words[i], wanted[i]);
}

static int copy_first(void *arg, const struct ctl_job *job)
{
	*(struct ctl_job *)arg = *job;
	return 1;
}

static job_info_t waiting(uint32_t id)
{
	return (job_info_t){.job_id = id,
			    .priority = 10,
			    .submit_time = 60,
			    .job_state = JOB_PENDING,
			    .state_reason = WAIT_PRIORITY,
			    .array_task_id = NO_VAL,
			    .partition = (char *)"batch,long",
			    .account = (char *)"chem"};
}

/* So many come before the first of `jobs`, and of its account. */
static void is_before(size_t before, size_t of_account)
{
	_cleanup_(ctl_jobs_freep) struct ctl_jobs *all = NULL;
	struct queue_place place;
	struct ctl_job job;
	struct err err = {0};

	T_INT(ctl_jobs_load(&all, &err), 0);
	T_INT(ctl_jobs_each(all, copy_first, &job), 1);
	T_OK(job.queued);
	queue_place_of(all, &job, &place);
	T_INT(place.before, before);
	T_INT(place.of_account, of_account);
}

/* Job 50 of account chem, with priority 10, in batch and long, and another. */
static void jobs_before_one_are_counted(void)
{
	enum { YES = WAIT_RESOURCES };
	static const struct {
		uint32_t id, priority;
		time_t submit;
		uint32_t state;
		uint16_t reason;
		const char *partition, *account;
		size_t before, of_account;
	} rows[] = {
		{49, 10, 60, JOB_PENDING, YES, "batch", "chem", 1, 1},
		{49, 10, 60, JOB_PENDING, YES, "batch", "bio", 1, 0},
		{49, 10, 60, JOB_PENDING, YES, "gpu,long", "chem", 1, 1},
		{49, 10, 60, JOB_PENDING, YES, "gpu,longer", "chem", 0, 0},
		{51, 10, 60, JOB_PENDING, YES, "batch", "chem", 0, 0},
		{51, 11, 61, JOB_PENDING, YES, "batch", "chem", 1, 1},
		{49, 9, 59, JOB_PENDING, YES, "batch", "chem", 0, 0},
		/* it went back into the queue, or 50 did */
		{49, 10, 61, JOB_PENDING, YES, "batch", "chem", 0, 0},
		{51, 10, 59, JOB_PENDING, YES, "batch", "chem", 1, 1},
		{49, 11, 60, JOB_PENDING, WAIT_NO_REASON, "batch", "", 1, 0},
		{49, 11, 60, JOB_PENDING, WAIT_PRIORITY, "batch", "", 1, 0},
		{49, 11, 60, JOB_PENDING, WAIT_NODE_NOT_AVAIL, "long", "", 1,
		 0},
		/* it waits for something else */
		{49, 0, 60, JOB_PENDING, WAIT_HELD, "batch", "chem", 0, 0},
		{49, 11, 60, JOB_PENDING, WAIT_DEPENDENCY, "batch", "", 0, 0},
		{49, 11, 60, JOB_PENDING, WAIT_TIME, "batch", "chem", 0, 0},
		{49, 11, 60, JOB_PENDING, WAIT_PART_TIME_LIMIT, "batch", "", 0,
		 0},
		{49, 11, 60, JOB_PENDING, WAIT_ASSOC_GRP_JOB, "batch", "", 0,
		 0},
		{49, 11, 60, JOB_RUNNING, YES, "batch", "chem", 0, 0},
		{49, 11, 60, JOB_PENDING | JOB_COMPLETING, YES, "batch", "", 0,
		 0},
		{49, 11, 60, JOB_CANCELLED, YES, "batch", "chem", 0, 0},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		jobs[1] = waiting(rows[i].id);
		jobs[1].priority = rows[i].priority;
		jobs[1].submit_time = rows[i].submit;
		jobs[1].job_state = rows[i].state;
		jobs[1].state_reason = rows[i].reason;
		jobs[1].partition = (char *)rows[i].partition;
		jobs[1].account = (char *)rows[i].account;
		t_row("%zu", i);
		jobs[0] = waiting(50);
		msg.record_count = 2;
		is_before(rows[i].before, rows[i].of_account);
	}
}

static void tasks_come_in_the_order_of_their_array(void)
{
	static const struct {
		uint32_t array, task, other_array, other_task;
		size_t before;
	} rows[] = {
		{45, 3, 45, 2, 1}, {45, 3, 45, 4, 0}, {45, 3, 44, 9, 1},
		{45, 3, 46, 0, 0}, {0, 0, 44, 9, 1},  {0, 0, 51, 0, 0},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		t_row("%zu", i);
		jobs[0] = waiting(50);
		jobs[1] = waiting(90); /* (a task's own is given later) */
		if (rows[i].array) {
			jobs[0].array_job_id = rows[i].array;
			jobs[0].array_task_id = rows[i].task;
		}
		jobs[1].array_job_id = rows[i].other_array;
		jobs[1].array_task_id = rows[i].other_task;
		msg.record_count = 2;
		is_before(rows[i].before, rows[i].before);
	}
}

static void a_heterogeneous_job_is_one_and_not_before_itself(void)
{
	jobs[0] = waiting(50);
	for (uint32_t i = 1; i < 4; i++) {
		jobs[i] = waiting(39 + i);
		jobs[i].het_job_id = 40;
		jobs[i].het_job_offset = i - 1;
	}
	msg.record_count = 4;
	is_before(1, 1);
	jobs[0].het_job_id = 40;
	jobs[0].het_job_offset = 3;
	is_before(0, 0);
}

static void when_one_should_start_is_told_while_it_waits(void)
{
	enum { DAY = 24 * 3600 };
	static const struct {
		uint32_t state;
		int in; /* days */
		bool told;
	} rows[] = {{JOB_PENDING, 1, true},
		    {JOB_PENDING, 366, false},
		    {JOB_PENDING | JOB_COMPLETING, 1, false},
		    {JOB_RUNNING, 1, false},
		    {JOB_COMPLETE, 1, false}};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_(ctl_jobs_freep) struct ctl_jobs *all = NULL;
		const time_t start = time(NULL) + rows[i].in * (time_t)DAY;
		struct err err = {0};

		t_row("%zu", i);
		jobs[0] = waiting(50);
		jobs[0].job_state = rows[i].state;
		jobs[0].start_time = start;
		msg.record_count = 1;
		T_INT(ctl_jobs_load(&all, &err), 0);
		T_INT(ctl_jobs_expected_start(all, 50),
		      rows[i].told ? start : 0);
		T_INT(ctl_jobs_expected_start(all, 51), 0);
	}
}

T_MAIN("ctl_job_list", T(jobs_before_one_are_counted),
       T(tasks_come_in_the_order_of_their_array),
       T(a_heterogeneous_job_is_one_and_not_before_itself),
       T(when_one_should_start_is_told_while_it_waits), T(an_id_has_numbers),
       T(without_slurmctld_a_number_is_itself),
       T(each_is_told_as_squeue_has_it))
