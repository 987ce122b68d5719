/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "nodes/features/constraint.h"
#include "t.h"

#define _cleanup_config_ _cleanup_(config_freep)

#define POD "podTemplate: {spec: {containers: [{name: slurmd}]}}"

/* bits: pytorch 1, jax 2, big 4, gpu 8 */
static struct config *config_of_all(void)
{
	static const char text[] =
		"clusters: [{name: main, kubeconfig: k}]\n"
		"features:\n"
		"- {name: pytorch, group: image, patch: {}}\n"
		"- {name: jax, group: image, patch: {}}\n"
		"- {name: big, patch: {}}\n"
		"- {name: gpu, patch: {}}\n"
		"nodesets:\n"
		"- {name: cpu, cluster: main, nodes: 'cpu-[1-2]', features: "
		"[jax, big], " POD "}\n"
		"- {name: gpu, cluster: main, nodes: gpu-1, features: "
		"[pytorch, jax, gpu], " POD "}\n";
	struct config *c = NULL;
	struct err err = {0};

	T_INT(config_parse("k8s.yaml", text, strlen(text), &c, &err), 0);
	T_STR(err.msg, "");
	return c;
}

static void expressions_become_alternatives(void)
{
	static const struct {
		const char *text;
		size_t n;
		feature_set sets[4];
		uint64_t others[4];
	} rows[] = {
		{"pytorch", 1, {1}, {0}},
		{"rack", 1, {0}, {1}},
		{"gpu&pytorch", 1, {9}, {0}},
		{"gpu,pytorch", 1, {9}, {0}},
		{"pytorch|jax", 2, {1, 2}, {0, 0}},
		{"gpu&(pytorch|jax)", 2, {9, 10}, {0, 0}},
		{"(pytorch|jax)&(gpu|big)", 4, {9, 5, 10, 6}, {0}},
		{"gpu&pytorch|jax", 2, {9, 2}, {0, 0}},
		{"jax|gpu&pytorch", 2, {2, 9}, {0, 0}},
		{"(gpu&pytorch|jax)&rack", 2, {9, 2}, {1, 1}},
		{"rack&fast&rack", 1, {0}, {3}},
		{"rack&jax|fast", 2, {2, 0}, {1, 2}},
		{"(jax)", 1, {2}, {0}},
		{"jax&", 1, {2}, {0}},
		{"jax,", 1, {2}, {0}},
		{"jax|", 1, {2}, {0}},
		{"rack|", 1, {0}, {1}},
		{"gpu&(pytorch|jax),", 2, {9, 10}, {0, 0}},
		{"jax|jax", 1, {2}, {0}},
		{"jax|big|jax&jax|big", 2, {2, 4}, {0}},
		{"(jax|big)&(big|jax)", 3, {6, 2, 4}, {0}},
		{"rack&jax|fast&jax|jax&rack", 2, {2, 2}, {1, 2}},
		{"(jax|jax)&(jax|jax)&(jax|jax)&(jax|jax)&(jax|jax)&(jax|jax)&"
		 "(jax|jax)",
		 1,
		 {2},
		 {0}},
	};
	_cleanup_config_ struct config *c = config_of_all();
	struct constraint r;

	T_NEED(c != NULL);
	for (size_t i = 0; i < T_COUNT(rows); i++) {
		t_row("%s", rows[i].text);
		T_INT(constraint_parse(&c->features, rows[i].text, &r, NULL),
		      0);
		T_INT(r.n, rows[i].n);
		for (size_t j = 0; j < r.n && j < 4; j++) {
			T_INT(r.v[j].set, rows[i].sets[j]);
			T_INT(r.v[j].others, rows[i].others[j]);
		}
		T_OK(!r.has_count);
	}
}

static void counts_are_noticed(void)
{
	static const char *const rows[] = {
		"jax*2", "[jax|big]", "[jax*2&big*1]", "[(jax&gpu)*2|big]"};
	_cleanup_config_ struct config *c = config_of_all();
	struct constraint r;

	T_NEED(c != NULL);
	for (size_t i = 0; i < T_COUNT(rows); i++) {
		t_row("%s", rows[i]);
		T_INT(constraint_parse(&c->features, rows[i], &r, NULL), 0);
		T_OK(r.has_count);
	}
}

