/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "nodes/pod/resume_file.h"
#include "t.h"
#include "json/json.h"

static int parse(const char *text, struct resumefile *f, struct err *err)
{
	return resumefile_parse(text, strlen(text), f, err);
}

/* The forms that Slurm's releases write: all with two jobs. */
static const struct {
	const char *release, *text;
} forms[] = {
	{"22.05", "{\"all_nodes\": \"n[1-3]\", \"jobs\": ["
		  "{\"job_id\": 140814, \"nodes\": \"n[1-2]\"},"
		  "{\"job_id\": 140815, \"nodes\": \"n3\"}]}"},
	{"23.02",
	 "{\"all_nodes_resume\": \"n[1-3]\", \"jobs\": ["
	 "{\"extra\": \"\", \"features\": \"c1,c2\", \"job_id\": 140814,"
	 " \"nodes_alloc\": \"n[0-2]\", \"nodes_resume\": \"n[1-2]\","
	 " \"oversubscribe\": \"OK\", \"partition\": \"cloud\","
	 " \"reservation\": \"resv_1234\"},"
	 "{\"extra\": null, \"features\": null, \"job_id\": 140815,"
	 " \"nodes_alloc\": \"n3\", \"nodes_resume\": \"n3\","
	 " \"oversubscribe\": \"OK\", \"partition\": \"cloud\","
	 " \"reservation\": null}]}"},
	{"26.05", "{\"all_nodes_resume\": \"n[1-3]\", \"jobs\": ["
		  "{\"job_id\": 140814, \"nodes_alloc\": \"n[0-2]\","
		  " \"nodes_resume\": \"n[1-2]\", \"exclusive\": \"NO\","
		  " \"priority\": 4294901759},"
		  "{\"job_id\": 140815, \"nodes_alloc\": \"n3\","
		  " \"nodes_resume\": \"n3\", \"exclusive\": \"NO\","
		  " \"priority\": 1}]}"},
};

static void the_forms_of_all_releases_mean_the_same(void)
{
	for (size_t i = 0; i < T_COUNT(forms); i++) {
		_cleanup_resumefile_ struct resumefile f = {0};
		struct err err = {0};

		t_row("%s", forms[i].release);
		T_INT(parse(forms[i].text, &f, &err), 0);
		T_STR(err.msg, "");
		T_STR(f.all, "n[1-3]");
		T_NEED(f.n_jobs == 2);
		T_INT(f.jobs[0].job_id, 140814);
		T_STR(f.jobs[0].nodes, "n[1-2]");
		T_INT(f.jobs[1].job_id, 140815);
		T_STR(f.jobs[1].nodes, "n3");
	}
}

/* Slurm writes --extra as it was given; ids of federations have 32 bits. */
static void what_users_have_typed_costs_nobody_his_nodes(void)
{
	static const char text[] =
		"{\"all_nodes_resume\": \"n[1-2]\", \"jobs\": ["
		"{\"extra\": \"\xff\xc3\", \"job_id\": 2147483649,"
		" \"nodes_resume\": \"n1\"},"
		"{\"job_id\": 2, \"nodes_resume\": \"n2\"}]}";
	_cleanup_resumefile_ struct resumefile f = {0};
	struct err err = {0};

	T_INT(parse(text, &f, &err), 0);
	T_STR(err.msg, "");
	T_NEED(f.n_jobs == 2);
	T_OK(f.jobs[0].job_id == 2147483649u);
	T_STR(f.jobs[1].nodes, "n2");
}

static void a_file_without_jobs_is_allowed(void)
{
	static const char *const rows[] = {
		"{\"all_nodes_resume\": \"n1\"}",
		"{\"all_nodes_resume\": \"n1\", \"jobs\": []}",
		"{\"all_nodes_resume\": \"n1\", \"jobs\": null}",
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_resumefile_ struct resumefile f = {0};

		t_row("%s", rows[i]);
		T_INT(parse(rows[i], &f, NULL), 0);
		T_INT(f.n_jobs, 0);
	}
}

