/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "host_rules.h"
#include "t.h"

#define GPU(n)                                                                 \
	"\"gpu\": \"x\"", "", "8", "16Gi", "\"nvidia.com/gpu\": \"" n "\""
#define POD(more) "{\"containers\": [{\"name\": \"slurmd\"}]" more "}"
#define ASKS(list)                                                             \
	"{\"containers\": [{\"name\": \"slurmd\", \"resources\": {"            \
	"\"requests\": {" list "}}}]}"
#define BESIDE(cpu, memory, list)                                              \
	"{\"containers\": [{\"name\": \"slurmd\", \"resources\": "             \
	"{\"requests\": {" list "}}}, {\"name\": \"log\", \"resources\": "     \
	"{\"requests\": {\"cpu\": \"" cpu "\", \"memory\": \"" memory          \
	"\"}}}]}"
#define LEAVES                                                                 \
	"\"taints\": [{\"key\": \"ToBeDeletedByClusterAutoscaler\", "          \
	"\"value\": \"1\", \"effect\": \"NoSchedule\"}]"
#define LEAVES_TAINTED                                                         \
	"\"taints\": [{\"key\": \"ToBeDeletedByClusterAutoscaler\", "          \
	"\"value\": \"1\", \"effect\": \"NoSchedule\"}, {\"key\": \"k\", "     \
	"\"value\": \"v\", \"effect\": \"NoSchedule\"}]"
#define TAINT                                                                  \
	"\"taints\": [{\"key\": \"k\", \"value\": \"v\", \"effect\": "         \
	"\"NoSchedule\"}]"

struct host {
	const char *labels, *spec, *cpu, *memory, *more;
	bool lost;
};

static struct kube_node host_of(const struct host *h, size_t i)
{
	_cleanup_json_ json_object *node = NULL;
	struct kube_node out = {0};
	struct err err = {0};
	char text[1024];

	snprintf(text, sizeof(text),
		 "{\"metadata\": {\"name\": \"n%zu\", \"uid\": \"u%zu\", "
		 "\"labels\": {%s}}, \"spec\": {%s}, \"status\": "
		 "{\"allocatable\": {\"cpu\": \"%s\", \"memory\": \"%s\"%s%s}, "
		 "\"conditions\": [{\"type\": \"Ready\", \"status\": "
		 "\"%s\"}]}}",
		 i, i, h->labels, h->spec, h->cpu, h->memory,
		 h->more ? ", " : "", h->more ? h->more : "",
		 h->lost ? "Unknown" : "True");
	node = t_parse(text);
	T_INT(kube_node_of(node, &out, &err), 0);
	T_STR(err.msg, "");
	return out;
}

struct row {
	const char *name, *spec;
	struct host hosts[3];
	enum finding_state state;
	const char *text, *fix;
	bool by_template, creates; /* who says how large its pods are */
};

static void finds(const struct row *r)
{
	_cleanup_json_ json_object *pod = json_object_new_object();
	char name[] = "cpu", container[] = "slurmd";
	struct nodeset set = {.name = name, .container = container};
	struct kube_node hosts[3];
	struct findings f = {0};
	size_t n = 0;

	t_row("%s", r->name);
	json_object_object_add(pod, "spec", t_parse(r->spec));
	for (; n < T_COUNT(r->hosts) && r->hosts[n].cpu; n++)
		hosts[n] = host_of(&r->hosts[n], n);
	set.resources =
		r->by_template ? RESOURCES_TEMPLATE : RESOURCES_FROM_NODE;
	set.create.wanted = r->creates;
	host_rules(&set, pod, hosts, n, &f);
	if (T_INT(f.n, r->text ? 1 : 0) && r->text) {
		T_STR(f.v[0].check, "Kubernetes nodes");
		T_INT(f.v[0].state, r->state);
		T_HAS(f.v[0].text, r->text);
		T_HAS(f.v[0].fix ? f.v[0].fix : "", r->fix);
	}
	for (size_t i = 0; i < n; i++)
		kube_node_clear(&hosts[i]);
	findings_clear(&f);
}

