/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "base/str.h"
#include "config/config.h"
#include "t.h"
#include "json/yaml.h"

#define _cleanup_config_ _cleanup_(config_freep)

#define CLUSTERS "clusters: [{name: main, kubeconfig: kubeconfig}]\n"
#define POD "podTemplate: {spec: {containers: [{name: slurmd}]}}"
#define NODESETS "nodesets: [{name: cpu, cluster: main, nodes: n1, " POD "}]\n"

static int parse(const char *text, struct config **out, struct err *err)
{
	return config_parse("/etc/slurm/k8s.yaml", text, strlen(text), out,
			    err);
}

static void refused(const char *text, const char *words)
{
	_cleanup_config_ struct config *c = NULL;
	struct err err = {0};

	T_ERR(parse(text, &c, &err), &err, -EINVAL, words);
	T_OK(!c);
}

static struct config *accepted(const char *text)
{
	struct config *c = NULL;
	struct err err = {0};

	T_INT(parse(text, &c, &err), 0);
	T_STR(err.msg, "");
	return c;
}

static void the_smallest_configuration_has_defaults(void)
{
	_cleanup_config_ struct config *c = accepted(CLUSTERS NODESETS);

	T_NEED(c && c->n_clusters == 1 && c->n_nodesets == 1);
	T_STR(c->clusters[0].name, "main");
	T_STR(c->clusters[0].kubeconfig, "/etc/slurm/kubeconfig");
	T_STR(c->clusters[0].ns, "slurm");
	T_INT(c->clusters[0].max_requests, 100);
	T_OK(c->nodesets[0].cluster == &c->clusters[0]);
	T_INT(c->nodesets[0].resources, RESOURCES_FROM_NODE);
	T_STR(c->nodesets[0].container, "slurmd");
	T_JSON(c->nodesets[0].gres, "{\"gpu\": \"nvidia.com/gpu\"}");
	T_INT(c->power.deadline_ms, 60000);
	T_INT(c->power.log_level, LOG_LEVEL_INFO);
	T_STR(c->power.log_file, NULL);
}

static void everything_that_can_be_said_is_read(void)
{
	_cleanup_free_ char *text = t_data("k8s.yaml");
	_cleanup_config_ struct config *c = accepted(text);
	const struct nodeset *gpu;

	T_NEED(c && c->n_clusters == 2 && c->n_nodesets == 2);
	T_OK(c->clusters[1].in_cluster);
	T_STR(c->clusters[0].context, "admin");
	T_STR(c->clusters[0].ns, "jobs");
	T_INT(c->clusters[0].max_requests, 250);
	gpu = config_nodeset_of(c, "gpu-02");
	T_NEED(gpu == &c->nodesets[1]);
	T_INT(gpu->resources, RESOURCES_TEMPLATE);
	T_STR(gpu->container, "worker");
	T_STR(gpu->nodes, "gpu-[01-02]");
	T_JSON(gpu->gres, "{\"gpu\": \"nvidia.com/gpu\","
			  " \"nic\": \"example.com/nic\"}");
	T_INT(c->power.deadline_ms, 90000);
	T_STR(c->power.log_file, "/var/log/slurm-k8s.log");
	T_INT(c->power.log_level, LOG_LEVEL_DEBUG);
}

static void the_bridge_alone_needs_no_nodesets(void)
{
	_cleanup_config_ struct config *c =
		accepted(CLUSTERS "bridge: {cluster: main, partition: k8s, "
				  "namespaces: {a: {user: u}}}\n");

	T_NEED(c != NULL);
	T_INT(c->n_nodesets, 0);
	T_OK(!config_nodeset_of(c, "cpu-0"));
	T_OK(!config_nodeset_named(c, "cpu"));
	T_OK(config_same(c, c));
}

static void a_node_belongs_to_at_most_one_nodeset(void)
{
	_cleanup_free_ char *text = t_data("k8s.yaml");
	_cleanup_config_ struct config *c = accepted(text);

	T_NEED(c != NULL);
	T_OK(config_nodeset_of(c, "cpu-0") == &c->nodesets[0]);
	T_OK(config_nodeset_of(c, "cpu-15") == &c->nodesets[0]);
	T_OK(!config_nodeset_of(c, "cpu-16"));
	T_OK(!config_nodeset_of(c, "cpu"));
}

