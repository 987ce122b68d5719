/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "config/config.h"
#include "t.h"

#define _cleanup_config_ _cleanup_(config_freep)

/* A configuration whose `bridge` this is, on line 4, from column 9 on. */
static int parse(const char *bridge, struct config **out, struct err *err)
{
	_cleanup_free_ char *text = str_printf(
		"clusters: [{name: main, kubeconfig: k}]\n"
		"nodesets: [{name: s, cluster: main, nodes: n1,\n"
		"  podTemplate: {spec: {containers: [{name: slurmd}]}}}]\n"
		"bridge: %s\n",
		bridge);

	return config_parse("k8s.yaml", text, strlen(text), out, err);
}

static struct config *accepted(const char *bridge)
{
	struct config *c = NULL;
	struct err err = {0};

	T_INT(parse(bridge, &c, &err), 0);
	T_STR(err.msg, "");
	return c;
}

/* NULL: it is none. */
static const char *gres_of(const struct bridge_config *b, const char *resource)
{
	for (size_t i = 0; i < b->resources.n; i++)
		if (!strcmp(b->resources.v[i].key, resource))
			return b->resources.v[i].value;
	return NULL;
}

static void the_least_that_suffices_has_the_documented_defaults(void)
{
	_cleanup_config_ struct config *c = accepted(
		"{cluster: main, namespaces: {team-a: {user: alice}}}");
	const struct bridge_config *b;

	T_NEED(c);
	b = &c->bridge;
	T_OK(b->wanted);
	T_STR(b->cluster, "main");
	T_STR(b->scheduler, "slurm-bridge-scheduler");
	T_OK(b->exclusive);
	T_INT(b->stale_after_ms, 120000);
	T_STR(b->partition, NULL);
	T_STR(b->node_label, "slurm-k8s.io/external-node");
	T_INT(b->features.n, 0);
	T_STR(gres_of(b, "nvidia.com/gpu"), "gpu");
	T_STR(gres_of(b, "amd.com/gpu"), "gpu");
	T_STR(gres_of(b, "intel.com/gpu"), NULL);
	T_INT(b->n_ns, 1);
	T_STR(b->ns[0].user, "alice");
	T_STR(b->ns[0].account, NULL);
	T_OK(b->ns[0].allow == JOB_OPTION_HARMLESS);
	T_OK(!b->ns[0].options);
	T_INT(b->ns[0].max_jobs, 5000);
	T_INT(b->ns[0].max_pods, 10000);
	T_INT(b->ns[0].submits_per_s, 200);
}

static void without_the_section_nobody_may_enter(void)
{
	_cleanup_config_ struct config *c = accepted("null");

	T_NEED(c);
	T_OK(!c->bridge.wanted);
	T_OK(!namespace_config_find(&c->bridge, "team-a", NULL));
}