static const struct row rows[] = {
	{"all can",
	 POD(""),
	 {{"", "", "4", "8Gi"}, {"", "", "4", "8Gi"}},
	 FINDING_OK,
	 "2 of 2 can take its pods",
	 ""},
	{"another scheduler's",
	 POD(", \"schedulerName\": \"nobody\", \"nodeSelector\": "
	     "{\"a\": \"b\"}"),
	 {{"", "", "4", "8Gi"}}},
	{"its own",
	 POD(", \"schedulerName\": \"default-scheduler\""),
	 {{"", "", "4", "8Gi"}},
	 FINDING_OK,
	 "1 of 1",
	 ""},
	{"no node",
	 POD(""),
	 {{0}},
	 FINDING_WARN,
	 "there is no Kubernetes node, so its pods wait",
	 "add a"},
	{"no label",
	 POD(", \"nodeSelector\": {\"zone\": \"west\", \"disk\": "
	     "\"ssd\"}"),
	 {{"\"zone\": \"west\"", "", "4", "8Gi"},
	  {"\"zone\": \"east\"", "", "4", "8Gi"}},
	 FINDING_WARN,
	 "no Kubernetes node has the label disk=ssd of its "
	 "nodeSelector",
	 "kubectl label node NODE disk=ssd; or mend nodeSelector"},
	{"not both labels",
	 POD(", \"nodeSelector\": {\"zone\": \"west\", \"disk\": "
	     "\"ssd\"}"),
	 {{"\"zone\": \"west\"", "", "4", "8Gi"},
	  {"\"disk\": \"ssd\"", "", "4", "8Gi"}},
	 FINDING_WARN,
	 "has all that its nodeSelector, affinity or nodeName ask for",
	 "mend nodeSelector, affinity or nodeName"},
	{"no such host",
	 POD(", \"nodeName\": \"gone\""),
	 {{"", "", "4", "8Gi"}},
	 FINDING_WARN,
	 "nodeName ask for",
	 "mend"},
	{"tainted",
	 POD(", \"nodeSelector\": {\"zone\": \"west\"}"),
	 {{"\"zone\": \"west\"", TAINT, "4", "8Gi"},
	  {"\"zone\": \"east\"", "", "4", "8Gi"}},
	 FINDING_WARN,
	 "have a taint that its pods do not tolerate, n0 the taint "
	 "k=v:NoSchedule",
	 "pod template: add to tolerations: {key: k, value: \"v\", effect: "
	 "NoSchedule}, then: scontrol reconfigure"},
	{"tolerated",
	 POD(", \"tolerations\": [{\"key\": \"k\", \"value\": \"v\", "
	     "\"effect\": \"NoSchedule\"}]"),
	 {{"", TAINT, "4", "8Gi"}},
	 FINDING_OK,
	 "1 of 1",
	 ""},
	{"one of two is tainted",
	 POD(""),
	 {{"", TAINT, "4", "8Gi"}, {"", "", "4", "8Gi"}},
	 FINDING_OK,
	 "1 of 2",
	 ""},
	{"too many CPUs",
	 ASKS("\"cpu\": \"16\""),
	 {{"", "", "4", "8Gi"}, {"", "", "7900m", "8Gi"}},
	 FINDING_WARN,
	 "requests 16000m CPUs, and no Kubernetes node has more than "
	 "7900m",
	 "slurm.conf: CPUs=7 at most for its nodes"},
	{"too much memory",
	 ASKS("\"cpu\": \"2\", \"memory\": \"9Gi\""),
	 {{"", "", "4", "8Gi"}},
	 FINDING_WARN,
	 "requests 9216 MiB, and no Kubernetes node has more than 8192",
	 "slurm.conf: RealMemory=8192 at most"},
	{"each has a part",
	 ASKS("\"cpu\": \"8\", \"memory\": \"8Gi\""),
	 {{"", "", "8", "4Gi"}, {"", "", "4", "8Gi"}},
	 FINDING_WARN,
	 "no Kubernetes node has all that its pod requests at once",
	 "make its pods smaller"},
	{"a byte too much memory",
	 ASKS("\"memory\": \"8589934593\""),
	 {{"", "", "4", "8Gi"}},
	 FINDING_WARN,
	 "requests 8193 MiB, and no Kubernetes node has more than 8192",
	 "slurm.conf: RealMemory=8192 at most"},
	{"a neighbour has its part",
	 BESIDE("500m", "1Gi", "\"cpu\": \"8\""),
	 {{"", "", "8", "8Gi"}},
	 FINDING_WARN,
	 "requests 8500m CPUs, and no Kubernetes node has more than 8000m",
	 "slurm.conf: CPUs=7 at most for its nodes, then restart slurmctld; "
	 "or"},
	{"a neighbour has its part of memory",
	 BESIDE("500m", "1Gi", "\"memory\": \"8Gi\""),
	 {{"", "", "8", "8Gi"}},
	 FINDING_WARN,
	 "requests 9216 MiB",
	 "slurm.conf: RealMemory=7168 at most"},
	{"a neighbour has all",
	 BESIDE("8", "1Gi", "\"cpu\": \"1\""),
	 {{"", "", "8", "8Gi"}},
	 FINDING_WARN,
	 "requests 9000m CPUs",
	 "pod template: smaller requests of the containers beside slurmd, "
	 "then: scontrol reconfigure; or add a larger"},
	{"the template says how large",
	 ASKS("\"cpu\": \"16\""),
	 {{"", "", "8", "8Gi"}},
	 FINDING_WARN,
	 "requests 16000m CPUs",
	 "pod template: requests of slurmd: cpu: 8 at most, then: scontrol",
	 .by_template = true},
	{"the template says how much memory",
	 ASKS("\"memory\": \"16Gi\""),
	 {{"", "", "8", "8Gi"}},
	 FINDING_WARN,
	 "requests 16384 MiB",
	 "pod template: requests of slurmd: memory: 8192Mi at most, then",
	 .by_template = true},
	{"k8s.yaml says how large",
	 ASKS("\"cpu\": \"16\""),
	 {{"", "", "8", "8Gi"}},
	 FINDING_WARN,
	 "requests 16000m CPUs",
	 "k8s.yaml: create: cpus: 8 at most for its nodes, then: scontrol",
	 .creates = true},
	{"k8s.yaml says how much memory",
	 ASKS("\"memory\": \"16Gi\""),
	 {{"", "", "8", "8Gi"}},
	 FINDING_WARN,
	 "requests 16384 MiB",
	 "k8s.yaml: create: memory: 8192 at most for its nodes",
	 .creates = true},
	{"GPUs",
	 ASKS("\"nvidia.com/gpu\": \"4\""),
	 {{GPU("2")}, {"", "", "4", "8Gi"}},
	 FINDING_WARN,
	 "requests 4 nvidia.com/gpu, and no Kubernetes node has more "
	 "than 2",
	 "make its pods smaller"},
	{"enough GPUs",
	 ASKS("\"nvidia.com/gpu\": \"4\""),
	 {{GPU("4")}, {"", "", "4", "8Gi"}},
	 FINDING_OK,
	 "1 of 2",
	 ""},
	{"the only large one is another's",
	 ASKS("\"cpu\": \"16\""),
	 {{"", TAINT, "32", "8Gi"}, {"", "", "4", "8Gi"}},
	 FINDING_WARN,
	 "has more than 4000m",
	 "CPUs=4"},
	{"cordoned and lost",
	 POD(""),
	 {{"", "\"unschedulable\": true", "4", "8Gi"},
	  {"", "", "4", "8Gi", NULL, true}},
	 FINDING_WARN,
	 "the 2 Kubernetes nodes that it could be on are cordoned, "
	 "not ready, or about to be removed by an autoscaler",
	 "kubectl uncordon"},
	{"about to be removed",
	 POD(""),
	 {{"", LEAVES, "4", "8Gi"},
	  {"", "\"unschedulable\": true", "4", "8Gi"}},
	 FINDING_WARN,
	 "the 2 Kubernetes nodes that it could be on are cordoned",
	 "kubectl uncordon"},
	{"about to be removed, and tainted besides",
	 POD(""),
	 {{"", LEAVES_TAINTED, "4", "8Gi"}},
	 FINDING_WARN,
	 "have a taint that its pods do not tolerate",
	 "add to tolerations: {key: k, "},
	{"one is about to be removed",
	 POD(""),
	 {{"", LEAVES, "4", "8Gi"}, {"", "", "4", "8Gi"}},
	 FINDING_OK,
	 "2 of 2",
	 ""},
	{"one is cordoned",
	 POD(""),
	 {{"", "\"unschedulable\": true", "4", "8Gi"}, {"", "", "4", "8Gi"}},
	 FINDING_OK,
	 "2 of 2",
	 ""},
	{"not to be read",
	 ASKS("\"cpu\": \"much\""),
	 {{"", "", "4", "8Gi"}},
	 FINDING_UNKNOWN,
	 "nodeset cpu: ",
	 ""},
};