/* Who has no feature of ours is judged by Slurm, which would refuse most. */
static void what_is_no_expression_is_refused_if_it_is_ours(void)
{
	static const struct {
		const char *text;
		bool ours;
	} rows[] = {
		{"", false},	      {"&", false},	    {"||", false},
		{"a||", false},	      {"((((((x", false},   {"a&&b", false},
		{"|jax", true},	      {",jax", true},	    {"&jax&", true},
		{"jax&&", true},      {"jax,|", true},	    {"jax&&x", true},
		{"jax|&x", true},     {"(jax", true},	    {"(jax&", true},
		{"(jax&)", true},     {"(jax|)&big", true}, {"jax)", true},
		{"jax(", true},	      {"()jax", true},	    {"jax()", true},
		{"(jax)(big)", true}, {"(jax)x", true}, /* 22.05 takes it for
							   "jax" */
		{"jax*2x", true},			/* so, too */
		{"jax*+2", true}, /* strtol(3) takes it, and a space */
		{"jax* 2", true},
	};
	_cleanup_config_ struct config *c = config_of_all();
	char list[FEATURES_TEXT_MAX];
	struct constraint r;

	T_NEED(c != NULL);
	for (size_t i = 0; i < T_COUNT(rows); i++) {
		struct err err = {0};

		t_row("%s", rows[i].text);
		T_INT(constraint_parse(&c->features, rows[i].text, &r, NULL),
		      -EINVAL);
		T_OK(!constraint_choose(c, rows[i].text, NULL, list));
		T_INT(constraint_check(c, rows[i].text, false, &err),
		      rows[i].ours ? -EINVAL : 0);
		if (rows[i].ours)
			T_HAS(err.msg, "one '&', ',' or '|' between");
	}
}

static void impossible_requests_are_refused_with_words(void)
{
	static const struct {
		const char *text, *words; /* NULL: fine */
	} rows[] = {
		{"rack|fast&[x*2]", NULL},
		{"pytorchx", NULL},
		{"jax", NULL},
		{"jax&big", NULL},
		{"rack&(pytorch|jax)", NULL},
		{"pytorch|big", NULL},
		{"big|pytorch&big", NULL},
		{"pytorch&jax", "features pytorch and jax exclude each other "
				"(group image)"},
		{"gpu|pytorch&jax", "features pytorch and jax exclude"},
		{"jax,", NULL},
		{"jax |", NULL},
		{"pytorch&jax,", "features pytorch and jax exclude"},
		{"big&gpu|", "no nodes offer these together: big,gpu"},
		{"jax[", "'[', ']' and '*' do not go with changeable"},
		{"big&gpu", "no nodes offer these together: big,gpu"},
		{"pytorch&big|gpu&big", "no nodes offer these together: "
					"pytorch,big, or another alternative"},
		{"jax*2", "'[', ']' and '*' do not go with changeable"},
		{"[jax|big]", "'[', ']' and '*' do not go with"},
		{"rack|jax", "alternatives ('|') may differ in changeable "
			     "features only"},
		{"jax&(a|b)&(c|d)&(e|f)&(g|h)&(i|j)&(k|l)&(m|n)",
		 "at most 64 alternatives, 64 names and 1023 letters"},
	};
	_cleanup_config_ struct config *c = config_of_all();

	T_NEED(c != NULL);
	for (size_t i = 0; i < T_COUNT(rows); i++) {
		struct err err = {0};
		int rc = constraint_check(c, rows[i].text, false, &err);

		t_row("%s", rows[i].text);
		if (rows[i].words)
			T_HAS(err.msg, rows[i].words);
		T_OK(!rc == !rows[i].words);
	}
}

static void the_words_of_a_refusal_forge_no_log_line(void)
{
	_cleanup_config_ struct config *c = config_of_all();
	struct err err = {0};

	T_NEED(c != NULL);
	T_INT(constraint_check(c, "pytorch&jax&a\nslurmctld: \033b\177\r",
			       false, &err),
	      -EINVAL);
	T_STR(err.msg, "features pytorch and jax exclude each other (group "
		       "image) (--constraint=pytorch&jax&a slurmctld:  b  )");
	T_INT(constraint_check(c, "jax", false, NULL), 0);
}

