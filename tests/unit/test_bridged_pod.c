/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "objects/bridged_pod.h"
#include "t.h"

#define _cleanup_bpod_ _cleanup_(bridged_pod_freep)

static struct bridged_pod *of(const char *meta, const char *spec,
			      const char *status)
{
	_cleanup_free_ char *text = str_printf(
		"{\"metadata\": {\"name\": \"p\", \"namespace\": \"team-a\", "
		"\"uid\": \"1-2\" %s}, \"spec\": {%s}, \"status\": {%s}}",
		meta, spec, status);
	_cleanup_json_ json_object *o = t_parse(text);

	return bridged_pod_of(o);
}

static void a_waiting_pod_is_little(void)
{
	_cleanup_bpod_ struct bridged_pod *p =
		of(", \"creationTimestamp\": \"1970-01-01T00:00:05Z\"",
		   "\"schedulingGates\": []", "\"phase\": \"Pending\"");

	T_NEED(p);
	T_STR(p->name, "p");
	T_STR(p->ns, "team-a");
	T_STR(p->uid, "1-2");
	T_STR(p->node, "");
	T_INT(p->created_ms, 5000);
	T_INT(p->grace_s, 30);
	T_INT(p->job_id, 0);
	T_INT(p->exit_code, 0);
	T_INT(p->phase, POD_PENDING);
	T_OK(!p->deleting && !p->gated && p->ended);
	T_OK(sizeof(*p) < 128);
}

static void what_was_changed_or_said_of_it_since_is_kept(void)
{
	static const struct {
		const char *meta;
		bool respecced, scale_told;
	} rows[] = {
		{"", false, false},
		{", \"generation\": 1, \"annotations\": {\"a\": \"b\"}", false,
		 false},
		{", \"generation\": 2", true, false},
		{", \"generation\": \"x\"", false, false},
		{", \"annotations\": {\"cluster-autoscaler.kubernetes.io/"
		 "safe-to-evict\": \"true\"}",
		 false, true},
		{", \"annotations\": {\"karpenter.sh/do-not-disrupt\": "
		 "\"true\"}",
		 false, true},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_bpod_ struct bridged_pod *p = of(rows[i].meta, "", "");

		t_row("%zu", i);
		T_NEED(p);
		T_INT(p->respecced, rows[i].respecced);
		T_INT(p->scale_told, rows[i].scale_told);
	}
}

static void what_is_said_of_its_end_is_kept(void)
{
	_cleanup_bpod_ struct bridged_pod *p =
		of(", \"deletionTimestamp\": \"1970-01-01T00:01:00Z\", "
		   "\"deletionGracePeriodSeconds\": 5, \"labels\": "
		   "{\"slurm-k8s.io/job-id\": \"42\"}",
		   "\"nodeName\": \"n1\", \"terminationGracePeriodSeconds\": "
		   "99, \"schedulingGates\": [{\"name\": \"x\"}]",
		   "\"phase\": \"Failed\", \"reason\": \"Evicted\"");

	T_NEED(p);
	T_STR(p->node, "n1");
	T_OK(p->deleting && p->gated && p->ended);
	T_INT(p->grace_s, 5);
	T_INT(p->job_id, 0); /* (of one that is bound it proves nothing) */
	T_INT(p->exit_code, 1);
}

#define ENDED(name, code, at)                                                  \
	"{\"name\": \"" name                                                   \
	"\", \"state\": {\"terminated\": {\"exitCode\": " code                 \
	", \"reason\": \"Error\", \"finishedAt\": "                            \
	"\"2026-01-01T00:00:0" at "Z\"}}}"
#define RUNS "{\"name\": \"r\", \"state\": {\"running\": {}}}"
#define WAITS                                                                  \
	"{\"name\": \"w\", \"state\": {\"waiting\": {\"reason\": "             \
	"\"PodInitializing\"}}}"
#define STATUS(phase, list)                                                    \
	"\"phase\": \"" phase "\", \"containerStatuses\": [" list "]"
#define INIT_KILLED(phase, list)                                               \
	"\"initContainerStatuses\": [" ENDED("i", "137",                       \
					     "1") "], " STATUS(phase, list)
#define DEBUG(is)                                                              \
	", \"ephemeralContainerStatuses\": [{\"name\": \"d\", \"state\": {"    \
	"\"" is "\": {}}}]"
