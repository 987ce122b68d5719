/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "node_rules.h"
#include "slurm/ctl_resume.h"
#include "t.h"

#define POD "podTemplate: {spec: {containers: [{name: slurmd}]}}"

/* Slurm's nodes are the test's. */
static struct ctl_node slurm[8];
static size_t n_slurm;
static uint32_t shortest_s;

bool __wrap_ctl_nodes_at(const struct ctl_nodes *n, size_t i,
			 struct ctl_node *out);
bool __wrap_ctl_nodes_at(const struct ctl_nodes *n, size_t i,
			 struct ctl_node *out)
{
	(void)n;
	if (i < n_slurm)
		*out = slurm[i];
	return i < n_slurm;
}

bool __wrap_ctl_nodes_find(const struct ctl_nodes *n, const char *name,
			   struct ctl_node *out);
bool __wrap_ctl_nodes_find(const struct ctl_nodes *n, const char *name,
			   struct ctl_node *out)
{
	(void)n;
	for (size_t i = 0; i < n_slurm; i++)
		if (!strcmp(slurm[i].name, name))
			return *out = slurm[i], true;
	return false;
}

int __wrap_ctl_resume_shortest(char *const nodes[], size_t n, bool reboot,
			       struct ctl_resume *out, struct err *err);
int __wrap_ctl_resume_shortest(char *const nodes[], size_t n, bool reboot,
			       struct ctl_resume *out, struct err *err)
{
	(void)reboot;
	(void)err;
	if (shortest_s && n) {
		out->timeout_s = shortest_s;
		out->node = nodes[0];
		str_copy(out->partition, "slow", sizeof(out->partition));
	}
	return 0;
}

static struct config *config_of(const char *nodes)
{
	char text[1024];
	struct config *c = NULL;
	struct err err = {0};

	snprintf(text, sizeof(text),
		 "clusters: [{name: main, kubeconfig: k}]\n"
		 "failover: {unschedulableAfter: 60s, notStartedAfter: 30s, "
		 "registerWithin: 60s}\n"
		 "nodesets: [{name: cpu, cluster: main, nodes: '%s', " POD
		 "}]\n",
		 nodes);
	T_INT(config_parse("k8s.yaml", text, strlen(text), &c, &err), 0);
	T_STR(err.msg, "");
	return c;
}

static void add_node(const char *name, bool cloud)
{
	slurm[n_slurm++] = (struct ctl_node){
		.name = name, .cloud = cloud, .memory_mib = 256};
}

/* The only finding that is not in order, if `check` is one; else none is. */
static void finds(const char *nodes, const char *settings,
		  enum finding_state state, const char *check, const char *text,
		  const char *fix)
{
	_cleanup_(config_freep) struct config *c = config_of(nodes);
	_cleanup_(site_config_freep) struct site_config *conf =
		site_config_read(settings);
	const struct finding *bad = NULL;
	struct findings f = {0};
	size_t n = 0;

	node_rules(c, NULL, conf, &f);
	for (size_t i = 0; i < f.n; i++)
		if (f.v[i].state != FINDING_OK) {
			bad = &f.v[i];
			n++;
		}
	T_INT(n, check != NULL);
	T_STR(bad ? bad->check : NULL, check);
	if (bad && check) {
		T_INT(bad->state, state);
		T_HAS(bad->text, text);
		T_HAS(bad->fix, fix);
	}
	findings_clear(&f);
}

#define SAVING                                                                 \
	"SuspendTime = 300 sec\n"                                              \
	"ResumeProgram = /usr/libexec/slurm-k8s/k8s_resume\n"

static void slurm_and_k8s_yaml_mean_the_same_nodes(void)
{
	n_slurm = 0;
	add_node("cpu-0", true);
	add_node("cpu-1", true);
	finds("cpu-[0-1]", SAVING, FINDING_OK, NULL, NULL, NULL);
	finds("cpu-[0-3]", SAVING, FINDING_WRONG, "nodeset",
	      "2 of its nodes are not known to Slurm: cpu-[2-3]",
	      "NodeName=cpu-[2-3]");
	finds("cpu-0", SAVING, FINDING_WRONG, "nodes",
	      "1 nodes are State=CLOUD, and in no nodeset", "in a nodeset");
	finds("cpu-0", "ResumeProgram = /site/resume\n", FINDING_WARN, "nodes",
	      "in no nodeset", "in a nodeset");
	slurm[1].cloud = false;
	finds("cpu-[0-1]", SAVING, FINDING_WRONG, "nodeset",
	      "1 of its nodes are not State=CLOUD: cpu-1", "NodeName=cpu-1");
}

static void other_nodes_are_not_to_be_powered_down(void)
{
	static const struct {
		const char *settings;
		bool told;
	} rows[] = {
		{SAVING, true},
		{SAVING "SuspendExcNodes = metal-9\n", false}, /* not a node */
		{SAVING "SuspendExcNodes = metal-0\n", false},
		{SAVING "SuspendExcNodes = host-0\n", true},
		{SAVING "SuspendExcNodes = cpu-0:1\n", false},
		{SAVING "SuspendExcParts = metal\n", false},
		{SAVING "SuspendExcStates = DOWN\n", false},
		{"SuspendTime = INFINITE\n", false},
		{"SuspendTime = NONE\n", false},
	};

	n_slurm = 0;
	add_node("cpu-0", true);
	add_node("metal-0", false);
	add_node("host-0", false);
	slurm[2].external = true;
	for (size_t i = 0; i < T_COUNT(rows); i++) {
		t_row("%s", rows[i].settings);
		finds("cpu-0", rows[i].settings, FINDING_WARN,
		      rows[i].told ? "SuspendExcNodes" : NULL,
		      "1 nodes are no pods", "SuspendTime=INFINITE");
	}
}