#define AT "/etc/slurm/k8s.yaml:"

static void mistakes_are_refused_with_file_line_and_column(void)
{
	static const struct {
		const char *text, *words;
	} rows[] = {
		{"", AT " k8s.yaml must be a mapping"},
		{"[]", AT "1:1: k8s.yaml must be a mapping"},
		{"{}", AT "1:1: clusters is missing"},
		{CLUSTERS, AT "1:1: nodesets is missing"},
		{"clusters:\n" NODESETS, AT "1:1: clusters is missing"},
		{CLUSTERS NODESETS "cluster: x\n",
		 AT "3:1: unknown key 'cluster' in k8s.yaml (known: clusters, "
		    "nodesets, failover, power, scheduler, features, bridge, "
		    "jobs, metrics)"},
		{CLUSTERS NODESETS CLUSTERS,
		 AT "3:1: key 'clusters' is there twice"},
		{"clusters: x\n" NODESETS, AT "1:11: clusters must be a list"},
		{"clusters: []\n" NODESETS,
		 AT "1:11: clusters must have 1 to 64 entries"},
		{"clusters: [x]\n" NODESETS,
		 AT "1:12: a cluster must be a mapping"},
		{"clusters: [{kubeconfig: k}]\n" NODESETS,
		 AT "1:12: name is missing"},
		{"clusters: [{name: Main, kubeconfig: k}]\n" NODESETS,
		 AT "1:19: name 'Main' must be lower-case letters"},
		{"clusters: [{name: [x]}]\n" NODESETS,
		 AT "1:19: name must be a text"},
		{"clusters: [{name: a, server: x}]\n" NODESETS,
		 AT "1:22: unknown key 'server' in a cluster"},
		{"clusters: [{name: a}]\n" NODESETS,
		 AT "1:12: cluster 'a' needs either kubeconfig or inCluster"},
		{"clusters: [{name: a, kubeconfig: k, inCluster: "
		 "true}]\n" NODESETS,
		 AT "1:12: cluster 'a' needs either kubeconfig or inCluster"},
		{"clusters: [{name: a, inCluster: yes}]\n" NODESETS,
		 AT "1:33: inCluster must be true or false"},
		{"clusters: [{name: a, inCluster: true, context: "
		 "x}]\n" NODESETS,
		 AT "1:48: context goes with kubeconfig"},
		{"clusters: [{name: a, kubeconfig: k, maxRequests: "
		 "0}]\n" NODESETS,
		 AT "1:50: maxRequests must be a whole number from 1 to 250"},
		{"clusters: [{name: a, kubeconfig: k, namespace: "
		 "A}]\n" NODESETS,
		 AT "1:48: namespace 'A' must be lower-case"},
		{"clusters:\n- {name: a, kubeconfig: k}\n"
		 "- {name: a, kubeconfig: k}\n" NODESETS,
		 AT "3:3: cluster 'a' is there twice"},
		{"clusters:\n- {name: a, kubeconfig: k}\n"
		 "- {name: b, kubeconfig: k, namespace: b}\n"
		 "- {name: c, kubeconfig: k, namespace: slurm}\n" NODESETS,
		 AT "4:3: clusters 'a' and 'c' are the same namespace of the "
		    "same Kubernetes cluster: one is enough"},
		{"clusters:\n- {name: a, kubeconfig: k, context: x}\n"
		 "- {name: b, kubeconfig: k, context: x}\n" NODESETS,
		 AT "3:3: clusters 'a' and 'b' are the same namespace"},
		{"clusters:\n- {name: a, inCluster: true}\n"
		 "- {name: b, inCluster: true}\n" NODESETS,
		 AT "3:3: clusters 'a' and 'b' are the same namespace"},
		{"clusters:\n- {name: main, kubeconfig: k}\n"
		 "- {name: b, kubeconfig: k, namespace: other}\n"
		 "- {name: c, kubeconfig: k, context: x}\n"
		 "- {name: d, kubeconfig: k, context: z}\n"
		 "- {name: e, kubeconfig: l}\n"
		 "- {name: f, inCluster: true}\n" NODESETS,
		 NULL},
		{CLUSTERS NODESETS "power: {deadline: 1}\n", NULL},
		{CLUSTERS NODESETS "power: []\n",
		 AT "3:8: power must be a mapping"},
		{CLUSTERS NODESETS "power: {dead: 1}\n",
		 AT "3:9: unknown key 'dead' in power"},
		{CLUSTERS NODESETS "power: {deadline: 0s}\n",
		 AT "3:19: deadline must be a time such as 500ms, 30s, 5m or "
		    "1h, from 1000 ms to 3600 s"},
		{CLUSTERS NODESETS "power: {logLevel: loud}\n",
		 AT "3:19: logLevel must be error, warning, info or debug"},
		{CLUSTERS NODESETS "power: {logLevel: [info]}\n",
		 AT "3:19: logLevel must be a text"},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		t_row("%s", rows[i].text);
		if (rows[i].words)
			refused(rows[i].text, rows[i].words);
		else
			config_free(accepted(rows[i].text));
	}
}