#define BY_PODGC                                                               \
	", \"conditions\": [{\"type\": \"DisruptionTarget\", \"status\": "     \
	"\"True\", \"reason\": \"DeletionByPodGC\"}]"
#define SIDECAR                                                                \
	"\"nodeName\": \"n\", \"initContainers\": [{\"name\": \"s\", "         \
	"\"restartPolicy\": \"Always\"}]"
#define NODE "\"nodeName\": \"n\""

static void how_it_ended_is_what_the_first_failed_container_says(void)
{
	static const struct {
		const char *spec, *status;
		int code;
		bool ended;
	} rows[] = {
		{NODE, STATUS("Running", RUNS), 0, false},
		{NODE, STATUS("Succeeded", ENDED("a", "0", "1")), 0, true},
		{NODE, STATUS("Failed", ENDED("a", "3", "1")), 3, true},
		{NODE,
		 STATUS("Failed",
			ENDED("a", "3", "5") ", " ENDED("b", "4", "2")),
		 4, true},
		{NODE,
		 STATUS("Failed",
			ENDED("a", "3", "2") ", " ENDED("b", "4", "2")),
		 3, true},
		{NODE, STATUS("Failed", ENDED("a", "0", "1")), 1, true},
		{NODE, STATUS("Failed", ENDED("a", "-1", "1")), 1, true},
		{NODE, STATUS("Failed", ENDED("a", "4096", "1")), 1, true},
		/* it failed before the pod did: not the pod's end */
		{NODE, STATUS("Running", ENDED("a", "3", "1") ", " RUNS), 0,
		 false},
		/* a lost node's pod is Failed, and its container may run */
		{NODE, STATUS("Failed", RUNS), 1, false},
		/* it is started anew: its job must not end */
		{NODE, STATUS("Running", ENDED("a", "3", "1")), 0, false},
		{NODE ", \"restartPolicy\": \"Never\"",
		 STATUS("Running", ENDED("a", "3", "1")), 0, false},
		/* what waits never begins, after the kubelet's verdict */
		{NODE,
		 "\"phase\": \"Failed\", \"initContainerStatuses\": [" ENDED(
			 "i", "9", "1") "], \"containerStatuses\": [" WAITS "]",
		 9, true},
		{NODE,
		 "\"reason\": \"DeadlineExceeded\", " STATUS("Failed", WAITS),
		 1, true},
		{NODE, STATUS("Pending", WAITS), 0, false},
		/* the kubelet refused it */
		{NODE, "\"phase\": \"Failed\", \"reason\": \"OutOfcpu\"", 1,
		 true},
		{NODE, "\"phase\": \"Pending\"", 0, false},
		{NODE, "", 0, false},
		{"", STATUS("Running", RUNS), 0, true},
		{SIDECAR,
		 "\"phase\": \"Succeeded\", \"initContainerStatuses\": [" ENDED(
			 "s", "143",
			 "1") "], \"containerStatuses\": [" ENDED("a", "0",
								  "1") "]",
		 0, true},
		{SIDECAR,
		 "\"phase\": \"Failed\", \"initContainerStatuses\": [" ENDED(
			 "s", "143",
			 "1") "], \"containerStatuses\": [" ENDED("a", "7",
								  "3") "]",
		 7, true},
		{NODE,
		 "\"phase\": \"Failed\", \"initContainerStatuses\": [" ENDED(
			 "i", "9", "1") "]",
		 9, true},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_bpod_ struct bridged_pod *p =
			of("", rows[i].spec, rows[i].status);

		t_row("%s %s", rows[i].spec, rows[i].status);
		T_NEED(p);
		T_INT(p->exit_code, rows[i].code);
		T_INT(p->ended, rows[i].ended);
	}
}

