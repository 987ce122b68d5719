/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "nodes/pod/manifest.h"
#include "syntax/gres.h"
#include "syntax/wellknown.h"
#include "t.h"

#define _cleanup_config_ _cleanup_(config_freep)

static struct config *config_of(const char *text)
{
	struct config *c = NULL;
	struct err err = {0};

	if (config_parse("k8s.yaml", text, strlen(text), &c, &err)) {
		fprintf(stderr, "%s\n", err.msg);
		abort();
	}
	return c;
}

static struct config *config_of_data(void)
{
	_cleanup_free_ char *text = t_data("k8s.yaml");

	return config_of(text);
}

/* One nodeset of one node "n0"; `more` are further keys of it. */
static struct config *config_of_pod(const char *more, const char *template)
{
	_cleanup_free_ char *text =
		str_printf("clusters: [{name: main, kubeconfig: k}]\n"
			   "nodesets: [{name: s, cluster: main, nodes: n0, %s"
			   " podTemplate: %s}]\n",
			   more, template);

	return config_of(text);
}

static void golden(const char *file, const struct node_facts *node)
{
	_cleanup_config_ struct config *c = config_of_data();
	_cleanup_free_ char *want = t_data(file);
	_cleanup_manifest_ struct manifest m = {0};
	struct err err = {0};

	T_INT(manifest_make("prod", config_nodeset_of(c, node->name), node, &m,
			    &err),
	      0);
	T_STR(err.msg, "");
	T_STR(m.pod, node->name);
	T_STR(jx_str(m.pod_json, "metadata", "labels", WK_LABEL_HASH), m.hash);
	jx_set_str(jx_get(m.pod_json, "metadata", "labels"), WK_LABEL_HASH,
		   "HASH");
	T_JSON(m.pod_json, want);
}

static void a_node_with_gpus_gets_the_pod_of_its_nodeset(void)
{
	golden("cpu-3.json",
	       &(struct node_facts){.name = "cpu-3",
				    .cpus = 8,
				    .memory_mib = 16000,
				    .gres = "gpu:a100:2(S:0),shard:8,gpu:1"});
}

static void with_resources_of_the_template_slurms_facts_do_not_matter(void)
{
	golden("gpu-02.json", &(struct node_facts){.name = "gpu-02"});
}

static const struct node_facts n8 = {
	.name = "n0", .cpus = 8, .memory_mib = 1000, .gres = "gpu:2"};

#define POD "{spec: {containers: [{name: slurmd}]}}"

static void hash_of(const char *more, const char *template, const char *cluster,
		    const struct node_facts *node, char hash[17])
{
	_cleanup_config_ struct config *c = config_of_pod(more, template);
	_cleanup_manifest_ struct manifest m = {0};

	T_INT(manifest_make(cluster, &c->nodesets[0], node, &m, NULL), 0);
	str_copy(hash, m.hash, 17);
}

static void the_hash_changes_with_everything_that_matters(void)
{
	static const char other[] =
		"{spec: {containers: [{name: slurmd, image: b}]}}";
	struct node_facts n9 = n8;
	char a[17], b[17];

	n9.cpus = 9;
	hash_of("", POD, "prod", &n8, a);
	T_INT(strlen(a), 16);
	hash_of("", POD, "prod", &n8, b);
	T_STR(b, a);
	hash_of("", other, "prod", &n8, b);
	T_OK(strcmp(a, b));
	hash_of("", POD, "test", &n8, b);
	T_OK(strcmp(a, b));
	hash_of("", POD, "prod", &n9, b);
	T_OK(strcmp(a, b));
	hash_of("resources: template,", POD, "prod", &n8, b);
	T_OK(strcmp(a, b));
}

static void a_template_is_not_changed_by_its_pods(void)
{
	_cleanup_config_ struct config *c = config_of_pod("", POD);
	_cleanup_manifest_ struct manifest m = {0};

	T_INT(manifest_make("prod", &c->nodesets[0], &n8, &m, NULL), 0);
	T_JSON(c->nodesets[0].template,
	       "{\"spec\": {\"containers\": [{\"name\": \"slurmd\"}]}}");
}

