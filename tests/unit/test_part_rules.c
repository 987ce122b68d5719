/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "part_rules.h"
#include "t.h"

#define POD                                                                    \
	"podTemplate: {spec: {terminationGracePeriodSeconds: 5, containers: "  \
	"[{name: slurmd}]}}"
#define NEVER INT64_MAX

/* Slurm's partitions are a row's; its nodes tell what a row says. */
static const struct ctl_part *parts;
static size_t n_parts;
static int64_t told_s;
static const char *unknown = "";
static const char *more = ""; /* of the nodeset */
static const char *metal;     /* a node that is no pod; NULL: there is none */
static const char *spared;    /* SuspendExcNodes */

bool __wrap_ctl_part_list_at(const struct ctl_part_list *p, size_t i,
			     struct ctl_part *out);
bool __wrap_ctl_part_list_at(const struct ctl_part_list *p, size_t i,
			     struct ctl_part *out)
{
	(void)p;
	if (i < n_parts)
		*out = parts[i];
	return i < n_parts;
}

bool __wrap_ctl_nodes_find(const struct ctl_nodes *n, const char *name,
			   struct ctl_node *out);
bool __wrap_ctl_nodes_find(const struct ctl_nodes *n, const char *name,
			   struct ctl_node *out)
{
	(void)n;
	*out = (struct ctl_node){.name = name, .suspend_time_s = told_s};
	return strcmp(name, unknown) != 0;
}

bool __wrap_ctl_nodes_at(const struct ctl_nodes *n, size_t i,
			 struct ctl_node *out);
bool __wrap_ctl_nodes_at(const struct ctl_nodes *n, size_t i,
			 struct ctl_node *out)
{
	(void)n;
	*out = (struct ctl_node){.name = i ? metal : "cpu-0",
				 .suspend_time_s = told_s};
	return i == 0 || (i == 1 && metal);
}

static struct config *config_of(const char *bridge)
{
	char text[1024];
	struct config *c = NULL;
	struct err err = {0};

	snprintf(
		text, sizeof(text),
		"clusters: [{name: main, kubeconfig: k}]\n%s\n"
		"nodesets: [{name: cpu, cluster: main, nodes: 'cpu-[0-3]', " POD
		"%s}]\n",
		bridge, more);
	T_INT(config_parse("k8s.yaml", text, strlen(text), &c, &err), 0);
	T_STR(err.msg, "");
	return c;
}

struct row {
	const char *name;
	int64_t all_s, told_s; /* slurm.conf's; a node's, if it has one */
	struct ctl_part parts[3];
	enum finding_state state;
	const char *check, *text, *fix;
	int64_t timeout_s; /* slurm.conf's; 0: 30 */
};

static size_t count_parts(const struct row *r)
{
	size_t n = 0;

	while (n < T_COUNT(r->parts) && r->parts[n].name)
		n++;
	return n;
}

static void look(const struct row *r, const char *bridge, struct findings *f)
{
	_cleanup_(config_freep) struct config *c = config_of(bridge);

	t_row("%s", r->name);
	parts = r->parts;
	n_parts = count_parts(r);
	told_s = r->told_s;
	part_rules(c, NULL, NULL,
		   &(struct suspend_times){
			   r->all_s, r->timeout_s ? r->timeout_s : 30, spared},
		   f);
}

/* The row's finding, and nothing else but what is in order. */
static void finds(const struct row *r, const char *bridge)
{
	struct findings f = {0};
	const struct finding *bad = NULL;
	size_t n = 0;

	look(r, bridge, &f);
	for (size_t i = 0; i < f.n; i++)
		if (f.v[i].state != FINDING_OK) {
			bad = &f.v[i];
			n++;
		}
	T_INT(n, r->check ? 1 : 0);
	T_STR(bad ? bad->check : NULL, r->check);
	if (bad && r->check) {
		T_INT(bad->state, r->state);
		T_HAS(bad->text, r->text);
		T_HAS(bad->fix ? bad->fix : "", r->fix);
	}
	findings_clear(&f);
}

