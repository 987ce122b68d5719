/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a GET of a bridged pod shows, where the view of all pods does not tell:
 * it may be stale, or a binding was answered with 409. Pure. Any thread.
 */
#ifndef SLURMK8S_BRIDGE_REQUESTS_POD_READ_H
#define SLURMK8S_BRIDGE_REQUESTS_POD_READ_H

#include <stdbool.h>
#include <stdint.h>

#include "json/json.h"

enum pod_read {
	/* the pod is gone, another has its name, or it has ended */
	POD_READ_GONE,
	POD_READ_ENDING, /* the pod is being deleted */
	POD_READ_FREE,	 /* the pod has no node: it may be bound yet */
	POD_READ_BOUND,	 /* bound to `node`; if that is "": by this job */
	/* bound to another node, by an earlier binding of ours */
	POD_READ_EARLIER,
	POD_READ_OTHERS, /* bound to another node, or by somebody else */
};

/*
 * What the pod that was answered (NULL: there is none) says of the one with
 * this UID: by what is written when a pod is bound, which is its node, and the
 * job (see bridged_pod_bound_by()). node "": any, if it is by this job. A pod
 * on the very node that it was to get counts as bound by us, whoever did it.
 */
enum pod_read pod_read_of(const json_object *pod, const char *uid,
			  const char *node, uint32_t job_id);

#endif
