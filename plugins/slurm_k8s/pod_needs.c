/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pod_needs.h"

#include "base/str.h"

static const char *const secret[] = {"Secret", "secrets"};
static const char *const config_map[] = {"ConfigMap", "configmaps"};
static const char *const claim[] = {"PersistentVolumeClaim",
				    "persistentvolumeclaims"};

/* Where needs are added, and for what. */
struct asks {
	struct pod_needs *needs;
	const char *nodeset;
	bool to_pull;
};

static void need(const struct asks *a, const char *const kind[2],
		 const char *name)
{
	struct pod_needs *needs = a->needs;

	if (!name || !*name)
		return;
	for (size_t i = 0; i < needs->n; i++) {
		struct pod_need *has = &needs->v[i];

		if (has->kind != kind[0] || !str_eq(has->name, name))
			continue;
		if (has->to_pull && !a->to_pull) {
			has->to_pull = false;
			has->nodeset = a->nodeset;
		}
		return;
	}
	if (needs->n < POD_NEEDS_MAX)
		needs->v[needs->n++] = (struct pod_need){
			.kind = kind[0],
			.resource = kind[1],
			.name = name,
			.nodeset = a->nodeset,
			.to_pull = a->to_pull,
		};
}

/* Add what the object `by` names as `key`, unless it is optional. */
static void needed(const struct asks *a, const char *const kind[2],
		   const json_object *by, const char *key)
{
	if (by && !json_object_get_boolean(jx_get(by, "optional")))
		need(a, kind, jx_str(by, key));
}

static size_t length(const json_object *list)
{
	return jx_is(list, json_type_array) ? json_object_array_length(list)
					    : 0;
}

static void volume(const struct asks *a, const json_object *v)
{
	const json_object *sources = jx_get(v, "projected", "sources");

	needed(a, secret, jx_get(v, "secret"), "secretName");
	needed(a, config_map, jx_get(v, "configMap"), "name");
	needed(a, claim, jx_get(v, "persistentVolumeClaim"), "claimName");
	for (size_t i = 0; i < length(sources); i++) {
		const json_object *s = json_object_array_get_idx(sources, i);

		needed(a, secret, jx_get(s, "secret"), "name");
		needed(a, config_map, jx_get(s, "configMap"), "name");
	}
}

static void container(const struct asks *a, const json_object *c)
{
	const json_object *env = jx_get(c, "env"), *from = jx_get(c, "envFrom");

	for (size_t i = 0; i < length(env); i++) {
		const json_object *e =
			jx_get(json_object_array_get_idx(env, i), "valueFrom");

		needed(a, secret, jx_get(e, "secretKeyRef"), "name");
		needed(a, config_map, jx_get(e, "configMapKeyRef"), "name");
	}
	for (size_t i = 0; i < length(from); i++) {
		const json_object *e = json_object_array_get_idx(from, i);

		needed(a, secret, jx_get(e, "secretRef"), "name");
		needed(a, config_map, jx_get(e, "configMapRef"), "name");
	}
}

void pod_needs_add(struct pod_needs *needs, const json_object *pod,
		   const char *nodeset)
{
	static const char *const lists[] = {"containers", "initContainers"};
	const struct asks a = {needs, nodeset, false};
	const struct asks puller = {needs, nodeset, true};
	const json_object *spec = jx_get(pod, "spec");
	const json_object *volumes = jx_get(spec, "volumes");
	const json_object *pull = jx_get(spec, "imagePullSecrets");

	for (size_t i = 0; i < length(volumes); i++)
		volume(&a, json_object_array_get_idx(volumes, i));
	for (size_t k = 0; k < sizeof(lists) / sizeof(*lists); k++) {
		const json_object *list = jx_get(spec, lists[k]);

		for (size_t i = 0; i < length(list); i++)
			container(&a, json_object_array_get_idx(list, i));
	}
	for (size_t i = 0; i < length(pull); i++)
		need(&puller, secret,
		     jx_str(json_object_array_get_idx(pull, i), "name"));
}
