/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "nodes/pod/step_annotations.h"
#include "objects/worker_pod.h"
#include "t.h"

static int view(const char *text, struct worker_pod *v)
{
	_cleanup_json_ json_object *o = t_parse(text);

	return worker_pod_of(o, "slurmd", v);
}

/* A pod with the given status. */
static struct worker_pod with_status(const char *status)
{
	_cleanup_free_ char *text =
		str_printf("{\"metadata\": {\"name\": \"p\", \"uid\": \"u\"},"
			   " \"status\": %s}",
			   status);
	struct worker_pod v;

	T_INT(view(text, &v), 0);
	return v;
}

static void what_we_use_of_a_pod_is_kept(void)
{
	struct worker_pod v;

	T_INT(view("{\"metadata\": {\"name\": \"cpu-1\", \"uid\": \"u-1\","
		   " \"creationTimestamp\": \"2026-01-02T03:04:05Z\","
		   " \"labels\": {\"slurm-k8s.io/cluster\": \"prod\","
		   "  \"slurm-k8s.io/node\": \"CPU_1\","
		   "  \"slurm-k8s.io/nodeset\": \"cpu\","
		   "  \"slurm-k8s.io/busy\": \"true\","
		   "  \"slurm-k8s.io/template-hash\": \"abc\"},"
		   " \"annotations\": {\"slurm-k8s.io/job-ids\": \"7,8\","
		   "  \"slurm-k8s.io/steps\": \"[]\"}},"
		   " \"spec\": {\"nodeName\": \"worker-7\"},"
		   " \"status\": {\"phase\": \"Running\","
		   "  \"podIP\": \"10.0.0.7\","
		   "  \"containerStatuses\": [{\"name\": \"slurmd\","
		   "   \"state\": {\"running\": {}}}]}}",
		   &v),
	      0);
	T_STR(v.name, "cpu-1");
	T_STR(v.uid, "u-1");
	T_STR(v.cluster, "prod");
	T_STR(v.node, "CPU_1");
	T_STR(v.nodeset, "cpu");
	T_STR(v.hash, "abc");
	T_STR(v.kube_node, "worker-7");
	T_STR(v.jobs, "7,8");
	T_INT(v.steps, str_sum("[]"));
	T_OK(v.busy);
	T_STR(v.words, "");
	T_INT(v.phase, POD_RUNNING);
	T_INT(v.created_ms, 1767323045000);
	T_OK(v.slurmd_running && !v.deleting && !v.terminated);
}

static void a_pod_tells_the_features_that_it_was_made_with(void)
{
	static const struct {
		const char *annotations, *want;
	} rows[] = {
		{"{\"slurm-k8s.io/features\": \"pytorch,big\"}", "pytorch,big"},
		{"{\"slurm-k8s.io/features\": \"\"}", ""},
		{"{\"slurm-k8s.io/features\": 1}", "?"},
		{"{}", "?"},
		{"null", "?"},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_free_ char *text = str_printf(
			"{\"metadata\": {\"name\": \"n\", \"uid\": \"u\", "
			"\"annotations\": %s}}",
			rows[i].annotations);
		struct worker_pod v;

		t_row("%s", text);
		T_INT(view(text, &v), 0);
		T_STR(v.features, rows[i].want);
	}
}

static void a_pod_tells_autoscalers_whether_its_machine_may_go(void)
{
#define SAFE "\"cluster-autoscaler.kubernetes.io/safe-to-evict\": "
#define KEEP "\"karpenter.sh/do-not-disrupt\": "
	static const struct {
		const char *annotations;
		enum pod_scale want;
	} rows[] = {
		{"{" SAFE "\"false\", " KEEP "\"true\"}", POD_SCALE_KEEP},
		{"{" SAFE "\"true\"}", POD_SCALE_DOWN},
		{"{" SAFE "\"true\", " KEEP "\"true\"}", POD_SCALE_OTHER},
		{"{" SAFE "\"true\", " KEEP "\"no\"}", POD_SCALE_OTHER},
		{"{" SAFE "\"false\"}", POD_SCALE_OTHER},
		{"{" SAFE "false, " KEEP "true}", POD_SCALE_OTHER},
		{"{" KEEP "\"true\"}", POD_SCALE_OTHER},
		{"{}", POD_SCALE_OTHER},
		{"null", POD_SCALE_OTHER},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_free_ char *text = str_printf(
			"{\"metadata\": {\"name\": \"n\", \"uid\": \"u\", "
			"\"annotations\": %s}}",
			rows[i].annotations);
		struct worker_pod v;

		t_row("%s", text);
		T_INT(view(text, &v), 0);
		T_INT(v.scale, rows[i].want);
	}
}