static void all_that_is_said_is_kept(void)
{
	_cleanup_config_ struct config *c = accepted(
		"{cluster: main, schedulerName: slurm.example.org, "
		"exclusive: false, partition: 'k8s,all', staleAfter: 5m, "
		"resources: {intel.com/gpu: 'gpu:flex'}, "
		"nodes: {label: a.org/x, features: [zone, b.org/rack], "
		"resizeAfter: 90s}, "
		"namespaces: {team-a: {user: alice, account: chem, "
		"partition: batch, qos: high, reservation: r1, "
		"mcsLabel: blue, "
		"allow: [account, user-id, group-id], users: [bob, '1001'], "
		"groups: [chem], options: [nice, dependency, time, nodes], "
		"deny: [job-name, qos], "
		"maxJobs: 5, maxPods: 20000, submitsPerSecond: 1}}}");
	const struct namespace_config *ns;

	T_NEED(c);
	T_STR(c->bridge.scheduler, "slurm.example.org");
	T_OK(!c->bridge.exclusive);
	T_INT(c->bridge.stale_after_ms, 300000);
	T_STR(c->bridge.partition, "k8s,all");
	T_STR(gres_of(&c->bridge, "intel.com/gpu"), "gpu:flex");
	T_STR(gres_of(&c->bridge, "nvidia.com/gpu"), NULL);
	T_STR(c->bridge.node_label, "a.org/x");
	T_INT(c->bridge.features.n, 2);
	T_INT(c->bridge.resize_after_ms, 90000);
	T_STR(c->bridge.features.v[1], "b.org/rack");
	ns = namespace_config_find(&c->bridge, "team-a", NULL);
	T_NEED(ns);
	T_INT(ns->max_jobs, 5);
	T_INT(ns->max_pods, 20000);
	T_INT(ns->submits_per_s, 1);
	T_STR(ns->account, "chem");
	T_STR(ns->partition, "batch");
	T_STR(ns->qos, "high");
	T_STR(ns->reservation, "r1");
	T_STR(ns->mcs_label, "blue");
	T_OK(ns->deny == (JOB_OPTION_BIT(JOB_OPTION_JOB_NAME) |
			  JOB_OPTION_BIT(JOB_OPTION_QOS)));
	T_OK(ns->allow == ((JOB_OPTION_HARMLESS & ~ns->deny) |
			   JOB_OPTION_BIT(JOB_OPTION_ACCOUNT) |
			   JOB_OPTION_BIT(JOB_OPTION_USER) |
			   JOB_OPTION_BIT(JOB_OPTION_GROUP)));
	T_OK(ns->options == (JOB_OPTION_BIT(JOB_OPTION_NICE) |
			     JOB_OPTION_BIT(JOB_OPTION_DEPENDENCY) |
			     JOB_OPTION_BIT(JOB_OPTION_TIMELIMIT) |
			     /* --nodes=2-4 is both */
			     JOB_OPTION_BIT(JOB_OPTION_MIN_NODES) |
			     JOB_OPTION_BIT(JOB_OPTION_MAX_NODES)));
	T_OK(config_names_has(&ns->users, "1001"));
	T_OK(!config_names_has(&ns->users, "alice"));
	T_OK(config_names_has(&ns->groups, "chem"));
}

/* Lines that begin with '#', but no "# " or end, without it. */
static void uncomment(char *text)
{
	for (char *s = text; s; s = strchr(s, '\n')) {
		s += *s == '\n';
		/* ("#  cluster" is YAML, "# words" are words) */
		if (*s == '#' && s[1] != '\n' && (s[1] != ' ' || s[2] == ' '))
			memmove(s, s + 1, strlen(s));
	}
}

static void what_the_example_has_as_comments_is_right(void)
{
	_cleanup_free_ char *text = t_data("../../../etc/k8s.yaml.example");
	_cleanup_free_ char *worker =
		t_data("../../../etc/worker.yaml.example");
	_cleanup_config_ struct config *c = NULL;
	const struct namespace_config *ns;
	struct err err = {0};

	T_NEED(text && worker);
	uncomment(text);
	t_write("worker.yaml", worker);
	T_INT(config_load(t_write("k8s.yaml", text), &c, &err), 0);
	T_STR(err.msg, "");
	T_NEED(c);
	T_OK(c->bridge.wanted);
	T_INT(c->bridge.features.n, 1);
	ns = namespace_config_find(&c->bridge, "team-b", NULL);
	T_NEED(ns);
	T_OK(ns->allow & JOB_OPTION_BIT(JOB_OPTION_QOS));
	T_OK(ns->deny == JOB_OPTION_BIT(JOB_OPTION_LICENSES));
	T_OK(ns->options & JOB_OPTION_BIT(JOB_OPTION_BEGIN));
	T_INT(c->bridge.n_ns, 3);
}