static void a_deleted_pod_has_ended_when_nothing_of_it_can_run(void)
{
	static const struct {
		const char *spec, *status;
		bool ended;
	} rows[] = {
		{NODE ", \"restartPolicy\": \"Never\"",
		 STATUS("Running", ENDED("a", "0", "1")), true},
		{NODE ", \"restartPolicy\": \"Never\"",
		 STATUS("Running", ENDED("a", "0", "1") ", " RUNS), false},
		/* what kubectl debug has added is still to end */
		{NODE ", \"restartPolicy\": \"Never\"",
		 STATUS("Running", ENDED("a", "0", "1")) DEBUG("running"),
		 false},
		{NODE ", \"restartPolicy\": \"Never\"",
		 STATUS("Running", ENDED("a", "0", "1")) DEBUG("waiting"),
		 true},
		{NODE ", \"restartPolicy\": \"Never\"",
		 STATUS("Running", ENDED("a", "0", "1")) DEBUG("terminated"),
		 true},
		{NODE, STATUS("Failed", ENDED("a", "0", "1")) DEBUG("running"),
		 true},
		{NODE ", \"restartPolicy\": \"Never\"",
		 STATUS("Pending", WAITS), false},
		{NODE ", \"restartPolicy\": \"Never\"", STATUS("Running", ""),
		 false},
		/* the kubelet may be starting it at this moment */
		{NODE ", \"restartPolicy\": \"Always\"",
		 STATUS("Running", ENDED("a", "0", "1")), false},
		{NODE, STATUS("Failed", ENDED("a", "0", "1")), true},
		/* its init container was killed: what waits never begins */
		{NODE, INIT_KILLED("Failed", WAITS), true},
		{NODE, INIT_KILLED("Running", WAITS), false},
		/* set by Kubernetes for a node that is lost */
		{NODE, STATUS("Failed", WAITS) BY_PODGC, false},
		{NODE, STATUS("Failed", RUNS), false},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_bpod_ struct bridged_pod *p =
			of(", \"deletionTimestamp\": "
			   "\"1970-01-01T00:01:00Z\"",
			   rows[i].spec, rows[i].status);

		t_row("%s %s", rows[i].spec, rows[i].status);
		T_NEED(p);
		T_INT(p->ended, rows[i].ended);
	}
}

static void of_one_that_cannot_be_read_the_phase_says_the_end(void)
{
	static const struct {
		const char *spec;
		enum pod_phase phase;
		bool ended;
		int exit_code;
	} rows[] = {
		{NODE, POD_FAILED, true, 1},
		{NODE, POD_SUCCEEDED, true, 0},
		{NODE, POD_RUNNING, false, 0},
		{NODE, POD_UNKNOWN, false, 0},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_bpod_ struct bridged_pod *p =
			of("", rows[i].spec, STATUS("Running", RUNS));

		t_row("%zu", i);
		T_NEED(p);
		T_INT(bridged_pod_end_unread(p, rows[i].phase), rows[i].ended);
		T_INT(p->ended, rows[i].ended);
		T_INT(p->exit_code, rows[i].exit_code);
		T_OK(!bridged_pod_end_unread(p, rows[i].phase)); /* once */
	}
}

#define DIES(at, grace)                                                        \
	", \"deletionTimestamp\": \"2026-01-01T00:00:" at                      \
	"Z\", \"deletionGracePeriodSeconds\": " grace
#define SIDECAR_ENDED(at)                                                      \
	", \"initContainerStatuses\": [" ENDED("s", "0", at) "]"

static void what_ended_when_it_was_deleted_was_cut_short(void)
{
	static const char sidecar[] =
		NODE ", \"initContainers\": [{\"name\": \"s\", "
		     "\"restartPolicy\": \"Always\"}]";
	static const struct {
		const char *meta, *status;
		bool cut_short;
	} rows[] = {
		{DIES("34", "30"), STATUS("Succeeded", ENDED("a", "0", "4")),
		 true},
		{DIES("34", "30"), STATUS("Succeeded", ENDED("a", "0", "9")),
		 true},
		/* it had ended before; (its Job is deleted, say) */
		{DIES("34", "30"), STATUS("Succeeded", ENDED("a", "0", "3")),
		 false},
		{DIES("04", "0"), STATUS("Succeeded", ENDED("a", "0", "3")),
		 false},
		/* the kubelet has said that all have ended: the time moves */
		{DIES("04", "0"), STATUS("Succeeded", ENDED("a", "0", "5")),
		 true},
		/* one of its containers had not */
		{DIES("34", "30"),
		 STATUS("Succeeded",
			ENDED("a", "0", "2") ", " ENDED("b", "0", "5")),
		 true},
		/* a sidecar ends when all is over, and takes its time */
		{DIES("34", "30"),
		 STATUS("Succeeded", ENDED("a", "0", "2")) SIDECAR_ENDED("7"),
		 false},
		{"", STATUS("Succeeded", ENDED("a", "0", "9")), false},
		{DIES("34", "30"), "\"phase\": \"Succeeded\"", false},
		{DIES("x", "30"), STATUS("Succeeded", ENDED("a", "0", "9")),
		 false},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_bpod_ struct bridged_pod *p =
			of(rows[i].meta, sidecar, rows[i].status);

		t_row("%zu", i);
		T_NEED(p);
		T_INT(p->cut_short, rows[i].cut_short);
	}
}

