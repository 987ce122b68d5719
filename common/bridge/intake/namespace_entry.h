/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which namespaces belong to this Slurm cluster, by k8s.yaml and by claims. The
 * bridge's thread only, under the lock of `seen`.
 */
#ifndef SLURMK8S_BRIDGE_INTAKE_NAMESPACE_ENTRY_H
#define SLURMK8S_BRIDGE_INTAKE_NAMESPACE_ENTRY_H

#include "bridge/intake/pod_groups.h"
#include "cluster/claims.h"
#include "config/bridge_config.h"

/* Where that is known from; all borrowed. */
struct namespace_sources {
	struct pod_groups *seen;
	const struct bridge_config *bridge;
	struct claims *claims;
};

/*
 * The entry of k8s.yaml for the group's namespace, by its name or labels; it is
 * the configuration's. NULL: there is none, or its labels are not known.
 */
const struct namespace_config *ns_find(const struct namespace_sources *by,
				       const struct pod_group *g);

/*
 * The entry by which the group's namespace may enter; it is the
 * configuration's. NULL: it may not, as it has no entry, or as another Slurm
 * cluster has claimed it (cluster/claims.h), or may have; in the last case the
 * link's thread is asked to claim it.
 */
const struct namespace_config *
namespace_entry(const struct namespace_sources *by, const struct pod_group *g);

/*
 * True if the group's pods are surely none of ours: k8s.yaml does not have
 * their namespace, which is in view, or another Slurm cluster has claimed it.
 */
bool ns_is_others(const struct namespace_sources *by,
		  const struct pod_group *g);

#endif