static const struct row rows[] = {
	{"all is well", 300, -1, {{"all", "cpu-[0-3]", -1, -1}}},
	{"two share them",
	 300,
	 -1,
	 {{"a", "cpu-[0-1]", -1, -1}, {"b", "cpu-[2-3]", -1, 5}}},
	{"one node in none",
	 300,
	 -1,
	 {{"a", "cpu-[0-2]", -1, -1}, {"b", "", -1, -1}},
	 FINDING_WARN,
	 "partition",
	 "1 of its nodes are in no partition, so no job gets them: "
	 "cpu-3",
	 "slurm.conf: PartitionName=cpu Nodes=cpu-3 State=UP, then: "
	 "scontrol reconfigure"},
	{"one node in none, and its nodeset's partition is there",
	 300,
	 -1,
	 {{"a", "cpu-[0-1]", -1, -1}, {"cpu", "cpu-2", -1, -1}},
	 FINDING_WARN,
	 "partition",
	 "are in no partition, so no job gets them: cpu-3",
	 "slurm.conf: add cpu-3 to Nodes of PartitionName=cpu, then: scontrol "
	 "reconfigure"},
	{"no node in any",
	 300,
	 -1,
	 {{"a", "m[0-9]", -1, -1}},
	 FINDING_WRONG,
	 "partition",
	 "4 of its nodes",
	 "Nodes=cpu-[0-3]"},
	{"partition keeps them",
	 300,
	 -1,
	 {{"a", "cpu-[0-3]", -1, -1}, {"kept", "cpu-[0-1]", NEVER, -1}},
	 FINDING_WARN,
	 "SuspendTime",
	 "2 of its nodes keep their pods for ever, for their "
	 "SuspendTime is INFINITE: cpu-[0-1]",
	 "SuspendTime=300 of PartitionName=kept"},
	{"only some have a time",
	 NEVER,
	 -1,
	 {{"a", "cpu-[0-1]", 60, -1}, {"b", "cpu-[0-3]", -1, -1}},
	 FINDING_WARN,
	 "SuspendTime",
	 "cpu-[2-3]",
	 "slurm.conf: SuspendTime=300, then"},
	{"nobody has power saving: slurm_rules() says so",
	 NEVER,
	 -1,
	 {{"a", "cpu-[0-3]", NEVER, -1}}},
	{"the node has its own", NEVER, 60, {{"a", "cpu-[0-3]", NEVER, -1}}},
	{"the node is never idle enough",
	 300,
	 NEVER,
	 {{"a", "cpu-[0-3]", -1, -1}},
	 FINDING_WARN,
	 "SuspendTime",
	 "4 of its nodes keep",
	 "slurm.conf: SuspendTime=300 of their NodeName line, then restart "
	 "slurmctld"},
	{"nor with a partition that has a time, which does not count then",
	 NEVER,
	 NEVER,
	 {{"a", "cpu-[0-3]", 60, -1}},
	 FINDING_WARN,
	 "SuspendTime",
	 "4 of its nodes keep",
	 "SuspendTime=300 of their NodeName line"},
	{"the node is never idle enough, by its partition",
	 300,
	 NEVER,
	 {{"a", "cpu-[0-3]", NEVER, -1}},
	 FINDING_WARN,
	 "SuspendTime",
	 "4 of its nodes keep",
	 "SuspendTime=300 of PartitionName=a"},
	{"too short to end",
	 300,
	 -1,
	 {{"a", "cpu-[0-3]", -1, -1}, {"short", "cpu-2", -1, 3}},
	 FINDING_WARN,
	 "SuspendTimeout",
	 "3 s in partition short: a pod has 5 s to end",
	 "SuspendTimeout=5 of PartitionName=short"},
	{"another one is long enough",
	 300,
	 -1,
	 {{"a", "cpu-[0-3]", -1, 60}, {"short", "cpu-2", -1, 3}}},
	{"not to be read",
	 300,
	 -1,
	 {{"a", "cpu-[0-", -1, -1}},
	 FINDING_UNKNOWN,
	 "partition",
	 "nodeset cpu:",
	 ""},
};

static void partitions_let_jobs_in_and_pods_go(void)
{
	for (size_t i = 0; i < T_COUNT(rows); i++)
		finds(&rows[i], "");
}

/* Done to the letter, the fix does not power them down. */
static void nodes_that_are_no_pods_stay_up(void)
{
	static const struct row all = {
		"no time for all",
		NEVER,
		-1,
		{{"a", "cpu-[0-1]", 60, -1}, {"b", "cpu-[0-3],metal", -1, -1}},
		FINDING_WARN,
		"SuspendTime",
		"cpu-[2-3]",
		"slurm.conf: SuspendTime=300 and SuspendExcNodes=metal, then: "
		"scontrol reconfigure"};
	static const struct row in_it = {
		"INFINITE in a partition that has both",
		300,
		-1,
		{{"kept", "cpu-[0-3],metal", NEVER, -1}},
		FINDING_WARN,
		"SuspendTime",
		"4 of its nodes",
		"SuspendTime=300 of PartitionName=kept and "
		"SuspendExcNodes=metal, then"};
	static const struct row outside = {
		"INFINITE in a partition of pods",
		300,
		-1,
		{{"kept", "cpu-[0-3]", NEVER, -1}, {"m", "metal", -1, -1}},
		FINDING_WARN,
		"SuspendTime",
		"4 of its nodes",
		"SuspendTime=300 of PartitionName=kept, then"};

	metal = "metal";
	finds(&all, "");
	finds(&in_it, "");
	finds(&outside, "");
	spared = "metal";
	finds(&rows[6], ""); /* SuspendTime=300, then */
	metal = spared = NULL;
}

