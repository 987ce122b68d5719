/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What spank_k8s.so does beside Slurm's API. */
#include <stdlib.h>
#include <string.h>

#include "asks.h"
#include "base/buf.h"
#include "base/cleanup.h"
#include "pod.h"
#include "t.h"

/* (an environment has no const) */
#define E(text) ((char *)(text))

static char *const a_pod[] = {
	E("PATH=/bin"),
	E("SLURM_K8S_POD_NAME=cpu-0"),
	E("SLURM_K8S_NAMESPACE=slurm"),
	E("SLURM_K8S_POD_UID=u-1"),
	E("SLURM_K8S_POD_IP=10.1.2.3"),
	E("SLURM_K8S_NODE_NAME=w-7"),
	E("SLURM_K8S_CLUSTER=prod"),
	E("SLURM_K8S_NODESET=cpu"),
	E("SLURM_K8S_TEMPLATE=0123456789abcdef"),
	E("SLURM_K8S_FEATURES=pytorch,fast"),
	E("SLURM_K8S_PLUGIN_DIR=/plugins"),
	E("SLURM_K8S_ZONE=eu-1a"),
	NULL,
};
static char *const no_pod[] = {E("PATH=/bin"), E("SLURM_K8S_ZONE=eu-1a"), NULL};

static void add(void *arg, const char *name, const char *value)
{
	buf_addf(arg, "%s=%s\n", name, value);
}

static void a_pods_facts_are_its_variables_but_for_our_own(void)
{
	_cleanup_buf_ struct buf b = BUF_INIT(10000);

	pod_facts(a_pod, add, &b);
	T_HAS(buf_str(&b), "SLURM_K8S_POD_NAME=cpu-0\n");
	T_HAS(buf_str(&b), "SLURM_K8S_ZONE=eu-1a\n");
	T_LACKS(buf_str(&b), "PLUGIN_DIR");
	T_LACKS(buf_str(&b), "PATH");
}

static void what_is_no_pod_has_no_facts(void)
{
	_cleanup_buf_ struct buf b = BUF_INIT(10000);

	T_OK(!pod_is(no_pod));
	pod_facts(no_pod, add, &b);
	T_STR(buf_str(&b), "");
}

static void facts_are_bounded(void)
{
	_cleanup_buf_ struct buf b = BUF_INIT(100000);
	_cleanup_free_ char *name = t_repeat("A", POD_NAME_MAX);
	_cleanup_free_ char *value = t_repeat("v", POD_VALUE_MAX + 1);
	char *env[POD_FACTS_MAX + 10] = {E("SLURM_K8S_POD_NAME=cpu-0")};
	char long_name[POD_NAME_MAX + 32], many[32];
	char *long_value = malloc(POD_VALUE_MAX + 32);
	size_t lines = 0;

	T_NEED(long_value);
	snprintf(long_name, sizeof(long_name), "SLURM_K8S_%s=x", name);
	snprintf(long_value, POD_VALUE_MAX + 32, "SLURM_K8S_B=%s", value);
	strcpy(many, "SLURM_K8S_C=x");
	env[1] = long_name;
	env[2] = long_value;
	for (size_t i = 3; i < T_COUNT(env) - 1; i++)
		env[i] = many;
	pod_facts(env, add, &b);
	T_LACKS(buf_str(&b), "SLURM_K8S_A");
	T_LACKS(buf_str(&b), "SLURM_K8S_B");
	for (const char *at = buf_str(&b); *at; at++)
		lines += *at == '\n';
	T_INT(lines, POD_FACTS_MAX);
	free(long_value);
}

static void what_a_job_brings_along_is_found(void)
{
	char *const nothing[] = {E("PATH=/bin"), E("SLURM_K8S_"), NULL};
	char name[POD_NAME_MAX];

	T_OK(pod_stale(no_pod, name));
	T_STR(name, "SLURM_K8S_ZONE");
	T_OK(!pod_stale(&no_pod[2], name));
	T_OK(!pod_stale(nothing, name));
}

static void a_line_says_where_a_task_runs(void)
{
	char line[512], cut[40];

	pod_line(a_pod, 3, "cpu-0", line, sizeof(line));
	T_STR(line, "k8s: task 3 on pod slurm/cpu-0 (u-1), 10.1.2.3, "
		    "Kubernetes node w-7, cluster prod, nodeset cpu, "
		    "template 0123456789abcdef, features pytorch,fast");
	pod_line(no_pod, 0, "login-1", line, sizeof(line));
	T_STR(line, "k8s: task 0 on login-1, which is no pod");
	pod_line(a_pod, 3, "cpu-0", cut, sizeof(cut));
	T_STR(cut, "k8s: task 3 on pod slurm/cpu-0 (u-1), 1");
}