#define JOBS(job) "{\"all_nodes_resume\": \"n1\", \"jobs\": [" job "]}"
#define GOOD "{\"job_id\": 1, \"nodes_resume\": \"n1\"}"

static void files_of_the_wrong_shape_are_refused_with_words(void)
{
	static const struct {
		const char *text, *words;
		int code;
	} rows[] = {
		{"", "resume file: bad JSON at byte 0", -EBADMSG},
		{"{\"all_nodes_resume\": \"n1\"", "resume file: bad JSON",
		 -EBADMSG},
		{"[]", "all_nodes_resume is missing", -EINVAL},
		{"{}", "resume file: all_nodes_resume is missing", -EINVAL},
		{"{\"all_nodes_resume\": 5}", "all_nodes_resume is missing",
		 -EINVAL},
		{"{\"all_nodes_resume\": \"n1\", \"jobs\": {}}",
		 "resume file: jobs is not a list", -EINVAL},
		{JOBS("5"), "jobs[0].job_id is not a job id", -EINVAL},
		{JOBS("null"), "jobs[0].job_id is not a job id", -EINVAL},
		{JOBS(GOOD ", {\"nodes_resume\": \"n1\"}"),
		 "resume file: jobs[1].job_id is not a job id", -EINVAL},
		{JOBS("{\"job_id\": \"1\", \"nodes_resume\": \"n1\"}"),
		 "jobs[0].job_id is not a job id", -EINVAL},
		{JOBS("{\"job_id\": 0, \"nodes_resume\": \"n1\"}"),
		 "jobs[0].job_id is not a job id", -EINVAL},
		{JOBS("{\"job_id\": -1, \"nodes_resume\": \"n1\"}"),
		 "jobs[0].job_id is not a job id", -EINVAL},
		{JOBS("{\"job_id\": 4294967295, \"nodes_resume\": \"n1\"}"),
		 "jobs[0].job_id is not a job id", -EINVAL},
		{JOBS("{\"job_id\": 1e99, \"nodes_resume\": \"n1\"}"),
		 "jobs[0].job_id is not a job id", -EINVAL},
		{JOBS(GOOD ", {\"job_id\": 7}"),
		 "resume file: jobs[1] (job 7) has no nodes_resume", -EINVAL},
		{JOBS("{\"job_id\": 7, \"nodes_resume\": [\"n1\"]}"),
		 "jobs[0] (job 7) has no nodes_resume", -EINVAL},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		struct resumefile f = {0};
		struct err err = {0};

		t_row("%s", rows[i].text);
		T_ERR(parse(rows[i].text, &f, &err), &err, rows[i].code,
		      rows[i].words);
		T_OK(!f.all && !f.jobs && !f.n_jobs);
	}
}

/* (more than jx_parse() takes by itself) */
static void many_jobs_may_resume_at_once(void)
{
	_cleanup_free_ char *jobs = t_repeat(GOOD ",", 2 * JX_PARTS_MAX);
	_cleanup_free_ char *text = str_printf(JOBS("%s" GOOD), jobs);
	_cleanup_resumefile_ struct resumefile f = {0};

	T_INT(parse(text, &f, NULL), 0);
	T_INT(f.n_jobs, 2 * JX_PARTS_MAX + 1);
}

static void clearing_twice_is_allowed(void)
{
	struct resumefile f = {0};

	T_INT(parse(JOBS(GOOD), &f, NULL), 0);
	resumefile_clear(&f);
	resumefile_clear(&f);
	T_OK(!f.all && !f.jobs && !f.n_jobs);
}

T_MAIN("resume_file", T(the_forms_of_all_releases_mean_the_same),
       T(what_users_have_typed_costs_nobody_his_nodes),
       T(a_file_without_jobs_is_allowed),
       T(files_of_the_wrong_shape_are_refused_with_words),
       T(many_jobs_may_resume_at_once), T(clearing_twice_is_allowed))
