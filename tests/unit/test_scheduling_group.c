/* SPDX-License-Identifier: GPL-2.0-or-later */
/* PodGroups and Workloads as the four versions of their API have them. */
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "objects/scheduling_group.h"
#include "t.h"

#define GANG "\"schedulingPolicy\": {\"gang\": {\"minCount\": 4}}"
#define BASIC "\"schedulingPolicy\": {\"basic\": {}}"
#define TOPOLOGY(list) "\"schedulingConstraints\": {\"topology\": " list "}"

static void what_cannot_be_had_is_refused_with_words(void)
{
	static const struct {
		const char *spec, *words; /* NULL: it can */
	} rows[] = {
		/* v1beta1 and v1alpha3, as the API server defaults them */
		{"{" GANG ", \"disruptionMode\": {\"single\": {}}, "
		 "\"priority\": 0}",
		 NULL},
		{"{" GANG ", \"disruptionMode\": {\"all\": {}}, "
		 "\"priorityClassName\": \"high\", \"priority\": 7, "
		 "\"preemptionPolicy\": \"Never\", \"workloadRef\": "
		 "{\"workloadName\": \"w\", \"templateName\": \"t\"}}",
		 NULL},
		{"{" BASIC ", \"disruptionMode\": {\"single\": {}}}", NULL},
		{"{" BASIC ", \"disruptionMode\": {\"all\": {}}}",
		 "the basic policy and disruptionMode all"},
		{"{" GANG ", \"disruptionMode\": {\"halfOfThem\": {}}}",
		 "a disruptionMode that is not known here"},
		{"{" GANG ", \"parentCompositePodGroupName\": \"c\", "
		 "\"workloadRef\": {}}",
		 "part of a CompositePodGroup"},
		{"{" GANG ", \"resourceClaims\": [{\"name\": \"c\", "
		 "\"resourceClaimName\": \"d\"}]}",
		 "has resourceClaims"},
		{"{" BASIC ", \"resourceClaims\": [{\"name\": \"c\", "
		 "\"resourceClaimTemplateName\": \"d\"}]}",
		 "has resourceClaims"},
		{"{" GANG ", \"resourceClaims\": []}", NULL},
		{"{" GANG ", " TOPOLOGY("[{\"key\": \"rack\"}]") "}",
		 "has schedulingConstraints"},
		{"{" BASIC ", " TOPOLOGY("[{\"key\": \"rack\"}]") "}",
		 "has schedulingConstraints"},
		{"{" GANG ", " TOPOLOGY("[]") "}", NULL},
		{"{" GANG ", \"schedulingConstraints\": {}}", NULL},
		{"{" GANG ", \"schedulingConstraints\": {\"newer\": true}}",
		 "has schedulingConstraints"},
		{"{" GANG ", \"schedulingConstraints\": [1]}",
		 "has schedulingConstraints"},
		/* v1alpha2 */
		{"{" GANG ", \"disruptionMode\": \"Pod\"}", NULL},
		{"{" GANG ", \"disruptionMode\": \"PodGroup\"}", NULL},
		{"{" BASIC ", \"disruptionMode\": \"PodGroup\"}",
		 "the basic policy and disruptionMode all"},
		{"{" GANG ", \"disruptionMode\": \"\"}",
		 "a disruptionMode that is not known here"},
		{"{" GANG ", \"disruptionMode\": 3}",
		 "a disruptionMode that is not known here"},
		{"{" GANG ", \"podGroupTemplateRef\": {\"workload\": "
		 "{\"workloadName\": \"w\", \"podGroupTemplateName\": "
		 "\"t\"}}}",
		 NULL},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_json_ json_object *spec = t_parse(rows[i].spec);
		struct err err = {0};

		t_row("%s", rows[i].spec);
		if (rows[i].words)
			T_ERR(scheduling_group_check(spec, &err), &err, -EINVAL,
			      rows[i].words);
		else
			T_INT(scheduling_group_check(spec, &err), 0);
	}
}

