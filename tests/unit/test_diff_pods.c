/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "api_fixture.h"
#include "api_server.h"
#include "base/cleanup.h"
#include "base/str.h"
#include "diff_pods.h"
#include "progress_fixture.h"
#include "syntax/wellknown.h"
#include "t.h"

#define LONG_NAME                                                              \
	"a-node-whose-name-is-longer-than-63-letters-which-kubernetes-does-"   \
	"not-allow-0"

/* --- Slurm's nodes */

static const struct ctl_node slurm[] = {
	{.name = "cpu-0", .cpus = 4, .memory_mib = 1000},
	{.name = "cpu-1", .cpus = 4, .memory_mib = 1000},
	{.name = "far-0", .cpus = 4, .memory_mib = 1000},
	{.name = LONG_NAME, .cpus = 4, .memory_mib = 1000},
	{.name = "small-0"},
};

bool __wrap_ctl_nodes_at(const struct ctl_nodes *n, size_t i,
			 struct ctl_node *out);
bool __wrap_ctl_nodes_at(const struct ctl_nodes *n, size_t i,
			 struct ctl_node *out)
{
	(void)n;
	if (i < T_COUNT(slurm))
		*out = slurm[i];
	return i < T_COUNT(slurm);
}

bool __wrap_ctl_nodes_find(const struct ctl_nodes *n, const char *name,
			   struct ctl_node *out);
bool __wrap_ctl_nodes_find(const struct ctl_nodes *n, const char *name,
			   struct ctl_node *out)
{
	(void)n;
	for (size_t i = 0; i < T_COUNT(slurm); i++)
		if (!strcmp(slurm[i].name, name))
			return *out = slurm[i], true;
	return false;
}

/* --- Kubernetes' pods */

struct server {
	json_object *pods[8];
	size_t n;
	int list_rc, get_rc;
	size_t gets;
};
static struct server server;

int __wrap_api_list(struct api_server *s, const struct api_table *t,
		    struct err *err);
int __wrap_api_list(struct api_server *s, const struct api_table *t,
		    struct err *err)
{
	const char *no_cells[] = {NULL};
	int rc = 0;

	T_STR(t->ref.ns, s->k->ns);
	T_STR(t->labels, "slurm-k8s.io/cluster=site,slurm-k8s.io/node");
	T_STR(t->fields, "status.phase!=Succeeded,status.phase!=Failed");
	for (size_t i = 0; !rc && i < server.n; i++)
		rc = t->on_row(t->arg, no_cells,
			       jx_get(server.pods[i], "metadata"));
	return server.list_rc ? err_set(err, server.list_rc, "no list") : rc;
}

int __wrap_api_get(struct api_server *s, const struct kube_ref *ref,
		   json_object **out, struct err *err);
int __wrap_api_get(struct api_server *s, const struct kube_ref *ref,
		   json_object **out, struct err *err)
{
	T_STR(ref->ns, s->k->ns);
	server.gets++;
	if (server.get_rc)
		return err_set(err, server.get_rc, "no pod");
	for (size_t i = 0; i < server.n; i++)
		if (str_eq(jx_str(server.pods[i], "metadata", "name"),
			   ref->name))
			return *out = json_object_get(server.pods[i]), 0;
	return err_set(err, -ENOENT, "there is none");
}

/* --- k8s.yaml */

#define CONFIG(image)                                                          \
	"clusters:\n"                                                          \
	"- {name: main, kubeconfig: k, namespace: pods}\n"                     \
	"- {name: far, kubeconfig: f, namespace: pods}\n"                      \
	"features: [{name: jax, patch: {spec: {hostNetwork: true}}}]\n"        \
	"nodesets:\n"                                                          \
	"- {name: cpu, cluster: main, nodes: 'cpu-[0-1]," LONG_NAME            \
	",lost-0,small-0', podTemplate: " image "}\n"                          \
	"- {name: far, cluster: far, nodes: far-0, podTemplate: " image "}\n"
#define POD(image) "{spec: {containers: [{name: slurmd, image: '" image "'}]}}"

static struct config *config_of(const char *text)
{
	struct config *c = NULL;
	struct err err = {0};

	if (!config_parse("k8s.yaml", text, strlen(text), &c, &err))
		return c;
	fprintf(stderr, "the test's own k8s.yaml: %s\n", err.msg);
	abort();
}

/* A pod as it runs: made of that configuration's template of nodeset `set`. */
static void run(const struct config *c, const char *set, const char *node,
		const char *features)
{
	_cleanup_manifest_ struct manifest m = {0};
	struct node_facts facts = {.name = node,
				   .cpus = 4,
				   .memory_mib = 1000,
				   .features = features};
	struct err err = {0};

	T_INT(manifest_make("site", config_nodeset_named(c, set), &facts, &m,
			    &err),
	      0);
	T_STR(err.msg, "");
	server.pods[server.n++] = steal_ptr(m.pod_json);
}

static void stop(void)
{
	for (size_t i = 0; i < server.n; i++)
		json_object_put(server.pods[i]);
	server = (struct server){0};
}

static char *told(const struct config *c, const char *node)
{
	const struct templates t = {.config = c,
				    .slurm_cluster = "site",
				    .nodes = (const void *)slurm};
	char *names[] = {(char *)node};
	const struct hostlist wanted = {.names = names, .n = 1};
	struct pod_diffs d = {0};
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	if (!out)
		abort();
	diff_pods(&t, &c->clusters[0], node ? &wanted : NULL, &d);
	pod_diffs_print(&d, out);
	fclose(out);
	pod_diffs_clear(&d);
	return text;
}