static void asks_are_collected_and_the_last_value_counts(void)
{
	struct asks a = {0};
	char name[32];

	T_STR(asks_add(&a, WK_ASK_LABEL, "team=x"), NULL);
	T_STR(asks_add(&a, WK_ASK_ANNOTATION, "team=y z"), NULL);
	T_STR(asks_add(&a, WK_ASK_LABEL, "team=w"), NULL);
	T_STR(asks_add(&a, WK_ASK_FEATURE, "jax"), NULL);
	T_STR(asks_add(&a, WK_ASK_FEATURE, "fast"), NULL);
	T_STR(asks_add(&a, WK_ASK_FEATURE, "jax"), NULL);
	T_INT(a.n, 4);
	T_STR(a.v[0], "label team=w");
	T_STR(a.v[1], "annotation team=y z");
	T_OK(asks_has(&a, WK_ASK_LABEL, "team=w"));
	T_OK(!asks_has(&a, WK_ASK_LABEL, "team=x"));
	T_OK(asks_has(&a, WK_ASK_FEATURE, "fast"));
	asks_name(7, name);
	T_STR(name, "K8S_ASK_7");
	asks_clear(&a);
	T_INT(a.n, 0);
}

static void asks_that_make_no_sense_are_refused(void)
{
	struct asks a = {0};
	char text[32];

	T_HAS(asks_add(&a, WK_ASK_LABEL, "team"), "KEY=VALUE");
	T_HAS(asks_add(&a, WK_ASK_FEATURE, ""), "one feature");
	T_HAS(asks_add(&a, WK_ASK_FEATURE, "a|b"), "one feature");
	for (int i = 0; i < WK_ASKS_MAX; i++) {
		snprintf(text, sizeof(text), "k%d=v", i);
		T_STR(asks_add(&a, WK_ASK_LABEL, text), NULL);
	}
	T_HAS(asks_add(&a, WK_ASK_LABEL, "one=more"), "32");
	asks_clear(&a);
}

static void what_runs_in_a_job_inherits_its_asks(void)
{
	char *const env[] = {
		E("SLURM_SPANK_K8S_ASK_0=label team=x"),
		E("SLURM_SPANK_K8S_ASK_1=annotation note=y=z"),
		E("SLURM_SPANK_K8S_ASK_2=nonsense a=b"),
		E("SLURM_SPANK_K8S_ASK_3=label bad value="),
		E("SLURM_SPANK_OTHER=label a=b"),
		E("K8S_ASK_4=label c=d"),
		NULL,
	};
	struct asks a = {0};

	asks_inherit(&a, env, WK_ASK_INHERITED);
	T_INT(a.n, 2);
	T_OK(asks_has(&a, WK_ASK_LABEL, "team=x"));
	T_OK(asks_has(&a, WK_ASK_ANNOTATION, "note=y=z"));
	asks_clear(&a);
}

static void who_hears_is_a_whole_name_in_a_list(void)
{
	T_OK(job_submit_is_loaded("job_submit/k8s"));
	T_OK(job_submit_is_loaded("k8s"));
	T_OK(job_submit_is_loaded("lua,k8s"));
	T_OK(job_submit_is_loaded(
		"job_submit/lua,job_submit/k8s,job_submit/x"));
	T_OK(!job_submit_is_loaded(NULL));
	T_OK(!job_submit_is_loaded(""));
	T_OK(!job_submit_is_loaded("lua"));
	T_OK(!job_submit_is_loaded("job_submit/"));
	T_OK(!job_submit_is_loaded(",,"));
	T_OK(!job_submit_is_loaded("k8s2,xk8s,job_submit/k8"));
}

T_MAIN("spank", T(a_pods_facts_are_its_variables_but_for_our_own),
       T(what_is_no_pod_has_no_facts), T(facts_are_bounded),
       T(what_a_job_brings_along_is_found), T(a_line_says_where_a_task_runs),
       T(asks_are_collected_and_the_last_value_counts),
       T(asks_that_make_no_sense_are_refused),
       T(what_runs_in_a_job_inherits_its_asks),
       T(who_hears_is_a_whole_name_in_a_list))
