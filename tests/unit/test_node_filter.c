/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "base/str.h"
#include "objects/node_filter.h"
#include "t.h"

#define NODE                                                                   \
	"{\"metadata\":{\"name\":\"n1\",\"uid\":\"u1\",\"labels\":{"           \
	"\"zone\":\"west\",\"empty\":\"\",\"gen\":\"7\",\"big\":\"x9\","       \
	"\"scheduler.slinky.slurm.net/external-node\":\"\","                   \
	"\"slinky.slurm.net/slurm-nodename\":\"s1\"},"                         \
	"\"annotations\":{\"topology.slinky.slurm.net/spec\":\"topo:s1\","     \
	"\"slurm-k8s.io/external-node-partitions\":\"a,b\","                   \
	"\"scheduler.slinky.slurm.net/external-node-partitions\":\"c\"}},"     \
	"\"spec\":{%s},"                                                       \
	"\"status\":{\"allocatable\":{\"cpu\":\"7910m\",\"memory\":"           \
	"\"1048577500m\",\"pods\":\"110\",\"nvidia.com/gpu\":\"4\","           \
	"\"a.b/none\":\"0\",\"hugepages-2Mi\":\"4Mi\",\"x\":\"1\","            \
	"\"a.b/odd\":\"?\",\"a.b/all\":\"8Ei\"},"                              \
	"\"conditions\":[{\"type\":\"DiskPressure\",\"status\":\"True\"},"     \
	"{\"type\":\"Ready\",\"status\":\"True\"}]}}"

static json_object *node_json(const char *spec)
{
	char text[4096];

	snprintf(text, sizeof(text), NODE, spec);
	return t_parse(text);
}

static struct kube_node host_of(const char *spec)
{
	_cleanup_json_ json_object *o = node_json(spec);
	struct kube_node h;
	struct err err = {0};

	T_INT(kube_node_of(o, &h, &err), 0);
	T_STR(err.msg, "");
	return h;
}

static int64_t ext_of(const struct kube_node *h, const char *name)
{
	for (size_t i = 0; i < h->n_ext; i++)
		if (!strcmp(h->ext[i].name, name))
			return h->ext[i].count;
	return 0;
}

static void a_node_is_read_and_its_json_may_go(void)
{
	_cleanup_hostview_ struct kube_node h = host_of(
		"\"taints\":[{\"key\":\"k\",\"effect\":\"NoSchedule\"}]");

	T_STR(h.name, "n1");
	T_STR(h.uid, "u1");
	T_INT(h.n_labels, 6);
	T_STR(kube_node_label(&h, "zone"), "west");
	T_STR(kube_node_label(&h, "empty"), "");
	T_STR(kube_node_label(&h, "zon"), NULL);
	T_INT(h.cpu_milli, 7910);
	T_INT(h.memory_bytes, 1048577); /* (what is whole) */
	T_INT(h.pods, 110);
	T_INT(h.n_ext, 3);
	T_INT(ext_of(&h, "nvidia.com/gpu"), 4);
	T_INT(ext_of(&h, "hugepages-2Mi"), 4194304);
	T_INT(ext_of(&h, "a.b/all"), INT64_MAX);
	T_OK(h.ready);
	T_STR(h.closed, NULL);
	T_OK(h.external);
	T_STR(h.slurm_node, "s1");
	T_STR(h.partitions, "a,b"); /* (ours win) */
	T_STR(h.topology, "topo:s1");
	T_INT(h.n_taints, 1);
	T_STR(h.taints[0].key, "k");
	T_STR(h.taints[0].value, "");
	T_STR(h.taints[0].effect, "NoSchedule");
}

static void a_bare_node_is_read_too(void)
{
	_cleanup_json_ json_object *o =
		t_parse("{\"metadata\":{\"name\":\"n\",\"uid\":\"u\"}}");
	_cleanup_hostview_ struct kube_node h = {0};

	T_INT(kube_node_of(o, &h, NULL), 0);
	T_STR(h.name, "n");
	T_INT(h.n_labels + h.n_taints + h.n_ext, 0);
	T_OK(!h.ready && !h.external && !h.closed);
	T_STR(h.slurm_node, NULL);
	T_STR(kube_node_label(&h, "zone"), NULL);
}

