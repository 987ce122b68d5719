/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "nodes/pod/pod_annotations.h"
#include "render_node.h"
#include "syntax/wellknown.h"
#include "t.h"

/* Slurm's only node; its record is not looked into */
static const struct ctl_node known = {.name = "cpu-0",
				      .cpus = 4,
				      .memory_mib = 1000,
				      .gres = "gpu:2",
				      .features_active = "rack1,jax"};
static const struct ctl_nodes *const some = (const void *)&known;

bool __wrap_ctl_nodes_find(const struct ctl_nodes *n, const char *name,
			   struct ctl_node *out);
bool __wrap_ctl_nodes_find(const struct ctl_nodes *n, const char *name,
			   struct ctl_node *out)
{
	if (!n || strcmp(name, known.name) != 0)
		return false;
	*out = known;
	return true;
}

#define POD "podTemplate: {spec: {containers: [{name: slurmd}]}}"

static struct config *config_of(void)
{
	static const char text[] =
		"clusters: [{name: main, kubeconfig: k}]\n"
		"jobs: {labels: [team], annotations: [example.org/note]}\n"
		"features: [{name: jax, patch: {}}, {name: fast, patch: {}}]\n"
		"nodesets:\n"
		"- {name: cpu, cluster: main, nodes: 'cpu-[0-1]', resources: "
		"fromNode, gresResources: {gpu: example.org/gpu}, " POD "}\n"
		"- {name: own, cluster: main, nodes: own-0, resources: "
		"template, features: "
		"[fast], " POD "}\n"
		"- {name: plain, cluster: main, nodes: plain-0, resources: "
		"template, features: "
		"[], " POD "}\n"
		"- {name: new, cluster: main, nodes: new-0, features: [], "
		"resources: fromNode, create: {cpus: 8, memory: 2000}, " POD
		"}\n";
	struct config *c = NULL;
	struct err err = {0};

	T_INT(config_parse("k8s.yaml", text, strlen(text), &c, &err), 0);
	T_STR(err.msg, "");
	return c;
}

struct row {
	const char *node, *features;
	bool silent; /* slurmctld */
	int rc;
	const char *words; /* of the error */
	const char *worn;  /* the features that the pod tells; else */
	const char *cpus;
};

static void one(const struct config *c, const struct row *r)
{
	const struct render request = {.config = c,
				       .cluster = "site",
				       .nodes = r->silent ? NULL : some,
				       .silent = "no answer",
				       .node = r->node,
				       .features = r->features};
	_cleanup_manifest_ struct manifest m = {0};
	struct err err = {0};
	const json_object *slurmd;
	int rc = render_node(&request, &m, &err);

	t_row("%s, %s", r->node, r->features ? r->features : "as it has");
	if (r->rc) {
		T_ERR(rc, &err, r->rc, r->words);
		return;
	}
	T_INT(rc, 0);
	T_STR(err.msg, "");
	T_NEED(m.pod_json);
	T_STR(jx_str(m.pod_json, "metadata", "labels", WK_LABEL_HASH), m.hash);
	T_STR(jx_str(m.pod_json, "metadata", "annotations",
		     WK_ANNOTATION_FEATURES),
	      r->worn);
	slurmd = jx_by_name(jx_get(m.pod_json, "spec", "containers"), "slurmd");
	T_STR(jx_str(slurmd, "resources", "limits", "cpu"), r->cpus);
}

static void a_pod_is_made_of_what_slurm_says(void)
{
	static const struct row rows[] = {
		{"cpu-0", .worn = "jax", .cpus = "4"},
		{"cpu-0", "fast", .worn = "fast", .cpus = "4"},
		{"cpu-0", "", .worn = "", .cpus = "4"},
		{"cpu-0", "slow", .rc = -EINVAL,
		 .words = "no feature slow; nodeset cpu offers jax,fast"},
		{"cpu-1", .rc = -EINVAL, .words = "Slurm has no node cpu-1"},
		{"own-0", "jax", .rc = -EINVAL, .words = "Slurm has no node"},
		{"new-0", .worn = "", .cpus = "8"},
		{"nobody", .rc = -EINVAL,
		 .words = "node nobody is in no nodeset of k8s.yaml; there are "
			  "cpu (cpu-[0-1]), own (own-0), plain (plain-0), new "
			  "(new-0)"},
	};
	_cleanup_(config_freep) struct config *c = config_of();

	for (size_t i = 0; c && i < T_COUNT(rows); i++)
		one(c, &rows[i]);
}

static void without_slurmctld_only_some_pods_can_be_made(void)
{
	static const struct row rows[] = {
		{"cpu-0", .silent = true, .rc = -EIO,
		 .words = "what the node has is not known, for slurmctld does "
			  "not answer: no answer"},
		{"own-0", .silent = true, .rc = -EIO,
		 .words = "which features the node has"},
		{"own-0", "fast", .silent = true, .worn = "fast"},
		{"own-0", "jax", .silent = true, .rc = -EINVAL,
		 .words = "nodeset own does not offer jax"},
		{"plain-0", .silent = true, .worn = ""},
		{"new-0", .silent = true, .worn = "", .cpus = "8"},
		{"nobody", .silent = true, .rc = -EINVAL,
		 .words = "no nodeset"},
	};
	_cleanup_(config_freep) struct config *c = config_of();

	for (size_t i = 0; c && i < T_COUNT(rows); i++)
		one(c, &rows[i]);
}