static void pods_of_the_template_are_not_read(void)
{
	_cleanup_(config_freep) struct config *c = config_of(CONFIG(POD("a")));
	_cleanup_free_ char *text = NULL;

	run(c, "cpu", "cpu-0", NULL);
	run(c, "cpu", "cpu-1", "jax"); /* its own features count */
	run(c, "cpu", LONG_NAME, NULL);
	text = told(c, NULL);
	T_STR(text, "all 3 pods are as their templates\n");
	T_INT(server.gets, 0);
	stop();
}

static void another_template_is_told_field_by_field(void)
{
	_cleanup_(config_freep) struct config *old =
		config_of(CONFIG(POD("a")));
	_cleanup_(config_freep) struct config *c = config_of(CONFIG(POD("b")));
	_cleanup_free_ char *text = NULL, *one = NULL;

	run(old, "cpu", "cpu-0", NULL);
	run(old, "cpu", LONG_NAME, "jax");
	run(c, "cpu", "cpu-1", NULL);
	jx_set_str(jx_get(server.pods[0], "metadata", "labels"), WK_LABEL_BUSY,
		   "true");
	text = told(c, NULL);
	T_STR(text, LONG_NAME
	      ": pod pods/a-node-whose-name-is-longer-than-63-letters-which-"
	      "kube-b0d3f6d5 of cluster main, nodeset cpu, idle\n"
	      "    spec.containers[slurmd].image: a -> b\n"
	      "cpu-0: pod pods/cpu-0 of cluster main, nodeset cpu, busy\n"
	      "    spec.containers[slurmd].image: a -> b\n"
	      "2 of 3 pods are not as their templates\n");
	T_INT(server.gets, 2);
	T_STR(waited_for, "cluster main: pod 2 of 2 is compared");
	one = told(c, "cpu-1");
	T_STR(one, "all 1 pods are as their templates\n");
	stop();
}

static void what_was_taken_out_is_told_as_such(void)
{
	_cleanup_(config_freep) struct config *old = config_of(CONFIG(
		"{spec: {hostNetwork: true, containers: [{name: slurmd}]}}"));
	_cleanup_(config_freep) struct config *c =
		config_of(CONFIG("{spec: {containers: [{name: slurmd}]}}"));
	_cleanup_free_ char *text = NULL;

	run(old, "cpu", "cpu-0", NULL);
	text = told(c, NULL);
	T_HAS(text, "idle: no field of the template has changed: something was "
		    "taken out of it");
	stop();
}

static void pods_that_nobody_would_make_are_told(void)
{
	_cleanup_(config_freep) struct config *c = config_of(CONFIG(POD("a")));
	_cleanup_free_ char *text = NULL;

	run(c, "cpu", "stray-0", NULL);
	run(c, "cpu", "lost-0", NULL);
	run(c, "cpu", "far-0", NULL);
	run(c, "cpu", "small-0", NULL);
	run(c, "cpu", "cpu-0", NULL);
	jx_set_str(jx_get(server.pods[4], "metadata"), "deletionTimestamp",
		   "2026-01-01T00:00:00Z");
	text = told(c, NULL);
	T_STR(text,
	      "far-0: pod pods/far-0 of cluster main, nodeset far, idle: its "
	      "node's pods are in cluster far now\n"
	      "lost-0: pod pods/lost-0 of cluster main, nodeset cpu, idle: "
	      "Slurm does not have its node\n"
	      "small-0: pod pods/small-0 of cluster main, nodeset cpu, idle: "
	      "node small-0: Slurm names no CPUs or RealMemory\n"
	      "stray-0: pod pods/stray-0 of cluster main, no nodeset, idle: "
	      "its node is in no nodeset of k8s.yaml\n"
	      "3 of 4 pods are not as their templates, 1 could not be "
	      "compared\n");
	T_INT(server.gets, 0);
	stop();
}

static void an_api_server_may_fail(void)
{
	_cleanup_(config_freep) struct config *old =
		config_of(CONFIG(POD("a")));
	_cleanup_(config_freep) struct config *c = config_of(CONFIG(POD("b")));
	_cleanup_free_ char *list = NULL, *silent = NULL, *refused = NULL,
			    *gone = NULL;

	run(old, "cpu", "cpu-0", NULL);
	run(old, "cpu", "cpu-1", NULL);
	server.get_rc = -ETIMEDOUT;
	silent = told(c, NULL);
	T_HAS(silent, "idle: no pod\n");
	T_HAS(silent, "idle: it was not read, for another one");
	T_INT(server.gets, 1);
	server.get_rc = -EBADMSG;
	refused = told(c, NULL);
	T_HAS(refused, "0 of 2 pods are not as their templates, 2 could not");
	T_INT(server.gets, 3);
	server.get_rc = -ENOENT;
	gone = told(c, NULL);
	T_STR(gone, "all 2 pods are as their templates\n");
	server.list_rc = -EIO;
	list = told(c, NULL);
	T_HAS(list, "cluster main: no list\n");
	stop();
}

T_MAIN("diff_pods", T(pods_of_the_template_are_not_read),
       T(another_template_is_told_field_by_field),
       T(what_was_taken_out_is_told_as_such),
       T(pods_that_nobody_would_make_are_told), T(an_api_server_may_fail))
