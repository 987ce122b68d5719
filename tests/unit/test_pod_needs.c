/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "pod_needs.h"
#include "t.h"

static const char *listed(const struct pod_needs *needs)
{
	static char text[1024];

	*text = '\0';
	for (size_t i = 0; i < needs->n; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text),
			 "%s%s/%s%s", i ? " " : "", needs->v[i].resource,
			 needs->v[i].name,
			 needs->v[i].to_pull ? " (to pull)" : "");
	return text;
}

static void a_pod_needs_what_it_names(void)
{
	static const struct {
		const char *spec, *needs;
	} rows[] = {
		{"{}", ""},
		{"{\"volumes\": [{\"name\": \"m\", \"secret\": "
		 "{\"secretName\": "
		 "\"munge\"}}, {\"configMap\": {\"name\": \"c\"}}, "
		 "{\"persistentVolumeClaim\": {\"claimName\": \"home\"}}, "
		 "{\"emptyDir\": {}}]}",
		 "secrets/munge configmaps/c persistentvolumeclaims/home"},
		{"{\"volumes\": [{\"configMap\": {\"name\": \"c\", "
		 "\"optional\": "
		 "true}}, {\"secret\": {\"secretName\": \"s\", \"optional\": "
		 "true}}]}",
		 ""},
		{"{\"volumes\": [{\"projected\": {\"sources\": [{\"secret\": "
		 "{\"name\": \"s\"}}, {\"configMap\": {\"name\": \"c\"}}, "
		 "{\"serviceAccountToken\": {\"path\": \"t\"}}]}}]}",
		 "secrets/s configmaps/c"},
		{"{\"containers\": [{\"env\": [{\"name\": \"A\", \"value\": "
		 "\"b\"}, {\"valueFrom\": {\"secretKeyRef\": {\"name\": "
		 "\"s\"}}}, {\"valueFrom\": {\"configMapKeyRef\": {\"name\": "
		 "\"c\", \"optional\": true}}}]}], \"initContainers\": "
		 "[{\"envFrom\": [{\"secretRef\": {\"name\": \"i\"}}, "
		 "{\"configMapRef\": {\"name\": \"d\"}}]}]}",
		 "secrets/s secrets/i configmaps/d"},
		{"{\"imagePullSecrets\": [{\"name\": \"r\"}, {\"name\": "
		 "\"r\"}, "
		 "{}]}",
		 "secrets/r (to pull)"},
		{"{\"imagePullSecrets\": [{\"name\": \"r\"}], \"volumes\": "
		 "[{\"secret\": {\"secretName\": \"r\"}}]}",
		 "secrets/r"},
		/* of other types than they have */
		{"{\"volumes\": {\"secret\": 1}, \"containers\": [7, null], "
		 "\"imagePullSecrets\": [{\"name\": 5}]}",
		 ""},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_json_ json_object *pod = json_object_new_object();
		struct pod_needs needs = {0};

		t_row("%s", rows[i].spec);
		json_object_object_add(pod, "spec", t_parse(rows[i].spec));
		pod_needs_add(&needs, pod, "cpu");
		pod_needs_add(&needs, pod, "big"); /* once */
		T_STR(listed(&needs), rows[i].needs);
		for (size_t k = 0; k < needs.n; k++)
			T_STR(needs.v[k].nodeset, "cpu");
	}
}

static void what_a_volume_needs_is_not_only_to_pull(void)
{
	_cleanup_json_ json_object *pulls = t_parse(
		"{\"spec\": {\"imagePullSecrets\": [{\"name\": \"r\"}]}}");
	_cleanup_json_ json_object *mounts =
		t_parse("{\"spec\": {\"volumes\": [{\"secret\": "
			"{\"secretName\": \"r\"}}]}}");
	struct pod_needs needs = {0};

	pod_needs_add(&needs, pulls, "cpu");
	T_STR(listed(&needs), "secrets/r (to pull)");
	pod_needs_add(&needs, mounts, "big");
	T_STR(listed(&needs), "secrets/r");
	T_STR(needs.v[0].nodeset, "big");
	pod_needs_add(&needs, pulls, "cpu");
	T_STR(listed(&needs), "secrets/r");
}

static void more_than_a_bound_is_left_out(void)
{
	_cleanup_json_ json_object *pod =
		t_parse("{\"spec\": {\"imagePullSecrets\": []}}");
	json_object *list = jx_get(pod, "spec", "imagePullSecrets");
	struct pod_needs needs = {0};

	for (int i = 0; i < POD_NEEDS_MAX + 5; i++) {
		char text[64];

		snprintf(text, sizeof(text), "{\"name\": \"s%d\"}", i);
		json_object_array_add(list, t_parse(text));
	}
	pod_needs_add(&needs, pod, "cpu");
	T_INT(needs.n, POD_NEEDS_MAX);
}

T_MAIN("pod_needs", T(a_pod_needs_what_it_names),
       T(what_a_volume_needs_is_not_only_to_pull),
       T(more_than_a_bound_is_left_out))
