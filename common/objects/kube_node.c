/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A Kubernetes node's JSON as a struct kube_node. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "objects/node_filter.h"
#include "syntax/quantity.h"
#include "syntax/wellknown.h"
#include "json/json_only.h"

#define KUBE_TAINT "node.kubernetes.io/"
#define CLOUD_TAINT "node.cloudprovider.kubernetes.io/uninitialized"

/* The one block: three arrays, then texts. Counted first, then filled. */
struct block {
	char *next; /* NULL: count only */
	size_t size;
};

static const char *keep(struct block *b, const char *text)
{
	size_t n = strlen(text ? text : "") + 1;
	char *at = b->next;

	b->size += n;
	if (!at)
		return "";
	memcpy(at, text ? text : "", n);
	b->next += n;
	return at;
}

/* NULL stays NULL */
static const char *keep_some(struct block *b, const char *text)
{
	return text ? keep(b, text) : NULL;
}

static const char *either(const json_object *map, const char *ours,
			  const char *compat)
{
	const char *text = jx_str(map, ours);

	return text ? text : jx_str(map, compat);
}

static size_t members(const json_object *map)
{
	return jx_is(map, json_type_object)
		       ? (size_t)json_object_object_length(map)
		       : 0;
}

static size_t length(const json_object *seq)
{
	return jx_is(seq, json_type_array) ? json_object_array_length(seq) : 0;
}

static void take_labels(struct block *b, const json_object *map,
			struct kube_label *to)
{
	if (!members(map))
		return;
	json_object_object_foreach((json_object *)map, key, value)
	{
		const char *text = jx_is(value, json_type_string)
					   ? json_object_get_string(value)
					   : "";
		struct kube_label l = {keep(b, key), keep(b, text)};

		if (b->next)
			*to++ = l;
	}
}

static void take_taints(struct block *b, const json_object *seq,
			struct kube_taint *to)
{
	for (size_t i = 0; i < length(seq); i++) {
		json_object *t = json_object_array_get_idx(seq, i);
		struct kube_taint taint = {keep(b, jx_str(t, "key")),
					   keep(b, jx_str(t, "value")),
					   keep(b, jx_str(t, "effect"))};

		if (b->next)
			*to++ = taint;
	}
}

/*
 * An amount in thousandths: no quantity counts as 0, one out of range as the
 * most.
 */
static quantity_milli milli_of(const json_object *o)
{
	quantity_milli milli = 0;
	int rc = quantity_of(o, &milli, NULL);

	return rc == -ERANGE ? QUANTITY_MAX : milli < 0 ? 0 : milli;
}

/* A whole number of units, rounded down. */
static int64_t units_of(const json_object *o)
{
	return (int64_t)(milli_of(o) / 1000);
}

static void take_room(struct block *b, const json_object *map,
		      struct kube_node *h, struct kube_extended *to)
{
	quantity_milli cpu;

	if (!members(map))
		return;
	cpu = milli_of(jx_get(map, "cpu"));
	h->cpu_milli = cpu < INT64_MAX ? (int64_t)cpu : INT64_MAX;
	h->memory_bytes = units_of(jx_get(map, "memory"));
	h->pods = units_of(jx_get(map, "pods"));
	h->n_ext = 0;
	json_object_object_foreach((json_object *)map, name, quantity)
	{
		int64_t n = units_of(quantity);

		if (!n || h->n_ext == HOST_EXT_MAX ||
		    (!strchr(name, '/') && !str_starts(name, "hugepages-")))
			continue;
		h->n_ext++;
		name = (char *)keep(b, name);
		if (b->next)
			*to++ = (struct kube_extended){name, n};
	}
}

bool kube_node_is_ready(const json_object *node)
{
	json_object *conditions = jx_get(node, "status", "conditions");

	for (size_t i = 0; i < length(conditions); i++) {
		json_object *c = json_object_array_get_idx(conditions, i);

		if (str_eq(jx_str(c, "type"), "Ready"))
			return str_eq(jx_str(c, "status"), "True");
	}
	return false;
}

/* A taint of Kubernetes' own that keeps pods away, while it is there. */
static const char *closing_taint(const json_object *spec)
{
	json_object *seq = jx_get(spec, "taints");

	if (json_object_get_boolean(jx_get(spec, "unschedulable")))
		return KUBE_TAINT "unschedulable";
	for (size_t i = 0; i < length(seq); i++) {
		json_object *t = json_object_array_get_idx(seq, i);
		const char *key = jx_str(t, "key");

		if (!key || str_eq(jx_str(t, "effect"), "PreferNoSchedule") ||
		    !strcmp(key, KUBE_TAINT "not-ready") ||
		    !strcmp(key, KUBE_TAINT "unreachable"))
			/* not-ready and unreachable say what `ready` says */
			continue;
		if (str_starts(key, KUBE_TAINT) || !strcmp(key, CLOUD_TAINT))
			return key;
	}
	return NULL;
}

static const char *slurm_node_of(const json_object *labels)
{
	return either(labels, WK_HOST_SLURM_NODE, WK_COMPAT_HOST_SLURM_NODE);
}

static void take_texts(struct block *b, const json_object *node,
		       struct kube_node *h)
{
	json_object *meta = jx_get(node, "metadata");
	json_object *labels = jx_get(meta, "labels");
	json_object *notes = jx_get(meta, "annotations");

