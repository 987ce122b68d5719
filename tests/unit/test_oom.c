/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Every allocation of ours fails once, in turn: whatever runs must end with
 * an error, leak nothing and not crash (the ASan build looks). Linked with
 * --wrap; what json-c and libyaml allocate is theirs and never fails here.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "bridge/jobspec/job_options.h"
#include "bridge/jobspec/placement.h"
#include "config/config.h"
#include "external/external_node.h"
#include "fake_malloc.h"
#include "gang.h"
#include "nodes/pod/manifest.h"
#include "nodes/pod/resume_file.h"
#include "objects/node_filter.h"
#include "objects/pod_requests.h"
#include "t.h"

#define TRIES_MAX 10000

/*
 * Call `run` until no allocation is left to fail. Each call but the last must
 * return an error; run returns 0 when all went well.
 */
static void torture(int (*run)(struct err *err))
{
	for (long n = 0; n < TRIES_MAX; n++) {
		struct err err = {0};
		bool failed;
		int rc;

		left = n;
		rc = run(&err);
		failed = left < 0;
		left = -1;
		t_row("allocation %ld", n);
		if (!failed) {
			T_INT(rc, 0);
			T_OK(n > 5); /* it did wrap something */
			return;
		}
		T_NEED(rc < 0 && err.code == rc && *err.msg);
	}
	T_INT(TRIES_MAX, 0); /* it never comes to an end */
}

static const char *text; /* of k8s.yaml, read before the torture */

static int load_config(struct err *err)
{
	_cleanup_(config_freep) struct config *c = NULL;

	return config_parse("/k8s.yaml", text, strlen(text), &c, err);
}

static void a_configuration_survives_every_failed_allocation(void)
{
	_cleanup_free_ char *t = t_data("k8s.yaml");

	text = t;
	torture(load_config);
}

static void features_survive_every_failed_allocation(void)
{
	text = "clusters: [{name: main, kubeconfig: k}]\n"
	       "features:\n"
	       "- {name: a, group: g, patch: {spec: {x: [1]}}}\n"
	       "- {name: b, patch: {}}\n"
	       "nodesets: [{name: s, cluster: main, nodes: n0, features: [b], "
	       "podTemplate: {spec: {containers: [{name: slurmd}]}}}]\n";
	torture(load_config);
}

static void who_may_enter_survives_every_failed_allocation(void)
{
	text = "clusters: [{name: main, kubeconfig: k}]\n"
	       "nodesets: [{name: s, cluster: main, nodes: n0, "
	       "podTemplate: {spec: {containers: [{name: slurmd}]}}}]\n"
	       "bridge: {cluster: main, partition: p, nodes: {features: [z]}, "
	       "namespaces: {a: {user: u, account: x, allow: [user-id], "
	       "users: [v, w]}, b: {user: u}}, "
	       "selectors: [{matchLabels: {x: z}, matchExpressions: "
	       "[{key: k, operator: In, values: [v]}], user: u}]}\n";
	torture(load_config);
}

static json_object *notes;

static int make_options(struct err *err)
{
	static char user[] = "alice", account[] = "chem";
	static const struct bridge_config site = {.wanted = true};
	static const struct namespace_config ns = {.user = user,
						   .account = account,
						   .allow = ~(job_option_set)0,
						   .options =
							   ~(job_option_set)0};
	const json_object *const list[] = {notes};
	const struct job_options_ask ask = {
		.bridge = &site, .ns = &ns, .notes = list, .n_notes = 1};
	_cleanup_job_options_ struct job_options w = {0};
	char digest[JOB_OPTIONS_DIGEST_MAX];
	int rc = job_options_make(&ask, &w, err);

	if (!rc && job_options_digest(&w, digest))
		rc = err_oom(err);
	return rc;
}

static void job_options_survive_every_failed_allocation(void)
{
	notes = t_parse("{\"job.slurm-k8s.io/gres\": \"gres/gpu=2,x:1\", "
			"\"slurmjob.slinky.slurm.net/qos\": \"a\", "
			"\"job.slurm-k8s.io/sbatch-options\": \"-q b "
			"--gpus-per-node=1 --comment 'x y' -w n[1-3]\"}");
	torture(make_options);
	json_object_put(notes);
}