static void a_bare_pod_is_empty_but_valid(void)
{
	struct worker_pod v = with_status("{}");

	T_STR(v.node, "");
	T_INT(v.phase, POD_UNKNOWN);
	T_INT(v.created_ms, -1);
	T_OK(!v.slurmd_running && !v.deleting && !v.terminated);
}

static void what_is_no_pod_is_refused(void)
{
	static const char *const rows[] = {
		"{}",
		"[]",
		"\"pod\" ",
		"{\"metadata\": []}",
		"{\"metadata\": {\"name\": \"p\"}}",
		"{\"metadata\": {\"uid\": \"u\"}}",
		"{\"metadata\": {\"name\": 5, \"uid\": \"u\"}}",
		"{\"metadata\": {\"name\": \"\", \"uid\": \"u\"}}",
	};
	struct worker_pod v;

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		t_row("%s", rows[i]);
		T_INT(view(rows[i], &v), -EINVAL);
	}
	T_INT(worker_pod_of(NULL, "slurmd", &v), -EINVAL);
}

static void phases_are_known_by_name(void)
{
	static const struct {
		const char *status;
		enum pod_phase phase;
	} rows[] = {
		{"{\"phase\": \"Pending\"}", POD_PENDING},
		{"{\"phase\": \"Running\"}", POD_RUNNING},
		{"{\"phase\": \"Succeeded\"}", POD_SUCCEEDED},
		{"{\"phase\": \"Failed\"}", POD_FAILED},
		{"{\"phase\": \"Unknown\"}", POD_UNKNOWN},
		{"{\"phase\": \"Frozen\"}", POD_UNKNOWN},
		{"{\"phase\": 5}", POD_UNKNOWN},
		{"[]", POD_UNKNOWN},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		t_row("%s", rows[i].status);
		T_INT(with_status(rows[i].status).phase, rows[i].phase);
	}
}

static void a_pod_is_deleting_once_it_has_the_date(void)
{
	struct worker_pod v;

	T_INT(view("{\"metadata\": {\"name\": \"p\", \"uid\": \"u\","
		   " \"deletionTimestamp\": \"2026-01-02T03:04:05Z\"}}",
		   &v),
	      0);
	T_OK(v.deleting);
	T_INT(view("{\"metadata\": {\"name\": \"p\", \"uid\": \"u\","
		   " \"deletionTimestamp\": null}}",
		   &v),
	      0);
	T_OK(!v.deleting);
}

#define ENDED "{\"state\": {\"terminated\": {}}}"
#define RUNS "{\"name\": \"slurmd\", \"state\": {\"running\": {}}}"

static void a_pod_is_terminated_when_every_container_has_ended(void)
{
	static const struct {
		const char *status;
		bool terminated, slurmd;
	} rows[] = {
		{"{\"containerStatuses\": []}", false, false},
		{"{\"containerStatuses\": [" ENDED "]}", true, false},
		{"{\"containerStatuses\": [" ENDED ", " RUNS "]}", false, true},
		{"{\"initContainerStatuses\": [" ENDED "],"
		 " \"containerStatuses\": [" RUNS "]}",
		 false, true},
		{"{\"initContainerStatuses\": [" ENDED "],"
		 " \"containerStatuses\": [" ENDED "]}",
		 true, false},
		{"{\"containerStatuses\": [{\"name\": \"log\","
		 " \"state\": {\"running\": {}}}]}",
		 false, false},
		{"{\"containerStatuses\": [null, 5]}", false, false},
		{"{\"containerStatuses\": {}}", false, false},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		struct worker_pod v = with_status(rows[i].status);

		t_row("%s", rows[i].status);
		T_INT(v.terminated, rows[i].terminated);
		T_INT(v.slurmd_running, rows[i].slurmd);
	}
}

