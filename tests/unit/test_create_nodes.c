/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "config/config.h"
#include "nodes/dynamic/dynamic_decide.h"
#include "nodes/pod/manifest.h"
#include "syntax/wellknown.h"
#include "t.h"

#define _cleanup_config_ _cleanup_(config_freep)

/* One nodeset whose `create` this is, on line 3, from column 11 on. */
static int parse(const char *create, struct config **out, struct err *err)
{
	_cleanup_free_ char *text = str_printf(
		"clusters: [{name: main, kubeconfig: k}]\n"
		"nodesets: [{name: s, cluster: main, nodes: 'n[1-2]',\n"
		"  create: %s,\n"
		"  podTemplate: {spec: {containers: [{name: slurmd}]}}}]\n",
		create);

	return config_parse("k8s.yaml", text, strlen(text), out, err);
}

static struct config *accepted(const char *create)
{
	struct config *c = NULL;
	struct err err = {0};

	T_INT(parse(create, &c, &err), 0);
	T_STR(err.msg, "");
	return c;
}

static void the_line_for_slurm_says_all_and_marks_it_as_ours(void)
{
	_cleanup_config_ struct config *c =
		accepted("{cpus: 8, memory: 16000, gres: 'gpu:a100:2,shard:8', "
			 "features: [rack1, fast]}");
	_cleanup_free_ char *line = NULL, *conf = NULL;

	T_NEED(c);
	T_OK(c->nodesets[0].create.wanted);
	line = create_nodes_line(&c->nodesets[0].create, "n[1-2]");
	T_STR(line, "NodeName=n[1-2] State=CLOUD CPUs=8 RealMemory=16000 "
		    "Gres=gpu:a100:2,shard:8 Feature=rack1,fast,k8s-created");
	conf = create_nodes_slurmd_conf(&c->nodesets[0].create, 4, 8000);
	T_STR(conf, "CPUs=4 RealMemory=8000 Gres=gpu:a100:2,shard:8");
}

static void two_keys_suffice(void)
{
	_cleanup_config_ struct config *c = accepted("{cpus: 1, memory: 128}");
	_cleanup_free_ char *line = NULL;

	T_NEED(c);
	line = create_nodes_line(&c->nodesets[0].create, "n1");
	T_STR(line, "NodeName=n1 State=CLOUD CPUs=1 RealMemory=128 "
		    "Feature=k8s-created");
}

static void what_is_wrong_is_named_with_its_place(void)
{
	static const struct {
		const char *create, *words;
	} rows[] = {
		{"x", "k8s.yaml:3:11: create must be a mapping"},
		{"{}", "k8s.yaml:3:11: create needs cpus"},
		{"{cpus: 1}", "k8s.yaml:3:11: create needs memory"},
		{"{cpus: 1, memory: 1, count: 3}",
		 "k8s.yaml:3:32: unknown key 'count' in create (known: cpus, "
		 "memory, gres, features)"},
		{"{cpus: 0, memory: 1}", "k8s.yaml:3:18: cpus must be"},
		{"{cpus: 65534, memory: 1}", "k8s.yaml:3:18: cpus must be"},
		{"{cpus: 1, memory: 4Gi}", "k8s.yaml:3:29: memory must be"},
		{"{cpus: 1, memory: 0}", "k8s.yaml:3:29: memory must be"},
		{"{cpus: 1, memory: 1, gres: 'gpu:1 State=DOWN'}",
		 "k8s.yaml:3:38: gres must be as Gres"},
		{"{cpus: 1, memory: 1, gres: ''}",
		 "k8s.yaml:3:38: gres must be a text"},
		{"{cpus: 1, memory: 1, features: fast}",
		 "k8s.yaml:3:42: features must be a list"},
		{"{cpus: 1, memory: 1, features: ['a b']}",
		 "k8s.yaml:3:43: a feature must be"},
		{"{cpus: 1, memory: 1, features: ['a,b']}",
		 "k8s.yaml:3:43: a feature must be"},
		{"{cpus: 1, memory: 1, features: [a, k8s-created]}",
		 "k8s.yaml:3:46: a feature must be"},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_config_ struct config *c = NULL;
		struct err err = {0};

		t_row("%s", rows[i].create);
		T_ERR(parse(rows[i].create, &c, &err), &err, -EINVAL,
		      rows[i].words);
	}
}

