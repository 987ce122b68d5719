/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "objects/workload_table.h"

#include "objects/scheduling_group.h"
#include "syntax/wellknown.h"

/* Annotations for us are 16 KiB at most, and have a value each. */
#define NOTES_MAX 2000
/*
 * Values of a list: 400 replicatedJobs, or as many who have written to the
 * object.
 */
#define LIST_VALUES_MAX 4000

static const struct jx_only notes[] = {
	{WK_ASK "*", NULL},
	{WK_ASK_SLINKY "*", NULL},
	{NULL, NULL},
};

#define METADATA                                                               \
	{"name", NULL}, {"namespace", NULL}, {"uid", NULL},                    \
		{"resourceVersion", NULL}, {"generation", NULL},               \
	{                                                                      \
		"annotations", notes, NOTES_MAX                                \
	}

static const struct jx_only metadata[] = {
	METADATA,
	{NULL, NULL},
};

static const struct jx_only names[] = {
	{"name", NULL},		{"kind", NULL}, {"apiGroup", NULL},
	{"workloadName", NULL}, {NULL, NULL},
};

static const struct jx_only template_ref[] = {
	{"workload", names},
	{NULL, NULL},
};

static const struct jx_only gang[] = {
	{"minCount", NULL},
	{NULL, NULL},
};

static const struct jx_only policy[] = {
	{"gang", gang},
	{"basic", JX_SOME},
	{NULL, NULL},
};

static const struct jx_only pod_group[] = {
	{"name", NULL},
	{"policy", policy},
	{NULL, NULL},
};

static const struct jx_only disruption[] = {
	{"single", JX_SOME},
	{"all", JX_SOME},
	{NULL, NULL},
};

static const struct jx_only constraints[] = {
	{JX_OTHERS, JX_SOME},
	{NULL, NULL},
};

static const struct jx_only child_spec[] = {
	{"activeDeadlineSeconds", NULL},
	{"parallelism", NULL},
	{"completions", NULL},
	{NULL, NULL},
};

static const struct jx_only child_template[] = {
	{"spec", child_spec},
	{NULL, NULL},
};

static const struct jx_only child[] = {
	{"replicas", NULL},
	{"template", child_template},
	{NULL, NULL},
};

static const struct jx_only size[] = {
	{"size", NULL},
	{NULL, NULL},
};

/*
 * Members of the spec of any kind: no name has another sense in another kind.
 */
static const struct jx_only spec[] = {
	{"activeDeadlineSeconds", NULL},
	{"completions", NULL},
	{"controllerRef", names},
	{"disruptionMode", disruption},
	{"leaderWorkerTemplate", size},
	{"minMember", NULL},
	{"parallelism", NULL},
	{"parentCompositePodGroupName", NULL},
	{"podGroupTemplateRef", template_ref},
	{"podGroups", pod_group, LIST_VALUES_MAX},
	{"replicas", NULL},
	{"replicatedJobs", child, LIST_VALUES_MAX},
	{"resourceClaims", JX_SOME},
	{"schedulingConstraints", constraints},
	{"schedulingPolicy", policy},
	{"workloadRef", names},
	{NULL, NULL},
};

static const struct jx_only condition[] = {
	{"type", NULL},
	{"status", NULL},
	{"reason", NULL},
	{"message", NULL},
	{"observedGeneration", NULL},
	{NULL, NULL},
};

static const struct jx_only status[] = {
	{"succeeded", NULL},
	{"conditions", condition, LIST_VALUES_MAX},
	{NULL, NULL},
};

const struct jx_only workload_table[] = {
	{"metadata", metadata},
	{"spec", spec},
	{"status", status},
	{NULL, NULL},
};

/* Writers of the conditions that we write, too. */
static const struct jx_only written[] = {
	{"k:{\\\"type\\\":\\\"" GROUP_INITIALLY_SCHEDULED "\\\"}", JX_SOME},
	{"k:{\\\"type\\\":\\\"" GROUP_SCHEDULED "\\\"}", JX_SOME},
	{NULL, NULL},
};

static const struct jx_only written_status[] = {
	{"f:conditions", written},
	{NULL, NULL},
};

static const struct jx_only fields[] = {
	{"f:status", written_status},
	{NULL, NULL},
};

static const struct jx_only manager[] = {
	{"manager", NULL},
	{"fieldsV1", fields},
	{NULL, NULL},
};

static const struct jx_only group_metadata[] = {
	METADATA,
	{"managedFields", manager, LIST_VALUES_MAX},
	{NULL, NULL},
};

const struct jx_only workload_group_table[] = {
	{"metadata", group_metadata},
	{"spec", spec},
	{"status", status},
	{NULL, workload_table},
};