static void pods_go_when_their_nodes_are_idle(void)
{
	n_slurm = 0;
	add_node("cpu-0", true);
	add_node("cpu-1", true);
	finds("cpu-[0-1]", SAVING "SuspendExcNodes = cpu-1\n", FINDING_WARN,
	      "SuspendExcNodes",
	      "1 nodes are pods, and Slurm never powers them down: their pods "
	      "stay for ever: cpu-1",
	      "take them out of SuspendExcNodes");
	finds("cpu-[0-1]", SAVING "SuspendExcNodes = cpu-[0-1]:1\n", FINDING_OK,
	      NULL, NULL, NULL);
	slurm[1].extra = "k8s: kept up by minRunning; pod slurm/cpu-1";
	finds("cpu-[0-1]", SAVING "SuspendExcNodes = cpu-1\n", FINDING_OK, NULL,
	      NULL, NULL);
}

static void beside_a_count_no_node_is_kept_up(void)
{
	n_slurm = 0;
	add_node("cpu-0", true);
	finds("cpu-0', minRunning: 1, container: 'slurmd",
	      SAVING "SuspendExcNodes = cpu-0:1\n", FINDING_WRONG, "minRunning",
	      "nodeset cpu: no node is kept up", "without a count");
}

/* What is new if k8s.yaml has this more, and cpu-0 this memory and features. */
static void finds_more(const char *more, uint64_t memory_mib,
		       const char *features, const char *check,
		       const char *text, const char *fix)
{
	char yaml[1024];
	_cleanup_(config_freep) struct config *c = NULL;
	_cleanup_(site_config_freep) struct site_config *conf =
		site_config_read(SAVING);
	struct findings f = {0};
	struct err err = {0};
	const struct finding *bad = NULL;

	snprintf(yaml, sizeof(yaml),
		 "clusters: [{name: main, kubeconfig: k}]\n%s\n"
		 "nodesets: [{name: cpu, cluster: main, nodes: cpu-0, "
		 "resources: fromNode, " POD "}]\n",
		 more);
	T_INT(config_parse("k8s.yaml", yaml, strlen(yaml), &c, &err), 0);
	T_STR(err.msg, "");
	n_slurm = 0;
	add_node("cpu-0", true);
	slurm[0].memory_mib = memory_mib;
	slurm[0].features = features;
	node_rules(c, NULL, conf, &f);
	for (size_t i = 0; i < f.n; i++)
		if (f.v[i].state != FINDING_OK)
			bad = &f.v[i];
	T_STR(bad ? bad->check : NULL, check);
	if (bad && check) {
		T_HAS(bad->text, text);
		T_HAS(bad->fix, fix);
	}
	findings_clear(&f);
}

#define FEATURES                                                               \
	"features: [{name: jax, patch: {spec: {nodeName: a}}}, "               \
	"{name: torch, patch: {spec: {nodeName: b}}}]"

static void nodes_have_what_their_pods_are_made_by(void)
{
	finds_more("", 256, NULL, NULL, NULL, NULL);
	finds_more("", 1, NULL, "nodeset",
		   "1 of its nodes have no RealMemory, and would get pods of 1 "
		   "MiB: cpu-0",
		   "slurm.conf: NodeName=cpu-0 ... RealMemory=1024");
	finds_more(FEATURES, 256, "rack1,jax,torch", NULL, NULL, NULL);
	finds_more(FEATURES, 256, "rack1,jax", "Feature",
		   "no node has torch of k8s.yaml",
		   "add torch to Feature of the NodeName line");
	finds_more(FEATURES, 256, NULL, "Feature", "no node has jax,torch", "");
}

static void a_pod_has_the_time_that_failover_gives_it(void)
{
	static const struct {
		uint32_t all, own;
		enum finding_state state;
		const char *text, *fix;
	} rows[] = {
		{300, 0, FINDING_OK, "300 s", NULL},
		{120, 0, FINDING_OK, "120 s", NULL},
		{119, 0, FINDING_WARN, "after 119 s Slurm gives a node up",
		 "ResumeTimeout=150, then"},
		{300, 60, FINDING_WARN, "after 60 s Slurm gives a node up",
		 "ResumeTimeout=150 of PartitionName=slow, then"},
		{60, 300, FINDING_OK, "300 s", NULL},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_(config_freep) struct config *c = config_of("cpu-0");
		struct findings f = {0};

		t_row("%u, %u", rows[i].all, rows[i].own);
		shortest_s = rows[i].own;
		resume_rules(c, rows[i].all, &f);
		if (T_OK(f.n == 1)) {
			T_INT(f.v[0].state, rows[i].state);
			T_HAS(f.v[0].text, rows[i].text);
			if (rows[i].fix)
				T_HAS(f.v[0].fix, rows[i].fix);
		}
		findings_clear(&f);
	}
}

T_MAIN("node_rules", T(slurm_and_k8s_yaml_mean_the_same_nodes),
       T(other_nodes_are_not_to_be_powered_down),
       T(pods_go_when_their_nodes_are_idle),
       T(beside_a_count_no_node_is_kept_up),
       T(nodes_have_what_their_pods_are_made_by),
       T(a_pod_has_the_time_that_failover_gives_it))
