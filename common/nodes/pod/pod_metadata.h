/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What jobs ask for on their pods: annotations, labels and features, as far as
 * k8s.yaml lets them. From the SPANK plugin it comes as items, "label
 * KEY=VALUE"; a job carries it at the end of its AdminComment, which only
 * slurmctld and operators write. Pure. Any thread.
 */
#ifndef SLURMK8S_NODES_POD_POD_METADATA_H
#define SLURMK8S_NODES_POD_POD_METADATA_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "config/features.h"
#include "config/metadata_policy.h"

#define POD_METADATA_CARRIER_MAX 4096 /* bytes, with what was there before */

/*
 * Write the new AdminComment of a job that asks for these items and has
 * `comment` (may be NULL). 1: `out` is it; 0: they ask for no annotation or
 * label. With words that begin with the option: -EACCES: k8s.yaml does not
 * allow one; -EINVAL: one is none; -EMSGSIZE: they do not fit. -ENOMEM.
 */
int pod_metadata_carry(const struct pod_metadata_rules *r,
		       const char *const items[], size_t n, const char *comment,
		       char out[POD_METADATA_CARRIER_MAX], struct err *err);

/*
 * Write the new constraint of a job that asks for these items and has
 * `constraint` (may be NULL): what it has, and the features that it asks for.
 * 1: `out` is it; 0: they ask for no feature. With words that begin with the
 * option: -EINVAL: there is no such feature, or it cannot be added to this
 * constraint; -EMSGSIZE: they do not fit.
 */
int pod_metadata_constrain(const struct features *known,
			   const char *const items[], size_t n,
			   const char *constraint, char out[FEATURES_TEXT_MAX],
			   struct err *err);

/*
 * Read {"annotations": {...}, "labels": {...}} from an AdminComment (may be
 * NULL), without what the rules do not allow. The caller puts it. NULL: there
 * is nothing, or no memory.
 */
json_object *pod_metadata_read(const struct pod_metadata_rules *r,
			       const char *comment);

/*
 * Merge what two jobs on one pod ask for: `into` gets what it has not. 0;
 * -ENOMEM: it has got some of it.
 */
int pod_metadata_merge(json_object *into, const json_object *more);

/*
 * A checksum of what is asked for; never UINT32_MAX, which worker_pod.h has for
 * one that cannot be read. 0: NULL, or no memory.
 */
uint32_t pod_metadata_sum(const json_object *ask);

#endif
