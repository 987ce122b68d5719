/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is read of a pod by a table is what is read of the whole. */
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "bridge/intake/pod_class.h"
#include "objects/bridged_pod.h"
#include "objects/held_pod.h"
#include "objects/partial_pod.h"
#include "objects/workload.h"
#include "t.h"

static void same_group(const json_object *a, const json_object *b)
{
	struct workload of_a = {0}, of_b = {0};
	struct err err_a = {0}, err_b = {0};

	T_INT(workload_of(a, &of_a, &err_a), workload_of(b, &of_b, &err_b));
	T_STR(err_a.msg, err_b.msg);
	T_OK(!memcmp(&of_a, &of_b, sizeof(of_a)));
	T_INT(workload_besides(a, &of_a, NULL),
	      workload_besides(b, &of_b, NULL));
	T_OK(!memcmp(&of_a, &of_b, sizeof(of_a)));
}

static void same_class(const json_object *a, const json_object *b)
{
	struct pod_class *x = pod_class_of(a, NULL), *y = pod_class_of(b, NULL);

	T_STR(x->key, y->key);
	T_STR(x->refusal, y->refusal);
	pod_class_free(x);
	pod_class_free(y);
}

static void same_pod(const json_object *a, const json_object *b)
{
	_cleanup_(bridged_pod_freep) struct bridged_pod *x = bridged_pod_of(a);
	_cleanup_(bridged_pod_freep) struct bridged_pod *y = bridged_pod_of(b);

	T_NEED(x && y);
	T_STR(x->node, y->node);
	T_STR(x->group, y->group);
	T_STR(x->by, y->by);
	x->name = y->name;
	x->ns = y->ns;
	x->uid = y->uid;
	x->node = y->node;
	x->group = y->group;
	x->by = y->by;
	T_OK(!memcmp(x, y, sizeof(*x)));
}

static void same_held(const json_object *a, const json_object *b)
{
	static const char *const kinds[] = {"x.org/gpu", "hugepages-2Mi"};
	struct pod_requests x, y;
	int64_t of_x[2], of_y[2];
	struct err err_x = {0}, err_y = {0};

	T_INT(pod_requests_held_of(a, kinds, 2, &x, of_x, &err_x),
	      pod_requests_held_of(b, kinds, 2, &y, of_y, &err_y));
	T_STR(err_x.msg, err_y.msg);
	T_OK(!memcmp(&x, &y, sizeof(x)));
	T_OK(!memcmp(of_x, of_y, sizeof(of_x)));
	T_INT(bridged_pod_bound_by(a), bridged_pod_bound_by(b));
}

static void read_as_if_whole(const char *text)
{
	static const char *const kinds[] = {"x.org/gpu", "hugepages-2Mi"};
	_cleanup_json_ json_object *whole = t_parse(text);
	_cleanup_json_ json_object *some = NULL, *held = NULL, *part = NULL;
	struct held_pod table;

	held_pod_table(&table, kinds, 2);
	T_NEED(!jx_parse_only(text, strlen(text), bridged_pod_table,
			      JX_PARTS_MAX, &some, NULL));
	T_NEED(!held_pod_read(&table, text, strlen(text), &held));
	T_NEED(!partial_pod_read(text, strlen(text), &part, NULL));
	same_group(whole, some);
	same_group(whole, part);
	same_class(whole, some);
	same_pod(whole, some);
	same_pod(whole, part);
	same_held(whole, some);
	same_held(whole, held);
}

#define REQUESTS(cpu)                                                          \
	"\"resources\":{\"requests\":{\"cpu\":\"" cpu "\",\"memory\":\"1Gi\"," \
	"\"x.org/gpu\":\"1\"},\"limits\":{\"hugepages-2Mi\":\"4Mi\","          \
	"\"x.org/gpu\":\"1\"},\"claims\":[{\"name\":\"r\"}]}"
#define CONDITION(type, message)                                               \
	"{\"type\":\"" type "\",\"status\":\"True\",\"message\":\"" message    \
	"\",\"lastProbeTime\":null}"

