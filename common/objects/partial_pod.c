/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "objects/partial_pod.h"

#include "objects/foreign_keys.h"
#include "objects/pod_requests.h"
#include "syntax/wellknown.h"

/*
 * What is read of each list by which a pod says on which nodes it may be, and
 * of its annotations for us: json-c takes a millisecond for so many objects and
 * commas. node_filter_of() takes 128 rules, and a text that is shorter than the
 * names of 2700 nodes.
 */
#define SAID_MAX 2800

/* Names of more kinds than pod_requests_of() takes are refused, not summed. */
#define KINDS_MAX (2 * PODNEED_KINDS_MAX)

/* Only one owner may be a controller. */
static const struct jx_only owner[] = {
	{"apiVersion", NULL},
	{"kind", NULL},
	{"name", NULL},
	{"uid", NULL},
	{"controller", JX_NEEDED},
	{NULL, NULL},
};

static const struct jx_only labels[] = {
	{LABEL_PODGROUP, NULL},	  {LABEL_PODGROUP_OLD, NULL},
	{LABEL_LWS, NULL},	  {LABEL_LWS_GROUP, NULL},
	{LABEL_JOBSET, NULL},	  {LABEL_ATTEMPT, NULL},
	{WK_BRIDGE_JOB_ID, NULL}, {NULL, NULL},
};

#define OTHER_NOTES                                                            \
	{WK_SCALE_SAFE, NULL}, {WK_SCALE_KEEP, NULL}, {NOTE_LWS_SIZE, NULL},   \
		{NOTE_VOLCANO, NULL}, {NOTE_VOLCANO_OLD, NULL},                \
		{NOTE_YUNIKORN_GROUP, NULL}, {NOTE_YUNIKORN_GROUPS, NULL},     \
	{                                                                      \
		WK_BRIDGE_NODE_SLINKY, NULL                                    \
	}

static const struct jx_only bridged_notes[] = {
	OTHER_NOTES,
	{WK_ASK "*", NULL},
	{WK_ASK_SLINKY "*", NULL},
	{NULL, NULL},
};

/*
 * Annotations of a pod that is read in part: of those for us only that a gang
 * is asked for.
 */
static const struct jx_only notes[] = {
	OTHER_NOTES,
	{WK_ASK WK_ASK_GANG, NULL},
	{WK_ASK WK_ASK_GANG_SIZE, NULL},
	{NULL, NULL},
};

#define METADATA                                                               \
	{"name", NULL}, {"namespace", NULL}, {"uid", NULL},                    \
		{"resourceVersion", NULL}, {"generation", NULL},               \
		{"creationTimestamp", NULL}, {"deletionTimestamp", NULL},      \
		{"deletionGracePeriodSeconds", NULL}, {"labels", labels},      \
	{                                                                      \
		"ownerReferences", owner                                       \
	}

static const struct jx_only metadata[] = {
	METADATA,
	{"annotations", notes},
	{NULL, NULL},
};

static const struct jx_only bridged_metadata[] = {
	METADATA,
	{"annotations", bridged_notes, SAID_MAX},
	{NULL, NULL},
};

/*
 * One kind more than pod_requests_of() takes, so that it says that they are too
 * many.
 */
static const struct jx_only kinds[] = {
	{"cpu", NULL},
	{"memory", NULL},
	{JX_OTHERS, NULL, PODNEED_KINDS_MAX + 1},
	{NULL, NULL},
};

static const struct jx_only resources[] = {
	{"requests", kinds},
	{"limits", kinds},
	{NULL, NULL},
};

/*
 * Amounts for pod_requests_held_of(), which may want any kind: all are read, or
 * the pod is not.
 */
static const struct jx_only bridged_resources[] = {
	{"requests", NULL, KINDS_MAX},
	{"limits", NULL, KINDS_MAX},
	{NULL, NULL},
};

static const struct jx_only probe[] = {
	{"terminationGracePeriodSeconds", NULL},
	{NULL, NULL},
};

static const struct jx_only container[] = {
	{"name", NULL},		  {"restartPolicy", NULL},
	{"resources", resources}, {"livenessProbe", probe},
	{"startupProbe", probe},  {NULL, NULL},
};