/* Each row is one nodeset; it begins on line 3, column 3. */
static void mistakes_in_a_nodeset_are_refused_with_their_place(void)
{
	static const struct {
		const char *set, *words;
	} rows[] = {
		{"x", AT "3:3: a nodeset must be a mapping"},
		{"{name: a, cluster: main, nodes: a, image: x, " POD "}",
		 AT "3:38: unknown key 'image' in a nodeset (known: name, "
		    "cluster, nodes"},
		{"{name: a, cluster: other, nodes: a, " POD "}",
		 AT "3:22: there is no cluster 'other'"},
		{"{name: a, nodes: a, " POD "}", AT "3:3: cluster is missing"},
		{"{name: a, cluster: main, " POD "}",
		 AT "3:3: nodeset 'a' has no nodes"},
		{"{name: a, cluster: main, nodes: 'a[1-', " POD "}",
		 AT "3:35: hostlist 'a[1-': '[' without ']' at position 3"},
		{"{name: a, cluster: main, nodes: 'a[0-999999999]', " POD "}",
		 AT "3:35: hostlist 'a[0-999999999]': a range is too long"},
		{"{name: a, cluster: main, nodes: 'a[0-65000][0-65000]', " POD
		 "}",
		 AT "3:35: hostlist 'a[0-65000][0-65000]': more than 65536"},
		{"{name: a, cluster: main, nodes: \"a\\e[31m\", " POD "}",
		 AT "3:35: hostlist 'a [31m': unexpected character"},
		{"{name: a, cluster: main, nodes: \"a\\0\", " POD "}",
		 AT "3:35: nodes must be a text"},
		{"{name: a, cluster: main, nodes: [a], " POD "}",
		 AT "3:35: nodes must be a text"},
		{"{name: a, cluster: main, nodes: 'n,m,n', " POD "}",
		 AT "3:35: node 'n' is claimed twice: by nodeset 'a' and by "
		    "'a'"},
		{"{name: a, cluster: main, nodes: a}",
		 AT "3:3: nodeset 'a' needs either podTemplate or "
		    "podTemplateFile"},
		{"{name: a, cluster: main, nodes: a, podTemplateFile: f, " POD
		 "}",
		 AT "3:3: nodeset 'a' needs either podTemplate or"},
		{"{name: a, cluster: main, nodes: a, resources: some, " POD "}",
		 AT "3:49: resources must be fromNode or template"},
		{"{name: a, cluster: main, nodes: a, gresResources: x, " POD
		 "}",
		 AT "3:53: gresResources must be a mapping"},
		{"{name: a, cluster: main, nodes: a, gresResources: "
		 "{gpu: [x]}, " POD "}",
		 AT "3:59: a Kubernetes resource name must be a text"},
		{"{name: a, cluster: main, nodes: a, gresResources: "
		 "{gpu: ~}, " POD "}",
		 AT "3:59: a Kubernetes resource name must be a text"},
		{"{name: a, cluster: main, nodes: a, container: s, " POD "}",
		 "there is no container 's', which is to run slurmd"},
		{"{name: a, cluster: main, nodes: a, podTemplate: "
		 "{spec: {containers: [{name: slurmd, x: 1, x: 2}]}}}",
		 "key 'x' is there twice"},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_free_ char *text =
			str_printf(CLUSTERS "nodesets:\n- %s\n", rows[i].set);

		t_row("%s", rows[i].set);
		refused(text, rows[i].words);
	}
}

