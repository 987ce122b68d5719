/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whose namespaces are. Under the lock of `seen`. */
#ifndef SLURMK8S_BRIDGE_INTAKE_NAMESPACE_ENTRY_H
#define SLURMK8S_BRIDGE_INTAKE_NAMESPACE_ENTRY_H

#include "bridge/intake/pod_groups.h"
#include "cluster/claims.h"
#include "config/bridge_config.h"

/* By what that is told. */
struct namespace_sources {
	struct pod_groups *seen;
	const struct bridge_config *bridge;
	struct claims *claims;
};

/* k8s.yaml's entry for the group's namespace; NULL: it has none. */
const struct namespace_config *ns_find(const struct namespace_sources *by,
				       const struct pod_group *g);
/*
 * The entry by which it may enter; or NULL, also when another Slurm cluster has
 * it (cluster/claims.h), or may have it.
 */
const struct namespace_config *
namespace_entry(const struct namespace_sources *by, const struct pod_group *g);
/*
 * Are the group's pods surely none of ours: k8s.yaml does not have their
 * namespace, or another Slurm cluster has claimed it?
 */
bool ns_is_others(const struct namespace_sources *by,
		  const struct pod_group *g);

#endif