static void odd_values_are_bounded(void)
{
	static const struct {
		const char *label;
		uint32_t id;
	} rows[] = {
		{"1", 1},	   {"0", 0},  {"-1", 0},
		{"1x", 0},	   {"", 0},   {"2147483647", 2147483647},
		{"4294967294", 0}, {" 1", 0}, {"99999999999999999999", 0},
	};
	_cleanup_bpod_ struct bridged_pod *long_grace =
		of(", \"deletionGracePeriodSeconds\": 99999999999", "", "");
	_cleanup_bpod_ struct bridged_pod *no_grace =
		of(", \"deletionGracePeriodSeconds\": -5", "", "");

	_cleanup_bpod_ struct bridged_pod *failed =
		of("", NODE,
		   STATUS("Failed",
			  ENDED("a", "3", "5") ", " ENDED("b", "4", "2")));
	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_free_ char *meta = str_printf(
			", \"labels\": {\"slurm-k8s.io/job-id\": \"%s\", "
			"\"jobset.sigs.k8s.io/restart-attempt\": \"%s\"}",
			rows[i].label, rows[i].label);
		_cleanup_bpod_ struct bridged_pod *p = of(meta, "", "");

		t_row("%s", rows[i].label);
		T_NEED(p);
		T_INT(p->job_id, rows[i].id);
		T_INT(p->attempt, rows[i].id);
	}
	T_NEED(failed);
	T_INT(failed->failed_ms, 1767225602000); /* 2026-01-01T00:00:02Z */
	T_NEED(long_grace && no_grace);
	T_INT(long_grace->grace_s, 86400);
	T_INT(no_grace->grace_s, 0);
}

/* (its author writes labels and annotations, and may create it with a node) */
static void a_condition_alone_proves_that_we_bound_it(void)
{
#define FORGED                                                                 \
	", \"labels\": {\"slurm-k8s.io/job-id\": \"9\"}"                       \
	", \"annotations\": {\"slurm-k8s.io/job-id\": \"9\"}"
#define CONDITION(type, is, message)                                           \
	"\"conditions\": [{\"type\": \"Ready\", \"status\": \"True\", "        \
	"\"message\": \"7\"}, {\"type\": \"" type "\", \"status\": \"" is      \
	"\", \"reason\": \"Started\", \"message\": " message "}]"
#define OURS "slurm-k8s.io/job"
	static const struct {
		const char *spec, *status;
		uint32_t id;
	} rows[] = {
		{NODE, "", 0},
		{NODE, CONDITION(OURS, "True", "\"42\""), 42},
		{NODE, CONDITION(OURS, "True", "42"), 0},
		{NODE, CONDITION(OURS, "True", "\"42 \""), 0},
		{NODE, CONDITION(OURS, "True", "\"-42\""), 0},
		{NODE, CONDITION(OURS, "True", "\"0\""), 0},
		{NODE, CONDITION(OURS, "True", "\"4294967293\""), 4294967293},
		{NODE, CONDITION(OURS, "True", "\"4294967294\""), 0},
		{NODE, CONDITION(OURS, "False", "\"42\""), 0},
		{NODE, CONDITION("slurm-k8s.io/jobs", "True", "\"42\""), 0},
		{NODE, CONDITION("PodScheduled", "True", "\"42\""), 0},
		{NODE, "\"conditions\": {}", 0},
		{NODE, "\"conditions\": [1, null, []]", 0},
		/* it waits: the label */
		{"", CONDITION(OURS, "True", "\"42\""), 9},
		{"", "", 9},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_bpod_ struct bridged_pod *p =
			of(FORGED, rows[i].spec, rows[i].status);

		t_row("%zu", i);
		T_NEED(p);
		T_INT(p->job_id, rows[i].id);
	}
}

/* (marked with its node; then came a binding: this one, another of ours, or
 * somebody else's) */
