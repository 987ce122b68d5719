/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What Slurm cannot promise to a bridged pod. Pure. Any thread. */
#ifndef SLURMK8S_BRIDGE_INTAKE_UNSUPPORTED_H
#define SLURMK8S_BRIDGE_INTAKE_UNSUPPORTED_H

#include "base/err.h"
#include "json/json.h"

/*
 * -EOPNOTSUPP with words if the pod demands what Slurm, which chooses its
 * node, does not know of: resource claims (DRA), rules about which pods are
 * beside it or how they are spread; or if a probe has more than an hour for a
 * container to end. What a pod only prefers is ignored. Else
 * 0. Resources that no gres is named for: pod_requests_gres().
 */
int bridged_pod_unsupported(const json_object *pod, struct err *err);

#endif