	h->name = keep(b, jx_str(meta, "name"));
	h->uid = keep(b, jx_str(meta, "uid"));
	h->boot = keep(b, jx_str(node, "status", "nodeInfo", "bootID"));
	h->closed = keep_some(b, closing_taint(jx_get(node, "spec")));
	h->slurm_node = keep_some(b, slurm_node_of(labels));
	h->partitions = keep_some(b, either(notes, WK_HOST_PARTITIONS,
					    WK_COMPAT_HOST_PARTITIONS));
	h->claimed_by = keep_some(b, jx_str(notes, WK_CLAIM_BY));
	h->topology = keep_some(
		b, either(notes, WK_HOST_TOPOLOGY, WK_COMPAT_HOST_TOPOLOGY));
}

static int by_key(const void *a, const void *b)
{
	return strcmp(((const struct kube_label *)a)->key,
		      ((const struct kube_label *)b)->key);
}

static void fill(struct block *b, const json_object *node, struct kube_node *h)
{
	json_object *labels = jx_get(node, "metadata", "labels");
	json_object *taints = jx_get(node, "spec", "taints");
	struct kube_label *l = h->block;
	struct kube_taint *t = NULL;
	struct kube_extended *e = NULL;

	if (l) {
		t = (struct kube_taint *)(l + h->n_labels);
		e = (struct kube_extended *)(t + h->n_taints);
		h->labels = l;
		h->taints = t;
		h->ext = e;
	}
	take_texts(b, node, h);
	take_labels(b, labels, l);
	take_taints(b, taints, t);
	take_room(b, jx_get(node, "status", "allocatable"), h, e);
	if (l)
		qsort(l, h->n_labels, sizeof(*l), by_key);
}

static bool is_named(const char *name, const char *uid)
{
	return name && *name && uid && *uid &&
	       strlen(name) <= HOST_NAME_MAX_K8S;
}

static int check(const json_object *node, struct err *err)
{
	json_object *meta = jx_get(node, "metadata");
	const char *name = jx_str(meta, "name");

	if (!is_named(name, jx_str(meta, "uid")))
		return err_set(err, -EINVAL, "no node with a name and a uid");
	if (members(jx_get(meta, "labels")) > HOST_LABELS_MAX)
		return err_set(err, -E2BIG,
			       "Kubernetes node %s has more than %d labels",
			       name, HOST_LABELS_MAX);
	if (length(jx_get(node, "spec", "taints")) > HOST_TAINTS_MAX)
		return err_set(err, -E2BIG,
			       "Kubernetes node %s has more than %d taints",
			       name, HOST_TAINTS_MAX);
	return 0;
}

int kube_node_of(const json_object *node, struct kube_node *out,
		 struct err *err)
{
	json_object *labels = jx_get(node, "metadata", "labels");
	struct kube_node h = {0};
	struct block b = {0};
	size_t arrays;
	int rc = check(node, err);

	*out = h;
	if (rc)
		return rc;
	h.n_labels = members(labels);
	h.n_taints = length(jx_get(node, "spec", "taints"));
	fill(&b, node, &h);
	if (b.size > HOST_TEXT_MAX)
		return err_set(err, -E2BIG,
			       "Kubernetes node %s has more than %d bytes of "
			       "labels and taints",
			       jx_str(node, "metadata", "name"), HOST_TEXT_MAX);
	arrays = h.n_labels * sizeof(*h.labels) +
		 h.n_taints * sizeof(*h.taints) + h.n_ext * sizeof(*h.ext);
	h.block = malloc(arrays + b.size);
	if (!h.block)
		return err_oom(err);
	b.next = (char *)h.block + arrays;
	fill(&b, node, &h);
	h.ready = kube_node_is_ready(node);
	h.external = jx_get(labels, WK_HOST_EXTERNAL) ||
		     jx_get(labels, WK_COMPAT_HOST_EXTERNAL);
	*out = h;
	return 0;
}

int kube_node_unread(const char *name, const char *uid,
		     const json_object *labels, struct kube_node *out)
{
	const char *slurm_node = slurm_node_of(labels);
	struct kube_node h = {.unread = true};
	struct block b = {0};

	*out = (struct kube_node){0};
	if (!is_named(name, uid) || strlen(uid) > HOST_TEXT_MAX ||
	    (slurm_node && strlen(slurm_node) > HOST_NAME_MAX_K8S))
		return -EINVAL;
	for (int i = 0; i < 2; i++) { /* counted, then filled */
		h.name = keep(&b, name);
		h.uid = keep(&b, uid);
		h.boot = keep(&b, NULL);
		h.slurm_node = keep_some(&b, slurm_node);
		if (!i && !(b.next = h.block = malloc(b.size)))
			return -ENOMEM;
	}
	*out = h;
	return 0;
}

json_object *kube_node_labels_of(const char *text, size_t len)
{
	static const struct jx_only metadata[] = {{"labels", NULL},
						  {NULL, NULL}};
	static const struct jx_only node[] = {{"metadata", metadata},
					      {NULL, NULL}};
	_cleanup_json_ json_object *part = NULL;

	if (!text || jx_parse_only(text, len, node, JX_PARTS_MAX, &part, NULL))
		return NULL;
	return json_object_get(jx_get(part, "metadata", "labels"));
}

void kube_node_clear(struct kube_node *h)
{
	free(h->block);
	*h = (struct kube_node){0};
}

int64_t kube_node_count(const struct kube_node *h, const char *resource)
{
	for (size_t i = 0; i < h->n_ext; i++)
		if (!strcmp(h->ext[i].name, resource))
			return h->ext[i].count;
	return 0;
}

const char *kube_node_label(const struct kube_node *h, const char *key)
{
	struct kube_label wanted = {key, ""};
	const struct kube_label *l =
		h->n_labels ? bsearch(&wanted, h->labels, h->n_labels,
				      sizeof(*h->labels), by_key)
			    : NULL;

	return l ? l->value : NULL;
}