static void each_version_names_its_workload(void)
{
	static const struct {
		const char *spec, *name;
	} rows[] = {
		{"\"workloadRef\": {\"workloadName\": \"w\", "
		 "\"templateName\": \"t\"}",
		 "w"},
		{"\"podGroupTemplateRef\": {\"workload\": {\"workloadName\": "
		 "\"w2\"}}",
		 "w2"},
		{"\"podGroupTemplateRef\": {\"workloadName\": \"w\"}", ""},
		{"\"workloadRef\": {\"workloadName\": \"A/b\"}", ""},
		{"\"workloadRef\": {\"workloadName\": 7}", ""},
		{"\"workloadRef\": null", ""},
		{"", ""},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_free_ char *text =
			str_printf("{\"spec\": {%s}}", rows[i].spec);
		_cleanup_json_ json_object *o = t_parse(text);
		char name[WORKLOAD_NAME_MAX];

		t_row("%s", text);
		scheduling_group_workload(o, name);
		T_STR(name, rows[i].name);
	}
}

static void a_workload_says_what_it_was_made_for(void)
{
	static const struct {
		const char *ref;
		int kind; /* -1: nothing of ours */
	} rows[] = {
		{"{\"apiGroup\": \"batch\", \"kind\": \"Job\", "
		 "\"name\": \"j\"}",
		 WORKLOAD_JOB},
		{"{\"apiGroup\": \"jobset.x-k8s.io\", \"kind\": \"JobSet\", "
		 "\"name\": \"j\"}",
		 WORKLOAD_JOBSET},
		{"{\"apiGroup\": \"leaderworkerset.x-k8s.io\", \"kind\": "
		 "\"LeaderWorkerSet\", \"name\": \"j\"}",
		 WORKLOAD_LWS},
		{"{\"apiGroup\": \"apps\", \"kind\": \"StatefulSet\", "
		 "\"name\": \"j\"}",
		 WORKLOAD_STATEFULSET},
		{"{\"apiGroup\": \"apps\", \"kind\": \"Deployment\", "
		 "\"name\": \"j\"}",
		 -1},
		{"{\"apiGroup\": \"evil.org\", \"kind\": \"Job\", "
		 "\"name\": \"j\"}",
		 -1},
		{"{\"kind\": \"Job\", \"name\": \"j\"}", -1},
		{"{\"kind\": \"Pod\", \"name\": \"j\"}", -1},
		{"{\"apiGroup\": \"scheduling.k8s.io\", \"kind\": "
		 "\"Workload\", \"name\": \"j\"}",
		 -1},
		{"{\"apiGroup\": \"batch\", \"kind\": \"Job\", "
		 "\"name\": \"../j\"}",
		 -1},
		{"{\"apiGroup\": \"batch\", \"kind\": \"Job\"}", -1},
		{"\"Job\"", -1},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_free_ char *text = str_printf(
			"{\"spec\": {\"controllerRef\": %s}}", rows[i].ref);
		_cleanup_json_ json_object *o = t_parse(text);
		enum workload_kind kind = WORKLOAD_KINDS;
		char name[WORKLOAD_NAME_MAX];

		t_row("%s", text);
		T_INT(scheduling_group_controller(o, &kind, name),
		      rows[i].kind >= 0);
		if (rows[i].kind < 0)
			continue;
		T_INT(kind, rows[i].kind);
		T_STR(name, "j");
	}
}

static void a_gang_needs_as_many_as_it_says(void)
{
	static const struct {
		const char *policy;
		int64_t enough; /* and one less is not */
	} rows[] = {
		{"{\"gang\": {\"minCount\": 3}}", 3},
		{"{\"gang\": {\"minCount\": 1}}", 1},
		{"{\"basic\": {}}", 1},
		{"{}", 1},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_free_ char *text =
			str_printf("{\"spec\": {\"schedulingPolicy\": %s}}",
				   rows[i].policy);
		_cleanup_json_ json_object *o = t_parse(text);

		t_row("%s", text);
		T_OK(scheduling_group_is_enough(o, rows[i].enough));
		T_OK(!scheduling_group_is_enough(o, rows[i].enough - 1));
	}
}

