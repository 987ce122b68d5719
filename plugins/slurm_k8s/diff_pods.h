/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The pods of one Kubernetes cluster, and how they differ from their templates.
 * Main thread of a program, as SlurmUser.
 */
#ifndef SLURMK8S_TOOL_DIFF_PODS_H
#define SLURMK8S_TOOL_DIFF_PODS_H

#include "pod_compare.h"
#include "syntax/hostlist.h"

/*
 * List the worker pods of that cluster which have not ended, and add those that
 * are not as their templates, each of which is read. `wanted`, sorted: of these
 * nodes alone; NULL: of all. What could not be looked at is a problem there.
 * One request for each 1000 pods, and one for each pod that differs;
 * API_WAIT_MS for each at most, and it ends with the first that is not
 * answered.
 */
void diff_pods(const struct templates *t, const struct cluster_config *k,
	       const struct hostlist *wanted, struct pod_diffs *out);

#endif
