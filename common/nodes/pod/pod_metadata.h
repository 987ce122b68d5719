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
 * The new AdminComment of a job that asks for these items and has `comment`
 * (may be NULL): 1 and `out`; 0: they ask for no annotation or label; -EACCES,
 * -EINVAL or -EMSGSIZE with words that begin with the option.
 */
int pod_metadata_carry(const struct pod_metadata_rules *r,
		       const char *const items[], size_t n, const char *comment,
		       char out[POD_METADATA_CARRIER_MAX], struct err *err);

/* The same for its constraint. */
int pod_metadata_constrain(const struct features *known,
			   const char *const items[], size_t n,
			   const char *constraint, char out[FEATURES_TEXT_MAX],
			   struct err *err);

/*
 * {"annotations": {...}, "labels": {...}} of an AdminComment, without what the
 * rules do not allow; NULL: nothing. The caller puts it.
 */
json_object *pod_metadata_read(const struct pod_metadata_rules *r,
			       const char *comment);

/* Two jobs on one pod: `into` gets what it has not. 0 or -ENOMEM. */
int pod_metadata_merge(json_object *into, const json_object *more);

/* Changes with what is asked for; never UINT32_MAX; 0: NULL, or no memory. */
uint32_t pod_metadata_sum(const json_object *ask);

#endif