static void who_has_bound_a_marked_pod_is_seen_on_it(void)
{
#define BY_42(node_is, node)                                                   \
	"\"conditions\": [{\"type\": \"" OURS "\", \"status\": \"True\", "     \
	"\"message\": \"42\"}, {\"type\": \"slurm-k8s.io/node\", "             \
	"\"status\": \"" node_is "\", \"message\": \"" node "\"}]"
#define TO(node)                                                               \
	", \"annotations\": {\"slinky.slurm.net/slurm-node\": \"" node "\"}"
	static const struct {
		const char *meta, *spec, *status;
		uint32_t id;
		bool sure, elsewhere, disowned;
	} rows[] = {
		{TO("n"), NODE, BY_42("True", "n"), 42, true, false, false},
		/* (what its author takes away is no proof) */
		{"", NODE, BY_42("True", "n"), 42, true, false, false},
		{TO("n2"), NODE, BY_42("True", "n"), 42, true, false, false},
		/* an earlier binding of ours was carried out late */
		{TO("n"), NODE, BY_42("True", "n2"), 42, true, true, false},
		/* somebody else */
		{"", NODE, BY_42("True", "n2"), 0, false, false, true},
		{TO("n2"), NODE, BY_42("True", "n2"), 0, false, false, true},
		{FORGED, NODE, BY_42("True", "n2"), 0, false, false, true},
		/* marked by an earlier build */
		{TO("n"), NODE, CONDITION(OURS, "True", "\"42\""), 42, false,
		 false, false},
		{"", NODE, BY_42("False", "n2"), 42, false, false, false},
		/* it is not bound yet */
		{"", "", BY_42("True", "n2"), 0, false, false, false},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_bpod_ struct bridged_pod *p =
			of(rows[i].meta, rows[i].spec, rows[i].status);

		t_row("%zu", i);
		T_NEED(p);
		T_INT(p->job_id, rows[i].id);
		T_INT(p->sure, rows[i].sure);
		T_INT(p->elsewhere, rows[i].elsewhere);
		T_INT(p->disowned, rows[i].disowned);
	}
}

/* (it is kept when Slurm has forgotten the job) */
static void whose_job_has_bound_it_is_seen_on_it(void)
{
#define OF(is, group)                                                          \
	"\"conditions\": [{\"type\": \"slurm-k8s.io/group\", \"status\": "     \
	"\"" is "\", \"message\": \"" group "\"}, "                            \
	"{\"type\": \"slurm-k8s.io/bound-by\", \"status\": \"" is              \
	"\", \"message\": \"slurm/slurm-k8s-a\"}, {\"type\": \"" OURS          \
	"\", \"status\": \"True\", \"message\": \"42\"}]"
	static const struct {
		const char *meta, *spec, *status, *group;
	} rows[] = {
		{"", NODE, OF("True", "Job ns j 1-1"), "Job ns j 1-1"},
		{"", NODE, OF("False", "Job ns j 1-1"), ""},
		{"", NODE, CONDITION(OURS, "True", "\"42\""), ""},
		{"", NODE,
		 CONDITION("slurm-k8s.io/group", "True", "\"Job ns j\""), ""},
		{FORGED, NODE, "", ""},
		/* it is not bound yet */
		{"", "", OF("True", "Job ns j 1-1"), ""},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_bpod_ struct bridged_pod *p =
			of(rows[i].meta, rows[i].spec, rows[i].status);

		t_row("%zu", i);
		T_NEED(p);
		T_STR(p->group, rows[i].group);
		T_STR(p->by, *rows[i].group ? "slurm/slurm-k8s-a" : "");
	}
}

static void texts_are_cleaned_and_cut_at_their_bounds(void)
{
	_cleanup_free_ char *much = t_repeat("x", 10000);
	_cleanup_free_ char *status = str_printf(
		"\"conditions\": [{\"type\": \"slurm-k8s.io/group\", "
		"\"status\": \"True\", \"message\": \"a\\u0007%s\"}, "
		"{\"type\": \"" OURS "\", \"status\": \"True\", "
		"\"message\": \"42\"}]",
		much);
	_cleanup_bpod_ struct bridged_pod *p = of("", NODE, status);

	T_NEED(p);
	T_INT(strlen(p->group), BPOD_GROUP_MAX - 1);
	T_OK(!strncmp(p->group, "a x", 3));
}

