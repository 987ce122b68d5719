/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is sent to the API server about a bridged pod: where it is to run, and
 * what its owner should read. JSON bodies of requests; NULL: out of memory.
 * The caller puts them. Pure. Any thread.
 */
#ifndef SLURMK8S_BRIDGE_REQUESTS_POD_PATCHES_H
#define SLURMK8S_BRIDGE_REQUESTS_POD_PATCHES_H

#include <stdbool.h>
#include <stdint.h>

#include "json/json.h"

#define BRIDGENOTES_MESSAGE_MAX 1024 /* bytes of a message for people */

struct pod_ref {
	const char *ns, *name, *uid; /* namespace, name and uid of the pod */
	/*
	 * For a pod that is to be bound: its group, and the engine that binds
	 * it (WK_BRIDGE_CONDITION_BY); NULL: that is not told.
	 */
	const char *group, *by;
	/* For a pod that is to be bound: its creation; epoch; <= 0: unknown. */
	int64_t created_ms;
};

/*
 * Make a Binding (Kubernetes API reference, core/v1). The API server gives the
 * pod its annotations, and refuses it when the pod of this name is another one
 * by now. `keeps`: autoscalers are told, too, to leave its machine.
 */
json_object *pod_patch_binding(const struct pod_ref *pod, const char *node,
			       uint32_t job_id, bool keeps);

struct pod_patch {
	uint32_t job_id; /* the pod's job; 0: it has none (any more) */
	/*
	 * True: the pod's condition is to say that it runs by this job, or is
	 * to; with job_id 0 that it does not.
	 */
	bool bound;
	const char *node; /* node that the conditions name; NULL: none */
	/* group that the job is for; NULL: that is not told */
	const char *group;
	const char *by; /* engine that binds the pod; NULL: that is not told */
	/*
	 * why PodScheduled is False, in one word; NULL: the condition stays as
	 * it is
	 */
	const char *reason;
	const char *message;
	/*
	 * Epoch: when PodScheduled, or `bound`, became so; 0: it was so before.
	 */
	int64_t since_ms;
	/* text of the annotation; NULL: it stays; "": it goes */
	const char *queue;
};

/*
 * Make a strategic merge patch of pods/status, which takes labels and
 * annotations as well (registry/core/pod/strategy.go, podStatusStrategy): one
 * request. 409 when the pod of this name is another one by now.
 */
json_object *pod_patch_patch(const char *uid, const struct pod_patch *note);

/*
 * Make a patch of pods/status that adds the condition DisruptionTarget, as
 * kube-scheduler does before it preempts a pod: the pod's end is no failure of
 * its own (podFailurePolicy of Jobs). since_ms: epoch.
 */
json_object *pod_patch_disruption(const char *uid, const char *message,
				  int64_t since_ms);

#endif
