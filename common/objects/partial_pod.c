/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "objects/partial_pod.h"

/*
 * Of the 1.5 MiB that etcd takes of an object each container with its status
 * has some 100 bytes (5 objects), and each owner reference 14: together these
 * are 110,000 objects and lists at most. Only scheduling gates may be more, and
 * a pod with these is not bound.
 */
#define PARTS_MAX (4 * (size_t)JX_PARTS_MAX)

static const struct jx_only owner[] = {
	{"apiVersion", NULL}, {"kind", NULL},	    {"name", NULL},
	{"uid", NULL},	      {"controller", NULL}, {NULL, NULL},
};

static const struct jx_only metadata[] = {
	{"name", NULL},
	{"namespace", NULL},
	{"uid", NULL},
	{"generation", NULL},
	{"creationTimestamp", NULL},
	{"deletionTimestamp", NULL},
	{"deletionGracePeriodSeconds", NULL},
	{"labels", NULL},
	{"annotations", NULL},
	{"ownerReferences", owner},
	{NULL, NULL},
};

static const struct jx_only resources[] = {
	{"requests", NULL},
	{"limits", NULL},
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

/* A member that is known to be there, without what it holds. */
static const struct jx_only nothing[] = {
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

static const struct jx_only spec[] = {
	{"nodeName", NULL},
	{"restartPolicy", NULL},
	{"terminationGracePeriodSeconds", NULL},
	{"schedulingGates", nothing},
	{"schedulingGroup", scheduling_group},
	{"workloadRef", workload_ref},
	{"containers", container},
	{"initContainers", container},
	{"resources", resources},
	{"overhead", NULL},
	{NULL, NULL},
};

static const struct jx_only terminated[] = {
	{"exitCode", NULL},
	{"reason", NULL},
	{"finishedAt", NULL},
	{NULL, NULL},
};

static const struct jx_only state[] = {
	{"waiting", nothing},
	{"terminated", terminated},
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
	{"resources", resources},
	{"allocatedResources", NULL},
	{NULL, NULL},
};

static const struct jx_only status[] = {
	{"phase", NULL},
	{"reason", NULL},
	{"conditions", NULL},
	{"containerStatuses", container_status},
	{"initContainerStatuses", container_status},
	{"ephemeralContainerStatuses", ephemeral_status},
	{"resources", resources},
	{"allocatedResources", NULL},
	{NULL, NULL},
};

static const struct jx_only pod[] = {
	{"metadata", metadata},
	{"spec", spec},
	{"status", status},
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
	{"initContainers", whole_container},
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
	return jx_parse_only(text, len, pod, PARTS_MAX, out, err);
}
