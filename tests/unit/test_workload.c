/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "objects/workload.h"
#include "t.h"

#define META "\"name\": \"p-1\", \"namespace\": \"team-a\", \"uid\": \"1-2\""
#define POD(meta, spec)                                                        \
	"{\"metadata\": {" META "" meta "}, \"spec\": {" spec "}}"
#define LABEL(name, value) ", \"labels\": {\"" name "\": \"" value "\"}"
#define JOB                                                                    \
	", \"ownerReferences\": [{\"apiVersion\": \"batch/v1\", "              \
	"\"kind\": \"Job\", \"name\": \"j\", \"uid\": \"7-7\", "               \
	"\"controller\": true}]"
#define OWNER(version, kind)                                                   \
	", \"ownerReferences\": [{\"apiVersion\": \"" version "\", "           \
	"\"kind\": \"" kind "\", \"name\": \"r\", \"uid\": \"7-8\", "          \
	"\"controller\": true}]"
#define NOTE(name, value) "\"" name "\": \"" value "\""
#define NOTES(list) ", \"annotations\": {" list "}"
#define GANG NOTE("job.slurm-k8s.io/gang", "true")
#define SIZE(n) NOTE("job.slurm-k8s.io/gang-size", n)
#define XPG "scheduling.x-k8s.io/pod-group"
#define OLD "pod-group.scheduling.sigs.k8s.io"
#define VOLCANO "scheduling.volcano.sh/group-name"
#define VOLCANO_OLD "scheduling.k8s.io/group-name"
#define TASK_GROUP(name) NOTE("yunikorn.apache.org/task-group-name", name)
#define TASK_GROUPS(list) NOTE("yunikorn.apache.org/task-groups", list)
#define WORKERS                                                                \
	TASK_GROUPS("[{\\\"name\\\": \\\"driver\\\", \\\"minMember\\\": 1}, "  \
		    "{\\\"name\\\": \\\"workers\\\", \\\"minMember\\\": 4}]")
#define LWS "leaderworkerset.sigs.k8s.io/"
#define JS "jobset.sigs.k8s.io/jobset-name"

static int of(const char *text, struct workload *w, struct err *err)
{
	_cleanup_json_ json_object *pod = t_parse(text);

	return workload_of(pod, w, err);
}

struct row {
	const char *pod, *text, *uid;
	uint32_t members;
	enum workload_kind top;
	const char *top_name;
};

static void is_in_its_group(const struct row *row)
{
	struct workload w;
	struct err err = {0};
	char text[WORKLOAD_TEXT_MAX];

	t_row("%s", row->pod);
	T_INT(of(row->pod, &w, &err), 0);
	T_STR(err.msg, "");
	workload_text(&w, text);
	T_STR(text, row->text);
	T_STR(w.uid, row->uid);
	T_INT(w.members, row->members);
	T_INT(w.top, row->top);
	T_STR(w.top_name, row->top_name);
	T_OK(workload_is_gang(&w) == (w.kind != WORKLOAD_POD));
}

