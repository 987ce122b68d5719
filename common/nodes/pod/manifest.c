/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "nodes/pod/manifest.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/digest.h"
#include "base/str.h"
#include "nodes/pod/patch.h"
#include "objects/pod_requests.h"
#include "syntax/gres.h"
#include "syntax/wellknown.h"

#define HASH_DIGITS 16

static int set_labels(json_object *meta, const char *slurm_cluster,
		      const struct nodeset *set, const char *node)
{
	json_object *l = jx_need(meta, "labels", json_type_object);
	char value[DNS_LABEL_MAX + 1];
	int bad;

	if (!l)
		return -EINVAL;
	bad = jx_set_str(l, WK_LABEL_APP_NAME, WK_APP_NAME);
	bad |= jx_set_str(l, WK_LABEL_APP_PART_OF, WK_APP_PART_OF);
	bad |= jx_set_str(l, WK_LABEL_APP_MANAGED_BY, WK_APP_MANAGED_BY);
	name_label_of(slurm_cluster, value);
	bad |= jx_set_str(l, WK_LABEL_CLUSTER, value);
	name_label_of(node, value);
	bad |= jx_set_str(l, WK_LABEL_NODE, value);
	bad |= jx_set_str(l, WK_LABEL_NODESET, set->name);
	return bad ? -ENOMEM : 0;
}

/* The environment variable of the container; NULL: out of memory, bad type. */
static json_object *need_env(json_object *container, const char *name)
{
	json_object *env = jx_need(container, "env", json_type_array);
	json_object *e = jx_by_name(env, name);

	if (!env || e)
		return e;
	e = json_object_new_object();
	return jx_append(env, e) || jx_set_str(e, "name", name) ? NULL : e;
}

/* Set one environment variable of the container, replacing a value. */
static int set_env(json_object *container, const char *name, const char *value)
{
	json_object *e = need_env(container, name);

	if (!e)
		return -EINVAL;
	json_object_object_del(e, "valueFrom");
	return jx_set_str(e, "value", value);
}

/*
 * Set one environment variable of the container to a field of the pod itself
 * (kubernetes.io, "Downward API").
 */
static int set_env_field(json_object *container, const char *name,
			 const char *field)
{
	json_object *e = need_env(container, name), *from, *ref;

	if (!e)
		return -EINVAL;
	json_object_object_del(e, "value");
	json_object_object_del(e, "valueFrom");
	from = jx_need(e, "valueFrom", json_type_object);
	ref = from ? jx_need(from, "fieldRef", json_type_object) : NULL;
	return ref ? jx_set_str(ref, "fieldPath", field) : -ENOMEM;
}

/* What slurmd, and so jobs, are to know of the pod that they are in. */
static int tell_pod(json_object *container, const struct nodeset *set)
{
	static const struct {
		const char *name, *field;
	} fields[] = {
		{WK_ENV_POD_NAME, "metadata.name"},
		{WK_ENV_NAMESPACE, "metadata.namespace"},
		{WK_ENV_POD_UID, "metadata.uid"},
		{WK_ENV_POD_IP, "status.podIP"},
		{WK_ENV_KUBE_NODE, "spec.nodeName"},
		{WK_ENV_TEMPLATE, "metadata.labels['" WK_LABEL_HASH "']"},
	};
	int bad = 0;

	for (size_t i = 0; i < sizeof(fields) / sizeof(*fields); i++)
		bad |= set_env_field(container, fields[i].name,
				     fields[i].field);
	bad |= set_env(container, WK_ENV_CLUSTER, set->cluster->name);
	bad |= set_env(container, WK_ENV_NODESET, set->name);
	return bad;
}

static int set_amount(json_object *limits, json_object *requests,
		      const char *name, uint64_t n, const char *unit)
{
	char text[40];

	snprintf(text, sizeof(text), "%llu%s", (unsigned long long)n, unit);
	return jx_set_str(limits, name, text) |
	       jx_set_str(requests, name, text);
}

/* Set what a GRES stands for. Of huge pages Slurm counts pages, not bytes. */
static int set_gres(json_object *limits, json_object *requests,
		    const char *resource, uint64_t n)
{
	const uint64_t unit = (uint64_t)pod_requests_unit(resource);

	if (n > INT64_MAX / unit)
		n = INT64_MAX / unit; /* no node has as many */
	return n ? set_amount(limits, requests, resource, n * unit, "") : 0;
}

/* requests = limits = what Slurm believes the node has. */
static int set_resources(json_object *container, const struct nodeset *set,
			 const struct node_facts *node, struct err *err)
{
	json_object *res = jx_need(container, "resources", json_type_object);
	json_object *lim, *req;
	int bad;

	if (!node->cpus || !node->memory_mib)
		return err_set(err, -EINVAL,
			       WK_NODE_WORDS
			       "%s: Slurm names no CPUs or RealMemory",
			       node->name);
	lim = res ? jx_need(res, "limits", json_type_object) : NULL;
	req = res ? jx_need(res, "requests", json_type_object) : NULL;
	if (!lim || !req)
		return err_set(err, -EINVAL,
			       "nodeset %s: resources of container %s must be "
			       "mappings",
			       set->name, set->container);
	bad = set_amount(lim, req, "cpu", node->cpus, "");
	bad |= set_amount(lim, req, "memory", node->memory_mib, "Mi");
	json_object_object_foreach(set->gres, kind, resource) bad |=
		set_gres(lim, req, json_object_get_string(resource),
			 gres_count(node->gres, kind));
	return bad ? err_oom(err) : 0;
}

