/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "example_rules.h"
#include "t.h"

static void addresses_of_examples_are_known(void)
{
	static const struct {
		const char *text, *has; /* NULL: none */
	} rows[] = {
		{"192.0.2.1", "192.0.2.1"},
		{"controller(198.51.100.255)", "198.51.100.255"},
		{"a:1,203.0.113.9:6817", "203.0.113.9"},
		{"https://192.0.2.0/24", "192.0.2.0"},
		{"registry.example.org/slurmd:22.05", "registry.example.org"},
		{"--server=NFS.Example.COM", "NFS.Example.COM"},
		{"192.0.2", NULL},
		{"192.0.2.256", NULL},
		{"192.0.2.1.2", NULL},
		{"1192.0.2.1", NULL},
		{"192.0.20.1", NULL},
		{"example.org/note", NULL},
		{"myexample.org", NULL},
		{"www.example.org.uk", NULL},
		{"10.0.0.1 host", NULL},
		{"", NULL},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		char has[EXAMPLE_MAX];

		t_row("%s", rows[i].text);
		T_INT(example_find(rows[i].text, has), rows[i].has != NULL);
		T_STR(has, rows[i].has ? rows[i].has : "");
	}
}

static void a_long_name_is_no_harm(void)
{
	_cleanup_free_ char *name = t_repeat("x.", 2 * EXAMPLE_MAX);
	_cleanup_free_ char *text =
		str_printf("%sexample.org b.example.org", name);
	char has[EXAMPLE_MAX];

	T_OK(example_find(text, has));
	T_STR(has, "b.example.org");
}

/* What is found in slurm.conf, and in k8s.yaml with this spec and more. */
static void finds(const char *conf, const char *spec, const char *slurmd,
		  const char *more, struct findings *out)
{
	_cleanup_(config_freep) struct config *c = NULL;
	_cleanup_free_ char *text = str_printf(
		"clusters: [{name: main, kubeconfig: k}]\n%s\n"
		"nodesets: [{name: cpu, cluster: main, nodes: cpu-0, "
		"podTemplate: {spec: {%s containers: [{name: slurmd%s}]}}}]\n",
		more, spec, slurmd);
	struct err err = {0};

	T_INT(config_parse("k8s.yaml", text, strlen(text), &c, &err), 0);
	T_STR(err.msg, "");
	if (c)
		example_rules(c, conf, out);
}

static void what_was_left_is_named_with_its_place(void)
{
	static const struct {
		const char *conf, *spec, *slurmd, *more;
		const char *place, *has; /* NULL: all is in order */
	} rows[] = {
		{"SlurmctldHost=a(10.0.0.1)\n", "", "", "", NULL, NULL},
		{NULL, "", "", "", NULL, NULL},
		{"ClusterName=a\nSlurmctldHost=a(192.0.2.1)\nNodeName=a "
		 "NodeAddr=192.0.2.2",
		 "", "", "", "slurm.conf, line 2", "192.0.2.1"},
		{"# as a(192.0.2.1)\nClusterName=a # 192.0.2.1", "", "", "",
		 NULL, NULL},
		{NULL, "hostAliases: [{ip: 192.0.2.1, hostnames: [a]}],", "",
		 "", "pod template of nodeset cpu: ip", "192.0.2.1"},
		{NULL, "", ", image: 'r.example.org/a:1'", "",
		 "pod template of nodeset cpu: image", "r.example.org"},
		{NULL, "", ", env: [{name: A, value: 'a:1,b.example.com:2'}]",
		 "", "pod template of nodeset cpu: value", "b.example.com"},
		{NULL, "", ", args: [-x, b.example.com]", "",
		 "pod template of nodeset cpu: args", "b.example.com"},
		/* nobody looks these up */
		{NULL,
		 "tolerations: [{key: a.example.org/b, operator: Exists}],", "",
		 "", NULL, NULL},
		{NULL, "nodeSelector: {a.example.org/b: c},", "", "", NULL,
		 NULL},
		{NULL, "", "",
		 "features: [{name: jax, patch: {spec: {containers: [{name: "
		 "slurmd, image: r.example.org/jax}]}}}]",
		 "k8s.yaml, patch of feature jax: image", "r.example.org"},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		struct findings f = {0};
		char text[512], fix[512];

		t_row("%zu", i);
		finds(rows[i].conf, rows[i].spec, rows[i].slurmd, rows[i].more,
		      &f);
		snprintf(text, sizeof(text),
			 "%s has %s, which is an address of examples: nobody "
			 "is there",
			 rows[i].place, rows[i].has);
		snprintf(fix, sizeof(fix),
			 "%s: write your own in the place of %s", rows[i].place,
			 rows[i].has);
		if (T_OK(f.n == 1)) {
			T_STR(f.v[0].check, "address");
			T_INT(f.v[0].state,
			      rows[i].has ? FINDING_WARN : FINDING_OK);
			T_HAS(f.v[0].text,
			      rows[i].has ? text : "none of examples in ");
			T_STR(f.v[0].fix, rows[i].has ? fix : NULL);
		}
		findings_clear(&f);
	}
}

static void where_nothing_was_read_nothing_is_said(void)
{
	struct findings f = {0};

	example_rules(NULL, NULL, &f);
	T_INT(f.n, 0);
	example_rules(NULL, "a=192.0.2.1", &f);
	T_INT(f.n, 1);
	findings_clear(&f);
}

T_MAIN("example_rules", T(addresses_of_examples_are_known),
       T(a_long_name_is_no_harm), T(what_was_left_is_named_with_its_place),
       T(where_nothing_was_read_nothing_is_said))