/* As of labels.Selector in Kubernetes' apimachinery. */
static void expressions_are_true_as_in_kubernetes(void)
{
	static const struct {
		const char *expressions, *labels;
		bool fits;
	} rows[] = {
		{"{key: a, operator: In, values: [x, v]}", "{\"a\": \"v\"}",
		 true},
		{"{key: a, operator: In, values: [x, v]}", "{\"a\": \"z\"}",
		 false},
		{"{key: a, operator: In, values: [x]}", "{}", false},
		{"{key: a, operator: NotIn, values: [x]}", "{\"a\": \"x\"}",
		 false},
		{"{key: a, operator: NotIn, values: [x]}", "{\"a\": \"v\"}",
		 true},
		{"{key: a, operator: NotIn, values: [x]}", "{}", true},
		{"{key: a, operator: Exists}", "{\"a\": \"\"}", true},
		{"{key: a, operator: Exists}", "{}", false},
		{"{key: a, operator: DoesNotExist}", "{}", true},
		{"{key: a, operator: DoesNotExist}", "{\"a\": \"\"}", false},
		/* all of them */
		{"{key: a, operator: Exists}, {key: b, operator: Exists}",
		 "{\"a\": \"1\"}", false},
		{"{key: a, operator: Exists}, {key: b, operator: Exists}",
		 "{\"a\": \"1\", \"b\": \"1\"}", true},
		/* labels that are not known */
		{"{key: a, operator: DoesNotExist}", NULL, false},
		{"{key: a, operator: NotIn, values: [x]}", NULL, false},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_free_ char *text =
			str_printf("{cluster: main, selectors: [{user: u, "
				   "matchExpressions: [%s]}]}",
				   rows[i].expressions);
		_cleanup_config_ struct config *c = accepted(text);
		_cleanup_json_ json_object *labels =
			rows[i].labels ? t_parse(rows[i].labels) : NULL;

		t_row("%s of %s", rows[i].expressions,
		      rows[i].labels ? rows[i].labels : "nothing");
		T_NEED(c);
		T_INT(namespace_config_find(&c->bridge, "n", labels) != NULL,
		      rows[i].fits);
	}
}

static void a_namespace_is_found_by_name_and_then_by_its_labels(void)
{
	_cleanup_config_ struct config *c = accepted(
		"{cluster: main, "
		"namespaces: {z: {user: zoe}, a: {user: ann}, m: {user: max}}, "
		"selectors: ["
		"{matchLabels: {slurm: 'yes', tier: a}, user: sel1}, "
		"{matchLabels: {slurm: 'yes'}, user: sel2}]}");
	static const struct {
		const char *name, *labels, *user;
	} rows[] = {
		{"a", "{}", "ann"},
		{"m", "{}", "max"},
		{"z", "{}", "zoe"},
		{"m", "{\"slurm\": \"yes\"}", "max"},
		{"other", "{\"slurm\": \"yes\"}", "sel2"},
		{"other", "{\"slurm\": \"yes\", \"tier\": \"a\"}", "sel1"},
		{"other", "{\"tier\": \"a\"}", NULL},
		{"other", "{\"slurm\": \"no\"}", NULL},
		{"other", "{\"slurm\": 1}", NULL},
		{"other", "{}", NULL},
		{"", "{}", NULL},
		{"aa", "{}", NULL},
	};

	T_NEED(c);
	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_json_ json_object *labels = t_parse(rows[i].labels);
		const struct namespace_config *ns =
			namespace_config_find(&c->bridge, rows[i].name, labels);

		t_row("%s %s", rows[i].name, rows[i].labels);
		T_STR(ns ? ns->user : NULL, rows[i].user);
	}
	T_OK(!namespace_config_find(&c->bridge, "other", NULL));
}

#define NS(text) "{cluster: main, namespaces: {a: {user: u, " text "}}}"
#define SELECTOR(text) "{cluster: main, selectors: [{user: u, " text "}]}"

