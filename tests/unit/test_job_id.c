/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "job_id.h"
#include "t.h"

static void a_job_id_is_digits_and_nothing_else(void)
{
	static const struct {
		const char *text;
		uint32_t id;
	} rows[] = {
		{"12", 12},	    {"4294967294", 4294967294u},
		{NULL, 0},	    {"", 0},
		{"12abc", 0},	    {" 12", 0},
		{"+12", 0},	    {"12_3", 0},
		{"0", 0},	    {"4294967295", 0},
		{"99999999999", 0},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		t_row("%s", rows[i].text ? rows[i].text : "NULL");
		T_INT(job_id_of(rows[i].text), rows[i].id);
	}
}

/* What slurmctld has of the jobs that are asked for. */
static const struct ctl_job alone = {.id = 12};
static const struct ctl_job running = {.id = 125, .array_id = 123, .task = 4};
static const struct ctl_job first = {.id = 126, .array_id = 123, .task = 0};
static const struct ctl_job waiting = {
	.id = 123, .array_id = 123, .tasks = "5-7,9%2"};
static const struct ctl_job even = {
	.id = 200, .array_id = 200, .tasks = "0-20:2"};
static const struct ctl_job cut = {
	.id = 300, .array_id = 300, .tasks = "1,3,5,1...%4"};
static const struct ctl_job leader = {.id = 40, .het_id = 40};
static const struct ctl_job second = {.id = 41, .het_id = 40, .het_offset = 1};

static void an_id_means_what_squeue_prints_so(void)
{
	static const struct {
		const char *text;
		const struct ctl_job *job;
		bool is;
	} rows[] = {
		{"12", &alone, true},
		{"1", &alone, false},
		{"12_0", &alone, false},
		{"12+0", &alone, false},
		/* an array, one of its tasks by its own number, all of them */
		{"125", &running, true},
		{"123", &running, true},
		{"123_4", &running, true},
		{"123_04", &running, true},
		{"123_40", &running, false},
		{"125_4", &running, false},
		{"123+4", &running, false},
		{"123_[4-7]", &running, true},
		{"123_[1,3-5,9]", &running, true},
		{"123_[5-7]", &running, false},
		{"123_0", &first, true},
		{"123_0", &running, false},
		/* those that wait share a record */
		{"123", &waiting, true},
		{"123_5", &waiting, true},
		{"123_9", &waiting, true},
		{"123_8", &waiting, false},
		{"123_4", &waiting, false},
		{"123_[5-7,9%2]", &waiting, true},
		{"123_[8,10]", &waiting, false},
		{"123_[7-8]", &waiting, true},
		{"124_5", &waiting, false},
		{"200_18", &even, true},
		{"200_19", &even, false},
		{"200_22", &even, false},
		{"200_[0-20:2]", &even, true},
		{"200_[1-21:2]", &even, false},
		{"200_[9-21:3]", &even, true},
		{"200_[1-19:6]", &even, false},
		/* nobody knows what was cut off */
		{"300_3", &cut, true},
		{"300_4", &cut, false},
		{"300_6", &cut, true},
		{"300_[1,3,5,1...%4]", &cut, true},
		/* a heterogeneous job */
		{"40", &leader, true},
		{"40", &second, true},
		{"41", &second, true},
		{"41", &leader, false},
		{"40+1", &second, true},
		{"40+1", &leader, false},
		{"40+0", &leader, true},
		{"41+1", &second, false},
		{"40_1", &second, false},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		struct job_ref ref;
		struct err err = {0};

		t_row("%s: %u", rows[i].text, rows[i].job->id);
		T_INT(job_ref_of(rows[i].text, &ref, &err), 1);
		T_OK(job_ref_is(&ref, rows[i].job) == rows[i].is);
	}
}

