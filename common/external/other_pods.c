/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What pods that are not ours hold of a Kubernetes node. */
#include <utlist.h>

#include "base/str.h"
#include "external/inventory_internal.h"

uint32_t inventory_node_others(const struct inventory_node *host)
{
	const struct other_pod *o = NULL;
	uint32_t n = 0;

	DL_COUNT(host->others, o, n);
	return n;
}

static int64_t plus(int64_t a, int64_t b)
{
	int64_t sum;

	return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

/*
 * Which pods of others do not count: those bound by jobs of which has_nodes()
 * is true.
 */
struct but {
	bool (*has_nodes)(void *arg, uint32_t job_id);
	void *arg;
};

static bool counts(const struct other_pod *o, const struct but *but)
{
	return !o->job_id || !but->has_nodes ||
	       !but->has_nodes(but->arg, o->job_id);
}

/* What the pods there that count hold of a kind. */
static int64_t held_of(const struct inventory_node *host, size_t kind,
		       const struct but *but)
{
	const struct other_pod *o = NULL;
	int64_t sum = 0;

	DL_FOREACH(host->others, o)
	{
		if (o->counts && counts(o, but))
			sum = plus(sum, o->counts[kind]);
	}
	return sum;
}

int inventory_node_used(const struct inventory_node *host,
			struct pod_requests *out, struct err *err)
{
	return inventory_node_taken(host, NULL, NULL, out, err);
}

int inventory_node_taken(const struct inventory_node *host,
			 bool (*has_nodes)(void *arg, uint32_t job_id),
			 void *arg, struct pod_requests *out, struct err *err)
{
	const struct inventory *h = host->others ? host->others->from->h : NULL;
	const struct but but = {has_nodes, arg};
	const struct other_pod *o = NULL;
	int rc = 0;

	*out = (struct pod_requests){0};
	DL_FOREACH(host->others, o)
	{
		if (!counts(o, &but))
			continue;
		out->cpu_milli = plus(out->cpu_milli, o->cpu_milli);
		out->memory_bytes = plus(out->memory_bytes, o->memory_bytes);
	}
	for (size_t i = 0; h && !rc && i < h->n_kinds; i++) {
		struct pod_requests more = {.n_ext = 1};

		str_copy(more.ext[0].name, h->kinds[i],
			 sizeof(more.ext[0].name));
		more.ext[0].count = held_of(host, i, &but);
		if (more.ext[0].count &&
		    kube_node_count(&host->view, h->kinds[i]))
			rc = pod_requests_add(out, &more, err);
	}
	return rc;
}