static void a_pod_is_displaced_when_kubernetes_has_ended_it(void)
{
	static const struct {
		const char *status;
		bool displaced;
	} rows[] = {
		{"{\"phase\": \"Failed\", \"reason\": \"Terminated\"}", true},
		{"{\"phase\": \"Failed\", \"reason\": \"Preempting\"}", true},
		{"{\"phase\": \"Failed\", \"reason\": \"Evicted\"}", false},
		{"{\"phase\": \"Failed\", \"reason\": \"\"}", false},
		{"{\"phase\": \"Failed\"}", false},
		{"{\"phase\": \"Running\", \"reason\": \"NodeLost\"}", false},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		t_row("%s", rows[i].status);
		T_INT(with_status(rows[i].status).displaced, rows[i].displaced);
	}
}

static void why_a_pod_does_not_run_is_said_in_kubernetes_words(void)
{
	static const struct {
		const char *status, *words;
	} rows[] = {
		{"{\"conditions\": [{\"type\": \"PodScheduled\","
		 " \"status\": \"False\", \"reason\": \"Unschedulable\","
		 " \"message\": \"0/3 nodes are available\"}]}",
		 "Unschedulable: 0/3 nodes are available"},
		{"{\"conditions\": [{\"type\": \"PodScheduled\","
		 " \"status\": \"True\", \"reason\": \"x\"},"
		 " {\"type\": \"Ready\", \"status\": \"False\","
		 " \"reason\": \"y\"}]}",
		 ""},
		{"{\"containerStatuses\": [{\"name\": \"slurmd\", \"state\":"
		 " {\"waiting\": {\"reason\": \"ImagePullBackOff\","
		 " \"message\": \"no such image\"}}}]}",
		 "slurmd: ImagePullBackOff: no such image"},
		{"{\"containerStatuses\": [{\"name\": \"slurmd\", \"state\":"
		 " {\"waiting\": {\"reason\": \"ContainerCreating\"}}}]}",
		 ""},
		{"{\"initContainerStatuses\": [{\"name\": \"i\", \"state\":"
		 " {\"waiting\": {\"reason\": \"CrashLoopBackOff\"}}}],"
		 " \"containerStatuses\": [{\"name\": \"slurmd\", \"state\":"
		 " {\"waiting\": {\"reason\": \"PodInitializing\"}}}]}",
		 "i: CrashLoopBackOff"},
		{"{\"phase\": \"Failed\", \"reason\": \"Evicted\","
		 " \"message\": \"disk pressure\", \"containerStatuses\":"
		 " [{\"name\": \"slurmd\", \"state\": {\"terminated\":"
		 " {\"reason\": \"OOMKilled\", \"exitCode\": 137}}}]}",
		 "Evicted: disk pressure; slurmd: OOMKilled, exit code 137"},
		{"{\"phase\": \"Failed\", \"containerStatuses\":"
		 " [{\"name\": \"slurmd\", \"state\": {\"terminated\":"
		 " {\"exitCode\": 1, \"message\": \"one\\ntwo\\r\\n\"}}}]}",
		 "slurmd: Error, exit code 1: one; two"},
		{"{\"phase\": \"Failed\", \"containerStatuses\":"
		 " [{\"name\": \"slurmd\", \"state\": {\"terminated\":"
		 " {\"exitCode\": 1, \"message\": \"\\n \\n\"}}}]}",
		 "slurmd: Error, exit code 1"},
		{"{\"containerStatuses\": [{\"name\": \"slurmd\", \"state\":"
		 " {\"waiting\": {\"reason\": \"CrashLoopBackOff\","
		 " \"message\": \"back-off 10s\"}}, \"lastState\":"
		 " {\"terminated\": {\"reason\": \"Error\", \"exitCode\": 64,"
		 " \"message\": \"SLURM_NODE_NAME is not set\\n\"}}}]}",
		 "slurmd: CrashLoopBackOff: Error, exit code 64: "
		 "SLURM_NODE_NAME is not set"},
		{"{\"phase\": \"Failed\", \"containerStatuses\":"
		 " [{\"name\": \"slurmd\", \"state\": {\"terminated\":"
		 " {\"exitCode\": 1, \"message\": \"[a] debug\\n"
		 "[2026-01-02T03:04:05.678] error: why\\n\\n"
		 "[2026-01-02T03:04:05.678] error: the end\\n\"}}}]}",
		 "slurmd: Error, exit code 1: error: why; error: the end"},
		{"{\"phase\": \"Failed\", \"initContainerStatuses\":"
		 " [{\"name\": \"i\", \"state\": {\"terminated\":"
		 " {\"exitCode\": 0, \"reason\": \"Completed\"}}}],"
		 " \"containerStatuses\":"
		 " [{\"name\": \"slurmd\", \"state\": {\"terminated\":"
		 " {\"exitCode\": 1, \"message\": \"[emerg] it\"}}}]}",
		 "slurmd: Error, exit code 1: [emerg] it"},
		{"{\"phase\": \"Failed\", \"containerStatuses\":"
		 " [{\"name\": \"slurmd\", \"state\": {\"terminated\":"
		 " {\"exitCode\": 1, \"message\": \"[a] \\n[\"}}}]}",
		 "slurmd: Error, exit code 1: [a]; ["},
		{"{\"phase\": \"Running\", \"containerStatuses\": [{\"name\":"
		 " \"i\", \"state\": {\"terminated\": {\"reason\":"
		 " \"Completed\"}}}]}",
		 ""},
		{"{\"phase\": \"Running\", \"containerStatuses\": [{\"name\":"
		 " \"slurmd\", \"state\": {\"running\": {}}, \"restartCount\":"
		 " 1, \"lastState\": {\"terminated\": {\"reason\":"
		 " \"OOMKilled\", \"exitCode\": 137}}}]}",
		 "slurmd: OOMKilled, exit code 137"},
		{"{\"reason\": \"a\\nb\\u001b[0m\"}", "a b [0m"},
		{"{\"reason\": 5, \"message\": {}, \"conditions\": {}}", ""},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		t_row("%s", rows[i].status);
		T_STR(with_status(rows[i].status).words, rows[i].words);
	}
}