static void two_nodesets_that_claim_one_node_are_both_named(void)
{
	refused(CLUSTERS
		"nodesets:\n"
		"- {name: a, cluster: main, nodes: 'n[1-5]', " POD "}\n"
		"- {name: b, cluster: main, nodes: 'm,n[5-9]', " POD "}\n",
		AT "4:35: node 'n5' is claimed twice: by nodeset 'a' and by "
		   "'b'");
	refused(CLUSTERS "nodesets:\n"
			 "- {name: a, cluster: main, nodes: n0, " POD "}\n"
			 "- {name: a, cluster: main, nodes: m, " POD "}\n",
		AT "4:3: nodeset 'a' is there twice");
}

/* --- templates in files of their own --- */

static int load_with_template(const char *template, struct config **out,
			      struct err *err)
{
	const char *path = t_write("k8s.yaml", CLUSTERS
				   "nodesets: [{name: cpu, cluster: main, "
				   "nodes: n1, podTemplateFile: pod.yaml}]\n");

	t_write("pod.yaml", template);
	return config_load(path, out, err);
}

static void a_template_file_is_found_beside_the_configuration(void)
{
	_cleanup_config_ struct config *c = NULL;
	struct err err = {0};

	T_INT(load_with_template("spec: {containers: [{name: slurmd}]}\n", &c,
				 &err),
	      0);
	T_NEED(c != NULL);
	T_JSON(c->nodesets[0].template,
	       "{\"spec\": {\"containers\": [{\"name\": \"slurmd\"}]}}");
}

static void an_error_inside_a_template_file_names_that_file(void)
{
	static const struct {
		const char *text, *words;
	} rows[] = {
		{"spec: {containers: [}", "/pod.yaml:1:21: "},
		{"spec:\n  containers: []\n",
		 "/pod.yaml:2:15: there is no container 'slurmd'"},
		{"spec: {containers: [{name: slurmd}]}\n---\n{}\n",
		 "/pod.yaml:3:1: a second document"},
		{"", "/pod.yaml: a pod template must be a mapping"},
		{"spec: {containers: [{name: slurmd}], a: &a [*a]}",
		 "/pod.yaml:1:41: more than"},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		struct config *c = NULL;
		struct err err = {0};

		t_row("%s", rows[i].text);
		T_ERR(load_with_template(rows[i].text, &c, &err), &err, -EINVAL,
		      rows[i].words);
	}
}

static void a_missing_template_file_is_named_with_its_nodeset(void)
{
	struct config *c = NULL;
	struct err err = {0};
	const char *path = t_write("lost.yaml", CLUSTERS
				   "nodesets: [{name: cpu, cluster: main, "
				   "nodes: n1, podTemplateFile: lost/pod}]\n");

	T_ERR(config_load(path, &c, &err), &err, -ENOENT,
	      "podTemplateFile of nodeset 'cpu': ");
	T_HAS(err.msg, "/lost/pod: No such file");
	T_ERR(config_load(t_path("none"), &c, &err), &err, -ENOENT, "/none: ");
}

/* --- failover, scheduler --- */

static void check_failover(struct t_at at, const struct failover *f,
			   int64_t unschedulable, int64_t unregistered,
			   int64_t cool_down, int64_t cool_down_max)
{
	t_int(at, f->unschedulable_after_ms, unschedulable);
	t_int(at, f->register_within_ms, unregistered);
	t_int(at, f->cool_down_ms, cool_down);
	t_int(at, f->cool_down_max_ms, cool_down_max);
}
#define FAILOVER(f, ...) check_failover(T_HERE, f, __VA_ARGS__)

/* Two nodesets, the second with `more`. */
#define TWO_SETS(more)                                                         \
	"nodesets:\n- {name: a, cluster: main, nodes: n1, " POD "}\n"          \
	"- {name: b, cluster: main, nodes: n2, " more POD "}\n"

static void failover_has_defaults(void)
{
	_cleanup_config_ struct config *c =
		accepted(CLUSTERS TWO_SETS("failover: {}, "));

	T_NEED(c && c->n_nodesets == 2);
	FAILOVER(&c->nodesets[0].failover, 60000, 60000, 30000, 600000);
	FAILOVER(&c->nodesets[1].failover, 60000, 60000, 30000, 600000);
}