static void what_is_wrong_is_named_with_its_place(void)
{
	static const struct {
		const char *bridge, *words;
	} rows[] = {
		{"x", "k8s.yaml:4:9: bridge must be a mapping"},
		{"{}", "k8s.yaml:4:9: bridge needs cluster"},
		{"{cluster: other, namespaces: {a: {user: u}}}",
		 "k8s.yaml:4:19: there is no cluster 'other'"},
		{"{cluster: main}", "k8s.yaml:4:9: bridge needs namespaces"},
		{"{cluster: main, namespaces: {}}",
		 "k8s.yaml:4:9: bridge needs namespaces"},
		{"{cluster: main, colour: red}",
		 "k8s.yaml:4:25: unknown key 'colour' in bridge (known: "
		 "cluster, schedulerName, exclusive, partition, staleAfter, "
		 "nodes, resources, namespaces, selectors)"},
		{"{cluster: main, schedulerName: Big}",
		 "k8s.yaml:4:40: schedulerName must be"},
		{"{cluster: main, schedulerName: a-}",
		 "k8s.yaml:4:40: schedulerName must be"},
		{"{cluster: main, schedulerName: default-scheduler}",
		 "k8s.yaml:4:40: schedulerName must be"},
		{"{cluster: main, staleAfter: 29s}",
		 "k8s.yaml:4:37: staleAfter must be"},
		{"{cluster: main, staleAfter: 61m}",
		 "k8s.yaml:4:37: staleAfter must be"},
		{"{cluster: main, exclusive: maybe}",
		 "k8s.yaml:4:36: exclusive must be"},
		{"{cluster: main, partition: 'a b'}",
		 "k8s.yaml:4:36: partition must be letters"},
		{"{cluster: main, resources: [gpu]}",
		 "k8s.yaml:4:36: resources must be a mapping"},
		{"{cluster: main, resources: {nvidia.com/gpu: 'g p'}}",
		 "k8s.yaml:4:53: resources must be letters"},
		{"{cluster: main, resources: {a/b: x, a/b: y}}",
		 "k8s.yaml:4:45: key 'a/b' is there twice"},
		{"{cluster: main, nodes: {taint: x}}",
		 "k8s.yaml:4:33: unknown key 'taint' in nodes of bridge"},
		{"{cluster: main, nodes: {resizeAfter: 0}}",
		 "k8s.yaml:4:46: resizeAfter must be"},
		{"{cluster: main, nodes: {features: zone}}",
		 "k8s.yaml:4:43: features must be a list"},
		{"{cluster: main, namespaces: [a]}",
		 "k8s.yaml:4:37: namespaces must be a mapping"},
		{"{cluster: main, namespaces: {A_b: {user: u}}}",
		 "k8s.yaml:4:38: a namespace's name must be"},
		{"{cluster: main, namespaces: {a: null}}",
		 "a namespace must be a mapping"},
		{"{cluster: main, namespaces: {a: {account: x}}}",
		 "k8s.yaml:4:41: a namespace needs user"},
		{"{cluster: main, namespaces: {a: {user: 'x y'}}}",
		 "k8s.yaml:4:48: user must be letters"},
		{"{cluster: main, namespaces: {a: {user: u}, a: {user: v}}}",
		 "k8s.yaml:4:52: key 'a' is there twice"},
		{NS("matchLabels: {a: b}"),
		 "unknown key 'matchLabels' in a namespace"},
		{NS("allow: qos"), "allow must be a list"},
		{NS("allow: [qos, nice]"),
		 "allow: 'nice' is no annotation that the bridge knows"},
		{NS("options: [array]"),
		 "options: 'array' is no option of sbatch that the bridge "
		 "knows"},
		{NS("deny: qos"), "deny must be a list"},
		{NS("deny: [nice]"), "deny: 'nice' is no annotation"},
		{NS("deny: [job-name, qos], allow: [account, qos]"),
		 "allow: 'qos' is denied by 'deny'"},
		{NS("deny: [timelimit], options: [time]"),
		 "options: 'time' is denied by 'deny'"},
		{NS("deny: [max-nodes], options: [nodes]"),
		 "options: 'nodes' is denied by 'deny'"},
		{NS("allow: [user-id]"), "allow: user-id needs users"},
		{NS("allow: [user-id], users: []"),
		 "allow: user-id needs users"},
		{NS("options: [uid]"), "allow: user-id needs users"},
		{NS("allow: [group-id]"), "allow: group-id needs groups"},
		{NS("users: ['a,b']"), "users must be letters"},
		{NS("maxJobs: 0"), "maxJobs must be"},
		{NS("maxPods: 20001"), "maxPods must be"},
		{NS("submitsPerSecond: 1001"), "submitsPerSecond must be"},
		{NS("submitsPerSecond: fast"), "submitsPerSecond must be"},
		{"{cluster: main, selectors: [{user: u}]}",
		 "k8s.yaml:4:37: a selector needs matchLabels"},
		{"{cluster: main, selectors: [{user: u, matchLabels: {}}]}",
		 "k8s.yaml:4:37: a selector needs matchLabels"},
		{"{cluster: main, selectors: [{matchLabels: {a: b}}]}",
		 "k8s.yaml:4:37: a selector needs user"},
		{"{cluster: main, selectors: [{user: u, matchLabels: "
		 "{a: [b]}}]}",
		 "k8s.yaml:4:64: matchLabels must be a text"},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_config_ struct config *c = NULL;
		struct err err = {0};

		t_row("%s", rows[i].bridge);
		T_ERR(parse(rows[i].bridge, &c, &err), &err, -EINVAL,
		      rows[i].words);
	}
}