static void names_that_kubernetes_refuses_are_made_valid(void)
{
	_cleanup_config_ struct config *c = config_of_pod("", POD);
	_cleanup_manifest_ struct manifest m = {0};
	struct node_facts n = n8;

	n.name = "CPU_1";
	T_INT(manifest_make("My Cluster", &c->nodesets[0], &n, &m, NULL), 0);
	T_OK(name_is_dns_label(m.pod));
	T_STR(jx_str(m.pod_json, "metadata", "name"), m.pod);
	T_STR(jx_str(m.pod_json, "spec", "hostname"), m.pod);
	T_STR(jx_str(m.pod_json, "metadata", "labels", WK_LABEL_NODE), "CPU_1");
	T_OK(name_is_label_value(
		jx_str(m.pod_json, "metadata", "labels", WK_LABEL_CLUSTER)));
	/* slurmd must hear the true name */
	T_STR(jx_str(jx_by_name(jx_get(json_object_array_get_idx(
					       jx_get(m.pod_json, "spec",
						      "containers"),
					       0),
				       "env"),
				WK_ENV_NODE),
		     "value"),
	      "CPU_1");
}

static void huge_pages_are_asked_for_in_bytes(void)
{
	_cleanup_config_ struct config *c = config_of_pod(
		"gresResources: {huge: hugepages-2Mi, big: hugepages-1Gi},",
		POD);
	_cleanup_manifest_ struct manifest m = {0};
	struct node_facts n = n8;
	json_object *limits;

	n.gres = "huge:512,big:8";
	T_INT(manifest_make("prod", &c->nodesets[0], &n, &m, NULL), 0);
	limits = jx_get(json_object_array_get_idx(
				jx_get(m.pod_json, "spec", "containers"), 0),
			"resources", "limits");
	T_STR(jx_str(limits, "hugepages-2Mi"), "1073741824");
	T_STR(jx_str(limits, "hugepages-1Gi"), "8589934592");
}

static void a_node_without_size_is_refused(void)
{
	static const struct node_facts rows[] = {
		{.name = "n0", .memory_mib = 1000},
		{.name = "n0", .cpus = 8},
	};
	_cleanup_config_ struct config *c = config_of_pod("", POD);

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		struct manifest m = {0};
		struct err err = {0};

		T_ERR(manifest_make("prod", &c->nodesets[0], &rows[i], &m,
				    &err),
		      &err, -EINVAL,
		      "node n0: Slurm names no CPUs or RealMemory");
		T_OK(!m.pod_json);
	}
}

static void templates_of_the_wrong_shape_are_refused_with_words(void)
{
	static const struct {
		const char *template, *words;
	} rows[] = {
		{"{spec: {containers: [{name: slurmd, env: {}}]}}",
		 "nodeset s: labels, annotations and env of the template have "
		 "the wrong "
		 "type"},
		{"{spec: {containers: [{name: slurmd, resources: 5}]}}",
		 "nodeset s: resources of container slurmd must be mappings"},
		{"{spec: {containers: [{name: slurmd, resources: {limits: []}}"
		 "]}}",
		 "must be mappings"},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_config_ struct config *c =
			config_of_pod("", rows[i].template);
		struct manifest m = {0};
		struct err err = {0};

		t_row("%s", rows[i].template);
		T_ERR(manifest_make("prod", &c->nodesets[0], &n8, &m, &err),
		      &err, -EINVAL, rows[i].words);
	}
}

static void null_in_a_template_is_the_same_as_absent(void)
{
	_cleanup_config_ struct config *c = config_of_pod(
		"", "{metadata: ~, spec: {hostname: ~, containers: [{name: "
		    "slurmd, env: ~, resources: {limits: ~}}]}}");
	_cleanup_manifest_ struct manifest m = {0};

	T_INT(manifest_make("prod", &c->nodesets[0], &n8, &m, NULL), 0);
	T_STR(jx_str(m.pod_json, "spec", "hostname"), "n0");
}

static void gres_texts_are_counted_by_kind(void)
{
	static const struct {
		const char *gres;
		uint64_t gpus;
	} rows[] = {
		{NULL, 0},
		{"", 0},
		{"gpu", 1},
		{"gpu:2", 2},
		{"gpu:0", 0},
		{"gpu:a100", 1},
		{"gpu:a100:4", 4},
		{"gpu:a100:2(S:0-1)", 2},
		{"gpu:a100:2(S:0,1),gpu:1", 3},
		{"gpu:a100:3,gpu:v100:5,nic:7", 8},
		{"gpumem:5", 0},
		{"shard:8,gpu:2", 2},
		{"gpu:1k", 1024},
		{"gpu:2M", 2097152},
		{"gpu:1g.5gb", 1},
		{"gpu:1g.5gb:3", 3},
		{"gpu:2g_x", 1},
		{"gpu:", 1},
		{"gpu:99999999999999999999999", 0},
		{"gpu:4(", 4},
		{",,gpu:4,,", 4},
		{"(gpu:4)", 0},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		t_row("%s", rows[i].gres ? rows[i].gres : "NULL");
		T_INT(gres_count(rows[i].gres, "gpu"), rows[i].gpus);
	}
}