static const struct jx_only port[] = {
	{"hostPort", JX_NEEDED},
	{NULL, NULL},
};

static const struct jx_only bridged_container[] = {
	{"name", NULL},
	{"restartPolicy", NULL},
	{"resources", bridged_resources},
	{"ports", port, SAID_MAX},
	{"livenessProbe", probe},
	{"startupProbe", probe},
	{NULL, NULL},
};

static const struct jx_only scheduling_group[] = {
	{"podGroupName", NULL},
	{NULL, NULL},
};

static const struct jx_only workload_ref[] = {
	{"name", NULL},
	{"podGroup", NULL},
	{"podGroupReplicaKey", NULL},
	{NULL, NULL},
};

#define SPEC                                                                   \
	{"nodeName", NULL}, {"restartPolicy", NULL},                           \
		{"terminationGracePeriodSeconds", NULL},                       \
		{"schedulingGates", JX_SOME},                                  \
		{"schedulingGroup", scheduling_group},                         \
	{                                                                      \
		"workloadRef", workload_ref                                    \
	}

static const struct jx_only spec[] = {
	SPEC,
	{"containers", container, PODNEED_CONTAINERS_VALUES_MAX},
	{"initContainers", container, PODNEED_CONTAINERS_VALUES_MAX},
	{"resources", resources},
	{"overhead", kinds},
	{NULL, NULL},
};

#define REQUIRED "requiredDuringSchedulingIgnoredDuringExecution"

static const struct jx_only node_affinity[] = {
	{REQUIRED, NULL, SAID_MAX},
	{NULL, NULL},
};

static const struct jx_only pod_affinity[] = {
	{REQUIRED, JX_SOME},
	{NULL, NULL},
};

static const struct jx_only affinity[] = {
	{"nodeAffinity", node_affinity},
	{"podAffinity", pod_affinity},
	{"podAntiAffinity", pod_affinity},
	{NULL, NULL},
};

static const struct jx_only toleration[] = {
	{"key", NULL},	  {"operator", NULL}, {"value", NULL},
	{"effect", NULL}, {NULL, NULL},
};

static const struct jx_only spread[] = {
	{"whenUnsatisfiable", NULL},
	{NULL, NULL},
};

static const struct jx_only bridged_spec[] = {
	SPEC,
	{"activeDeadlineSeconds", NULL},
	{"containers", bridged_container, PODNEED_CONTAINERS_VALUES_MAX},
	{"initContainers", bridged_container, PODNEED_CONTAINERS_VALUES_MAX},
	{"resources", bridged_resources},
	{"overhead", NULL, KINDS_MAX},
	{"nodeSelector", NULL, SAID_MAX},
	{"affinity", affinity},
	{"tolerations", toleration, SAID_MAX},
	{"topologySpreadConstraints", spread, SAID_MAX},
	{"resourceClaims", JX_SOME},
	{NULL, NULL},
};

static const struct jx_only terminated[] = {
	{"exitCode", NULL},
	{"reason", NULL},
	{"finishedAt", NULL},
	{NULL, NULL},
};

static const struct jx_only state[] = {
	{"waiting", JX_SOME},
	{"terminated", terminated},
	{NULL, NULL},
};

/* A member that is known to be there, without what it holds. */
static const struct jx_only nothing[] = {
	{NULL, NULL},
};

static const struct jx_only running[] = {
	{"running", nothing},
	{NULL, NULL},
};

static const struct jx_only ephemeral_status[] = {
	{"state", running},
	{NULL, NULL},
};

static const struct jx_only container_status[] = {
	{"name", NULL},
	{"state", state},
	{NULL, NULL},
};

static const struct jx_only bridged_container_status[] = {
	{"name", NULL},
	{"state", state},
	{"resources", bridged_resources},
	{"allocatedResources", NULL, KINDS_MAX},
	{NULL, NULL},
};

static const struct jx_only condition[] = {
	{"type", NULL},	   {"status", NULL}, {"reason", NULL},
	{"message", NULL}, {NULL, NULL},
};

