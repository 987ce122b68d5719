/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Keep busy pods from being evicted. Pure. Any thread. */
#ifndef SLURMK8S_OBJECTS_DISRUPTION_BUDGET_H
#define SLURMK8S_OBJECTS_DISRUPTION_BUDGET_H

#include "json/json.h"

/*
 * A PodDisruptionBudget (policy/v1) of the busy pods of a Slurm cluster, which
 * allows no voluntary eviction at all. Pods without a controller need an
 * integer minAvailable (kubernetes.io, "Specifying a Disruption Budget"); the
 * largest one spares us to follow their number. `cluster` is a label's value.
 * The caller puts. NULL: out of memory.
 */
json_object *disruption_budget_make(const char *name, const char *cluster);

#endif