static void what_is_wrong_with_expressions_is_named(void)
{
	static const struct {
		const char *bridge, *words;
	} rows[] = {
		{SELECTOR("matchExpressions: {}"),
		 "matchExpressions must be a list"},
		{SELECTOR("matchExpressions: [7]"),
		 "an expression must be a mapping"},
		{SELECTOR("matchExpressions: [{key: a}]"),
		 "an expression needs operator: In"},
		{SELECTOR("matchExpressions: [{key: a, operator: in}]"),
		 "an expression needs operator: In"},
		{SELECTOR("matchExpressions: [{operator: Exists}]"),
		 "an expression needs key"},
		{SELECTOR("matchExpressions: [{key: 'a b', operator: "
			  "Exists}]"),
		 "key must be letters"},
		{SELECTOR("matchExpressions: [{key: tier., operator: Exists}]"),
		 "an expression needs key"},
		{SELECTOR("matchExpressions: [{key: /tier, operator: Exists}]"),
		 "an expression needs key"},
		{SELECTOR("matchExpressions: [{key: a/b/c, operator: Exists}]"),
		 "an expression needs key"},
		{SELECTOR("matchExpressions: [{key: a, operator: NotIn, "
			  "values: [b, -prod]}]"),
		 "'-prod' is no label's value"},
		{SELECTOR("matchExpressions: [{key: a, operator: In, values: "
			  "['']}]"),
		 "values must be a text"},
		{SELECTOR("matchExpressions: [{key: a, operator: In}]"),
		 "In needs values"},
		{SELECTOR("matchExpressions: [{key: a, operator: NotIn, "
			  "values: []}]"),
		 "NotIn needs values"},
		{SELECTOR("matchExpressions: [{key: a, operator: Exists, "
			  "values: [b]}]"),
		 "Exists has no values"},
		{SELECTOR("matchExpressions: [{key: a, operator: Exists, "
			  "value: b}]"),
		 "unknown key 'value' in an expression"},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_config_ struct config *c = NULL;
		struct err err = {0};

		t_row("%s", rows[i].bridge);
		T_ERR(parse(rows[i].bridge, &c, &err), &err, -EINVAL,
		      rows[i].words);
	}
}

/* {cluster: main, namespaces: {a: {user: u, users: [x,x,...]}}} and so on */
static void refuse_many(const char *head, const char *part, size_t n,
			const char *tail, const char *words)
{
	_cleanup_free_ char *many = t_repeat(part, n);
	_cleanup_free_ char *text = str_printf("%s%s%s", head, many, tail);
	_cleanup_config_ struct config *c = NULL;
	struct err err = {0};

	t_row("%s", head);
	T_ERR(parse(text, &c, &err), &err, -EINVAL, words);
}

static void each_list_has_a_bound(void)
{
	refuse_many("{cluster: main, namespaces: {a: {user: u, users: [", "x,",
		    BRIDGE_NAMES_MAX + 1, "]}}}", "more than 1024 users");
	refuse_many("{cluster: main, nodes: {features: [", "x,",
		    BRIDGE_FEATURES_MAX + 1, "]}}", "more than 32 features");
	refuse_many("{cluster: main, selectors: [",
		    "{user: u, matchLabels: {a: b}},", BRIDGE_SELECTORS_MAX + 1,
		    "]}", "selectors (at most 64)");
	refuse_many("{cluster: main, selectors: [{user: u, matchExpressions: [",
		    "{key: a, operator: Exists},", BRIDGE_LABELS_MAX + 1,
		    "]}]}", "more than 16 matchExpressions");
	refuse_many("{cluster: main, selectors: [{user: u, matchExpressions: "
		    "[{key: a, operator: In, values: [",
		    "x,", BRIDGE_VALUES_MAX + 1, "]}]}]}",
		    "more than 64 values");
	refuse_many("{cluster: main, namespaces: {a: {user: ", "x", 256, "}}}",
		    "user must be letters");
}

T_MAIN("bridge_config", T(the_least_that_suffices_has_the_documented_defaults),
       T(without_the_section_nobody_may_enter), T(all_that_is_said_is_kept),
       T(what_the_example_has_as_comments_is_right),
       T(expressions_are_true_as_in_kubernetes),
       T(a_namespace_is_found_by_name_and_then_by_its_labels),
       T(what_is_wrong_is_named_with_its_place),
       T(what_is_wrong_with_expressions_is_named), T(each_list_has_a_bound))
