/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whether the cluster's Kubernetes nodes can take each nodeset's pods. I/O:
 * main thread, as api_server.h says.
 */
#ifndef SLURMK8S_TOOL_HOST_CHECKS_H
#define SLURMK8S_TOOL_HOST_CHECKS_H

#include "api_server.h"
#include "kube_checks.h"

#define HOSTS_MAX 20000 /* Kubernetes nodes that are looked at */

/*
 * Add a finding for each nodeset of this API server. One list of its nodes, of
 * each of which labels, taints and sizes are kept, and at most HOST_TEXT_MAX.
 * Nothing where we may not list them: rights are another check.
 */
void host_checks(struct api_server *api, const struct kube_facts *facts,
		 struct findings *out);

#endif