static void a_node_is_closed_by_taints_of_kubernetes(void)
{
#define TAINT(key, effect)                                                     \
	"\"taints\":[{\"key\":\"" key "\",\"effect\":\"" effect "\"}]"
	static const struct {
		const char *spec, *closed;
	} rows[] = {
		{"", NULL},
		{"\"unschedulable\":false", NULL},
		{"\"unschedulable\":true", "node.kubernetes.io/unschedulable"},
		{TAINT("node.kubernetes.io/disk-pressure", "NoSchedule"),
		 "node.kubernetes.io/disk-pressure"},
		{TAINT("node.kubernetes.io/disk-pressure", "PreferNoSchedule"),
		 NULL},
		{TAINT("node.cloudprovider.kubernetes.io/uninitialized",
		       "NoSchedule"),
		 "node.cloudprovider.kubernetes.io/uninitialized"},
		{TAINT("node.kubernetes.io/not-ready", "NoExecute"), NULL},
		{TAINT("node.kubernetes.io/unreachable", "NoExecute"), NULL},
		{TAINT("gpu", "NoSchedule"), NULL},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		struct kube_node h = host_of(rows[i].spec);

		t_row("%s", rows[i].spec);
		T_STR(h.closed, rows[i].closed);
		kube_node_clear(&h);
	}
}

static void what_is_no_node_or_too_large_is_refused(void)
{
	static const char *const none[] = {
		"{}", "[]", "{\"metadata\":{\"name\":\"n\"}}",
		"{\"metadata\":{\"name\":\"\",\"uid\":\"u\"}}",
		"{\"metadata\":{\"name\":7,\"uid\":\"u\"}}"};
	_cleanup_json_ json_object *o = node_json("");
	_cleanup_free_ char *much = t_repeat("x", HOST_TEXT_MAX);
	json_object *labels = jx_get(o, "metadata", "labels");
	struct kube_node h;
	struct err err = {0};

	for (size_t i = 0; i < T_COUNT(none); i++) {
		_cleanup_json_ json_object *bad = t_parse(none[i]);

		t_row("%s", none[i]);
		T_ERR(kube_node_of(bad, &h, &err), &err, -EINVAL,
		      "no node with a name and a uid");
	}
	t_row("%s", "too large");
	jx_set_str(labels, "much", much);
	T_ERR(kube_node_of(o, &h, &err), &err, -E2BIG,
	      "Kubernetes node n1 has more than 65536 bytes of labels");
	json_object_object_del(labels, "much");
	for (int i = 0; i <= HOST_TAINTS_MAX; i++)
		jx_append(jx_need(jx_get(o, "spec"), "taints", json_type_array),
			  json_object_new_object());
	T_ERR(kube_node_of(o, &h, &err), &err, -E2BIG,
	      "Kubernetes node n1 has more than 64 taints");
	for (int i = 0; i <= HOST_LABELS_MAX; i++) {
		char key[16];

		snprintf(key, sizeof(key), "k%d", i);
		jx_set_str(labels, key, "");
	}
	T_ERR(kube_node_of(o, &h, &err), &err, -E2BIG,
	      "Kubernetes node n1 has more than 1024 labels");
	T_OK(!h.block && !h.name);
}

/* --- rules */

static struct node_filter want_of(const char *spec)
{
	_cleanup_free_ char *text = str_printf("{\"spec\":{%s}}", spec);
	_cleanup_json_ json_object *pod = t_parse(text);
	struct node_filter w;
	struct err err = {0};

	T_INT(node_filter_of(pod, &w, &err), 0);
	T_STR(err.msg, "");
	return w;
}

#define AFFINITY(terms)                                                        \
	"\"affinity\":{\"nodeAffinity\":{"                                     \
	"\"requiredDuringSchedulingIgnoredDuringExecution\":{"                 \
	"\"nodeSelectorTerms\":[" terms "]}}}"
#define EXPR(key, op, values)                                                  \
	"{\"key\":\"" key "\",\"operator\":\"" op "\",\"values\":[" values "]" \
	"}"
#define TERM(exprs) "{\"matchExpressions\":[" exprs "]}"
#define FIELDS(exprs) "{\"matchFields\":[" exprs "]}"
#define ONE(key, op, values) AFFINITY(TERM(EXPR(key, op, values)))

