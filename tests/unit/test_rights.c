/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What `slurm-k8s check` asks for is what etc/kubernetes gives. */
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "rights.h"
#include "t.h"
#include "json/yaml.h"

#define VERBS_MAX 128

/* Each is "get pods/status." or "list jobs.batch". */
struct verbs {
	char *v[VERBS_MAX];
	size_t n;
};

static bool has(const struct verbs *s, const char *verb)
{
	for (size_t i = 0; i < s->n; i++)
		if (str_eq(s->v[i], verb))
			return true;
	return false;
}

static void clear(struct verbs *s)
{
	for (size_t i = 0; i < s->n; i++)
		free(s->v[i]);
}

static void add(struct verbs *s, const char *verb, int len,
		const char *resource, const char *sub, const char *group)
{
	char *text = str_printf("%.*s %s%s%s.%s", len, verb, resource,
				sub ? "/" : "", sub ? sub : "", group);

	if (!text || s->n == VERBS_MAX)
		abort();
	if (has(s, text))
		free(text);
	else
		s->v[s->n++] = text;
}

static void take_rule(const json_object *rule, struct verbs *out)
{
	json_object *groups = jx_get(rule, "apiGroups");
	json_object *resources = jx_get(rule, "resources");
	json_object *all = jx_get(rule, "verbs");

	/* names would make the right a smaller one than what is asked for */
	T_INT(json_object_object_length(rule), 3);
	for (size_t g = 0; g < json_object_array_length(groups); g++)
		for (size_t r = 0; r < json_object_array_length(resources); r++)
			for (size_t v = 0; v < json_object_array_length(all);
			     v++) {
				const char *verb = json_object_get_string(
					json_object_array_get_idx(all, v));

				add(out, verb, (int)strlen(verb),
				    json_object_get_string(
					    json_object_array_get_idx(resources,
								      r)),
				    NULL,
				    json_object_get_string(
					    json_object_array_get_idx(groups,
								      g)));
			}
}

/* The rules of the first document, which has them in each of the files. */
static void given(const char *file, struct verbs *out)
{
	_cleanup_free_ char *path =
		str_printf("../../../etc/kubernetes/%s", file);
	_cleanup_free_ char *text = path ? t_data(path) : NULL;
	_cleanup_yaml_ struct yaml *y = NULL;
	_cleanup_json_ json_object *role = NULL;
	const json_object *rules;
	struct err err = {0};
	char *next;

	if (!text)
		abort();
	next = strstr(text, "\n---\n");
	if (next)
		*next = '\0';
	T_INT(yaml_parse(file, text, strlen(text), &y, &err), 0);
	T_INT(yaml_to_json(y, yaml_root(y), &role, &err), 0);
	T_STR(err.msg, "");
	rules = jx_get(role, "rules");
	T_NEED(jx_is(rules, json_type_array));
	for (size_t i = 0; i < json_object_array_length(rules); i++)
		take_rule(json_object_array_get_idx(rules, i), out);
}

static void asked(bool bridge, bool all, struct verbs *out)
{
	for (size_t i = 0; i < n_rights; i++) {
		const struct right *r = &rights[i];
		const char *verb = r->verbs;
		size_t len;

		if (r->bridge != bridge || r->all != all)
			continue;
		for (; (len = str_next_item(&verb)); verb += len)
			add(out, verb, (int)len, r->resource, r->sub, r->group);
	}
}

static void same(const char *file, bool bridge, bool all)
{
	struct verbs in_file = {0}, in_check = {0};

	given(file, &in_file);
	asked(bridge, all, &in_check);
	T_OK(in_file.n > 0);
	for (size_t i = 0; i < in_file.n; i++) {
		t_row("%s gives it, check does not ask: %s", file,
		      in_file.v[i]);
		T_OK(has(&in_check, in_file.v[i]));
	}
	for (size_t i = 0; i < in_check.n; i++) {
		t_row("check asks, %s does not give it: %s", file,
		      in_check.v[i]);
		T_OK(has(&in_file, in_check.v[i]));
	}
	clear(&in_file);
	clear(&in_check);
}

static void check_asks_for_what_the_roles_give(void)
{
	same("role.yaml", false, false);
	same("clusterrole.yaml", false, true);
	same("bridge.yaml", true, true);
}

/* One slurmctld needs no fence; of two, one may have stood still. */
static void two_controllers_need_the_lease(void)
{
	size_t n = 0;

	for (size_t i = 0; i < n_rights; i++) {
		const struct right *r = &rights[i];
		const bool lease = str_eq(r->resource, "leases") && !r->all;

		t_row("%s %s", r->verbs, r->resource);
		T_INT(right_is_needed(r, false), !r->may_lack);
		T_INT(right_is_needed(r, true), !r->may_lack || lease);
		n += lease;
	}
	T_INT(n, 1);
}

T_MAIN("rights", T(check_asks_for_what_the_roles_give),
       T(two_controllers_need_the_lease))
