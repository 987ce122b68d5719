/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A task's or a job's environment, a line each, which users write: what they
 * ask of their pods, and what a task is told of its pod. Lists of features,
 * too.
 */
#include <stdio.h>
#include <string.h>

#include "asks.h"
#include "base/cleanup.h"
#include "fuzz.h"
#include "merge.h"
#include "pod.h"
#include "syntax/wellknown.h"

#define LINES 200

static void on_fact(void *arg, const char *name, const char *value)
{
	PROMISE(strlen(name) < POD_NAME_MAX && strlen(value) <= POD_VALUE_MAX);
	PROMISE(!strncmp(name, WK_ENV, strlen(WK_ENV)));
	++*(size_t *)arg;
}

static void check_asks(char *env[])
{
	struct asks a = {0}, again = {0};
	char *vars[WK_ASKS_MAX + 1] = {0}, name[32];

	asks_inherit(&a, env, "");
	PROMISE(a.n <= WK_ASKS_MAX);
	for (size_t i = 0; i < a.n; i++) {
		vars[i] = malloc(strlen(a.v[i]) + 64);
		PROMISE(vars[i]);
		asks_name(i, name);
		sprintf(vars[i], "%s=%s", name, a.v[i]);
	}
	asks_inherit(&again, vars, "");
	PROMISE(again.n == a.n);
	for (size_t i = 0; i < a.n; i++) {
		PROMISE(!strcmp(a.v[i], again.v[i]));
		free(vars[i]);
	}
	asks_clear(&a);
	asks_clear(&again);
}

static bool changeable(const char *name)
{
	return *name == 'a';
}

static void check_lists(const char *one, const char *other)
{
	_cleanup_free_ char *both = merge_lists(one, other);
	_cleanup_free_ char *again = merge_lists(both, other);
	_cleanup_free_ char *new = merge_features(one, other, changeable);

	PROMISE(both && again && new);
	PROMISE(!strcmp(both, again));
	(void)job_submit_is_loaded(one);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	_cleanup_free_ char *text = text_of(data, len);
	char *env[LINES + 1] = {0}, *rest = text, name[POD_NAME_MAX];
	char line[512];
	size_t n = 0, facts = 0;

	while (rest && n < LINES)
		env[n++] = strsep(&rest, "\n");
	pod_facts(env, on_fact, &facts);
	PROMISE(facts <= POD_FACTS_MAX);
	PROMISE(!facts || pod_stale(env, name));
	pod_line(env, 3, "host", line, sizeof(line));
	PROMISE(strlen(line) < sizeof(line));
	check_asks(env);
	check_lists(env[0], n > 1 ? env[1] : NULL);
	return 0;
}