static struct ctl_job job_of(const char *features)
{
	return (struct ctl_job){
		.id = 125,
		.array_id = 123,
		.task = 4,
		.user = "jane",
		.account = "physics",
		.features = features,
		.admin_comment =
			"k8s-pod: {\"labels\": {\"team\": \"hpc\", \"no\": "
			"\"x\"}, \"annotations\": {\"example.org/note\": "
			"\"run 7\"}}"};
}

/* As an API server merges a part of the engine's patch (RFC 7396). */
static void merge(json_object *into, const json_object *patch)
{
	json_object_object_foreach((json_object *)patch, key, val)
	{
		json_object_object_del(into, key);
		if (val)
			json_object_object_add(into, key, json_object_get(val));
	}
}

/* The pod that the engine makes, and what it writes on it. */
static json_object *engines_pod(const struct config *c, const char *features)
{
	_cleanup_json_ json_object *asked =
		pod_metadata_read(&c->jobs, job_of("").admin_comment);
	const struct pod_jobs jobs = {.busy = true,
				      .ids = "125",
				      .users = "jane",
				      .accounts = "physics",
				      .rules = &c->jobs,
				      .asked = asked};
	_cleanup_json_ json_object *patch = pod_annotations_patch("u", &jobs);
	const struct node_facts facts = {.name = "cpu-0",
					 .cpus = 4,
					 .memory_mib = 1000,
					 .gres = "gpu:2",
					 .features = features};
	_cleanup_manifest_ struct manifest m = {0};
	struct err err = {0};

	T_INT(manifest_make("site", config_nodeset_of(c, "cpu-0"), &facts, &m,
			    &err),
	      0);
	merge(jx_need(jx_get(m.pod_json, "metadata"), "labels",
		      json_type_object),
	      jx_get(patch, "metadata", "labels"));
	merge(jx_need(jx_get(m.pod_json, "metadata"), "annotations",
		      json_type_object),
	      jx_get(patch, "metadata", "annotations"));
	return json_object_get(m.pod_json);
}

static void a_pod_with_its_job_is_as_the_engine_makes_it(void)
{
	static const struct {
		const char *asks, *features; /* of the command; NULL: none */
		const char *worn;
	} rows[] = {
		{"", NULL, "rack1,jax"},
		{"fast", NULL, "fast"},
		{"fast&jax", NULL, "jax,fast"},
		{"rack1", NULL, "rack1,jax"},
		{"rack1&(fast|jax)", NULL, "fast"},
		{"fast", "jax", "jax"},
		{"fast", "", ""},
	};
	_cleanup_(config_freep) struct config *c = config_of();

	for (size_t i = 0; c && i < T_COUNT(rows); i++) {
		_cleanup_json_ json_object *wanted =
			engines_pod(c, rows[i].worn);
		const struct ctl_job job = job_of(rows[i].asks);
		const struct render request = {.config = c,
					       .cluster = "site",
					       .nodes = some,
					       .node = "cpu-0",
					       .features = rows[i].features,
					       .job = &job};
		_cleanup_manifest_ struct manifest m = {0};
		struct err err = {0};

		t_row("%s, %s", rows[i].asks, rows[i].worn);
		T_INT(render_node(&request, &m, &err), 0);
		T_STR(err.msg, "");
		T_OK(json_object_equal(m.pod_json, wanted));
		T_STR(jx_str(m.pod_json, "metadata", "labels", "team"), "hpc");
		T_STR(jx_str(m.pod_json, "metadata", "labels", WK_LABEL_BUSY),
		      "true");
		T_OK(!jx_get(m.pod_json, "metadata", "labels", "no"));
		T_OK(!jx_get(m.pod_json, "metadata", "uid"));
		T_STR(jx_str(m.pod_json, "metadata", "annotations",
			     WK_NOTE_JOBS),
		      "125");
	}
}

static void a_node_that_cannot_be_what_a_job_asks_for_has_no_pod(void)
{
	_cleanup_(config_freep) struct config *c = config_of();
	const struct ctl_job job = job_of("jax");
	const struct render request = {.config = c,
				       .cluster = "site",
				       .node = "plain-0",
				       .silent = "no answer",
				       .job = &job};
	_cleanup_manifest_ struct manifest m = {0};
	struct err err = {0};
	int rc;

	T_NEED(c);
	rc = render_node(&request, &m, &err);
	T_ERR(rc, &err, -EINVAL,
	      "nodeset plain does not offer what job 125 asks for: jax");
}

static void words_about_many_nodesets_end(void)
{
	struct nodeset sets[100];
	struct config c = {.path = (char *)"k8s.yaml",
			   .nodesets = sets,
			   .n_nodesets = T_COUNT(sets)};
	struct err err = {0};

	for (size_t i = 0; i < T_COUNT(sets); i++)
		sets[i] = (struct nodeset){.name = (char *)"some-nodeset",
					   .nodes = (char *)"some-[0-9]"};
	T_INT(render_no_nodeset(&c, "x", &err), -EINVAL);
	T_HAS(err.msg, "x is in no nodeset of k8s.yaml; there are some-nodeset "
		       "(some-[0-9]), ");
	T_HAS(err.msg, "...");
	c.n_nodesets = 0;
	T_INT(render_no_nodeset(&c, "x", &err), -EINVAL);
	T_HAS(err.msg, "k8s.yaml; there is none");
}

T_MAIN("render_node", T(a_pod_is_made_of_what_slurm_says),
       T(without_slurmctld_only_some_pods_can_be_made),
       T(a_pod_with_its_job_is_as_the_engine_makes_it),
       T(a_node_that_cannot_be_what_a_job_asks_for_has_no_pod),
       T(words_about_many_nodesets_end))
