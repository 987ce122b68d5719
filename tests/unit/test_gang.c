/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <string.h>

#include "base/buf.h"
#include "gang.h"
#include "t.h"

struct setup {
	struct hostlist nodes;
	struct resumefile file;
	struct gangs gangs;
};

static void setup_clear(struct setup *s)
{
	gangs_clear(&s->gangs);
	resumefile_clear(&s->file);
	hostlist_clear(&s->nodes);
}
#define _cleanup_setup_ _cleanup_(setup_clear)

/* `jobs` is the list of the resume file; NULL: there is no file. */
static int setup(struct setup *s, const char *nodes, const char *jobs,
		 struct err *err)
{
	struct buf text = BUF_INIT(1024 * 1024);

	memset(s, 0, sizeof(*s));
	if (*nodes)
		T_INT(hostlist_expand(nodes, &s->nodes, NULL), 0);
	if (jobs) {
		buf_addf(&text, "{\"all_nodes\": \"x\", \"jobs\": [%s]}", jobs);
		T_INT(resumefile_parse(text.data, text.len, &s->file, NULL), 0);
		buf_free(&text);
	}
	return gangs_make(&s->nodes, jobs ? &s->file : NULL, &s->gangs, err);
}

#define JOB(id, nodes) "{\"job_id\": " #id ", \"nodes\": \"" nodes "\"}"

/* "7:0,1 0:2!": job 7 has the nodes 0 and 1; node 2 is alone and failed. */
static void gangs_are(const struct gangs *g, const char *want)
{
	_cleanup_buf_ struct buf b = BUF_INIT(4096);

	for (size_t i = 0; i < g->n; i++) {
		const struct gang *k = &g->v[i];

		buf_addf(&b, "%s%u:", i ? " " : "", k->job_id);
		for (size_t j = 0; j < k->n; j++)
			buf_addf(&b, "%s%zu", j ? "," : "", k->nodes[j]);
		if (k->failed)
			buf_addf(&b, "!");
	}
	T_STR(buf_str(&b), want);
}

static void nodes_are_sorted_into_the_gangs_of_their_jobs(void)
{
	static const struct {
		const char *nodes, *jobs, *want;
	} rows[] = {
		{"a,b,c", NULL, "0:0 0:1 0:2"},
		{"a,b,c", "", "0:0 0:1 0:2"},
		{"a,b,c", JOB(7, "a,b,c"), "7:0,1,2"},
		{"a,b,c", JOB(7, "c,a"), "7:0,2 0:1"},
		{"a,b", JOB(7, "a,a,b,a"), "7:0,1"},
		{"a,b,c", JOB(7, "a,b") "," JOB(8, "b,c"), "7:0,1 8:1,2"},
		{"a,b", JOB(7, "a,z9") "," JOB(8, "z[1-3]"), "7:0 8: 0:1"},
		{"a", JOB(7, ""), "7: 0:0"},
		{"", JOB(7, "a"), "7:"},
		{"", NULL, ""},
		{"n[1-12]", JOB(7, "n[3-5,1]"),
		 "7:0,2,3,4 0:1 0:5 0:6 0:7 0:8 0:9 0:10 0:11"},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_setup_ struct setup s;
		struct err err = {0};

		t_row("%s %s", rows[i].nodes, rows[i].jobs ? rows[i].jobs : "");
		T_INT(setup(&s, rows[i].nodes, rows[i].jobs, &err), 0);
		gangs_are(&s.gangs, rows[i].want);
		for (size_t n = 0; n < s.nodes.n; n++)
			T_OK(gangs_want(&s.gangs, n));
	}
}

static void a_node_that_fails_takes_its_gang_with_it(void)
{
	_cleanup_setup_ struct setup s;

	T_INT(setup(&s, "a,b,c", JOB(7, "a,b"), NULL), 0);
	gangs_fail(&s.gangs, 0);
	gangs_are(&s.gangs, "7:0,1! 0:2");
	T_OK(!gangs_want(&s.gangs, 0));
	T_OK(!gangs_want(&s.gangs, 1));
	T_OK(gangs_want(&s.gangs, 2));
}

static void a_shared_node_lives_as_long_as_one_of_its_gangs(void)
{
	_cleanup_setup_ struct setup s;

	T_INT(setup(&s, "a,b,c", JOB(7, "a,b") "," JOB(8, "b,c"), NULL), 0);
	gangs_fail(&s.gangs, 0);
	gangs_are(&s.gangs, "7:0,1! 8:1,2");
	T_OK(gangs_want(&s.gangs, 1));
	gangs_fail(&s.gangs, 2);
	T_OK(!gangs_want(&s.gangs, 1));
}

static void a_shared_node_that_fails_ends_all_its_gangs(void)
{
	_cleanup_setup_ struct setup s;

	T_INT(setup(&s, "a,b,c,d", JOB(7, "a,b") "," JOB(8, "b,c"), NULL), 0);
	gangs_fail(&s.gangs, 1);
	gangs_are(&s.gangs, "7:0,1! 8:1,2! 0:3");
	T_OK(!gangs_want(&s.gangs, 0));
	T_OK(!gangs_want(&s.gangs, 2));
	T_OK(gangs_want(&s.gangs, 3));
}

static void failing_twice_changes_nothing(void)
{
	_cleanup_setup_ struct setup s;

	T_INT(setup(&s, "a,b", JOB(7, "a,b"), NULL), 0);
	gangs_fail(&s.gangs, 0);
	gangs_fail(&s.gangs, 0);
	gangs_fail(&s.gangs, 1);
	T_INT(s.gangs.living[0], 0);
	T_INT(s.gangs.living[1], 0);
}

static void a_bad_hostlist_of_a_job_is_refused_with_its_number(void)
{
	_cleanup_setup_ struct setup s;
	struct err err = {0};

	T_ERR(setup(&s, "a", JOB(7, "a") "," JOB(8, "n[1-"), &err), &err,
	      -EINVAL, "resume file: job 8: hostlist 'n[1-': '[' without ']'");
	T_INT(s.gangs.n, 0);
	setup_clear(&s);
	T_ERR(setup(&s, "a", JOB(9, "n[0-65000][0-65000]"), &err), &err, -E2BIG,
	      "resume file: job 9: hostlist");
}

static void a_list_of_many_nodes_is_sorted_too(void)
{
	_cleanup_setup_ struct setup s;

	T_INT(setup(&s, "n[0-9999]", JOB(7, "n[5000-9999]"), NULL), 0);
	T_INT(s.gangs.n, 5001);
	T_INT(s.gangs.v[0].n, 5000);
	T_INT(s.gangs.v[0].nodes[0], 5000);
	gangs_fail(&s.gangs, 9999);
	T_OK(!gangs_want(&s.gangs, 5000));
	T_OK(gangs_want(&s.gangs, 4999));
}

T_MAIN("gang", T(nodes_are_sorted_into_the_gangs_of_their_jobs),
       T(a_node_that_fails_takes_its_gang_with_it),
       T(a_shared_node_lives_as_long_as_one_of_its_gangs),
       T(a_shared_node_that_fails_ends_all_its_gangs),
       T(failing_twice_changes_nothing),
       T(a_bad_hostlist_of_a_job_is_refused_with_its_number),
       T(a_list_of_many_nodes_is_sorted_too))