static void root_failover_is_for_all_nodesets_that_do_not_say(void)
{
	_cleanup_config_ struct config *c = accepted(
		CLUSTERS TWO_SETS("failover: {registerWithin: 1s, coolDown: "
				  "0s}, ") "failover: {unschedulableAfter: "
					   "500ms, coolDown: 1m,"
					   " coolDownMax: 24h}\n");

	T_NEED(c && c->n_nodesets == 2);
	FAILOVER(&c->nodesets[0].failover, 500, 60000, 60000, 86400000);
	FAILOVER(&c->nodesets[1].failover, 500, 1000, 0, 86400000);
}

static void root_failover_may_stand_before_the_nodesets(void)
{
	_cleanup_config_ struct config *c =
		accepted("failover: {registerWithin: 5m}\n" CLUSTERS NODESETS);

	T_NEED(c != NULL);
	FAILOVER(&c->nodesets[0].failover, 60000, 300000, 30000, 600000);
}

static void a_pod_may_take_its_time_to_start(void)
{
	_cleanup_config_ struct config *c = accepted(
		CLUSTERS TWO_SETS("failover: {notStartedAfter: 5m}, "));

	T_NEED(c && c->n_nodesets == 2);
	T_INT(c->nodesets[0].failover.not_started_after_ms, 30000);
	T_INT(c->nodesets[1].failover.not_started_after_ms, 300000);
}

static void max_unavailable_is_a_number_or_a_part(void)
{
	static const struct {
		const char *text;
		size_t n;
	} rows[] = {{"", 40},
		    {"maxUnavailable: 3, ", 3},
		    {"maxUnavailable: \"3\", ", 3},
		    {"maxUnavailable: 25%, ", 10},
		    {"maxUnavailable: 1%, ", 1},
		    {"maxUnavailable: 100%, ", 40}};
	static const char *const wrong[] = {"0",  "0%",	 "101%", "-1",	    "x",
					    "3x", "1 %", "[1]",	 "99999999"};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_free_ char *text = str_printf(
			CLUSTERS "nodesets: [{name: a, cluster: main, "
				 "nodes: \"n[1-40]\", %s" POD "}]\n",
			rows[i].text);
		_cleanup_config_ struct config *c = accepted(text);

		t_row("%s", rows[i].text);
		T_NEED(c);
		T_INT(c->nodesets[0].max_unavailable, rows[i].n);
	}
	for (size_t i = 0; i < T_COUNT(wrong); i++) {
		_cleanup_free_ char *text = str_printf(
			CLUSTERS "nodesets: [{name: a, cluster: main, "
				 "nodes: n1, maxUnavailable: %s, " POD "}]\n",
			wrong[i]);

		t_row("%s", wrong[i]);
		refused(text, "maxUnavailable must be");
	}
}

static void mistakes_in_failover_are_refused_with_their_place(void)
{
	static const struct {
		const char *text, *words;
	} rows[] = {
		{CLUSTERS NODESETS "failover: []\n",
		 AT "3:11: failover must be a mapping"},
		{CLUSTERS NODESETS "failover: {coolUp: 1s}\n",
		 AT "3:12: unknown key 'coolUp' in failover (known: "
		    "unschedulableAfter, notStartedAfter, registerWithin, "
		    "coolDown, coolDownMax)"},
		{CLUSTERS NODESETS "failover: {coolDown: 1s, coolDown: 2s}\n",
		 AT "3:26: key 'coolDown' is there twice"},
		{CLUSTERS NODESETS "failover: {unschedulableAfter: soon}\n",
		 AT "3:32: unschedulableAfter must be a time such as 500ms"},
		{CLUSTERS NODESETS "failover: {unschedulableAfter: -1s}\n",
		 AT "3:32: unschedulableAfter must be a time"},
		{CLUSTERS NODESETS "failover: {unschedulableAfter: 25h}\n",
		 AT "3:32: unschedulableAfter must be a time"},
		{CLUSTERS NODESETS "failover: {registerWithin: 999ms}\n",
		 AT "3:28: registerWithin must be a time such as 500ms, 30s, "
		    "5m or 1h, from 1000 ms"},
		{CLUSTERS NODESETS "failover: {registerWithin: 25h}\n",
		 AT "3:28: registerWithin must be a time"},
		{CLUSTERS NODESETS "failover: {coolDown: 61m}\n",
		 AT "3:22: coolDown must be a time"},
		{CLUSTERS NODESETS "failover:\n  coolDownMax: 25h\n",
		 AT "4:16: coolDownMax must be a time"},
		{CLUSTERS NODESETS "failover: {coolDownMax: [1s]}\n",
		 AT "3:25: coolDownMax must be a time"},
		{CLUSTERS TWO_SETS("failover: {coolDown: x}, "),
		 AT "4:60: coolDown must be a time"},
		{CLUSTERS TWO_SETS("failover: {cool: 1s}, "),
		 AT "4:50: unknown key 'cool' in failover"},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		t_row("%s", rows[i].text);
		refused(rows[i].text, rows[i].words);
	}
}

