/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>

#include "base/cleanup.h"
#include "kube/verbs.h"
#include "t.h"

static void paths_follow_the_api_conventions(void)
{
	static const struct {
		struct kube_ref ref;
		const char *query, *want;
	} rows[] = {
		{{KUBE_CORE_V1, "slurm", "pods", "cpu-1", NULL},
		 NULL,
		 "/api/v1/namespaces/slurm/pods/cpu-1"},
		{{KUBE_CORE_V1, "slurm", "pods", "cpu-1", "log"},
		 "tailLines=5",
		 "/api/v1/namespaces/slurm/pods/cpu-1/log?tailLines=5"},
		{{KUBE_CORE_V1, "slurm", "pods", NULL, NULL},
		 "",
		 "/api/v1/namespaces/slurm/pods"},
		{{KUBE_CORE_V1, NULL, "nodes", NULL, NULL},
		 "limit=5",
		 "/api/v1/nodes?limit=5"},
		{{KUBE_COORDINATION_V1, "slurm", "leases", "x", NULL},
		 NULL,
		 "/apis/coordination.k8s.io/v1/namespaces/slurm/leases/x"},
		{{KUBE_CORE_V1, "a/b", "pods", "../x?y#z", NULL},
		 NULL,
		 "/api/v1/namespaces/a%2Fb/pods/..%2Fx%3Fy%23z"},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_free_ char *got =
			kube_path(&rows[i].ref, rows[i].query);

		T_STR(got, rows[i].want);
	}
}

static void query_values_are_percent_encoded(void)
{
	static const struct {
		const char *text, *want;
	} rows[] = {
		{"", ""},
		{"azAZ09-._~", "azAZ09-._~"},
		{"a=b,c in (d)", "a%3Db%2Cc%20in%20%28d%29"},
		{"slurm-k8s.io/node=x&y", "slurm-k8s.io%2Fnode%3Dx%26y"},
		{"\xc3\xa9\r\n", "%C3%A9%0D%0A"},
		{"%41+", "%2541%2B"},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_free_ char *got = kube_escape(rows[i].text);

		T_STR(got, rows[i].want);
	}
}

static void a_path_beyond_reason_is_refused(void)
{
	_cleanup_free_ char *name = t_repeat("/", 64 * 1024);
	struct kube_ref ref = {KUBE_CORE_V1, "n", "pods", name, NULL};

	T_OK(!kube_path(&ref, NULL));
	T_OK(!kube_escape(name));
}

T_MAIN("verbs", T(paths_follow_the_api_conventions),
       T(query_values_are_percent_encoded), T(a_path_beyond_reason_is_refused))