static void each_pod_has_its_group(void)
{
	static const struct row rows[] = {
		{POD("", ""), "Pod team-a/p-1", "1-2", 1, WORKLOAD_POD, ""},
		{POD("", "\"schedulingGroup\": {\"podGroupName\": \"g\"}"),
		 "SchedulingPodGroup team-a/g", "", 0, WORKLOAD_POD, ""},
		{POD(JOB, "\"schedulingGroup\": {\"podGroupName\": \"g\"}"),
		 "SchedulingPodGroup team-a/g", "", 0, WORKLOAD_JOB, "j"},
		{POD("", "\"schedulingGroup\": {}"), "Pod team-a/p-1", "1-2", 1,
		 WORKLOAD_POD, ""},
		{POD("", "\"workloadRef\": {\"name\": \"w\", "
			 "\"podGroup\": \"a\"}"),
		 "Workload team-a/w a", "", 0, WORKLOAD_POD, ""},
		{POD("", "\"workloadRef\": {\"name\": \"w\", "
			 "\"podGroup\": \"a\", \"podGroupReplicaKey\": \"1\"}"),
		 "Workload team-a/w a/1", "", 0, WORKLOAD_POD, ""},
		{POD(LABEL(XPG, "g"), ""), "PodGroup team-a/g", "", 0,
		 WORKLOAD_POD, ""},
		{POD(LABEL(OLD, "g"), ""), "PodGroup team-a/g", "", 0,
		 WORKLOAD_POD, ""},
		{POD(LABEL(XPG, ""), ""), "Pod team-a/p-1", "1-2", 1,
		 WORKLOAD_POD, ""},
		/* the built-in API is the stronger one */
		{POD(LABEL(XPG, "x"),
		     "\"schedulingGroup\": {\"podGroupName\": \"g\"}"),
		 "SchedulingPodGroup team-a/g", "", 0, WORKLOAD_POD, ""},
		{POD(", \"labels\": {\"" LWS "name\": \"l\", \"" LWS
		     "group-index\": \"3\"}"
		     ", \"annotations\": {\"" LWS "size\": \"4\"}",
		     ""),
		 "LeaderWorkerSet team-a/l 3", "", 4, WORKLOAD_POD, ""},
		{POD(", \"labels\": {\"" LWS "name\": \"l\", \"" LWS
		     "group-index\": \"0a9f\"}",
		     ""),
		 "LeaderWorkerSet team-a/l 0a9f", "", 0, WORKLOAD_POD, ""},
		{POD(", \"labels\": {\"" LWS "name\": \"l\", \"" XPG
		     "\": \"g\"}",
		     ""),
		 "PodGroup team-a/g", "", 0, WORKLOAD_POD, ""},
		{POD(JOB, ""), "Pod team-a/p-1", "1-2", 1, WORKLOAD_JOB, "j"},
		{POD(JOB LABEL(JS, "js"), ""), "Pod team-a/p-1", "1-2", 1,
		 WORKLOAD_JOBSET, "js"},
		{POD(LABEL(JS, "js"), ""), "Pod team-a/p-1", "1-2", 1,
		 WORKLOAD_POD, ""}, /* no Job is above it: forged */
		{POD(JOB NOTES(GANG), ""), "Job team-a/j", "7-7", 0,
		 WORKLOAD_POD, ""},
		{POD(JOB NOTES(GANG ", " SIZE("3")), ""), "Job team-a/j", "7-7",
		 3, WORKLOAD_POD, ""},
		{POD(JOB NOTES(NOTE("job.slurm-k8s.io/gang",
				    "false") ", " SIZE("3")),
		     ""),
		 "Pod team-a/p-1", "1-2", 1, WORKLOAD_JOB, "j"},
		{POD(JOB LABEL(JS, "js") NOTES(GANG), ""), "JobSet team-a/js",
		 "", 0, WORKLOAD_POD, ""},
		/* (this PodGroup alone speaks for it) */
		{POD(JOB LABEL(XPG, "g") NOTES(GANG), ""), "PodGroup team-a/g",
		 "", 0, WORKLOAD_POD, ""},
		/* a ReplicaSet's, and what is no controlling Job */
		{POD(OWNER("apps/v1", "ReplicaSet"), ""), "Pod team-a/p-1",
		 "1-2", 1, WORKLOAD_REPLICASET, "r"},
		{POD(OWNER("apps/v1", "StatefulSet"), ""), "Pod team-a/p-1",
		 "1-2", 1, WORKLOAD_STATEFULSET, "r"},
		{POD(OWNER("apps/v1", "ReplicaSet"),
		     "\"schedulingGroup\": {\"podGroupName\": \"g\"}"),
		 "SchedulingPodGroup team-a/g", "", 0, WORKLOAD_REPLICASET,
		 "r"},
		{POD(OWNER("apps/v1", "DaemonSet"), ""), "Pod team-a/p-1",
		 "1-2", 1, WORKLOAD_POD, ""},
		{POD(OWNER("appsx/v1", "ReplicaSet"), ""), "Pod team-a/p-1",
		 "1-2", 1, WORKLOAD_POD, ""},
		{POD(", \"ownerReferences\": [{\"apiVersion\": \"batch/v1\", "
		     "\"kind\": \"Job\", \"name\": \"j\"}]",
		     ""),
		 "Pod team-a/p-1", "1-2", 1, WORKLOAD_POD, ""},
		{POD(", \"ownerReferences\": [{\"apiVersion\": "
		     "\"evil.org/v1\", \"kind\": \"Job\", \"name\": \"j\", "
		     "\"controller\": true}]",
		     ""),
		 "Pod team-a/p-1", "1-2", 1, WORKLOAD_POD, ""},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++)
		is_in_its_group(&rows[i]);
}