static void labels_and_names_are_matched(void)
{
	static const struct {
		const char *spec, *words; /* NULL: it fits */
	} rows[] = {
		{"", NULL},
		{"\"nodeName\":\"\"", NULL},
		{"\"nodeName\":\"n1\"", NULL},
		{"\"nodeName\":\"n2\"", "Kubernetes node n1: nodeName is n2"},
		{"\"nodeSelector\":{\"zone\":\"west\",\"empty\":\"\"}", NULL},
		{"\"nodeSelector\":{\"zone\":\"west\",\"gen\":\"8\"}",
		 "Kubernetes node n1: it has no label gen=8"},
		{"\"nodeSelector\":{\"other\":\"\"}", "it has no label other="},
		{ONE("zone", "In", "\"east\",\"west\""), NULL},
		{ONE("zone", "In", "\"east\""),
		 "no term of the node affinity fits"},
		{ONE("other", "In", "\"\""), "no term"},
		{ONE("empty", "In", "\"\""), NULL},
		{ONE("zone", "In", ""), "no term"},
		{ONE("zone", "NotIn", "\"east\""), NULL},
		{ONE("zone", "NotIn", "\"west\""), "no term"},
		{ONE("other", "NotIn", "\"west\""), NULL},
		{ONE("empty", "Exists", ""), NULL},
		{ONE("other", "Exists", ""), "no term"},
		{ONE("other", "DoesNotExist", ""), NULL},
		{ONE("empty", "DoesNotExist", ""), "no term"},
		{ONE("gen", "Gt", "\"6\""), NULL},
		{ONE("gen", "Gt", "\"-6\""), NULL},
		{ONE("gen", "Gt", "\"7\""), "no term"},
		{ONE("gen", "Lt", "\"8\""), NULL},
		{ONE("gen", "Lt", "\"7\""), "no term"},
		{ONE("gen", "Lt", "\"8\",\"9\""), "no term"},
		{ONE("gen", "Lt", ""), "no term"},
		{ONE("gen", "Lt", "\" 8\""), "no term"},
		{ONE("gen", "Lt", "\"99999999999999999999\""), "no term"},
		{ONE("big", "Gt", "\"1\""), "no term"},
		{ONE("other", "Lt", "\"1\""), "no term"},
		/* all of a term */
		{AFFINITY(TERM(EXPR("zone", "Exists",
				    "") "," EXPR("gen", "Exists", ""))),
		 NULL},
		{AFFINITY(TERM(EXPR("zone", "Exists",
				    "") "," EXPR("no", "Exists", ""))),
		 "no term"},
		{AFFINITY(TERM(EXPR("no", "Exists",
				    "") "," EXPR("zone", "Exists", ""))),
		 "no term"},
		/* one of the terms */
		{AFFINITY(TERM(EXPR("no", "Exists", "")) "," TERM(
			 EXPR("zone", "Exists", ""))),
		 NULL},
		{AFFINITY(TERM(EXPR("zone", "Exists", "")) "," TERM(
			 EXPR("no", "Exists", ""))),
		 NULL},
		/* an empty term fits nothing, and so do none */
		{AFFINITY("{}"), "no term"},
		{AFFINITY("{}," TERM(EXPR("zone", "Exists", ""))), NULL},
		{AFFINITY(TERM(EXPR("zone", "Exists", "")) ",{}"), NULL},
		{AFFINITY(TERM(EXPR("no", "Exists", "")) ",{}"), "no term"},
		{AFFINITY(""), "no term"},
		{AFFINITY("{}") ",\"tolerations\":[{\"operator\":\"Exists\"}]",
		 "no term"},
		/* the node's name */
		{AFFINITY(FIELDS(EXPR("metadata.name", "In", "\"n1\""))), NULL},
		{AFFINITY(FIELDS(EXPR("metadata.name", "In", "\"n2\""))),
		 "no term"},
		{AFFINITY(FIELDS(EXPR("metadata.name", "NotIn", "\"n2\""))),
		 NULL},
		{AFFINITY(FIELDS(EXPR("metadata.name", "NotIn", "\"n1\""))),
		 "no term"},
		{AFFINITY("{\"matchFields\":[" EXPR(
			 "metadata.name", "In",
			 "\"n1\"") "],\"matchExpressions\":"
				   "[" EXPR("zone", "In", "\"east\"") "]}"),
		 "no term"},
		/* beside a selector; both must fit */
		{"\"nodeSelector\":{\"zone\":\"west\"}," ONE("no", "Exists",
							     ""),
		 "no term"},
		{"\"nodeSelector\":{\"zone\":\"east\"}," ONE("zone", "Exists",
							     ""),
		 "it has no label zone=east"},
		/* preferences are not rules */
		{"\"affinity\":{\"nodeAffinity\":{\"preferredDuring"
		 "SchedulingIgnoredDuringExecution\":[{\"preference\":"
		 "{}}]}}",
		 NULL},
	};
	_cleanup_hostview_ struct kube_node h = host_of("");

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		struct node_filter w = want_of(rows[i].spec);
		struct err err = {0};
		bool fits = node_filter_fits(&w, &h, &err);

		t_row("%s", rows[i].spec);
		T_OK(fits == !rows[i].words);
		if (rows[i].words)
			T_ERR(err.code, &err, -EHOSTUNREACH, rows[i].words);
		else
			T_STR(err.msg, "");
		node_filter_clear(&w);
	}
}