/* Apply the patches of the features, in the order of the file. */
static int add_features(json_object *pod, const struct nodeset *set,
			feature_set active, struct err *err)
{
	char list[FEATURES_TEXT_MAX];
	int rc = features_check(set->known, active, err);

	if (!rc && (active & ~set->features)) {
		features_to_list(set->known, active & ~set->features, list);
		rc = err_set(err, -EINVAL, "nodeset %s does not offer %s",
			     set->name, list);
	}
	for (size_t i = 0; !rc && i < set->known->n; i++)
		if ((active >> i & 1) &&
		    patch_apply(pod, set->known->v[i].patch))
			rc = err_oom(err);
	return rc;
}

/* Tell slurmd in the pod, and the engine, which patches were applied. */
static int tell_features(json_object *meta, json_object *container,
			 const struct nodeset *set, feature_set active)
{
	json_object *a;
	char list[FEATURES_TEXT_MAX];

	if (!set->known || !set->known->n)
		return 0;
	features_to_list(set->known, active, list);
	a = jx_need(meta, "annotations", json_type_object);
	return !a || jx_set_str(a, WK_ANNOTATION_FEATURES, list) ||
	       set_env(container, WK_ENV_FEATURES, list);
}

/* Give slurmd the line of its node, which is in no slurm.conf. */
static int tell_conf(json_object *container, const struct nodeset *set,
		     const struct node_facts *node)
{
	_cleanup_free_ char *text = NULL;

	if (!set->create.wanted)
		return 0;
	text = create_nodes_slurmd_conf(&set->create, node->cpus,
					node->memory_mib);
	return !text || set_env(container, WK_ENV_NODE_CONF, text);
}

static int fill(json_object *pod, const char *slurm_cluster,
		const struct nodeset *set, const struct node_facts *node,
		feature_set active, struct manifest *m, struct err *err)
{
	json_object *meta = jx_need(pod, "metadata", json_type_object);
	json_object *spec = jx_get(pod, "spec");
	json_object *c = jx_by_name(jx_get(spec, "containers"), set->container);
	int bad;

	if (!meta || !c)
		return err_set(err, -EINVAL,
			       "nodeset %s: the template has no container %s",
			       set->name, set->container);
	bad = jx_set_str(pod, "apiVersion", "v1");
	bad |= jx_set_str(pod, "kind", "Pod");
	bad |= jx_set_str(meta, "name", m->pod);
	bad |= jx_set_str(meta, "namespace", set->cluster->ns);
	bad |= set_labels(meta, slurm_cluster, set, node->name);
	if (!jx_get(spec, "hostname"))
		bad |= jx_set_str(spec, "hostname", m->pod);
	bad |= set_env(c, WK_ENV_NODE, node->name);
	bad |= tell_pod(c, set);
	bad |= tell_features(meta, c, set, active);
	bad |= tell_conf(c, set, node);
	if (bad)
		return err_set(err, -EINVAL,
			       "nodeset %s: labels, annotations and env of the "
			       "template have the wrong type",
			       set->name);
	if (set->resources == RESOURCES_FROM_NODE)
		return set_resources(c, set, node, err);
	return 0;
}

static int set_hash(struct manifest *m)
{
	const char *text = json_object_to_json_string_ext(
		m->pod_json, JSON_C_TO_STRING_PLAIN);
	char hex[65];

	if (!text || sha256_hex(text, strlen(text), hex))
		return -ENOMEM;
	str_copy(m->hash, hex, HASH_DIGITS + 1);
	return jx_set_str(jx_get(m->pod_json, "metadata", "labels"),
			  WK_LABEL_HASH, m->hash);
}

int manifest_make(const char *slurm_cluster, const struct nodeset *set,
		  const struct node_facts *node, struct manifest *out,
		  struct err *err)
{
	_cleanup_manifest_ struct manifest m = {0};
	feature_set active = 0;
	int rc = 0;

	name_pod_of_node(node->name, m.pod);
	m.pod_json = jx_copy(set->template);
	if (!m.pod_json)
		return err_oom(err);
	if (set->known) {
		active = features_of_list(set->known, node->features);
		rc = add_features(m.pod_json, set, active, err);
	}
	if (!rc)
		rc = fill(m.pod_json, slurm_cluster, set, node, active, &m,
			  err);
	if (rc)
		return rc;
	if (set_hash(&m))
		return err_oom(err);
	*out = m;
	m.pod_json = NULL;
	return 0;
}

const char *manifest_text(const struct manifest *m)
{
	return json_object_to_json_string_ext(
		m->pod_json, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_SPACED |
				     JSON_C_TO_STRING_NOSLASHESCAPE);
}

void manifest_clear(struct manifest *m)
{
	json_object_put(m->pod_json);
	m->pod_json = NULL;
}