static void manifests_for_other_schedulers_make_groups(void)
{
	static const struct row rows[] = {
		{POD(NOTES(NOTE(VOLCANO, "g")), ""), "VolcanoPodGroup team-a/g",
		 "", 0, WORKLOAD_POD, ""},
		{POD(NOTES(NOTE(VOLCANO_OLD, "g")), ""),
		 "VolcanoPodGroup team-a/g", "", 0, WORKLOAD_POD, ""},
		{POD(NOTES(NOTE(VOLCANO, "")), ""), "Pod team-a/p-1", "1-2", 1,
		 WORKLOAD_POD, ""},
		/* a Job's annotations count, and its own gang wins */
		{POD(JOB NOTES(NOTE(VOLCANO, "g")), ""),
		 "VolcanoPodGroup team-a/g", "", 0, WORKLOAD_JOB, "j"},
		{POD(JOB NOTES(NOTE(VOLCANO, "g") ", " GANG), ""),
		 "Job team-a/j", "7-7", 0, WORKLOAD_POD, ""},
		{POD(JOB NOTES(NOTE(VOLCANO, "g") ", " NOTE(
			     "job.slurm-k8s.io/gang", "false")),
		     ""),
		 "Pod team-a/p-1", "1-2", 1, WORKLOAD_JOB, "j"},
		{POD(LABEL(XPG, "x") NOTES(NOTE(VOLCANO, "g")), ""),
		 "PodGroup team-a/x", "", 0, WORKLOAD_POD, ""},
		{POD(LABEL(LWS "name", "l") NOTES(NOTE(VOLCANO, "g")), ""),
		 "VolcanoPodGroup team-a/g", "", 0, WORKLOAD_POD, ""},
		{POD(JOB NOTES(TASK_GROUP("workers") ", " WORKERS), ""),
		 "Job team-a/j", "7-7", 4, WORKLOAD_POD, ""},
		/* ours are the stronger ones */
		{POD(JOB NOTES(TASK_GROUP("workers") ", " WORKERS ", " GANG
						     ", " SIZE("3")),
		     ""),
		 "Job team-a/j", "7-7", 3, WORKLOAD_POD, ""},
		{POD(JOB NOTES(TASK_GROUP("workers") ", " WORKERS ", " GANG),
		     ""),
		 "Job team-a/j", "7-7", 0, WORKLOAD_POD, ""},
		{POD(JOB NOTES(TASK_GROUP("workers") ", " WORKERS ", " NOTE(
			     "job.slurm-k8s.io/gang", "false")),
		     ""),
		 "Pod team-a/p-1", "1-2", 1, WORKLOAD_JOB, "j"},
		/* (as to YuniKorn) */
		{POD(JOB NOTES(WORKERS), ""), "Pod team-a/p-1", "1-2", 1,
		 WORKLOAD_JOB, "j"},
		{POD(JOB NOTES(TASK_GROUP("workers") ", " TASK_GROUPS("")), ""),
		 "Pod team-a/p-1", "1-2", 1, WORKLOAD_JOB, "j"},
		/* a JobSet is more than one task group; no Job: each by itself
		 */
		{POD(JOB LABEL(JS, "js")
			     NOTES(TASK_GROUP("workers") ", " WORKERS),
		     ""),
		 "Pod team-a/p-1", "1-2", 1, WORKLOAD_JOBSET, "js"},
		{POD(NOTES(TASK_GROUP("workers") ", " WORKERS), ""),
		 "Pod team-a/p-1", "1-2", 1, WORKLOAD_POD, ""},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++)
		is_in_its_group(&rows[i]);
}

