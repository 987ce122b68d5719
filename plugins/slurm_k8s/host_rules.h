/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whether any Kubernetes node can take a nodeset's pod, by what does not change
 * from one minute to the next: labels, taints and how large it is. All are
 * warnings, for an autoscaler may make a node that can. Pure. Any thread.
 */
#ifndef SLURMK8S_TOOL_HOST_RULES_H
#define SLURMK8S_TOOL_HOST_RULES_H

#include <stddef.h>

#include "config/config.h"
#include "findings.h"
#include "objects/node_filter.h"
#include "json/json.h"

/* Add one finding about the pod (its JSON) of a nodeset, and these nodes. */
void host_rules(const struct nodeset *set, const json_object *pod,
		const struct kube_node *hosts, size_t n, struct findings *out);

#endif