static void a_release_that_cannot_is_named_with_the_place(void)
{
	_cleanup_config_ struct config *c = accepted("{cpus: 1, memory: 128}");
	const struct slurm_abilities able = {.creates_nodes = true},
				     unable = {.version = "24.11.5"};
	struct err err = {0};

	T_NEED(c);
	T_INT(config_check_release(c, &able, &err), 0);
	T_ERR(config_check_release(c, &unable, &err), &err, -EOPNOTSUPP,
	      "k8s.yaml:3:11: nodeset 's': create needs Slurm 26.05 or later, "
	      "this is 24.11.5");
}

static void slurmd_in_the_pod_is_told_what_slurm_conf_does_not_say(void)
{
	_cleanup_config_ struct config *c = accepted("{cpus: 1, memory: 128}");
	_cleanup_manifest_ struct manifest m = {0};
	const struct node_facts node = {
		.name = "n1", .cpus = 2, .memory_mib = 256};
	json_object *env;

	T_NEED(c && !manifest_make("prod", &c->nodesets[0], &node, &m, NULL));
	env = jx_get(json_object_array_get_idx(
			     jx_get(m.pod_json, "spec", "containers"), 0),
		     "env");
	T_STR(jx_str(jx_by_name(env, WK_ENV_NODE_CONF), "value"),
	      "CPUs=2 RealMemory=256");
}

static void one_node_is_kept_created_or_deleted(void)
{
	static const struct create_nodes want = {
		.wanted = true, .cpus = 2, .memory_mib = 256};
	/* a node of ours that sleeps, and nobody wants */
	const struct dynamic_view ours = {.known = true,
					  .dynamic = true,
					  .cloud = true,
					  .asleep = true,
					  .settled = true,
					  .features = "fast,k8s-created",
					  .cpus = 2,
					  .memory_mib = 256,
					  .podless = true};
	struct dynamic_view v;

#define ROW(what, ...)                                                         \
	v = ours;                                                              \
	__VA_ARGS__;                                                           \
	t_row("%s", #__VA_ARGS__);                                             \
	T_INT(dynamic_decide(&v), what)

	ROW(CREATE_NEW, v = (struct dynamic_view){.wanted = &want});
	ROW(CREATE_KEEP, v = (struct dynamic_view){.in_nodeset = true});
	ROW(CREATE_DELETE, (void)0);
	ROW(CREATE_KEEP, v.asleep = false);
	ROW(CREATE_KEEP, v.podless = false);
	ROW(CREATE_KEEP, v.dynamic = false);
	ROW(CREATE_KEEP, v.cloud = false);
	ROW(CREATE_KEEP, v.features = "fast");
	ROW(CREATE_KEEP, v.features = "k8s-created2");
	ROW(CREATE_KEEP, v.features = NULL);
	ROW(CREATE_DELETE, v.settled = false);
	ROW(CREATE_KEEP, v.reserved = true);
	v.wanted = NULL;
	ROW(CREATE_KEEP, v.in_nodeset = true);
	ROW(CREATE_KEEP, v.in_nodeset = true; v.cpus = 4);
	ROW(CREATE_KEEP, v.in_nodeset = true; v.wanted = &want);
	ROW(CREATE_REPLACE, v.in_nodeset = true; v.wanted = &want; v.cpus = 4);
	ROW(CREATE_REPLACE, v.in_nodeset = true; v.wanted = &want;
	    v.memory_mib = 1);
	ROW(CREATE_KEEP, v.in_nodeset = true; v.wanted = &want; v.cpus = 4;
	    v.settled = false);
	ROW(CREATE_KEEP, v.in_nodeset = true; v.wanted = &want; v.cpus = 4;
	    v.replaced = true);
	ROW(CREATE_KEEP, v.in_nodeset = true; v.wanted = &want; v.cpus = 4;
	    v.reserved = true);
	ROW(CREATE_KEEP, v.in_nodeset = true; v.wanted = &want; v.cpus = 4;
	    v.asleep = false);
	ROW(CREATE_KEEP, v.in_nodeset = true; v.wanted = &want; v.cpus = 4;
	    v.features = "fast");
#undef ROW
}

T_MAIN("create_nodes", T(the_line_for_slurm_says_all_and_marks_it_as_ours),
       T(two_keys_suffice), T(what_is_wrong_is_named_with_its_place),
       T(a_release_that_cannot_is_named_with_the_place),
       T(slurmd_in_the_pod_is_told_what_slurm_conf_does_not_say),
       T(one_node_is_kept_created_or_deleted))