static void what_is_malformed_is_refused(void)
{
	static const struct {
		const char *pod, *words;
	} rows[] = {
		{"{}", "a pod without a uid"},
		{"[]", "a pod without a uid"},
		{"{\"metadata\": {\"uid\": \"1 2\", \"namespace\": \"a\", "
		 "\"name\": \"p\"}}",
		 "a pod without a uid"},
		{"{\"metadata\": {\"uid\": \"1\", \"name\": \"p\"}}",
		 "a pod without a namespace"},
		{"{\"metadata\": {\"uid\": \"1\", \"namespace\": \"A\"}}",
		 "a pod without a namespace"},
		{"{\"metadata\": {\"uid\": \"1\", \"namespace\": \"a\", "
		 "\"name\": \"a\\nb\"}}",
		 "a pod's name 'a b' is no name"},
		{POD("", "\"schedulingGroup\": {\"podGroupName\": \"A B\"}"),
		 "schedulingGroup 'A B' is no name"},
		{POD("", "\"schedulingGroup\": {\"podGroupName\": 3}"),
		 "schedulingGroup '' is no name"},
		{POD("", "\"workloadRef\": {}"), "workloadRef '' is no name"},
		{POD("", "\"workloadRef\": {\"name\": \"w\"}"),
		 "workloadRef names no podGroup"},
		{POD("", "\"workloadRef\": {\"name\": \"w\", \"podGroup\": "
			 "\"a/b\"}"),
		 "workloadRef names no podGroup"},
		{POD(LABEL(XPG, "g_1"), ""), "pod-group 'g_1' is no name"},
		{POD(LABEL(LWS "name", "l"), ""),
		 "group-index '' is malformed"},
		{POD(", \"labels\": {\"" LWS "name\": \"l\", \"" LWS
		     "group-index\": \"3\"}"
		     ", \"annotations\": {\"" LWS "size\": \"1e9\"}",
		     ""),
		 "size '1e9' is not from 1 to 8192"},
		{POD(JOB NOTES(GANG ", " SIZE("0")), ""),
		 "gang-size '0' is not from 1"},
		{POD(JOB NOTES(GANG ", " SIZE("8193")), ""),
		 "gang-size '8193' is not from 1"},
		{POD(JOB NOTES(NOTE("job.slurm-k8s.io/gang", "yes")), ""),
		 "'yes' is neither true nor false"},
		{POD(NOTES(GANG), ""), "is for pods of a Job or JobSet"},
		{POD(NOTES(NOTE(VOLCANO, "A B")), ""),
		 "annotation scheduling.volcano.sh/group-name 'A B' is no "
		 "name"},
		{POD(NOTES(NOTE(VOLCANO_OLD, "A B")), ""),
		 "annotation scheduling.k8s.io/group-name 'A B' is no name"},
		{POD(JOB NOTES(TASK_GROUP("others") ", " WORKERS), ""),
		 "task-groups: 'others' is not there"},
		{POD(JOB NOTES(TASK_GROUP("a") ", " TASK_GROUPS("{")), ""),
		 "task-groups is no list in JSON of at most 16384 bytes"},
		{POD(JOB NOTES(TASK_GROUP("a") ", " TASK_GROUPS("{}")), ""),
		 "task-groups is no list in JSON"},
		{POD(JOB NOTES(TASK_GROUP("a") ", " TASK_GROUPS(
			     "[{\\\"name\\\": \\\"a\\\"}]")),
		     ""),
		 "its minMember is not from 1 to 8192"},
		{POD(JOB NOTES(TASK_GROUP("a") ", " TASK_GROUPS(
			     "[{\\\"name\\\": \\\"a\\\", "
			     "\\\"minMember\\\": 8193}]")),
		     ""),
		 "its minMember is not from 1 to 8192"},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		struct workload w;
		struct err err = {0};

		t_row("%s", rows[i].pod);
		T_ERR(of(rows[i].pod, &w, &err), &err, -EINVAL, rows[i].words);
	}
}

