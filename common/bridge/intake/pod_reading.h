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

struct bridge_reading {
	struct bpod *pod;
	struct bridge_shape *shape; /* in no set yet */
	struct workload of;
	struct workload *besides; /* see struct bridge_member; or NULL */
	bool part; /* of a pod of which no more than a part is read */
};

/*
 * 0, -EINVAL: it is no pod, or -ENOMEM. In each case what *out has is the
 * caller's, to be given back by bridge_reading_clear().
 */
int bridge_reading_of(const json_object *pod, struct bridge_reading *out);

/*
 * The same of a pod that cannot be read as a whole, as far as
 * objects/partial_pod.h goes: all but which nodes it may be on, and what its
 * annotations ask for. So its shape is one that is refused. -EBADMSG: not even
 * this can be read.
 */
int bridge_reading_of_part(const struct object_id *id,
			   struct bridge_reading *out);

void bridge_reading_clear(struct bridge_reading *r);

#endif
