/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * common/kube and common/nodes/pod against a real API server (script/cluster).
 * Skipped unless SLURM_K8S_LIVE_KUBECONFIG names an administrator's kubeconfig.
 */
#include <stdio.h>
#include <stdlib.h>

#include "live.h"

#define SKIP 77
#define CASES_MAX 64

int main(void)
{
	static const struct t_case *const files[] = {live_auth, live_objects,
						     live_watch, live_pods};
	const char *path = getenv("SLURM_K8S_LIVE_KUBECONFIG");
	struct t_case cases[CASES_MAX];
	size_t n = 0;

	if (!path || !*path) {
		puts("SLURM_K8S_LIVE_KUBECONFIG is not set: skipped");
		return SKIP;
	}
	for (size_t f = 0; f < T_COUNT(files); f++)
		for (const struct t_case *k = files[f]; k->name; k++) {
			if (n == CASES_MAX)
				abort();
			cases[n++] = *k;
		}
	live_begin(path);
	return t_run("live", cases, n);
}
