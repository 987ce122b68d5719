/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How slurmctld's jobs are told, and which of them an id means. */
#include <string.h>

#include "base/cleanup.h"
#include "job_numbers.h"
#include "jobs_fixture.h"

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

T_MAIN("ctl_job_list", T(an_id_has_numbers),
       T(without_slurmctld_a_number_is_itself),
       T(each_is_told_as_squeue_has_it))