static void words_are_bounded_however_much_there_is_to_say(void)
{
	_cleanup_free_ char *message = t_repeat("\xc3\xa9", 300);
	_cleanup_free_ char *one =
		str_printf("{\"type\": \"PodScheduled\", \"status\": \"False\","
			   " \"reason\": \"R\", \"message\": \"%s\"},",
			   message);
	_cleanup_free_ char *many = t_repeat(one, 50);
	_cleanup_free_ char *status =
		str_printf("{\"conditions\": [%s {}]}", many);
	struct worker_pod v = with_status(status);

	T_OK(strlen(v.words) < sizeof(v.words));
	T_HAS(v.words, "R: \xc3\xa9");
}

/* The status of a pod whose only container waits, as the kubelet writes it. */
#define WAITING(reason, message)                                               \
	"{\"phase\": \"Pending\", \"conditions\": ["                           \
	"{\"type\": \"Initialized\", \"status\": \"True\","                    \
	" \"lastProbeTime\": null,"                                            \
	" \"lastTransitionTime\": \"2026-01-02T03:04:05Z\"},"                  \
	"{\"type\": \"Ready\", \"status\": \"False\","                         \
	" \"reason\": \"ContainersNotReady\", \"message\":"                    \
	" \"containers with unready status: [slurmd]\","                       \
	" \"lastProbeTime\": null,"                                            \
	" \"lastTransitionTime\": \"2026-01-02T03:04:05Z\"},"                  \
	"{\"type\": \"PodScheduled\", \"status\": \"True\","                   \
	" \"lastProbeTime\": null,"                                            \
	" \"lastTransitionTime\": \"2026-01-02T03:04:05Z\"}],"                 \
	" \"hostIP\": \"172.18.0.3\", \"podIP\": \"10.244.1.9\","              \
	" \"startTime\": \"2026-01-02T03:04:05Z\","                            \
	" \"containerStatuses\": [{\"name\": \"slurmd\", \"ready\": false,"    \
	" \"image\": \"slurmd:22.05\", \"imageID\": \"\","                     \
	" \"restartCount\": 0, \"started\": false, \"lastState\": {},"         \
	" \"state\": {\"waiting\": {\"reason\": \"" reason "\"" message        \
	"}}}]}"