static struct config *config;

static int make_manifest(struct err *err)
{
	static const struct node_facts node = {
		.name = "CPU_3", .cpus = 8, .memory_mib = 100, .gres = "gpu:1"};
	_cleanup_manifest_ struct manifest m = {0};

	return manifest_make("prod", &config->nodesets[0], &node, &m, err);
}

/* All its allocations are json-c's: there is nothing of ours to fail. */
static void a_manifest_allocates_by_json_c_alone(void)
{
	_cleanup_free_ char *t = t_data("k8s.yaml");
	_cleanup_(config_freep) struct config *c = NULL;
	struct err err = {0};

	T_INT(config_parse("/k8s.yaml", t, strlen(t), &c, &err), 0);
	config = c;
	left = 0;
	T_INT(make_manifest(&err), 0);
	T_INT(left, 0);
	left = -1;
}

static const char resume_text[] =
	"{\"all_nodes_resume\": \"n[1-30]\", \"jobs\": ["
	"{\"job_id\": 1, \"nodes_resume\": \"n[1-20]\"},"
	"{\"job_id\": 2, \"nodes_resume\": \"n[15-25]\"}]}";

static int sort_gangs(struct err *err)
{
	_cleanup_resumefile_ struct resumefile f = {0};
	_cleanup_hostlist_ struct hostlist nodes = {0};
	_cleanup_gangs_ struct gangs g = {0};
	int rc = resumefile_parse(resume_text, strlen(resume_text), &f, err);

	if (!rc)
		rc = hostlist_expand(f.all, &nodes, err);
	return rc ? rc : gangs_make(&nodes, &f, &g, err);
}

static void gangs_survive_every_failed_allocation(void)
{
	torture(sort_gangs);
}

static json_object *bridged; /* a node and a pod in one, read before */

static int look_at_bridged(struct err *err)
{
	static const struct pod_requests none;
	static const struct gresmap map = {"amd.com/gpu", "gpu"};
	static const struct external_node_rules rules = {&map, 1, NULL, 0};
	_cleanup_hostview_ struct kube_node h = {0};
	_cleanup_podwant_ struct node_filter w = {0};
	_cleanup_free_ char *gres = NULL, *line = NULL;
	static const struct placement_gres names = {{"gpu"}, 1};
	struct placement_node nodes[] = {{.cpus = 4, .gres = {4}}};
	struct placement_pod pods[] = {
		{.cpu_milli = 1000, .node = PACK_NONE, .gres = {1}}};
	struct external_node_shape shape;
	struct pod_requests need;
	int rc = kube_node_of(bridged, &h, err);

	if (!rc)
		rc = node_filter_of(bridged, &w, err);
	if (!rc)
		rc = pod_requests_of(bridged, &need, err);
	if (!rc)
		rc = pod_requests_gres(&need, &map, 1, &gres, err);
	if (!rc)
		rc = external_node_shape_of(&h, &none, &rules, &shape, err);
	if (rc)
		return rc;
	line = external_node_line(&shape);
	return line ? place_pods(&names, nodes, 1, pods, 1, err) : err_oom(err);
}

static void the_bridge_survives_every_failed_allocation(void)
{
	bridged = t_parse("{\"metadata\": {\"name\": \"n\", \"uid\": \"u\"},"
			  "\"spec\": {\"nodeSelector\": {\"a\": \"b\"},"
			  "\"containers\": [{\"resources\": {\"limits\":"
			  "{\"amd.com/gpu\": 1}}}]},"
			  "\"status\": {\"allocatable\": {\"cpu\": \"4\","
			  "\"memory\": \"8Gi\", \"amd.com/gpu\": 4}}}");
	torture(look_at_bridged);
	json_object_put(bridged);
}

T_MAIN("oom", T(a_configuration_survives_every_failed_allocation),
       T(features_survive_every_failed_allocation),
       T(who_may_enter_survives_every_failed_allocation),
       T(job_options_survive_every_failed_allocation),
       T(a_manifest_allocates_by_json_c_alone),
       T(gangs_survive_every_failed_allocation),
       T(the_bridge_survives_every_failed_allocation))