static void pods_of_different_namespaces_are_never_one_group(void)
{
	static const char *const pods[] = {
		POD(LABEL(XPG, "g"), ""),
		POD(JOB NOTES(GANG), ""),
		POD(NOTES(NOTE(VOLCANO, "g")), ""),
		POD("", "\"schedulingGroup\": {\"podGroupName\": \"g\"}"),
	};

	for (size_t i = 0; i < T_COUNT(pods); i++) {
		struct workload a, b;
		char *at;
		_cleanup_free_ char *other = strdup(pods[i]);

		t_row("%s", pods[i]);
		at = strstr(other, "team-a");
		T_NEED(at);
		at[5] = 'b';
		T_INT(of(pods[i], &a, NULL), 0);
		T_INT(of(other, &b, NULL), 0);
		T_STR(a.ns, "team-a");
		T_STR(b.ns, "team-b");
		T_STR(a.name, b.name);
	}
}

#define OBJECT(name, spec)                                                     \
	"{\"metadata\": {\"name\": \"" name "\", \"namespace\": \"team-a\", "  \
	"\"uid\": \"9\"}, \"spec\": {" spec "}}"
#define REF                                                                    \
	POD("", "\"workloadRef\": {\"name\": \"w\", \"podGroup\": \"a\", "     \
		"\"podGroupReplicaKey\": \"1\"}")
#define NATIVE POD("", "\"schedulingGroup\": {\"podGroupName\": \"g\"}")
#define PG POD(LABEL(XPG, "g"), "")
#define SET POD(JOB LABEL(JS, "js") NOTES(GANG), "")

static void the_object_says_how_many_there_must_be(void)
{
	static const struct {
		const char *pod, *object;
		int64_t members; /* 0: each for itself; -1: it does not say */
	} rows[] = {
		{PG, OBJECT("g", "\"minMember\": 4"), 4},
		{PG, OBJECT("g", ""), 1},
		{PG, OBJECT("g", "\"minMember\": 0"), -1},
		{PG, OBJECT("g", "\"minMember\": 8192"), 8192},
		{PG, OBJECT("g", "\"minMember\": 8193"), -1},
		{PG, OBJECT("g", "\"minMember\": -1"), -1},
		{PG, OBJECT("h", "\"minMember\": 4"), -1},
		{POD(NOTES(NOTE(VOLCANO, "g")), ""),
		 OBJECT("g", "\"minMember\": 4"), 4},
		{POD(NOTES(NOTE(VOLCANO, "g")), ""),
		 OBJECT("g", "\"minMember\": 0"), -1},
		{NATIVE,
		 OBJECT("g", "\"schedulingPolicy\": {\"gang\": "
			     "{\"minCount\": 3}}"),
		 3},
		{NATIVE, OBJECT("g", "\"schedulingPolicy\": {\"basic\": {}}"),
		 0},
		{NATIVE, OBJECT("g", "\"schedulingPolicy\": {\"gang\": {}}"),
		 -1},
		{NATIVE, OBJECT("g", ""), -1},
		/* (the rest of what is refused is in test_scheduling_group.c)
		 */
		{NATIVE,
		 OBJECT("g", "\"schedulingPolicy\": {\"basic\": {}}, "
			     "\"resourceClaims\": [{\"name\": \"c\"}]"),
		 -1},
		{NATIVE,
		 OBJECT("g", "\"schedulingPolicy\": {\"gang\": {\"minCount\": "
			     "3}}, \"parentCompositePodGroupName\": \"c\""),
		 -1},
		{NATIVE, OBJECT("g", "\"schedulingPolicy\": {\"newer\": {}}"),
		 -1},
		{REF,
		 OBJECT("w", "\"podGroups\": [{\"name\": \"b\", "
			     "\"policy\": {\"gang\": {\"minCount\": 2}}},"
			     "{\"name\": \"a\", \"policy\": {\"gang\": "
			     "{\"minCount\": 5}}}]"),
		 5},
		{REF,
		 OBJECT("w", "\"podGroups\": [{\"name\": \"a\", "
			     "\"policy\": {\"basic\": {}}}]"),
		 0},
		{REF, OBJECT("w", "\"podGroups\": []"), -1},
		{REF, OBJECT("w", "\"podGroups\": {}"), -1},
		{SET,
		 OBJECT("js", "\"replicatedJobs\": [{\"replicas\": 2, "
			      "\"template\": {\"spec\": "
			      "{\"parallelism\": 3}}}, {}]"),
		 7},
		{SET,
		 OBJECT("js", "\"replicatedJobs\": [{\"replicas\": "
			      "9223372036854775807}]"),
		 -1},
		{SET,
		 OBJECT("js", "\"replicatedJobs\": [{\"replicas\": "
			      "60000}, {\"replicas\": 60000}]"),
		 -1},
		{SET, OBJECT("js", ""), -1},
		{POD(", \"labels\": {\"" LWS "name\": \"l\", \"" LWS
		     "group-index\": \"0\"}",
		     ""),
		 OBJECT("l", "\"leaderWorkerTemplate\": {\"size\": 6}"), 6},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_json_ json_object *object = t_parse(rows[i].object);
		struct workload w;
		struct err err = {0};
		bool alone = false;
		int rc;

		t_row("%s", rows[i].object);
		T_INT(of(rows[i].pod, &w, NULL), 0);
		rc = workload_take(&w, object, &alone, &err);
		T_INT(rc, rows[i].members < 0 ? -EINVAL : 0);
		if (rc)
			continue;
		T_OK(alone == !rows[i].members);
		T_INT(w.members, rows[i].members);
		T_STR(w.uid, "9");
	}
}