static void a_pod_needs_a_node_that_can_take_it(void)
{
	for (size_t i = 0; i < T_COUNT(rows); i++)
		finds(&rows[i]);
}

/* Such a one is not to be tolerated, and is gone sooner or later. */
static void some_taints_come_and_go(void)
{
	static const struct {
		const char *key;
		bool stays;
	} taints[] = {
		{"DeletionCandidateOfClusterAutoscaler", false},
		{"karpenter.sh/disrupted", false},
		{"karpenter.sh/disruption", false},
		{"karpenter.sh/unregistered", false},
		{"node.cilium.io/agent-not-ready", false},
		{"node.cloudprovider.kubernetes.io/uninitialized", false},
		{"ebs.csi.aws.com/agent-not-ready", false},
		{"node.kubernetes.io/unschedulable", false},
		{"node.kubernetes.io/disk-pressure", false},
		{"startup-taint.cluster-autoscaler.kubernetes.io/x", false},
		{"nvidia.com/gpu", true},
		{"karpenter.sh/disrupted2", true},
		{"node-role.kubernetes.io/control-plane", true},
	};

	for (size_t i = 0; i < T_COUNT(taints); i++) {
		char spec[256];
		const struct row r = {
			taints[i].key,
			POD(""),
			{{"", spec, "4", "8Gi"}},
			FINDING_WARN,
			taints[i].stays
				? "have a taint that its pods do not"
				: "the 1 Kubernetes nodes that it could "
				  "be on are cordoned, not ready,",
			taints[i].stays ? "add to tolerations" : "uncordon"};

		snprintf(spec, sizeof(spec),
			 "\"taints\": [{\"key\": \"%s\", \"value\": \"v\", "
			 "\"effect\": \"NoSchedule\"}]",
			 taints[i].key);
		finds(&r);
	}
}

T_MAIN("host_rules", T(some_taints_come_and_go),
       T(a_pod_needs_a_node_that_can_take_it))
