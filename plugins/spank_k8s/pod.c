/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pod.h"

#include <stdio.h>
#include <string.h>

#include "syntax/wellknown.h"

/* How our entrypoint is told where plugins are: nothing for jobs. */
#define PLUGIN_DIR WK_ENV "PLUGIN_DIR"

static const char *find(char *const env[], const char *name)
{
	size_t len = strlen(name);

	for (; *env; env++)
		if (!strncmp(*env, name, len) && (*env)[len] == '=')
			return *env + len + 1;
	return "";
}

bool pod_is(char *const env[])
{
	return *find(env, WK_ENV_POD_NAME) != '\0';
}

/* The name, if such a variable is for jobs. */
static bool is_fact(const char *item, char name[POD_NAME_MAX])
{
	size_t len = strcspn(item, "=");

	if (strncmp(item, WK_ENV, sizeof(WK_ENV) - 1) != 0 || !item[len] ||
	    len >= POD_NAME_MAX)
		return false;
	memcpy(name, item, len);
	name[len] = '\0';
	return strcmp(name, PLUGIN_DIR) != 0;
}

void pod_facts(char *const env[], pod_fact_fn fn, void *arg)
{
	char name[POD_NAME_MAX];
	const char *value;
	int n = 0;

	if (!pod_is(env))
		return;
	for (; *env && n < POD_FACTS_MAX; env++) {
		if (!is_fact(*env, name))
			continue;
		value = *env + strlen(name) + 1;
		if (strlen(value) > POD_VALUE_MAX)
			continue;
		fn(arg, name, value);
		n++;
	}
}

bool pod_stale(char *const env[], char name[POD_NAME_MAX])
{
	for (; *env; env++)
		if (is_fact(*env, name))
			return true;
	return false;
}

struct line {
	char *out;
	size_t size;
	size_t len;
};

static void add(struct line *l, const char *before, const char *text,
		const char *after)
{
	int n;

	if (!*text || l->len >= l->size)
		return;
	n = snprintf(l->out + l->len, l->size - l->len, "%s%s%s", before, text,
		     after);
	if (n > 0)
		l->len += (size_t)n;
}

void pod_line(char *const env[], uint32_t task, const char *host, char *out,
	      size_t size)
{
	struct line l = {.size = size};
	char text[16];

	l.out = out;
	snprintf(text, sizeof(text), "%u", task);
	add(&l, "k8s: task ", text, " on ");
	if (!pod_is(env)) {
		add(&l, "", host, ", which is no pod");
		return;
	}
	add(&l, "pod ", find(env, WK_ENV_NAMESPACE), "/");
	add(&l, "", find(env, WK_ENV_POD_NAME), "");
	add(&l, " (", find(env, WK_ENV_POD_UID), ")");
	add(&l, ", ", find(env, WK_ENV_POD_IP), "");
	add(&l, ", Kubernetes node ", find(env, WK_ENV_KUBE_NODE), "");
	add(&l, ", cluster ", find(env, WK_ENV_CLUSTER), "");
	add(&l, ", nodeset ", find(env, WK_ENV_NODESET), "");
	add(&l, ", template ", find(env, WK_ENV_TEMPLATE), "");
	add(&l, ", features ", find(env, WK_ENV_FEATURES), "");
}