static void a_job_says_how_many_and_which_one_it_is(void)
{
	static const struct {
		const char *uid, *spec;
		uint32_t asked; /* by annotation */
		int code;
		uint32_t members;
	} rows[] = {
		{"7-7", "\"parallelism\": 4", 0, 0, 4},
		{"7-7", "\"parallelism\": 4, \"completions\": 2", 0, 0, 2},
		{"7-7", "\"parallelism\": 2, \"completions\": 9", 0, 0, 2},
		{"7-7", "", 0, 0, 1},
		{"7-7", "\"parallelism\": 0", 0, -EINVAL, 0},
		{"7-7", "\"parallelism\": 0", 3, 0, 3},
		{"7-7", "\"parallelism\": 4", 3, 0, 3},
		{"7-7", "\"parallelism\": 2", 3, 0, 2},
		{"7-7",
		 "\"parallelism\": 4, \"completions\": 4}, \"status\": "
		 "{\"succeeded\": 1",
		 0, 0, 3},
		{"7-7",
		 "\"parallelism\": 4, \"completions\": 4}, \"status\": "
		 "{\"succeeded\": 9",
		 0, -EINVAL, 0},
		{"7-7", "\"parallelism\": 4}, \"status\": {\"succeeded\": 9", 0,
		 0, 4},
		{"8-8", "\"parallelism\": 4", 0, -ESTALE, 0},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_free_ char *text = str_printf(
			"{\"metadata\": {\"name\": \"j\", \"namespace\": "
			"\"team-a\", \"uid\": \"%s\"}, \"spec\": {%s}}",
			rows[i].uid, rows[i].spec);
		_cleanup_json_ json_object *object = t_parse(text);
		struct workload w;
		bool alone;

		t_row("%s", text);
		T_INT(of(POD(JOB NOTES(GANG), ""), &w, NULL), 0);
		w.members = rows[i].asked;
		T_INT(workload_take(&w, object, &alone, NULL), rows[i].code);
		if (!rows[i].code)
			T_INT(w.members, rows[i].members);
	}
}