static void what_is_no_job_is_refused_or_a_name(void)
{
	static const struct {
		const char *text;
		const char *words; /* NULL: it may be a name */
	} rows[] = {
		{"", NULL},
		{"cpu-0", NULL},
		{"12abc", NULL},
		{"team/pod", NULL},
		{" 12", NULL},
		{"+1", NULL},
		/* names of nodes that begin as a job id does */
		{"10.0.0.12", NULL},
		{"10.0.0.0", NULL},
		{"123_a", NULL},
		{"123_a[1-3]", NULL},
		{"12.example.org", NULL},
		{"12.batches", NULL},
		{"12.5x", NULL},
		{"12_x", NULL},
		{"12_4x", NULL},
		{"0_node", NULL},
		{"99999999999.example.org", NULL},
		{"123.interactive", "is a step: give its job, 123"},
		{"123_[4-5].0", "is a step: give its job, 123_[4-5]"},
		{"12.0", "12.0 is a step: give its job, 12"},
		{"12.batch", "12.batch is a step: give its job, 12"},
		{"123_4.0", "123_4.0 is a step: give its job, 123_4"},
		{"123+1.extern", "is a step: give its job, 123+1"},
		{"12.", "is no job id"},
		{"0", "is no job id"},
		{"0_1", "is no job id"},
		{"4294967295", "is no job id"},
		{"99999999999", "is no job id"},
		{"12_", "is no job id: Slurm writes 123, 123_4, 123_[4-7] or "
			"123+1"},
		{"12_-1", "is no job id"},
		{"12_4294967295", "is no job id"},
		{"12_4,5", "is no job id"},
		{"12_[", "is no job id"},
		{"12_[]", "is no job id"},
		{"12_[4", "is no job id"},
		{"12_[4]x", "is no job id"},
		{"12_[4,]", "is no job id"},
		{"12_[,4]", "is no job id"},
		{"12_[7-4]", "is no job id"},
		{"12_[4-]", "is no job id"},
		{"12_[4-8:0]", "is no job id"},
		{"12_[4-8:]", "is no job id"},
		{"12_[4,x]", "is no job id"},
		{"12_[4%]", "is no job id"},
		{"12_[4%2x]", "is no job id"},
		{"12_[%2]", "is no job id"},
		{"12+", "is no job id"},
		{"12+x", "is no job id"},
		{"12+1_2", "is no job id"},
		{"12_1+2", "is no job id"},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		struct job_ref ref;
		struct err err = {0};
		int rc;

		t_row("%s", rows[i].text);
		rc = job_ref_of(rows[i].text, &ref, &err);
		if (rows[i].words)
			T_ERR(rc, &err, -EINVAL, rows[i].words);
		else
			T_INT(rc, 0);
	}
}

/* 64 ranges of long steps are looked at in a moment. */
static void a_long_list_costs_little(void)
{
	const struct ctl_job odd = {
		.id = 1, .array_id = 1, .tasks = "1-4294967293:65534"};
	_cleanup_free_ char *many = t_repeat("2-4294967292:65536,", 25);
	_cleanup_free_ char *text = str_printf("1_[%s2]", many ? many : "");
	_cleanup_free_ char *longer = t_repeat("1_[11111111]", 100);
	struct job_ref ref;
	struct err err = {0};

	T_NEED(text && longer);
	T_INT(job_ref_of(text, &ref, &err), 1);
	T_OK(!job_ref_is(&ref, &odd));
	T_ERR(job_ref_of(longer, &ref, &err), &err, -EINVAL, "is no job id");
}

static void an_id_is_written_as_squeue_has_it(void)
{
	static const struct {
		const struct ctl_job *job;
		const char *words;
	} rows[] = {
		{&alone, "12"},
		{&running, "123_4 (125)"},
		{&first, "123_0 (126)"},
		{&waiting, "123_[5-7,9%2] (123)"},
		{&leader, "40+0 (40)"},
		{&second, "40+1 (41)"},
		{&cut, "300_[1,3,5,1...%4] (300)"},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		char words[JOB_ID_TEXT_MAX];

		job_id_words(rows[i].job, words);
		T_STR(words, rows[i].words);
	}
}

T_MAIN("job_id", T(a_job_id_is_digits_and_nothing_else),
       T(an_id_means_what_squeue_prints_so),
       T(what_is_no_job_is_refused_or_a_name), T(a_long_list_costs_little),
       T(an_id_is_written_as_squeue_has_it))