static void the_scheduler_that_is_wrapped_can_be_named(void)
{
	static const struct {
		const char *text, *delegate;
	} rows[] = {
		{"", "backfill"},
		{"scheduler: {}\n", "backfill"},
		{"scheduler: {delegate: builtin}\n", "builtin"},
		{"scheduler: {delegate: backfill}\n", "backfill"},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_free_ char *text =
			str_printf(CLUSTERS NODESETS "%s", rows[i].text);
		_cleanup_config_ struct config *c = accepted(text);

		t_row("%s", rows[i].text);
		T_NEED(c != NULL);
		T_STR(c->delegate, rows[i].delegate);
	}
}

static void a_scheduler_whose_name_is_no_name_is_refused(void)
{
	static const struct {
		const char *text, *words;
	} rows[] = {
		{"scheduler: builtin\n",
		 AT "3:12: scheduler must be a mapping"},
		{"scheduler: {plugin: builtin}\n",
		 AT "3:13: unknown key 'plugin' in scheduler (known: "
		    "delegate)"},
		{"scheduler: {delegate: '../x'}\n",
		 AT "3:23: delegate '../x' must be lower-case letters"},
		{"scheduler: {delegate: /x}\n",
		 AT "3:23: delegate '/x' must be lower-case letters"},
		{"scheduler: {delegate: x.so}\n",
		 AT "3:23: delegate 'x.so' must be lower-case letters"},
		{"scheduler: {delegate: ''}\n",
		 AT "3:23: delegate must be a text"},
		{"scheduler: {delegate: [x]}\n",
		 AT "3:23: delegate must be a text"},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_free_ char *text =
			str_printf(CLUSTERS NODESETS "%s", rows[i].text);

		t_row("%s", rows[i].text);
		refused(text, rows[i].words);
	}
}

/* --- has it changed? --- */

static void the_same_text_says_the_same(void)
{
	_cleanup_config_ struct config *a = accepted(CLUSTERS NODESETS);
	_cleanup_config_ struct config *b = accepted(CLUSTERS NODESETS);

	T_NEED(a && b);
	T_OK(config_same(a, a));
	T_OK(config_same(a, b));
}

static void another_text_is_not_the_same(void)
{
	static const char *const texts[] = {
		CLUSTERS NODESETS "failover: {coolDown: 1s}\n",
		CLUSTERS NODESETS "power: {logLevel: debug}\n",
		CLUSTERS TWO_SETS(""),
	};
	_cleanup_config_ struct config *a = accepted(CLUSTERS NODESETS);

	for (size_t i = 0; i < T_COUNT(texts); i++) {
		_cleanup_config_ struct config *b = accepted(texts[i]);

		t_row("%s", texts[i]);
		T_NEED(a && b);
		T_OK(!config_same(a, b));
		T_OK(!config_same(b, a));
	}
}

static void another_text_in_a_template_file_is_not_the_same(void)
{
	_cleanup_config_ struct config *a = NULL, *b = NULL, *c = NULL;
	struct err err = {0};

	T_INT(load_with_template("spec: {containers: [{name: slurmd}]}\n", &a,
				 &err),
	      0);
	T_INT(load_with_template("spec: {containers: [{name: slurmd,"
				 " image: 'x:2'}]}\n",
				 &b, &err),
	      0);
	T_INT(load_with_template("# as JSON, the first one\n"
				 "{spec: {containers: [{name: slurmd}]}}\n",
				 &c, &err),
	      0);
	T_NEED(a && b && c);
	T_STR(a->digest, b->digest);
	T_OK(!config_same(a, b));
	T_OK(config_same(a, c));
}

