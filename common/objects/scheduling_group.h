/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * PodGroup and Workload of scheduling.k8s.io, in each version that is read:
 * v1beta1 and v1alpha3 (Kubernetes 1.37), v1alpha2 (1.36) and v1alpha1 (1.35);
 * k8s.io/api, scheduling. Pure. Any thread.
 */
#ifndef SLURMK8S_OBJECTS_SCHEDULING_GROUP_H
#define SLURMK8S_OBJECTS_SCHEDULING_GROUP_H

#include <stdbool.h>
#include <stdint.h>

#include "objects/workload.h"
#include "json/json.h"

/*
 * The condition that says whether a PodGroup was scheduled, and its name in
 * v1alpha2.
 */
#define GROUP_INITIALLY_SCHEDULED "PodGroupInitiallyScheduled"
#define GROUP_SCHEDULED "PodGroupScheduled"

/*
 * minCount of a policy: how many pods start together; 0: it does not say.
 * *basic: it is the basic policy, and no gang's.
 */
int64_t scheduling_group_policy(const json_object *policy, bool *basic);

/*
 * True if this number of pods is what the PodGroup needs: minCount of a gang's
 * policy, any number of the basic one.
 */
bool scheduling_group_is_enough(const json_object *group, int64_t pods);

/*
 * Check that all that a PodGroup's spec asks for can be had. 0; -EINVAL with
 * words that end a sentence about it ("has resourceClaims: ...").
 */
int scheduling_group_check(const json_object *spec, struct err *err);

/*
 * The Workload that a PodGroup was made of; "": none, or its name is no name.
 */
void scheduling_group_workload(const json_object *group,
			       char out[WORKLOAD_NAME_MAX]);

/*
 * The kind and name of what a Workload was made for (spec.controllerRef), in
 * its namespace. False: it does not say, or names nothing whose annotations
 * count.
 */
bool scheduling_group_controller(const json_object *workload,
				 enum workload_kind *kind,
				 char name[WORKLOAD_NAME_MAX]);

/*
 * What is kept of the status of a PodGroup: the condition that says whether it
 * was scheduled, and, as "manager", who wrote it (by metadata.managedFields).
 * `version`: of the API, "v1beta1". The caller puts. NULL: there is none, or
 * out of memory.
 */
json_object *scheduling_group_status(const json_object *group,
				     const char *version);

/*
 * True if the kept status says that it was scheduled, which never changes
 * again. NULL: false.
 */
bool scheduling_group_is_scheduled(const json_object *status);

/* True if the kept status was not written by us. NULL: false. */
bool scheduling_group_is_foreign(const json_object *status);

struct scheduling_group_note {
	const char *version; /* version of the API, "v1beta1" */
	/* uid of the PodGroup; another of its name has another */
	const char *uid;
	const char *resource_version; /* resourceVersion that was looked at */
	int64_t generation; /* generation of the spec that was looked at */
	const json_object *status; /* the kept status, or NULL */
	bool scheduled;
	const char *message;
	int64_t at_ms; /* epoch: now */
};

/*
 * A strategic merge patch of podgroups/status as kube-scheduler writes it
 * (1.37, pkg/scheduler/schedule_one_podgroup.go), but refused (409) if the
 * PodGroup is another, or was written since: it may be foreign now. NULL:
 * nothing would change, or out of memory. The caller puts.
 */
json_object *scheduling_group_patch(const struct scheduling_group_note *note);

#endif
