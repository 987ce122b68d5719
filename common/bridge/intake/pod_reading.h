/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A bridged pod as it is read from its JSON, before it is put in view. Any
 * thread.
 */
#ifndef SLURMK8S_BRIDGE_INTAKE_POD_READING_H
#define SLURMK8S_BRIDGE_INTAKE_POD_READING_H

#include <stdbool.h>

#include "bridge/intake/pod_class.h"
#include "kube/skim.h"
#include "objects/bridged_pod.h"
#include "objects/workload.h"

struct pod_reading {
	struct bridged_pod *pod;
	struct pod_class *shape; /* for pod_class_intern(); in no set yet */
	struct workload of;
	struct workload *besides; /* see struct group_pod; or NULL */
	bool part;		  /* no more than a part of the pod is read */
};

/*
 * Read a pod. 0; -EINVAL: it is no pod; -ENOMEM. In each case what *out has is
 * the caller's, to be given back by pod_reading_clear().
 */
int pod_reading_of(const json_object *pod, struct pod_reading *out);

/*
 * Read a pod that cannot be read as a whole, as far as objects/partial_pod.h
 * goes: all but which nodes it may be on, and what its annotations ask for. So
 * its class has a refusal. Returns and owns as pod_reading_of() does; -EBADMSG:
 * not even this can be read.
 */
int pod_reading_of_part(const struct object_id *id, struct pod_reading *out);

/* Free its members; then it is all zero. */
void pod_reading_clear(struct pod_reading *r);

#endif