static void a_container_that_waits_is_in_trouble_unless_it_is_on_its_way(void)
{
	static const struct {
		const char *status;
		enum pod_trouble trouble;
		const char *words;
	} rows[] = {
		{WAITING("ErrImagePull",
			 ", \"message\": \"rpc error: code = NotFound\""),
		 POD_FINE, /* it is tried again */
		 "slurmd: ErrImagePull: rpc error: code = NotFound"},
		{WAITING("ImagePullBackOff",
			 ", \"message\": \"Back-off pulling image\""),
		 POD_CANNOT_START,
		 "slurmd: ImagePullBackOff: Back-off pulling image"},
		{WAITING("CreateContainerConfigError",
			 ", \"message\": \"secret \\\"munge\\\" not found\""),
		 POD_CANNOT_START,
		 "slurmd: CreateContainerConfigError: secret \"munge\" not "
		 "found"},
		{WAITING("CrashLoopBackOff",
			 ", \"message\": \"back-off 10s restarting\""),
		 POD_CANNOT_START,
		 "slurmd: CrashLoopBackOff: back-off 10s restarting"},
		{WAITING("ContainerCreating", ""), POD_FINE, ""},
		{WAITING("PodInitializing", ""), POD_FINE, ""},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		struct worker_pod v = with_status(rows[i].status);

		t_row("%s", rows[i].words);
		T_INT(v.trouble, rows[i].trouble);
		T_STR(v.words, rows[i].words);
		T_INT(v.phase, POD_PENDING);
		T_INT(v.unschedulable_ms, -1);
		T_INT(v.running_ms, -1);
		T_OK(!v.slurmd_running);
	}
}

static void when_it_was_scheduled_is_read(void)
{
	static const struct {
		const char *status;
		int64_t want;
	} rows[] = {
		{"{\"conditions\": [{\"type\": \"PodScheduled\","
		 " \"status\": \"True\","
		 " \"lastTransitionTime\": \"2026-01-02T03:04:05Z\"}]}",
		 1767323045000},
		{"{\"conditions\": [{\"type\": \"Ready\","
		 " \"status\": \"True\","
		 " \"lastTransitionTime\": \"2026-01-02T03:04:05Z\"}]}",
		 -1},
		{"{\"conditions\": [{\"type\": \"PodScheduled\","
		 " \"status\": \"False\","
		 " \"lastTransitionTime\": \"2026-01-02T03:04:05Z\"}]}",
		 -1},
		{"{\"conditions\": [{\"type\": \"PodScheduled\","
		 " \"status\": \"True\", \"lastTransitionTime\": 5}]}",
		 -1},
		{"{}", -1},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		t_row("%s", rows[i].status);
		T_INT(with_status(rows[i].status).scheduled_ms, rows[i].want);
	}
}

#define UNSCHEDULED(reason, since)                                             \
	"{\"phase\": \"Pending\", \"qosClass\": \"Guaranteed\","               \
	" \"conditions\": [{\"type\": \"PodScheduled\","                       \
	" \"status\": \"False\", \"reason\": \"" reason "\","                  \
	" \"message\": \"0/3 nodes are available: 3 Insufficient cpu.\","      \
	" \"lastProbeTime\": null" since "}]}"
#define SINCE ", \"lastTransitionTime\": \"2026-01-02T03:04:05Z\""