static const struct jx_only status[] = {
	{"phase", NULL},
	{"reason", NULL},
	{"conditions", condition},
	{"containerStatuses", container_status, PODNEED_CONTAINERS_VALUES_MAX},
	{"initContainerStatuses", container_status,
	 PODNEED_CONTAINERS_VALUES_MAX},
	{"ephemeralContainerStatuses", ephemeral_status,
	 PODNEED_CONTAINERS_VALUES_MAX},
	{NULL, NULL},
};

static const struct jx_only bridged_status[] = {
	{"phase", NULL},
	{"reason", NULL},
	{"conditions", condition},
	{"containerStatuses", bridged_container_status,
	 PODNEED_CONTAINERS_VALUES_MAX},
	{"initContainerStatuses", bridged_container_status,
	 PODNEED_CONTAINERS_VALUES_MAX},
	{"ephemeralContainerStatuses", ephemeral_status,
	 PODNEED_CONTAINERS_VALUES_MAX},
	{"resources", bridged_resources},
	{"allocatedResources", NULL, KINDS_MAX},
	{NULL, NULL},
};

static const struct jx_only pod[] = {
	{"metadata", metadata},
	{"spec", spec},
	{"status", status},
	{NULL, NULL},
};

const struct jx_only bridged_pod_table[] = {
	{"metadata", bridged_metadata},
	{"spec", bridged_spec},
	{"status", bridged_status},
	{NULL, NULL},
};

static const struct jx_only whole_metadata[] = {
	{"managedFields", JX_LEFT_OUT},
	{JX_OTHERS, NULL},
	{NULL, NULL},
};

static const struct jx_only whole_container[] = {
	{"args", JX_LEFT_OUT},
	{"command", JX_LEFT_OUT},
	{"env", JX_LEFT_OUT},
	{"envFrom", JX_LEFT_OUT},
	{"lifecycle", JX_LEFT_OUT},
	{"livenessProbe", probe},
	{"readinessProbe", JX_LEFT_OUT},
	{"securityContext", JX_LEFT_OUT},
	{"startupProbe", probe},
	{"volumeDevices", JX_LEFT_OUT},
	{"volumeMounts", JX_LEFT_OUT},
	{JX_OTHERS, NULL},
	{NULL, NULL},
};

static const struct jx_only whole_container_status[] = {
	{"volumeMounts", JX_LEFT_OUT},
	{JX_OTHERS, NULL},
	{NULL, NULL},
};

static const struct jx_only whole_spec[] = {
	{"containers", whole_container},
	{"ephemeralContainers", JX_LEFT_OUT},
	{"hostAliases", JX_LEFT_OUT},
	{"imagePullSecrets", JX_LEFT_OUT},
	{"initContainers", whole_container},
	{"readinessGates", JX_LEFT_OUT},
	{"volumes", JX_LEFT_OUT},
	{JX_OTHERS, NULL},
	{NULL, NULL},
};

static const struct jx_only whole_status[] = {
	{"containerStatuses", whole_container_status},
	{"ephemeralContainerStatuses", ephemeral_status},
	{"initContainerStatuses", whole_container_status},
	{JX_OTHERS, NULL},
	{NULL, NULL},
};

const struct jx_only whole_pod[] = {
	{"metadata", whole_metadata},
	{"spec", whole_spec},
	{"status", whole_status},
	{JX_OTHERS, NULL},
	{NULL, NULL},
};

int partial_pod_read(const char *text, size_t len, json_object **out,
		     struct err *err)
{
	return jx_parse_only(text, len, pod, JX_PARTS_MAX, out, err);
}

static const struct jx_only binder_notes[] = {
	{WK_BRIDGE_NODE_SLINKY, NULL},
	{NULL, NULL},
};

static const struct jx_only binder_metadata[] = {
	{"annotations", binder_notes},
	{NULL, NULL},
};

static const struct jx_only binder_spec[] = {
	{"nodeName", NULL},
	{NULL, NULL},
};

static const struct jx_only binder_status[] = {
	{"conditions", condition},
	{NULL, NULL},
};

static const struct jx_only binder_pod[] = {
	{"metadata", binder_metadata},
	{"spec", binder_spec},
	{"status", binder_status},
	{NULL, NULL},
};

int partial_pod_read_binder(const char *text, size_t len, json_object **out,
			    struct err *err)
{
	return jx_parse_only(text, len, binder_pod, JX_PARTS_MAX, out, err);
}
