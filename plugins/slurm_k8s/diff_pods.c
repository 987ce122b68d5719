/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The list has the pods' metadata, which is enough to see which ones differ.
 * Only these are read as a whole, and only when the list has ended: its pages
 * are not good for long.
 */
#include "diff_pods.h"

#include <errno.h>

#include "api_server.h"
#include "base/str.h"
#include "pods.h"
#include "progress.h"
#include "syntax/wellknown.h"

struct look {
	const struct templates *templates;
	const struct hostlist *wanted;
	struct api_server api;
	struct pod_diffs *out;
};

/* Add a pod of the list. One with words is left over, and is not read. */
static int add(struct look *l, const struct comparison *c,
	       const json_object *metadata)
{
	const char *name = jx_str(metadata, "name");
	const char *busy = jx_str(metadata, "labels", WK_LABEL_BUSY);
	const struct pod_id id = {.node = c->node,
				  .pod = name ? name : "",
				  .ns = l->api.k->ns,
				  .cluster = l->api.k->name,
				  .nodeset = c->set ? c->set->name : NULL,
				  .busy = str_eq(busy, "true")};
	struct pod_diff *p = pod_diffs_add(l->out, &id);

	if (!p)
		return -ENOMEM;
	pod_diff_is(p, c->state, *c->words ? c->words : NULL);
	return 0;
}

static int on_row(void *arg, const char *const cells[],
		  const json_object *metadata)
{
	_cleanup_comparison_ struct comparison c = {0};
	struct look *l = arg;

	(void)cells;
	if (jx_get(metadata, "deletionTimestamp"))
		return 0; /* the pod is being deleted */
	comparison_make(l->templates, l->api.k, metadata, &c);
	if (l->wanted && !hostlist_has(l->wanted, c.node))
		return 0;
	if (c.state != POD_AS_MADE)
		return add(l, &c, metadata);
	l->out->as_made++;
	return 0;
}

static int list(struct look *l, struct err *err)
{
	_cleanup_free_ char *labels =
		pods_worker_labels(l->templates->slurm_cluster);
	const struct api_table table = {
		.ref = {.api = KUBE_CORE_V1,
			.ns = l->api.k->ns,
			.resource = "pods"},
		.labels = labels,
		.fields = PODS_NOT_ENDED,
		.metadata = true,
		.on_row = on_row,
		.arg = l,
	};

	return labels ? api_list(&l->api, &table, err) : err_oom(err);
}

/* A pod that has gone since it was listed counts as one that is in order. */
static int read_pod(struct look *l, struct pod_diff *p, struct err *err)
{
	const struct kube_ref ref = {.api = KUBE_CORE_V1,
				     .ns = l->api.k->ns,
				     .resource = "pods",
				     .name = p->pod};
	_cleanup_json_ json_object *live = NULL;
	int rc = api_get(&l->api, &ref, &live, err);

	if (!rc)
		pod_compare(l->templates, l->api.k, live, p);
	else if (rc == -ENOENT)
		pod_diff_is(p, POD_AS_MADE, NULL);
	else
		pod_diff_is(p, POD_NOT_SEEN, err->msg);
	return rc == -ENOENT ? 0 : rc;
}

/* True if a pod could not be read for its own sake: the others may be. */
static bool is_its_own_fault(int rc)
{
	return rc == -EBADMSG || rc == -EMSGSIZE;
}

static void read_pods(struct look *l, size_t first)
{
	int rc = 0;

	for (size_t i = first; i < l->out->n; i++) {
		struct pod_diff *p = &l->out->v[i];
		struct err err = {0};

		if (p->words)
			continue;
		progress_says("cluster %s: pod %zu of %zu is compared",
			      l->api.k->name, i - first + 1, l->out->n - first);
		if (!rc || is_its_own_fault(rc))
			rc = read_pod(l, p, &err);
		else
			pod_diff_is(p, POD_NOT_SEEN,
				    "it was not read, for another one could "
				    "not be");
	}
}

void diff_pods(const struct templates *t, const struct cluster_config *k,
	       const struct hostlist *wanted, struct pod_diffs *out)
{
	struct look l = {.templates = t, .wanted = wanted, .out = out};
	const size_t first = out->n;
	struct err err = {0};
	int rc = api_open(&l.api, k, &err);

	if (!rc)
		rc = list(&l, &err);
	if (rc)
		pod_diffs_problem(out, "cluster %s: %s", k->name, err.msg);
	read_pods(&l, first);
	api_close(&l.api);
}