static void what_is_no_pod_is_none(void)
{
	static const char *const rows[] = {
		"{}",
		"[]",
		"{\"metadata\": []}",
		"{\"metadata\": {\"name\": \"p\", \"namespace\": \"a\"}}",
		"{\"metadata\": {\"name\": \"p\", \"uid\": \"1\"}}",
		"{\"metadata\": {\"name\": \"\", \"namespace\": \"a\", "
		"\"uid\": \"1\"}}",
		"{\"metadata\": {\"name\": 1, \"namespace\": \"a\", \"uid\": "
		"\"1\"}}",
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_json_ json_object *o = t_parse(rows[i]);

		t_row("%s", rows[i]);
		T_OK(!bridged_pod_of(o));
	}
	T_OK(!bridged_pod_of(NULL));
}

static int searches; /* of a list, by a name */

json_object *__real_jx_by_name(const json_object *list, const char *name);
json_object *__wrap_jx_by_name(const json_object *list, const char *name);
json_object *__wrap_jx_by_name(const json_object *list, const char *name)
{
	searches++;
	return __real_jx_by_name(list, name);
}

/* (a pod of thousands of them took half a second at each event) */
static void no_list_of_containers_is_searched_for_each_of_them(void)
{
	_cleanup_json_ json_object *pod = t_parse(
		"{\"metadata\": {\"name\": \"p\", \"namespace\": \"a\", "
		"\"uid\": "
		"\"1\"}, \"spec\": {\"nodeName\": \"n\", \"initContainers\": [{"
		"\"name\": \"s\", \"restartPolicy\": \"Always\"}, {\"name\": "
		"\"i\"}"
		"]}, \"status\": {\"phase\": \"Failed\", "
		"\"initContainerStatuses\": [{\"name\": \"s\", \"state\": {"
		"\"terminated\": {\"exitCode\": 9, \"finishedAt\": "
		"\"2026-01-01T00:00:01Z\"}}}, {\"name\": \"i\", \"state\": {"
		"\"terminated\": {\"exitCode\": 7, \"finishedAt\": "
		"\"2026-01-01T00:00:03Z\"}}}], \"containerStatuses\": [{"
		"\"name\": \"c\", \"state\": {\"terminated\": {\"exitCode\": "
		"5, "
		"\"finishedAt\": \"2026-01-01T00:00:02Z\"}}}]}}");
	_cleanup_(bridged_pod_freep) struct bridged_pod *p = NULL;

	searches = 0;
	p = bridged_pod_of(pod);
	T_NEED(p);
	T_INT(p->exit_code, 5);
	T_INT(searches, 0);
}

/* No deletion makes it shorter. */
static void the_longest_time_of_a_probe_is_known(void)
{
	static const struct {
		const char *spec;
		uint32_t probe, own;
	} rows[] = {
		{NODE, 0, 30},
		{NODE
		 ", \"terminationGracePeriodSeconds\": 0, \"containers\": [{"
		 "\"livenessProbe\": {\"terminationGracePeriodSeconds\": "
		 "600}}, {\"startupProbe\": {"
		 "\"terminationGracePeriodSeconds\": 7}}]",
		 600, 0},
		{NODE ", \"initContainers\": [{\"startupProbe\": {"
		      "\"terminationGracePeriodSeconds\": 31536000}}]",
		 86400, 30},
		{NODE ", \"containers\": [{\"readinessProbe\": {"
		      "\"terminationGracePeriodSeconds\": 9}, "
		      "\"livenessProbe\": []}, 7]",
		 0, 30},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_bpod_ struct bridged_pod *p =
			of("", rows[i].spec, STATUS("Running", RUNS));

		t_row("%zu", i);
		T_INT(p->probe_grace_s, rows[i].probe);
		T_INT(p->own_grace_s, rows[i].own);
	}
}

T_MAIN("bridged_pod", T(the_longest_time_of_a_probe_is_known),
       T(no_list_of_containers_is_searched_for_each_of_them),
       T(a_waiting_pod_is_little),
       T(what_was_changed_or_said_of_it_since_is_kept),
       T(what_is_said_of_its_end_is_kept),
       T(how_it_ended_is_what_the_first_failed_container_says),
       T(a_deleted_pod_has_ended_when_nothing_of_it_can_run),
       T(of_one_that_cannot_be_read_the_phase_says_the_end),
       T(what_ended_when_it_was_deleted_was_cut_short),
       T(odd_values_are_bounded), T(a_condition_alone_proves_that_we_bound_it),
       T(who_has_bound_a_marked_pod_is_seen_on_it),
       T(whose_job_has_bound_it_is_seen_on_it),
       T(texts_are_cleaned_and_cut_at_their_bounds), T(what_is_no_pod_is_none))