static void a_pod_without_room_is_unschedulable_since_a_date(void)
{
	static const struct {
		const char *status;
		enum pod_trouble trouble;
		int64_t since;
		const char *words;
	} rows[] = {
		{UNSCHEDULED("Unschedulable", SINCE), POD_UNSCHEDULABLE,
		 1767323045000, "Unschedulable: 0/3 nodes are available"},
		{UNSCHEDULED("Unschedulable", ""), POD_UNSCHEDULABLE, -1,
		 "Unschedulable: 0/3 nodes"},
		{UNSCHEDULED("Unschedulable",
			     ", \"lastTransitionTime\": \"yesterday\""),
		 POD_UNSCHEDULABLE, -1, "Unschedulable: 0/3 nodes"},
		{UNSCHEDULED("SchedulingGated", SINCE), POD_FINE, -1,
		 "SchedulingGated: 0/3 nodes"},
		{"{\"phase\": \"Pending\", \"conditions\": [{\"type\":"
		 " \"PodScheduled\", \"status\": \"True\"" SINCE "}]}",
		 POD_FINE, -1, ""},
		{"{\"phase\": \"Pending\"}", POD_FINE, -1, ""},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		struct worker_pod v = with_status(rows[i].status);

		t_row("%s", rows[i].status);
		T_INT(v.trouble, rows[i].trouble);
		T_INT(v.unschedulable_ms, rows[i].since);
		T_INT(v.running_ms, -1);
		T_HAS(v.words, rows[i].words);
	}
}

#define SIDECAR                                                                \
	"{\"name\": \"log\", \"state\": {\"running\": {\"startedAt\":"         \
	" \"2026-01-02T03:04:01Z\"}}}"

static void the_date_when_slurmds_container_began_to_run_is_kept(void)
{
	static const struct {
		const char *status;
		bool running;
		int64_t since;
	} rows[] = {
		{"{\"phase\": \"Running\", \"containerStatuses\": [" SIDECAR
		 ", {\"name\": \"slurmd\", \"ready\": true, \"started\": true,"
		 " \"restartCount\": 0, \"lastState\": {}, \"state\":"
		 " {\"running\":"
		 " {\"startedAt\": \"2026-01-02T03:04:05Z\"}}}]}",
		 true, 1767323045000},
		{"{\"phase\": \"Running\", \"containerStatuses\": ["
		 "{\"name\": \"slurmd\", \"state\": {\"running\": {}}}," SIDECAR
		 "]}",
		 true, -1},
		{"{\"phase\": \"Running\", \"containerStatuses\": [" SIDECAR
		 ", {\"name\": \"slurmd\", \"state\": {\"terminated\":"
		 " {\"startedAt\": \"2026-01-02T03:04:05Z\", \"exitCode\": 1,"
		 " \"reason\": \"Error\"}}}]}",
		 false, -1},
		{"{\"phase\": \"Running\", \"containerStatuses\": [" SIDECAR
		 "]}",
		 false, -1},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		struct worker_pod v = with_status(rows[i].status);

		t_row("%s", rows[i].status);
		T_INT(v.slurmd_running, rows[i].running);
		T_INT(v.running_ms, rows[i].since);
		T_INT(v.trouble, POD_FINE);
		T_INT(v.unschedulable_ms, -1);
		T_OK(!v.terminated);
	}
}

T_MAIN("worker_pod", T(when_it_was_scheduled_is_read),
       T(what_we_use_of_a_pod_is_kept),
       T(a_pod_tells_the_features_that_it_was_made_with),
       T(a_pod_tells_autoscalers_whether_its_machine_may_go),
       T(a_bare_pod_is_empty_but_valid), T(what_is_no_pod_is_refused),
       T(phases_are_known_by_name),
       T(a_pod_is_displaced_when_kubernetes_has_ended_it),
       T(a_pod_is_deleting_once_it_has_the_date),
       T(a_pod_is_terminated_when_every_container_has_ended),
       T(why_a_pod_does_not_run_is_said_in_kubernetes_words),
       T(words_are_bounded_however_much_there_is_to_say),
       T(a_container_that_waits_is_in_trouble_unless_it_is_on_its_way),
       T(a_pod_without_room_is_unschedulable_since_a_date),
       T(the_date_when_slurmds_container_began_to_run_is_kept))