static void taints_are_tolerated_or_not(void)
{
#define GPU "{\"key\":\"gpu\",\"value\":\"yes\",\"effect\":\"NoSchedule\"}"
#define EXEC "{\"key\":\"mine\",\"effect\":\"NoExecute\"}"
#define TOL(key, op, value, effect)                                            \
	"{\"key\":\"" key "\",\"operator\":\"" op "\",\"value\":\"" value      \
	"\",\"effect\":\"" effect "\"}"
	static const struct {
		const char *taints, *tolerations;
		bool fits;
	} rows[] = {
		{"", "", true},
		{GPU, "", false},
		{EXEC, "", false},
		{"{\"key\":\"gpu\",\"effect\":\"PreferNoSchedule\"}", "", true},
		{GPU, TOL("gpu", "Equal", "yes", "NoSchedule"), true},
		{GPU, TOL("gpu", "", "yes", "NoSchedule"), true},
		{GPU, "{\"key\":\"gpu\",\"value\":\"yes\"}", true},
		{GPU, TOL("gpu", "Equal", "no", "NoSchedule"), false},
		{GPU, TOL("gpu", "Equal", "yes", "NoExecute"), false},
		{GPU, TOL("gpu", "Equal", "yes", "PreferNoSchedule"), false},
		{GPU, TOL("gpu", "Equal", "yes", ""), true},
		{GPU, TOL("gpus", "Exists", "", ""), false},
		{GPU, TOL("gpu", "Exists", "", ""), true},
		{GPU, TOL("gpu", "Exists", "other", "NoSchedule"), true},
		{GPU, TOL("", "Exists", "", ""), true},
		{GPU, "{\"operator\":\"Exists\",\"effect\":\"NoExecute\"}",
		 false},
		{GPU, TOL("", "Equal", "yes", ""), true},
		{GPU, TOL("gpu", "Gt", "yes", ""), false},
		{GPU "," EXEC, TOL("gpu", "Exists", "", ""), false},
		{GPU "," EXEC,
		 TOL("gpu", "Exists", "", "") "," TOL("mine", "Exists", "", ""),
		 true},
		{GPU "," EXEC, "{\"operator\":\"Exists\"}", true},
		/* Kubernetes' own come and go */
		{"{\"key\":\"node.kubernetes.io/unschedulable\",\"effect\":"
		 "\"NoSchedule\"}",
		 "", true},
		{"{\"key\":\"node.kubernetes.io/not-ready\",\"effect\":"
		 "\"NoExecute\"}",
		 "", true},
		/* slurm-bridge's would drive a bound pod away */
		{"{\"key\":\"slinky.slurm.net/managed-node\",\"effect\":"
		 "\"NoExecute\"}",
		 "", false},
		{"{\"key\":\"slinky.slurm.net/managed-node\",\"effect\":"
		 "\"NoExecute\"}",
		 "{\"key\":\"slinky.slurm.net/managed-node\",\"operator\":"
		 "\"Exists\"}",
		 true},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_free_ char *spec =
			str_printf("\"taints\":[%s]", rows[i].taints);
		_cleanup_free_ char *asks =
			str_printf("\"tolerations\":[%s]", rows[i].tolerations);
		struct kube_node h = host_of(spec);
		struct node_filter w = want_of(asks);
		struct err err = {0};

		t_row("%s <- %s", rows[i].taints, rows[i].tolerations);
		T_INT(node_filter_fits(&w, &h, &err), rows[i].fits);
		if (!rows[i].fits)
			T_HAS(err.msg,
			      "Kubernetes node n1: not tolerated: taint ");
		node_filter_clear(&w);
		kube_node_clear(&h);
	}
}