static void an_old_slurm_cannot_choose(void)
{
	_cleanup_config_ struct config *c = config_of_all();
	struct err err = {0};

	T_NEED(c != NULL);
	T_INT(constraint_check(c, "jax&big", true, &err), 0);
	T_INT(constraint_check(c, "rack|fast", true, &err), 0);
	T_ERR(constraint_check(c, "jax|jax", true, &err), &err, -EINVAL,
	      "'|' does not go with changeable features");
	T_ERR(constraint_check(c, "jax|big", true, &err), &err, -EINVAL,
	      "'|' does not go with changeable features");
}

static void a_long_constraint_is_refused_only_if_it_is_ours(void)
{
	_cleanup_config_ struct config *c = config_of_all();
	_cleanup_free_ char *rack = t_repeat("rack&", 300);
	_cleanup_free_ char *jax = t_repeat("jax&", 300);
	struct err err = {0};

	T_NEED(c != NULL);
	T_INT(constraint_check(c, rack, false, &err), 0);
	T_ERR(constraint_check(c, jax, false, &err), &err, -E2BIG,
	      "at most 64");
}

static void more_than_64_names_are_refused(void)
{
	_cleanup_config_ struct config *c = config_of_all();
	char text[512] = "jax";
	struct err err = {0};

	T_NEED(c != NULL);
	for (int i = 0; i < 65; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text),
			 "&f%d", i);
	T_ERR(constraint_check(c, text, false, &err), &err, -E2BIG, "64 names");
}

static void nodes_get_the_first_alternative_that_they_offer(void)
{
	static const struct {
		const char *text, *nodes, *want;
	} rows[] = {
		{"pytorch|jax", "gpu-1", "pytorch"},
		{"pytorch|jax", "cpu-[1-2]", "jax"},
		{"pytorch|jax", "cpu-1,gpu-1", "jax"},
		{"rack&gpu&jax", "gpu-1", "jax,gpu"},
		{"big&gpu|jax", NULL, "jax"},
		{"pytorch&jax|gpu", "gpu-1", "gpu"},
		{"pytorch", "cpu-1", ""},
		{"pytorch", "elsewhere", ""},
		{"rack", "cpu-1", ""},
		{"pytorch&", "gpu-1", "pytorch"},
		{"pytorch,", "gpu-1", "pytorch"},
		{"pytorch|", "gpu-1", "pytorch"},
		{"big&gpu|jax,", NULL, "jax"},
		{"pytorch&&", "gpu-1", ""},
		{"pytorch ", "gpu-1", ""},
		{"jax", "cpu-[", ""},
	};
	_cleanup_config_ struct config *c = config_of_all();
	char list[FEATURES_TEXT_MAX];

	T_NEED(c != NULL);
	for (size_t i = 0; i < T_COUNT(rows); i++) {
		t_row("%s on %s", rows[i].text,
		      rows[i].nodes ? rows[i].nodes : "any");
		T_OK(constraint_choose(c, rows[i].text, rows[i].nodes, list) ==
		     (*rows[i].want != '\0'));
		T_STR(list, rows[i].want);
	}
}

/* (a #SBATCH line of 4 MiB would keep slurmctld's locks for a second) */
static void what_slurm_takes_in_no_case_is_not_read(void)
{
	static char text[4 << 20];
	_cleanup_config_ struct config *c = config_of_all();
	char out[FEATURES_TEXT_MAX];
	struct err err = {0};

	T_NEED(c != NULL);
	memset(text, '&', sizeof(text) - 1);
	memcpy(text, "jax", 3);
	T_INT(constraint_check(c, text, false, &err), 0);
	T_OK(!constraint_choose(c, text, NULL, out));
	text[4000] = '\0';
	T_INT(constraint_check(c, text, false, &err), -E2BIG);
}

T_MAIN("constraint", T(expressions_become_alternatives), T(counts_are_noticed),
       T(what_is_no_expression_is_refused_if_it_is_ours),
       T(impossible_requests_are_refused_with_words),
       T(the_words_of_a_refusal_forge_no_log_line),
       T(an_old_slurm_cannot_choose),
       T(a_long_constraint_is_refused_only_if_it_is_ours),
       T(what_slurm_takes_in_no_case_is_not_read),
       T(more_than_64_names_are_refused),
       T(nodes_get_the_first_alternative_that_they_offer))
