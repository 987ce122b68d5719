/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "host_checks.h"

#include <stdlib.h>

#include "base/clock.h"
#include "host_rules.h"
#include "node_facts.h"
#include "nodes/pod/manifest.h"
#include "objects/node_filter.h"
#include "syntax/hostlist.h"
#include "json/json_only.h"

#define CHECK "Kubernetes nodes"
#define LIST_MS (6 * API_WAIT_MS) /* longest wait for all pages */

/* Kubernetes nodes, and how the list of them ended. */
struct hosts {
	struct kube_node *v;
	size_t n, size;
	struct err err;
	int http;
};

static const struct jx_only metadata[] = {
	{"name"}, {"uid"}, {"labels"}, {NULL}};
static const struct jx_only spec[] = {{"taints"}, {"unschedulable"}, {NULL}};
static const struct jx_only status[] = {
	{"allocatable"}, {"conditions"}, {NULL}};
static const struct jx_only node[] = {
	{"metadata", metadata}, {"spec", spec}, {"status", status}, {NULL}};

static int grow(struct hosts *h)
{
	const size_t size = h->size ? 2 * h->size : 64;
	struct kube_node *v = reallocarray(h->v, size, sizeof(*v));

	if (!v)
		return -ENOMEM;
	h->v = v;
	h->size = size;
	return 0;
}

/*
 * Keep a Kubernetes node. One that cannot be read, such as one that is too
 * large, is left out: no pod is placed there.
 */
static int on_item(void *arg, json_object *item)
{
	struct hosts *h = arg;
	struct err err;
	int rc;

	if (h->n == HOSTS_MAX)
		return -E2BIG;
	if (h->n == h->size && grow(h))
		return -ENOMEM;
	rc = kube_node_of(item, &h->v[h->n], &err);
	if (!rc)
		h->n++;
	return rc == -ENOMEM ? rc : 0;
}

static void forget(void *arg)
{
	struct hosts *h = arg;

	while (h->n)
		kube_node_clear(&h->v[--h->n]);
}

static void on_done(void *arg, const struct kube_result *res,
		    const char *resource_version)
{
	struct hosts *h = arg;

	(void)resource_version;
	h->http = res->http;
	if (res->rc == -E2BIG)
		err_set(&h->err, -E2BIG,
			"it has more than %d nodes: they were not looked at",
			HOSTS_MAX);
	else if (res->rc)
		err_set(&h->err, res->rc, "%s", res->err->msg);
}

static void list(struct api_server *api, struct hosts *h)
{
	const struct kube_ref ref = {.api = KUBE_CORE_V1, .resource = "nodes"};
	const struct kube_list_reply to = {
		.on_item = on_item,
		.on_restart = forget,
		.on_done = on_done,
		.arg = h,
		.deadline_ms = clock_ms() + LIST_MS,
		.no_retry = true,
		.only = node,
	};

	if (!kube_list(api->client, &ref, NULL, 0, &to))
		err_oom(&h->err);
	else
		api_wait(api);
}

/*
 * Make the pod of the set's first node whose size is known. False: there is
 * none.
 */
static bool make_pod(const struct kube_facts *facts, const struct nodeset *set,
		     struct manifest *m)
{
	_cleanup_hostlist_ struct hostlist names = {0};
	struct node_facts of = {0};
	struct err err = {0};

	if (hostlist_expand(set->nodes, &names, &err))
		return false;
	for (size_t i = 0; i < names.n; i++) {
		if (!facts_of_node(set, facts->nodes, names.names[i], &of))
			continue;
		of.features = NULL; /* no features are active at a power-up */
		return !manifest_make(
			facts->slurm_cluster ? facts->slurm_cluster : "cluster",
			set, &of, m, &err);
	}
	return false;
}

void host_checks(struct api_server *api, const struct kube_facts *facts,
		 struct findings *out)
{
	const struct config *c = facts->config;
	struct hosts h = {0};

	list(api, &h);
	if (h.err.code && h.http != 403)
		findings_add(out, FINDING_UNKNOWN, CHECK, NULL,
			     "cluster %s: %s", api->k->name, h.err.msg);
	for (size_t i = 0; !h.err.code && i < c->n_nodesets; i++) {
		const struct nodeset *set = &c->nodesets[i];
		_cleanup_manifest_ struct manifest m = {0};

		if (set->cluster == api->k && make_pod(facts, set, &m))
			host_rules(set, m.pod_json, h.v, h.n, out);
	}
	forget(&h);
	free(h.v);
}