static void wants_that_are_wrong_or_too_long_are_refused(void)
{
	_cleanup_free_ char *more = t_repeat(EXPR("k", "Exists", "") ",", 128);
	_cleanup_free_ char *values = t_repeat("\"0123456789abcde\",", 1023);
	_cleanup_free_ char *long_one =
		str_printf(ONE("k", "In", "%s\"0123456789abcde\""), values);
	_cleanup_free_ char *long_list =
		str_printf(AFFINITY(TERM("%s" EXPR("k", "Exists", ""))), more);
	const struct {
		const char *spec;
		int code;
		const char *words;
	} rows[] = {
		{ONE("zone", "Like", ""), -EINVAL,
		 "nodeAffinity: operator 'Like' is not known"},
		{ONE("zone", "In\\u001b[1m", ""), -EINVAL,
		 "operator 'In [1m' is not known"},
		{ONE("zone", "In", "7"), -EINVAL,
		 "a value of 'nodeAffinity' is not known"},
		{AFFINITY(FIELDS(EXPR("metadata.uid", "In", "\"x\""))), -EINVAL,
		 "nodeAffinity: field 'metadata.uid' is not known"},
		{AFFINITY(FIELDS(EXPR("metadata.name", "Exists", ""))), -EINVAL,
		 "nodeAffinity: operator 'Exists' is not known"},
		{"\"nodeSelector\":{\"a\":7}", -EINVAL,
		 "nodeSelector 'a' is not known"},
		{long_one, -E2BIG, "it says more than 16384 bytes of its node"},
		{long_list, -E2BIG, "it has more than 128 rules about"},
	};

	T_NEED(long_one && long_list);
	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_free_ char *text =
			str_printf("{\"spec\":{%s}}", rows[i].spec);
		_cleanup_json_ json_object *pod = t_parse(text);
		struct node_filter w;
		struct err err = {0};

		t_row("%.100s", rows[i].spec);
		T_ERR(node_filter_of(pod, &w, &err), &err, rows[i].code,
		      rows[i].words);
		T_OK(!w.text && !w.len);
	}
}

static void equal_wants_share_a_hash_and_most_are_nothing(void)
{
	static const char usual[] =
		"\"containers\":[{}],\"tolerations\":["
		"{\"key\":\"node.kubernetes.io/not-ready\",\"operator\":"
		"\"Exists\",\"effect\":\"NoExecute\",\"tolerationSeconds\":"
		"300},{\"key\":\"node.kubernetes.io/unreachable\","
		"\"operator\":\"Exists\",\"effect\":\"NoExecute\","
		"\"tolerationSeconds\":300}]";
	_cleanup_podwant_ struct node_filter none = want_of(usual);
	_cleanup_podwant_ struct node_filter nil = want_of("");
	_cleanup_podwant_ struct node_filter a =
		want_of("\"nodeSelector\":{\"a\":\"b\"}");
	_cleanup_podwant_ struct node_filter same =
		want_of("\"nodeSelector\":{\"a\":\"b\"},\"hostname\":\"x\"");
	_cleanup_podwant_ struct node_filter other =
		want_of("\"nodeSelector\":{\"a\":\"c\"}");

	T_OK(!none.text && !none.len);
	T_INT(none.hash, nil.hash);
	T_STR(none.sha, nil.sha);
	T_INT(a.hash, same.hash);
	T_STR(a.sha, same.sha);
	T_OK(a.hash != other.hash && strcmp(a.sha, other.sha) != 0);
	T_OK(strcmp(a.sha, none.sha) != 0);
}

T_MAIN("node_filter", T(a_node_is_read_and_its_json_may_go),
       T(a_bare_node_is_read_too), T(a_node_is_closed_by_taints_of_kubernetes),
       T(what_is_no_node_or_too_large_is_refused),
       T(labels_and_names_are_matched), T(taints_are_tolerated_or_not),
       T(wants_that_are_wrong_or_too_long_are_refused),
       T(equal_wants_share_a_hash_and_most_are_nothing))