/* Each member that is looked at is in one of them. */
static const char *const pods_of_all_sorts[][3] = {
	{",\"deletionTimestamp\":\"2026-01-02T03:05:05Z\"",
	 ",\"nodeName\":\"n1\",\"restartPolicy\":\"Never\","
	 "\"initContainers\":[{\"name\":\"i\",\"livenessProbe\":{\"exec\":{},"
	 "\"terminationGracePeriodSeconds\":99}},{\"name\":\"k\","
	 "\"startupProbe\":{\"terminationGracePeriodSeconds\":77}}]",
	 ",\"containerStatuses\":[{\"name\":\"c\",\"state\":{\"terminated\":{"
	 "\"exitCode\":0}}}],\"ephemeralContainerStatuses\":[{\"name\":\"d\","
	 "\"state\":{\"running\":{\"startedAt\":\"x\"}}}]"},
	{"", "", ""},
	{",\"annotations\":{\"job.slurm-k8s.io/qos\":\"q\","
	 "\"slurmjob.slinky.slurm.net/"
	 "account\":\"a\",\"x\":\"y\","
	 "\"karpenter.sh/do-not-disrupt\":\"true\"},"
	 "\"generation\":2,\"creationTimestamp\":"
	 "\"2026-01-02T03:04:05Z\",\"deletionTimestamp\":"
	 "\"2026-01-02T03:05:05Z\","
	 "\"deletionGracePeriodSeconds\":60",
	 ",\"restartPolicy\":\"Never\","
	 "\"terminationGracePeriodSeconds\":7,"
	 "\"schedulingGates\":[{"
	 "\"name\":\"g\"}],\"overhead\":{\"cpu\":\"250m\","
	 "\"memory\":\"5Mi\"}",
	 ""},
	{",\"labels\":{\"jobset.sigs.k8s.io/"
	 "jobset-name\":\"s\","
	 "\"jobset.sigs.k8s.io/restart-attempt\":\"3\","
	 "\"slurm-k8s.io/job-id\":\"12\",\"z\":\"z\"},"
	 "\"annotations\":{\"job.slurm-k8s.io/"
	 "gang\":\"true\","
	 "\"job.slurm-k8s.io/"
	 "gang-size\":\"4\"},\"ownerReferences\":[{"
	 "\"apiVersion\":\"v1\",\"kind\":\"X\",\"name\":"
	 "\"x\",\"uid\":"
	 "\"x\"},{\"apiVersion\":\"batch/"
	 "v1\",\"kind\":\"Job\","
	 "\"name\":\"j\",\"uid\":\"6ba7b810\","
	 "\"controller\":true}]",
	 ",\"workloadRef\":{\"name\":\"w\",\"podGroup\":"
	 "\"g\","
	 "\"podGroupReplicaKey\":\"k\"}",
	 ""},
	{",\"labels\":{\"leaderworkerset.sigs.k8s.io/"
	 "name\":\"l\","
	 "\"leaderworkerset.sigs.k8s.io/"
	 "group-index\":\"1\"},"
	 "\"annotations\":{\"leaderworkerset.sigs.k8s.io/"
	 "size\":\"3\"}",
	 ",\"nodeSelector\":{\"a\":\"b\"},\"tolerations\":["
	 "{\"key\":"
	 "\"t\",\"operator\":\"Exists\",\"effect\":"
	 "\"NoExecute\","
	 "\"tolerationSeconds\":5},{\"key\":\"u\","
	 "\"value\":\"v\"}],"
	 "\"affinity\":{\"nodeAffinity\":{"
	 "\"requiredDuringScheduling"
	 "IgnoredDuringExecution\":{\"nodeSelectorTerms\":["
	 "{"
	 "\"matchExpressions\":[{\"key\":\"k\","
	 "\"operator\":\"In\","
	 "\"values\":[\"1\",\"2\"]}],\"matchFields\":[{"
	 "\"key\":"
	 "\"metadata.name\",\"operator\":\"NotIn\","
	 "\"values\":[\"n\"]}"
	 "]}]},"
	 "\"preferredDuringSchedulingIgnoredDuringExecution"
	 "\":[{}"
	 "]}},\"topologySpreadConstraints\":[{"
	 "\"whenUnsatisfiable\":"
	 "\"ScheduleAnyway\"}]",
	 ""},
	{",\"labels\":{\"pod-group.scheduling.sigs.k8s."
	 "io\":\"old\"}",
	 ",\"resourceClaims\":[{\"name\":\"r\"}]", ""},
	{"",
	 ",\"affinity\":{\"podAffinity\":{"
	 "\"requiredDuringScheduling"
	 "IgnoredDuringExecution\":[]},\"podAntiAffinity\":"
	 "{"
	 "\"requiredDuringSchedulingIgnoredDuringExecution"
	 "\":[{}]}}",
	 ""},
	{"",
	 ",\"topologySpreadConstraints\":[{"
	 "\"whenUnsatisfiable\":"
	 "\"DoNotSchedule\"}]",
	 ""},
	{"",
	 ",\"nodeName\":\"n1\",\"schedulingGroup\":{"
	 "\"podGroupName\":"
	 "\"pg\"},\"initContainers\":[{\"name\":\"i\","
	 "\"restartPolicy\":\"Always\",\"ports\":[{"
	 "\"containerPort\":1"
	 "},{\"hostPort\":8}]," REQUESTS("3") "},{\"name\":\"k\"," REQUESTS(
		 "9") "}"
		      "]"
		      ","
		      "\"resources\""
		      ":"
		      "{"
		      "\"requests\":"
		      "{"
		      "\"cpu\":"
		      "\"7\","
		      "\"hugepages-"
		      "1"
		      "G"
		      "i"
		      "\":"
		      "\"1Gi\"}}",
	 ",\"reason\":\"Evicted\",\"conditions\":"
	 "[" CONDITION("slurm-k8s.io/job", "12") "," CONDITION(
		 "slurm-k8s.io/"
		 "node",
		 "n1") "," CONDITION("slurm-k8s.io/"
				     "group",
				     "PodGroup ns "
				     "a") "," CONDITION("sl"
							"ur"
							"m-"
							"k8"
							"s."
							"io"
							"/b"
							"ou"
							"nd"
							"-b"
							"y",
							"e") "],"
							     "\"initCon"
							     "tainerSta"
							     "tuses\":["
							     "{\"name\""
							     ":\"i\","
							     "\"state\""
							     ":{"
							     "\"running"
							     "\":{}}}],"
							     "\"contain"
							     "erStatuse"
							     "s\":[{"
							     "\"name\":"
							     "\"c\","
							     "\"state\""
							     ":{"
							     "\"termina"
							     "ted\":{"
							     "\"exitCod"
							     "e\":3,"
							     "\"reason"
							     "\":"
							     "\"Error\""
							     ","
							     "\"finishe"
							     "dAt\":"
							     "\"2026-"
							     "01-02T03:"
							     "04:05Z\"}"
							     "},"
							     "\"allocat"
							     "edResourc"
							     "es\":{"
							     "\"cpu\":"
							     "\"5\","
							     "\"x.org/"
							     "gpu\":"
							     "\"2\"}"
							     "," REQUESTS(
								     "6") "}],"
									  "\"al"
									  "loca"
									  "tedR"
									  "esou"
									  "rces"
									  "\":{"
									  "\"cp"
									  "u\":"
									  "\"11"
									  "\"},"
									  "\"re"
									  "sour"
									  "ces"
									  "\":{"
									  "\"re"
									  "ques"
									  "ts\""
									  ":{"
									  "\"cp"
									  "u\":"
									  "\"8"
									  "\"}"
									  "}"},
	{"", ",\"nodeName\":\"n1\"",
	 ",\"conditions\":[{\"type\":\"PodResizePending\","
	 "\"status\":"
	 "\"True\",\"reason\":\"Infeasible\"}],"
	 "\"initContainerStatuses\":[{\"name\":\"c\","
	 "\"state\":{"
	 "\"waiting\":{\"reason\":\"x\"}}," REQUESTS("4") "}]"},
};

static void a_pod_is_read_as_if_whole(void)
{
	for (size_t i = 0; i < T_COUNT(pods_of_all_sorts); i++) {
		_cleanup_free_ char *text = str_printf(
			"{\"metadata\":{\"name\":\"p\",\"namespace\":\"ns\","
			"\"uid\":\"b-2\"%s},\"spec\":{\"containers\":[{"
			"\"name\":\"c\",\"ports\":[{\"containerPort\":80}]"
			"," REQUESTS("2") "}]%s},\"status\":{\"phase\":"
					  "\"Running\"%s}}",
			pods_of_all_sorts[i][0], pods_of_all_sorts[i][1],
			pods_of_all_sorts[i][2]);

		t_row("%zu", i);
		read_as_if_whole(text);
	}
}

T_MAIN("pod_tables", T(a_pod_is_read_as_if_whole))