static void a_jobset_needs_no_pod_for_what_has_succeeded(void)
{
	static const struct {
		const char *jobs;
		uint32_t asked; /* by annotation */
		uint32_t done, members;
	} rows[] = {
		{"{\"parallelism\": 4, \"completions\": 4}", 0, 0, 4},
		{"{\"parallelism\": 4, \"completions\": 4}", 0, 3, 1},
		{"{\"parallelism\": 4, \"completions\": 4}", 0, 9, 1},
		{"{\"parallelism\": 4, \"completions\": 4}", 2, 1, 2},
		{"{\"parallelism\": 4, \"completions\": 4}", 2, 3, 1},
		/* (four at a time) */
		{"{\"parallelism\": 4, \"completions\": 9}", 0, 4, 4},
		{"{\"parallelism\": 4, \"completions\": 9}", 0, 6, 3},
		{"{\"parallelism\": 4}", 0, 1, 3},
		/* (so many that it is not known, and it was said) */
		{"{\"parallelism\": 4, \"completions\": 900000}", 0, 3, 4},
		{"{\"parallelism\": 900000}", 2, 3, 2},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_free_ char *text = str_printf(
			"{\"metadata\": {\"name\": \"js\", \"namespace\": "
			"\"team-a\", \"uid\": \"9\"}, \"spec\": "
			"{\"replicatedJobs\": [{\"template\": {\"spec\": "
			"%s}}]}}",
			rows[i].jobs);
		_cleanup_json_ json_object *object = t_parse(text);
		struct workload w;
		bool alone;

		t_row("%s, %u", text, rows[i].done);
		T_INT(of(POD(JOB LABEL(JS, "js") NOTES(GANG), ""), &w, NULL),
		      0);
		w.members = rows[i].asked;
		T_INT(workload_take(&w, object, &alone, NULL), 0);
		T_INT(workload_members(&w, rows[i].done), rows[i].members);
	}
}

static void kinds_have_names_both_ways(void)
{
	for (int k = 0; k < WORKLOAD_KINDS; k++) {
		enum workload_kind got = WORKLOAD_KINDS;

		T_OK(workload_kind_of(workload_api((enum workload_kind)k)->kind,
				      &got));
		T_INT(got, k);
	}
	T_OK(!workload_kind_of("Deployment", &(enum workload_kind){0}));
}

/* (with WorkloadWithJob each Job's pods are in a PodGroup of the basic policy)
 */
static void without_its_built_in_group_a_pod_is_what_it_was(void)
{
#define IN_G "\"schedulingGroup\": {\"podGroupName\": \"g\"}"
#define IN_W "\"workloadRef\": {\"name\": \"w\", \"podGroup\": \"a\"}"
	static const struct {
		const char *pod, *text, *group;
		enum workload_kind top;
	} rows[] = {
		{POD("", IN_G), "Pod team-a/p-1", "g", WORKLOAD_POD},
		{POD(JOB, IN_G), "Pod team-a/p-1", "g", WORKLOAD_JOB},
		{POD(JOB NOTES(GANG), IN_G), "Job team-a/j", "g", WORKLOAD_POD},
		{POD(LABEL(XPG, "x"), IN_G), "PodGroup team-a/x", "g",
		 WORKLOAD_POD},
		{POD(", \"labels\": {\"" LWS "name\": \"l\", \"" LWS
		     "group-index\": \"3\"}",
		     IN_G),
		 "LeaderWorkerSet team-a/l 3", "g", WORKLOAD_POD},
		{POD(JOB, IN_W), "Pod team-a/p-1", "", WORKLOAD_JOB},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_json_ json_object *pod = t_parse(rows[i].pod);
		struct workload w;
		char text[WORKLOAD_TEXT_MAX];

		t_row("%s", rows[i].pod);
		T_INT(workload_of(pod, &w, NULL), 0);
		T_OK(workload_is_built_in(&w));
		T_INT(workload_besides(pod, &w, NULL), 0);
		T_OK(!workload_is_built_in(&w));
		workload_text(&w, text);
		T_STR(text, rows[i].text);
		T_STR(w.group, rows[i].group);
		T_INT(w.top, rows[i].top);
	}
}