/* --- status */

#define CONDITION(type, status)                                                \
	"{\"type\": \"" type "\", \"status\": \"" status "\", \"reason\": "    \
	"\"r\", \"message\": \"m\", \"observedGeneration\": 2, "               \
	"\"lastTransitionTime\": \"2026-01-01T00:00:00Z\"}"
#define FIELDS(manager, type)                                                  \
	"{\"manager\": \"" manager "\", \"subresource\": \"status\", "         \
	"\"fieldsV1\": {\"f:status\": {\"f:conditions\": {\".\": {}, "         \
	"\"k:{\\\"type\\\":\\\"" type "\\\"}\": {}}}}}"
#define SEEN(conditions, fields)                                               \
	"{\"metadata\": {\"managedFields\": [" fields "]}, \"status\": "       \
	"{\"conditions\": [" conditions "]}}"
#define V1BETA1 "PodGroupInitiallyScheduled"
#define V1ALPHA2 "PodGroupScheduled"

static void of_its_status_what_matters_is_kept(void)
{
	static const struct {
		const char *version, *group, *manager; /* NULL: nothing */
		bool scheduled, foreign;
	} rows[] = {
		{"v1beta1", "{}", NULL, false, false},
		{"v1beta1", SEEN("", ""), NULL, false, false},
		{"v1beta1",
		 SEEN(CONDITION(V1BETA1, "True"), FIELDS("slurm-k8s", V1BETA1)),
		 "slurm-k8s", true, false},
		{"v1alpha3",
		 SEEN(CONDITION(V1BETA1, "False"),
		      FIELDS("slurm-k8s", V1BETA1)),
		 "slurm-k8s", false, false},
		{"v1alpha2",
		 SEEN(CONDITION(V1ALPHA2, "True"),
		      FIELDS("slurm-k8s", V1ALPHA2)),
		 "slurm-k8s", true, false},
		/* another version's condition says nothing */
		{"v1alpha2",
		 SEEN(CONDITION(V1BETA1, "True"), FIELDS("slurm-k8s", V1BETA1)),
		 NULL, false, false},
		{"v1beta1",
		 SEEN(CONDITION(V1ALPHA2, "True"),
		      FIELDS("slurm-k8s", V1ALPHA2)),
		 NULL, false, false},
		{"v1beta1",
		 SEEN(CONDITION("DisruptionTarget",
				"True") "," CONDITION(V1BETA1, "False"),
		      FIELDS("kube-scheduler", "DisruptionTarget") "," FIELDS(
			      "slurm-k8s", V1BETA1)),
		 "slurm-k8s", false, false},
		/* kube-scheduler's, alone or with us */
		{"v1beta1",
		 SEEN(CONDITION(V1BETA1, "False"),
		      FIELDS("kube-scheduler", V1BETA1)),
		 "kube-scheduler", false, true},
		{"v1beta1",
		 SEEN(CONDITION(V1BETA1, "False"),
		      FIELDS("slurm-k8s", V1BETA1) "," FIELDS("kube-scheduler",
							      V1BETA1)),
		 "kube-scheduler", false, true},
		/* nobody knows whose */
		{"v1beta1", SEEN(CONDITION(V1BETA1, "False"), ""), "", false,
		 true},
		/* malformed */
		{"v1beta1",
		 "{\"metadata\": {\"managedFields\": [1, {}, {\"manager\": "
		 "3}]}, \"status\": {\"conditions\": [3, [], {\"type\": 4}, "
		 "{\"type\": \"" V1BETA1 "\"}]}}",
		 "", false, true},
		{"v1beta1",
		 "{\"metadata\": {\"managedFields\": {}}, \"status\": "
		 "{\"conditions\": {}}}",
		 NULL, false, false},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_json_ json_object *o = t_parse(rows[i].group);
		_cleanup_json_ json_object *s =
			scheduling_group_status(o, rows[i].version);

		t_row("%zu: %s", i, rows[i].group);
		T_OK(!s == !rows[i].manager);
		if (s)
			T_STR(jx_str(s, "manager"), rows[i].manager);
		T_INT(scheduling_group_is_scheduled(s), rows[i].scheduled);
		T_INT(scheduling_group_is_foreign(s), rows[i].foreign);
	}
}