static void a_node_has_its_partitions_timeout_or_that_for_all(void)
{
	static const struct row short_for_all = {
		"too short for all",
		300,
		-1,
		{{"a", "cpu-[0-2]", -1, 60}, {"b", "cpu-3", -1, -1}},
		FINDING_WARN,
		"SuspendTimeout",
		"nodeset cpu: 3 s: a pod has 5 s to end",
		"slurm.conf: SuspendTimeout=5, then: scontrol reconfigure",
		3};
	static const struct row in_none = {
		"too short for all, which counts for nobody",
		300,
		-1,
		{{"a", "cpu-[0-3]", -1, 60}},
		.timeout_s = 3};
	static const struct row enough = {"just enough",
					  300,
					  -1,
					  {{"a", "cpu-[0-3]", -1, -1}},
					  .timeout_s = 5};

	finds(&short_for_all, "");
	finds(&in_none, "");
	finds(&enough, "");
}

/* They may come to be in any partition. */
static void nodes_to_be_created_have_the_timeout_for_all(void)
{
	static const struct row late = {
		"created",
		300,
		-1,
		{{"a", "", -1, -1}},
		FINDING_WARN,
		"SuspendTimeout",
		"nodeset cpu: 3 s: a pod has 5 s to end",
		"slurm.conf: SuspendTimeout=5",
		3};
	static const struct row own = {"created, some partition has its own",
				       300,
				       -1,
				       {{"a", "", -1, 60}},
				       .timeout_s = 3};

	more = ", create: {cpus: 1, memory: 128}";
	finds(&late, "");
	finds(&own, "");
	more = "";
}

static void what_slurm_does_not_know_is_another_check(void)
{
	static const struct row row = {
		"cpu-3 is not known", 300, -1, {{"a", "cpu-[0-2]", -1, -1}}};

	unknown = "cpu-3";
	finds(&row, "");
	unknown = "";
}

static void the_bridge_names_partitions_that_there_are(void)
{
	static const struct row good = {
		"known",
		300,
		-1,
		{{"a", "cpu-[0-3]", -1, -1}, {"b", "", -1, -1}}};
	static const struct row bad = {
		"unknown",
		300,
		-1,
		{{"a", "cpu-[0-3]", -1, -1}, {"b", "", -1, -1}},
		FINDING_WRONG,
		"partition",
		"Slurm has no partition k8s, so no pod of the queue starts; it "
		"has a,b",
		"k8s.yaml: partition: a, then: scontrol reconfigure"};

	finds(&good, "bridge: {cluster: main, partition: 'b,a', namespaces: "
		     "{team: {user: u}}}");
	finds(&bad, "bridge: {cluster: main, partition: k8s, namespaces: "
		    "{team: {user: u}}}");
	finds(&bad, "bridge: {cluster: main, namespaces: {team: {user: u, "
		    "partition: 'a,k8s'}}}");
}

static void power_saving_is_on_where_something_has_a_time(void)
{
	static const struct ctl_part some[] = {{"a", "", NEVER, -1},
					       {"b", "", 60, -1}};

	parts = some;
	n_parts = 1;
	T_OK(!part_suspends(NULL));
	n_parts = 2;
	T_OK(part_suspends(NULL));
	told_s = -1;
	T_OK(!node_suspends(NULL));
	told_s = NEVER;
	T_OK(!node_suspends(NULL));
	told_s = 60;
	T_OK(node_suspends(NULL));
}

T_MAIN("part_rules", T(partitions_let_jobs_in_and_pods_go),
       T(nodes_that_are_no_pods_stay_up),
       T(a_node_has_its_partitions_timeout_or_that_for_all),
       T(nodes_to_be_created_have_the_timeout_for_all),
       T(what_slurm_does_not_know_is_another_check),
       T(the_bridge_names_partitions_that_there_are),
       T(power_saving_is_on_where_something_has_a_time))