#define IS(type, status) "{\"type\": \"" type "\", \"status\": \"" status "\"}"

static void a_job_that_has_ended_is_told_by_its_conditions(void)
{
	static const struct {
		enum workload_kind kind;
		const char *conditions;
		bool ended;
	} rows[] = {
		{WORKLOAD_JOB, IS("Complete", "True"), true},
		{WORKLOAD_JOB,
		 IS("Suspended", "False") "," IS("Failed", "True"), true},
		{WORKLOAD_JOB, IS("Complete", "False"), false},
		{WORKLOAD_JOB, IS("FailureTarget", "True"), false},
		{WORKLOAD_JOB, IS("SuccessCriteriaMet", "True"), false},
		{WORKLOAD_JOB, "[], 7, {\"type\": 1}", false},
		{WORKLOAD_JOBSET, IS("Completed", "True"), true},
		{WORKLOAD_JOBSET, IS("Failed", "True"), true},
		{WORKLOAD_JOBSET, IS("Complete", "True"), false},
		{WORKLOAD_GROUP, IS("Failed", "True"), false},
		{WORKLOAD_REPLICASET, IS("Complete", "True"), false},
	};
	_cleanup_json_ json_object *none = t_parse("{\"status\": 1}");

	T_OK(!workload_has_ended(WORKLOAD_JOB, none));
	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_free_ char *text =
			str_printf("{\"status\": {\"conditions\": [%s]}}",
				   rows[i].conditions);
		_cleanup_json_ json_object *o = t_parse(text);

		t_row("%zu", i);
		T_INT(workload_has_ended(rows[i].kind, o), rows[i].ended);
	}
}

static void what_is_written_of_it_is_read_again(void)
{
	static const struct {
		const char *text;
		bool is;
	} rows[] = {
		{"{\"kind\":\"Pod\",\"namespace\":\"a\",\"name\":\"p\","
		 "\"uid\":\"1-2\"}",
		 true},
		{"{\"kind\":\"LeaderWorkerSet\",\"namespace\":\"a\","
		 "\"name\":\"p.q\",\"part\":\"3\",\"uid\":\"1-2\"}",
		 true},
		{"{\"kind\":\"Pods\",\"namespace\":\"a\",\"name\":\"p\","
		 "\"uid\":\"1-2\"}",
		 false},
		{"{\"kind\":\"Pod\",\"namespace\":\"a.b\",\"name\":\"p\","
		 "\"uid\":\"1-2\"}",
		 false},
		{"{\"kind\":\"Pod\",\"namespace\":\"a\",\"name\":\"P\","
		 "\"uid\":\"1-2\"}",
		 false},
		{"{\"kind\":\"Pod\",\"namespace\":\"a\",\"name\":\"p\","
		 "\"uid\":\"\"}",
		 false},
		{"{\"kind\":\"Pod\",\"namespace\":\"a\",\"name\":\"p\"}",
		 false},
		{"{}", false},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_json_ json_object *o = t_parse(rows[i].text);
		_cleanup_json_ json_object *again = json_object_new_object();
		struct workload w;

		t_row("%s", rows[i].text);
		T_INT(workload_read(o, &w), rows[i].is);
		if (!rows[i].is)
			continue;
		T_OK(!workload_write(&w, again));
		T_STR(json_object_to_json_string_ext(again,
						     JSON_C_TO_STRING_PLAIN),
		      rows[i].text);
	}
}

T_MAIN("workload", T(each_pod_has_its_group),
       T(manifests_for_other_schedulers_make_groups),
       T(what_is_malformed_is_refused),
       T(pods_of_different_namespaces_are_never_one_group),
       T(the_object_says_how_many_there_must_be),
       T(a_job_says_how_many_and_which_one_it_is),
       T(without_its_built_in_group_a_pod_is_what_it_was),
       T(a_jobset_needs_no_pod_for_what_has_succeeded),
       T(a_job_that_has_ended_is_told_by_its_conditions),
       T(kinds_have_names_both_ways), T(what_is_written_of_it_is_read_again))