#define KEPT(status, reason, message, generation)                              \
	"{\"manager\": \"slurm-k8s\", \"status\": \"" status                   \
	"\", \"reason\": \"" reason "\", \"message\": \"" message              \
	"\", \"observedGeneration\": " #generation "}"
#define PATCH(type, status, reason, message, date)                             \
	"{\"metadata\": {\"uid\": \"u-1\", \"resourceVersion\": \"5\"}, "      \
	"\"status\": {\"conditions\": [{"                                      \
	"\"type\": \"" type "\", \"status\": \"" status                        \
	"\", \"reason\": \"" reason "\", \"message\": \"" message              \
	"\", \"observedGeneration\": 3" date "}]}}"
#define NOW ", \"lastTransitionTime\": \"1970-01-01T00:00:01Z\""

static void it_is_written_as_kube_scheduler_does(void)
{
	static const struct {
		const char *version, *status; /* there is; or NULL */
		bool scheduled;
		const char *message, *patch; /* NULL: none */
	} rows[] = {
		{"v1beta1", NULL, false, "waits:\nnow",
		 PATCH(V1BETA1, "False", "Unschedulable", "waits: now", NOW)},
		{"v1alpha3", NULL, true, "runs",
		 PATCH(V1BETA1, "True", "Scheduled", "runs", NOW)},
		{"v1alpha2", NULL, true, "runs",
		 PATCH(V1ALPHA2, "True", "Scheduled", "runs", NOW)},
		/* the same is not written again */
		{"v1beta1", KEPT("False", "Unschedulable", "waits", 3), false,
		 "waits", NULL},
		{"v1beta1", KEPT("False", "Unschedulable", "waits", 2), false,
		 "waits",
		 PATCH(V1BETA1, "False", "Unschedulable", "waits", "")},
		{"v1beta1", KEPT("False", "Unschedulable", "waits", 3), false,
		 "waits still",
		 PATCH(V1BETA1, "False", "Unschedulable", "waits still", "")},
		{"v1beta1", KEPT("False", "SchedulerError", "waits", 3), false,
		 "waits",
		 PATCH(V1BETA1, "False", "Unschedulable", "waits", "")},
		{"v1beta1", KEPT("False", "Unschedulable", "waits", 3), true,
		 "runs", PATCH(V1BETA1, "True", "Scheduled", "runs", NOW)},
		/* once scheduled it stays so */
		{"v1beta1", KEPT("True", "Scheduled", "runs", 1), false,
		 "waits", NULL},
		{"v1beta1", KEPT("True", "Scheduled", "runs", 1), true,
		 "runs again", NULL},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_json_ json_object *status =
			rows[i].status ? t_parse(rows[i].status) : NULL;
		const struct scheduling_group_note note = {
			.version = rows[i].version,
			.uid = "u-1",
			.resource_version = "5",
			.generation = 3,
			.status = status,
			.scheduled = rows[i].scheduled,
			.message = rows[i].message,
			.at_ms = 1000,
		};
		_cleanup_json_ json_object *patch =
			scheduling_group_patch(&note);

		t_row("%zu", i);
		T_OK(!patch == !rows[i].patch);
		if (patch && rows[i].patch)
			T_JSON(patch, rows[i].patch);
	}
}

T_MAIN("scheduling_group", T(what_cannot_be_had_is_refused_with_words),
       T(each_version_names_its_workload),
       T(a_workload_says_what_it_was_made_for),
       T(a_gang_needs_as_many_as_it_says),
       T(of_its_status_what_matters_is_kept),
       T(it_is_written_as_kube_scheduler_does))