/* (of a file that is as long as before, too) */
static void what_is_written_after_it_was_read_is_seen(void)
{
	static const char text[] = "spec: {containers: [{name: slurmd}]}\n";
	_cleanup_config_ struct config *a = NULL, *b = NULL;
	_cleanup_config_ struct config *parsed = accepted(CLUSTERS NODESETS);
	struct err err = {0};

	T_INT(load_with_template(text, &a, &err), 0);
	T_NEED(a && parsed);
	T_OK(config_is_current(a, &a->nodesets[0]));
	T_OK(!config_is_current(parsed, &parsed->nodesets[0]));
	T_INT(unlink(a->nodesets[0].template_file), 0);
	T_OK(!config_is_current(a, &a->nodesets[0]));
	/* both files are written anew */
	T_INT(load_with_template(text, &b, &err), 0);
	T_NEED(b && config_same(a, b));
	T_OK(config_is_current(b, &b->nodesets[0]));
	T_OK(!config_is_current(a, &a->nodesets[0]));
	config_restamp(a, b);
	T_OK(config_is_current(a, &a->nodesets[0]));
	T_INT(unlink(a->path), 0);
	T_OK(!config_is_current(a, &a->nodesets[0]));
}

/* --- bounds --- */

static void a_configuration_over_one_mebibyte_is_refused(void)
{
	_cleanup_free_ char *text = t_repeat(" ", YAML_SIZE_MAX + 1);
	struct config *c = NULL;
	struct err err = {0};

	T_ERR(parse(text, &c, &err), &err, -EMSGSIZE, "larger than 1048576");
	T_ERR(config_load(t_write("big.yaml", text), &c, &err), &err, -EMSGSIZE,
	      "/big.yaml: larger than 1048576 bytes");
}

static void too_many_clusters_are_refused(void)
{
	_cleanup_free_ char *entries = t_repeat("- {name: a}\n", 65);
	_cleanup_free_ char *text =
		str_printf("clusters:\n%s" NODESETS, entries);

	refused(text, AT "2:1: clusters must have 1 to 64 entries");
}

static void too_many_nodes_in_all_are_refused(void)
{
	refused(CLUSTERS
		"nodesets:\n"
		"- {name: a, cluster: main, nodes: 'a[0-65000]', " POD "}\n"
		"- {name: b, cluster: main, nodes: 'b[0-65000]', " POD "}\n",
		AT "4:35: more than 65536 nodes in all nodesets");
}

static void errors_may_be_ignored(void)
{
	struct config *c = NULL;

	T_INT(parse("{}", &c, NULL), -EINVAL);
	T_INT(parse(CLUSTERS
		    "nodesets: [{name: a, cluster: main, nodes: '[', " POD
		    "}]\n",
		    &c, NULL),
	      -EINVAL);
}

T_MAIN("config", T(the_smallest_configuration_has_defaults),
       T(everything_that_can_be_said_is_read),
       T(the_bridge_alone_needs_no_nodesets),
       T(a_node_belongs_to_at_most_one_nodeset),
       T(mistakes_are_refused_with_file_line_and_column),
       T(mistakes_in_a_nodeset_are_refused_with_their_place),
       T(two_nodesets_that_claim_one_node_are_both_named),
       T(a_template_file_is_found_beside_the_configuration),
       T(an_error_inside_a_template_file_names_that_file),
       T(a_missing_template_file_is_named_with_its_nodeset),
       T(failover_has_defaults),
       T(root_failover_is_for_all_nodesets_that_do_not_say),
       T(root_failover_may_stand_before_the_nodesets),
       T(a_pod_may_take_its_time_to_start),
       T(max_unavailable_is_a_number_or_a_part),
       T(mistakes_in_failover_are_refused_with_their_place),
       T(the_scheduler_that_is_wrapped_can_be_named),
       T(a_scheduler_whose_name_is_no_name_is_refused),
       T(the_same_text_says_the_same), T(another_text_is_not_the_same),
       T(another_text_in_a_template_file_is_not_the_same),
       T(what_is_written_after_it_was_read_is_seen),
       T(a_configuration_over_one_mebibyte_is_refused),
       T(too_many_clusters_are_refused), T(too_many_nodes_in_all_are_refused),
       T(errors_may_be_ignored))