#define FEATURES                                                               \
	"features:\n"                                                          \
	"- {name: a, group: g, patch: {spec: {containers: [{name: slurmd, "    \
	"image: a}]}}}\n"                                                      \
	"- {name: b, group: g, patch: {spec: {hostNetwork: true}}}\n"          \
	"- {name: c, patch: {spec: {containers: [{name: slurmd, image: "       \
	"c}]}}}\n"                                                             \
	"- {name: d, patch: {}}\n"

static struct config *config_of_features(void)
{
	return config_of("clusters: [{name: main, kubeconfig: k}]\n" FEATURES
			 "nodesets: [{name: s, cluster: main, nodes: n0, "
			 "features: [a, b, c], podTemplate: {spec: "
			 "{containers: [{name: slurmd, image: x}]}}}]\n");
}

static void a_pod_has_the_active_features_of_its_node(void)
{
	static const struct {
		const char *active, *image, *has;
	} rows[] = {
		{NULL, "x", ""}, {"rack", "x", ""},	   {"rack,a", "a", "a"},
		{"b", "x", "b"}, {"c,rack,a", "c", "a,c"}, /* patches: in the
							      file's order */
	};
	_cleanup_config_ struct config *c = config_of_features();

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_manifest_ struct manifest m = {0};
		struct node_facts n = n8;
		json_object *s;

		t_row("%s", rows[i].active ? rows[i].active : "none");
		n.features = rows[i].active;
		T_INT(manifest_make("prod", &c->nodesets[0], &n, &m, NULL), 0);
		T_STR(jx_str(m.pod_json, "metadata", "annotations",
			     WK_ANNOTATION_FEATURES),
		      rows[i].has);
		s = jx_by_name(jx_get(m.pod_json, "spec", "containers"),
			       "slurmd");
		T_STR(jx_str(s, "image"), rows[i].image);
		T_STR(jx_str(jx_by_name(jx_get(s, "env"), WK_ENV_FEATURES),
			     "value"),
		      rows[i].has);
	}
}

static void each_set_of_features_has_its_own_hash(void)
{
	_cleanup_config_ struct config *c = config_of_features();
	static const char *const active[] = {"rack", "b", NULL};
	char hash[3][17];

	for (int i = 0; i < 3; i++) {
		_cleanup_manifest_ struct manifest m = {0};
		struct node_facts n = n8;

		n.features = active[i];
		T_INT(manifest_make("prod", &c->nodesets[0], &n, &m, NULL), 0);
		str_copy(hash[i], m.hash, sizeof(hash[i]));
	}
	T_OK(strcmp(hash[0], hash[1]) != 0);
	T_STR(hash[0], hash[2]);
}

static void features_that_cannot_be_are_refused_with_words(void)
{
	static const struct {
		const char *active, *words;
	} rows[] = {
		{"a,b", "features a and b exclude each other (group g)"},
		{"d,a", "nodeset s does not offer d"},
	};
	_cleanup_config_ struct config *c = config_of_features();

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_manifest_ struct manifest m = {0};
		struct node_facts n = n8;
		struct err err = {0};

		n.features = rows[i].active;
		T_ERR(manifest_make("prod", &c->nodesets[0], &n, &m, &err),
		      &err, -EINVAL, rows[i].words);
	}
}

static void without_features_nothing_is_said_of_them(void)
{
	_cleanup_config_ struct config *c = config_of_pod("", POD);
	_cleanup_manifest_ struct manifest m = {0};
	struct node_facts n = n8;

	n.features = "a,b";
	T_INT(manifest_make("prod", &c->nodesets[0], &n, &m, NULL), 0);
	T_OK(!jx_get(m.pod_json, "metadata", "annotations"));
	T_LACKS(json_object_to_json_string(m.pod_json), WK_ENV_FEATURES);
}

T_MAIN("manifest", T(a_node_with_gpus_gets_the_pod_of_its_nodeset),
       T(with_resources_of_the_template_slurms_facts_do_not_matter),
       T(the_hash_changes_with_everything_that_matters),
       T(a_template_is_not_changed_by_its_pods),
       T(names_that_kubernetes_refuses_are_made_valid),
       T(huge_pages_are_asked_for_in_bytes), T(a_node_without_size_is_refused),
       T(templates_of_the_wrong_shape_are_refused_with_words),
       T(null_in_a_template_is_the_same_as_absent),
       T(gres_texts_are_counted_by_kind),
       T(a_pod_has_the_active_features_of_its_node),
       T(each_set_of_features_has_its_own_hash),
       T(features_that_cannot_be_are_refused_with_words),
       T(without_features_nothing_is_said_of_them))
