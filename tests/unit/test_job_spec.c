/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From pods and options to a job. Nodes are the test's. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "bridge/jobspec/job_spec.h"
#include "bridge/jobspec/placement.h"
#include "bridge_fixture.h"
#include "t.h"

void __wrap_inventory_lock(struct inventory *h);
void __wrap_inventory_unlock(struct inventory *h);
struct inventory_node *__wrap_inventory_first(struct inventory *h);
bool __wrap_inventory_ready(struct inventory *h);
bool __wrap_ctl_nodes_find(const struct ctl_nodes *nodes, const char *name,
			   struct ctl_node *out);

uint64_t __wrap_inventory_views(struct inventory *h);
uint64_t __wrap_inventory_views_locked(const struct inventory *h);

static struct inventory_node *hosts;
static bool listed = true;
static bool slurm_has = true; /* every node */
static struct ctl_node slurm_node;
static int walks; /* over all nodes */

/* partition "all" has n1 to n9, "few" n1 */
int ctl_parts_nodes(const struct ctl_parts *p, const char *asked,
		    struct buf *out)
{
	(void)p;
	if (!asked || !strcmp(asked, "all"))
		return buf_add_item(out, "n[1-9]");
	return strcmp(asked, "few") ? -ENOENT : buf_add_item(out, "n1");
}

void __wrap_inventory_lock(struct inventory *h)
{
	(void)h;
}

void __wrap_inventory_unlock(struct inventory *h)
{
	(void)h;
}

struct inventory_node *__wrap_inventory_first(struct inventory *h)
{
	(void)h;
	walks++;
	return hosts;
}

bool __wrap_inventory_ready(struct inventory *h)
{
	(void)h;
	return listed;
}

uint64_t __wrap_inventory_views(struct inventory *h)
{
	(void)h;
	return 1;
}

uint64_t __wrap_inventory_views_locked(const struct inventory *h)
{
	(void)h;
	return 1;
}

bool __wrap_ctl_nodes_find(const struct ctl_nodes *nodes, const char *name,
			   struct ctl_node *out)
{
	(void)nodes;
	(void)name;
	*out = slurm_node;
	return slurm_has;
}

/* A group of some pods, with what the sbatch-options text says. */
static struct bridge_config bridge;
static struct external_nodes external;
static const atomic_bool stop;
static struct job_specs thread;
static struct pod_group group;
static struct group_pod members[8];
static struct pod_class shapes[2];
static struct bridged_pod pod = {
	.name = "p", .ns = "ns", .uid = "u", .node = ""};

static uint32_t had_pods, had_nodes, had_cpus; /* its job's, if that waits */
static const char *places; /* where they run; NULL: they wait */

static void begin(size_t n)
{
	memset(members, 0, sizeof(members));
	memset(shapes, 0, sizeof(shapes));
	memset(&group.of, 0, sizeof(group.of));
	bridge = (struct bridge_config){.cluster = (char *)"prod",
					.scheduler = (char *)"slurm"};
	/* (nodes are asked for by pointers that are never followed) */
	external = (struct external_nodes){.slurm.nodes =
						   (struct ctl_nodes *)&bridge};
	thread = (struct job_specs){.bridge = &bridge,
				    .external = &external,
				    .stop = &stop,
				    .parts = (struct ctl_parts *)&bridge};
	group.members = members;
	group.n = n;
	for (size_t i = 0; i < n; i++) {
		members[i].pod = &pod;
		members[i].shape = &shapes[i > 0];
		members[i].next = i + 1 < n ? &members[i + 1] : NULL;
	}
}

/* As bridge.c does it: which nodes fit is found out in between. */
static int order(const struct namespace_config *ns, struct job_spec *o,
		 struct err *err)
{
	int rc = job_spec_make(&thread, &group, ns, o, err);

	if (rc != -EAGAIN || !node_fits_step(&thread))
		return rc;
	*err = (struct err){0};
	return job_spec_make(&thread, &group, ns, o, err);
}

static int try(const char *options, struct job_spec *o, struct err *err)
{
	_cleanup_json_ json_object *notes = json_object_new_object();
	const json_object *const all[] = {notes};
	struct namespace_config ns = {.allow = ~(job_option_set)0,
				      .options = ~(job_option_set)0};
	const struct job_options_ask ask = {
		.bridge = &bridge, .ns = &ns, .notes = all, .n_notes = 1};

	*o = (struct job_spec){
		.id.of = {.name = "set", .ns = "ns", .uid = "u"}};
	o->id.of.kind = group.of.kind;
	str_copy(o->id.of.part, group.of.part, sizeof(o->id.of.part));
	o->places = places ? strdup(places) : NULL;
	o->had_pods = had_pods;
	o->had_nodes = had_nodes;
	o->had_cpus = had_cpus;
	json_object_object_add(notes, "job.slurm-k8s.io/sbatch-options",
			       json_object_new_string(options));
	T_INT(job_options_make(&ask, &o->options, err), 0);
	T_INT(job_options_digest(&o->options, o->id.options_digest), 0);
	return order(&ns, o, err);
}

static void make(const char *options, struct job_spec *o)
{
	struct err err = {0};

	T_INT(try(options, o, &err), 0);
	T_STR(err.msg, "");
}

static void clear(struct job_spec *o)
{
	job_spec_clear(o);
	node_fits_free(&thread);
	node_sizes_free(&thread);
}

static void sbatchs_options_are_carried(void)
{
	struct job_spec o;

	begin(1);
	make("--contiguous --mcs-label=blue --mincpus=4 --prefer=fast "
	     "--switches=2@60 --time=60 --time-min=30 --tmp=1G "
	     "--kill-on-invalid-dep=yes",
	     &o);
	T_OK(o.p.contiguous);
	T_STR(o.p.mcs_label, "blue");
	T_INT(o.p.node_cpus, 4);
	T_STR(o.p.prefer, "fast");
	T_INT(o.p.switches, 2);
	T_INT(o.p.switches_wait_s, 3600);
	T_INT(o.p.time_limit, 60);
	T_INT(o.p.time_min, 30);
	T_INT(o.p.node_tmp, 1024);
	T_INT(o.p.invalid_dep, PLACEHOLDER_DEP_KILL);
	clear(&o);
	make("--kill-on-invalid-dep=no --switches=1@infinite", &o);
	T_INT(o.p.invalid_dep, PLACEHOLDER_DEP_KEEP);
	T_INT(o.p.switches_wait_s, UINT32_MAX);
	clear(&o);
	make("--time=infinite --time-min=infinite", &o);
	T_INT(o.p.time_min, UINT32_MAX);
	T_INT(o.p.invalid_dep, PLACEHOLDER_DEP_AS_IS);
	T_INT(o.p.switches_wait_s, 0);
	clear(&o);
}

/* Slurm has lost the job of pods that run: it is not to wait for anything. */
static void a_job_for_pods_that_run_starts_there_at_once(void)
{
	struct bridged_pod runs = {
		.name = "q", .ns = "ns", .uid = "v", .node = "n1", .job_id = 7};
	struct job_spec o;

	begin(2);
	members[1].pod = &runs;
	places = "n1";
	make("--hold --begin=now+2hours --dependency=afterok:12 "
	     "--nodelist=n2 --exclude=n1",
	     &o);
	places = NULL;
	T_STR(o.p.nodelist, "n1");
	T_INT(o.id.pods, 2);
	T_INT(o.p.hold, PLACEHOLDER_HOLD_AS_IS);
	T_INT(o.p.begin, 0);
	T_OK(!o.p.dependency && !o.p.exclude);
	clear(&o);
}

/* (one that somebody else has bound, or may have, does not say where) */
static void a_job_is_for_the_nodes_of_pods_that_we_have_bound(void)
{
	struct bridged_pod ours = {
		.name = "q", .ns = "ns", .uid = "v", .node = "n1", .job_id = 7};
	struct bridged_pod theirs = {
		.name = "r", .ns = "ns", .uid = "w", .node = "n2"};
	struct job_specs b = {.bridge = &bridge,
			      .external = &external,
			      .inventory = fixture_hosts(2)};
	struct err err = {0};
	char *out = NULL;

	begin(2);
	members[0].pod = &ours;
	members[1].pod = &theirs;
	T_INT(job_spec_places(&b, &group, &out, &err), 0);
	T_STR(out, "n1");
	free(out);
	inventory_free(b.inventory);
}

/* (slurmctld begins without its nodes, and the bridge makes 100 at a time) */
static void no_job_is_for_a_node_that_slurm_is_still_to_get(void)
{
	static const struct {
		bool label, has, known;
		int rc;
		bool unread;
	} rows[] = {
		{true, true, true, 0},
		{true, false, true, -EAGAIN},
		{true, true, false, -EAGAIN},
		/* (nobody makes it: Slurm is asked, and may refuse it) */
		{false, false, true, 0},
		/* (what it is in Slurm may not be known) */
		{false, true, true, -EAGAIN, true},
	};
	struct bridged_pod ours = {
		.name = "q", .ns = "ns", .uid = "v", .node = "n1", .job_id = 7};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		struct external_nodes here = {0};
		struct job_specs b = {.bridge = &bridge,
				      .external = &here,
				      .inventory = fixture_hosts(1)};
		struct err err = {0};
		char *out = NULL;

		t_row("%zu", i);
		begin(2);
		members[0].pod = members[1].pod = &ours;
		here.slurm.nodes = rows[i].known ? external.slurm.nodes : NULL;
		inventory_find(b.inventory, "n1")->bridge = rows[i].label;
		inventory_find(b.inventory, "n1")->view.unread = rows[i].unread;
		slurm_has = rows[i].has;
		T_INT(job_spec_places(&b, &group, &out, &err), rows[i].rc);
		slurm_has = true;
		T_OK(!out == !!rows[i].rc);
		ours.node = "n2";
		T_INT(job_spec_places(&b, &group, &out, &err), -ENOENT);
		ours.node = "n1";
		free(out);
		inventory_free(b.inventory);
	}
}

static void a_priority_of_0_holds(void)
{
	struct job_spec o;

	begin(1);
	make("--priority=0", &o);
	T_INT(o.p.hold, PLACEHOLDER_HOLD);
	clear(&o);
	make("--priority=1", &o);
	T_INT(o.p.hold, PLACEHOLDER_HOLD_AS_IS);
	T_INT(o.p.priority, 1);
	clear(&o);
	make("--hold", &o);
	T_INT(o.p.hold, PLACEHOLDER_HOLD);
	clear(&o);
	make("", &o);
	T_INT(o.p.hold, PLACEHOLDER_HOLD_AS_IS);
	T_INT(o.p.priority, 0);
	clear(&o);
}

static void groups_of_a_leaderworkerset_are_told_apart_by_name(void)
{
	struct job_spec o;

	begin(1);
	make("", &o);
	T_STR(o.p.name, "set");
	clear(&o);
	group.of.kind = WORKLOAD_LWS;
	strcpy(group.of.part, "3");
	make("", &o);
	T_STR(o.p.name, "set-3");
	clear(&o);
	make("--job-name=mine", &o);
	T_STR(o.p.name, "mine");
	clear(&o);
}

/* In whatever order they came: else each start would update all jobs. */
static void the_same_nodes_are_the_same_few_words(void)
{
	static struct kube_taint taint = {"dedicated", "x", "NoSchedule"};
	static const char *const names[] = {"n1", "n2", "n3", "n4"};
	struct inventory_node all[4] = {0};
	char digest[2][JOB_OPTIONS_DIGEST_MAX];

	for (int back = 0; back < 2; back++) {
		struct job_spec o;

		for (int i = 0; i < 4; i++) {
			const int n = back ? 3 - i : i;
			struct inventory_node *x = &all[n];

			*x = (struct inventory_node){
				.view = {.name = names[n],
					 .taints = &taint,
					 .n_taints = n < 3},
				.seen = true};
			str_copy(x->slurm, names[n], sizeof(x->slurm));
			HASH_ADD_KEYPTR(hh, hosts, names[n], 2, x);
		}
		begin(1);
		external.step.version++;
		make("", &o);
		T_STR(o.p.exclude, "n[1-3]");
		str_copy(digest[back], o.id.options_digest,
			 sizeof(digest[back]));
		clear(&o);
		HASH_CLEAR(hh, hosts);
	}
	T_STR(digest[0], digest[1]);
}

/* What a pod asks of its node, and nodes with a taint change. */
static void a_job_is_told_other_nodes_when_these_change(void)
{
	static struct kube_taint taint = {"dedicated", "x", "NoSchedule"};
	struct inventory_node a = {.view = {.name = "a", .taints = &taint},
				   .seen = true,
				   .slurm = "n1"};
	struct inventory_node b = {.view = {.name = "b", .taints = &taint},
				   .seen = true,
				   .slurm = "n2"};
	struct inventory_node *x = &a, *y = &b;
	struct namespace_config ns = {0};
	struct job_spec first, second;
	struct err err = {0};

	HASH_ADD_KEYPTR(hh, hosts, "n1", 2, x);
	HASH_ADD_KEYPTR(hh, hosts, "n2", 2, y);
	begin(1);
	make("", &first);
	T_OK(!first.p.exclude);
	b.view.n_taints = 1;
	external.step.version++;
	make("", &second);
	T_STR(second.p.exclude, "n2");
	T_OK(strcmp(first.id.options_digest, second.id.options_digest) != 0);
	/* (its options are the same: the job is updated, and not made anew) */
	T_INT(strncmp(first.id.options_digest, second.id.options_digest,
		      JOB_OPTIONS_DIGEST_OWN),
	      0);
	T_INT(strlen(second.id.options_digest), JOB_OPTIONS_DIGEST_MAX - 1);
	clear(&second);
	b.view.n_taints = 0;
	external.step.version++;
	make("", &second);
	T_STR(first.id.options_digest, second.id.options_digest);
	clear(&second);
	clear(&first);
	/* all of them: each is named, and why */
	a.view.n_taints = b.view.n_taints = 1;
	first = (struct job_spec){0};
	T_INT(order(&ns, &first, &err), -EHOSTUNREACH);
	T_STR(err.msg,
	      "no node of Slurm's fits the pod: Kubernetes node a: not "
	      "tolerated: taint dedicated=x; Kubernetes node b: not "
	      "tolerated: taint dedicated=x");
	clear(&first);
	/* not before nodes are known */
	first = (struct job_spec){0};
	listed = false;
	T_INT(order(&ns, &first, &err), -EAGAIN);
	listed = true;
	clear(&first);
	HASH_CLEAR(hh, hosts);
}

#define LONG_NAMES                                                             \
	160 /* of some 200 bytes: almost all that there is room for */

/* (as when no node fits: a job that waits does not go for it) */
static void too_many_names_are_the_nodes_fault(void)
{
	static struct inventory_node all[LONG_NAMES + 1];
	static struct kube_taint taint = {"dedicated", "x", "NoSchedule"};
	char more[1000] = "--exclude=";
	struct job_spec o;
	struct err err = {0};

	for (int i = 0; i <= LONG_NAMES; i++) {
		struct inventory_node *x = &all[i];

		*x = (struct inventory_node){.view = {.name = x->slurm,
						      .taints = &taint,
						      .n_taints = i > 0},
					     .seen = true};
		snprintf(x->slurm, sizeof(x->slurm), "n%d-%0190d.internal", i,
			 0);
		HASH_ADD_KEYPTR(hh, hosts, x->slurm, strlen(x->slurm), x);
	}
	begin(1);
	make("--exclude=n1", &o);
	T_OK(strlen(o.p.exclude) < EXCLUDE_MAX &&
	     strlen(o.p.exclude) > EXCLUDE_MAX - 1000);
	clear(&o);
	for (int i = 0; i < 180; i++)
		strcat(more, i ? ",ab-c" : "ab-c");
	T_INT(try(more, &o, &err), -EHOSTUNREACH);
	T_HAS(err.msg, "nodes that it is not to get are more than 32768 bytes");
	clear(&o);
	HASH_CLEAR(hh, hosts);
}

/* (a gang's that was made anew, beside one that has ended) */
static void a_pod_that_was_bound_keeps_none_from_a_node(void)
{
	struct inventory_node a = {
		.view = {.name = "a"}, .seen = true, .slurm = "n1"};
	struct inventory_node b = {
		.view = {.name = "b"}, .seen = true, .slurm = "n2"};
	struct inventory_node *x = &a, *y = &b;
	struct bridged_pod bound = {.name = "q",
				    .ns = "ns",
				    .uid = "v",
				    .node = "a",
				    .phase = POD_FAILED,
				    .ended = true};
	_cleanup_json_ json_object *on_a =
		t_parse("{\"spec\": {\"nodeName\": \"a\"}}");
	struct job_spec o;
	struct err err = {0};

	HASH_ADD_KEYPTR(hh, hosts, "n1", 2, x);
	HASH_ADD_KEYPTR(hh, hosts, "n2", 2, y);
	begin(2);
	members[1].pod = &bound;
	T_INT(node_filter_of(on_a, &shapes[1].want, &err), 0);
	make("", &o);
	T_OK(!o.p.exclude);
	T_INT(o.id.pods, 1);
	clear(&o);
	node_filter_clear(&shapes[1].want);
	HASH_CLEAR(hh, hosts);
}

static void unequal_pods_are_put_together(void)
{
	struct inventory_node host = {
		.view = {.cpu_milli = 100500}, .seen = true, .slurm = "n1"};
	struct inventory_node *x = &host;
	struct job_spec o;

	HASH_ADD_KEYPTR(hh, hosts, "n1", 2, x);
	begin(8);
	shapes[0].need.cpu_milli = 64000;
	shapes[1].need.cpu_milli = 1000;
	slurm_node = (struct ctl_node){.cpus = 128, .memory_mib = 1024};
	make("--cpus-per-task=1", &o);
	T_INT(o.p.tasks, 1);
	T_INT(o.p.cpus_per_task, 71);
	T_INT(o.id.pods, 8);
	clear(&o);
	host.view.cpu_milli = 70999; /* the kubelet's part is less */
	make("", &o);
	T_INT(o.p.tasks, 2);
	T_INT(o.p.cpus_per_task, 64);
	T_INT(o.p.max_nodes, 2);
	clear(&o);
	HASH_CLEAR(hh, hosts);
}

/* It would start, and none of its pods could be bound. */
static void a_gang_that_cannot_be_bound_is_refused(void)
{
	const size_t n = PACK_PODS_MAX + 1;
	struct group_pod *many = calloc(n, sizeof(*many));
	struct namespace_config ns = {0};
	struct job_spec o = {0};
	struct err err = {0};

	begin(1);
	group.members = many;
	for (size_t i = 0; i < n; i++) {
		many[i] = (struct group_pod){.pod = &pod, .shape = &shapes[0]};
		many[i].next = i + 1 < n ? &many[i + 1] : NULL;
	}
	group.n = n;
	T_INT(order(&ns, &o, &err), -E2BIG);
	T_STR(err.msg, "a gang of 8193 pods is too large: it may have 8192 at "
		       "most");
	clear(&o);
	o = (struct job_spec){.id.of = {.name = "set", .ns = "ns", .uid = "u"}};
	group.members = &many[1];
	group.n = n - 1;
	T_INT(order(&ns, &o, &err), 0);
	clear(&o);
	free(many);
}

/* --- whole nodes */

static struct inventory_node machines[3];

/* So many of n1, n2, n3, of which the last one has 2 CPUs and others 8. */
static void have_nodes(int n)
{
	HASH_CLEAR(hh, hosts);
	for (int i = 0; i < n; i++) {
		struct inventory_node *x = &machines[i];

		*x = (struct inventory_node){
			.view = {.name = x->slurm,
				 .cpu_milli = i < 2 ? 8000 : 2000},
			.seen = true};
		snprintf(x->slurm, sizeof(x->slurm), "n%d", i + 1);
		HASH_ADD_KEYPTR(hh, hosts, x->slurm, 2, x);
	}
	slurm_node = (struct ctl_node){.cpus = 8, .memory_mib = 8192};
}

/* 8 pods of a CPU */
static void have_gang(void)
{
	begin(8);
	bridge.exclusive = true;
	for (int i = 0; i < 2; i++)
		shapes[i].need = (struct pod_requests){.cpu_milli = 1000};
}

/* (else it would be made for one node, however large that must be) */
static void a_gang_waits_until_a_node_is_known(void)
{
	struct namespace_config ns = {0};
	struct job_spec o = {0};
	struct err err = {0};

	have_nodes(0);
	have_gang();
	T_ERR(order(&ns, &o, &err), &err, -ENXIO,
	      "no node of its partition is known that fits its pods");
	clear(&o);
	have_nodes(1);
	thread.parts = NULL;
	external.step.version++;
	o = (struct job_spec){0};
	T_INT(order(&ns, &o, &err), -ENXIO);
	clear(&o);
	thread.parts = (struct ctl_parts *)&bridge;
	make("", &o);
	T_INT(o.p.min_nodes, 1);
	T_INT(o.p.node_cpus, 8);
	clear(&o);
	HASH_CLEAR(hh, hosts);
}

static void a_gang_is_sized_by_the_nodes_of_its_partition(void)
{
	struct job_spec o;

	have_nodes(3);
	have_gang();
	make("", &o); /* (so many on each, the small one too: there are not) */
	T_INT(o.p.min_nodes, 1);
	T_INT(o.p.node_cpus, 8);
	clear(&o);
	have_nodes(2);
	machines[1].view.cpu_milli = 4000;
	have_gang();
	make("", &o);
	T_INT(o.p.min_nodes, 2);
	T_INT(o.p.node_cpus, 4);
	clear(&o);
	have_gang();
	make("--partition=few", &o);
	T_INT(o.p.min_nodes, 1);
	T_INT(o.p.node_cpus, 8);
	clear(&o);
	/* of one that Slurm does not know it will say so itself */
	have_gang();
	make("--partition=none-such", &o);
	T_INT(o.p.min_nodes, 2);
	clear(&o);
	HASH_CLEAR(hh, hosts);
}

/* (an engine with another k8s.yaml does not see its pods) */
static void a_job_says_for_which_scheduler_it_was_made(void)
{
	struct job_identity id;
	struct job_spec o;

	begin(1);
	make("", &o);
	T_OK(job_identity_parse(o.admin_comment, &id));
	T_STR(id.cluster, "prod");
	T_STR(id.scheduler, "slurm");
	clear(&o);
}

/* Its job says what it was made for, also to an engine that starts later. */
static void a_job_says_for_which_nodes_it_was_made(void)
{
	struct job_identity id;
	struct job_spec o;

	have_nodes(1);
	have_gang();
	make("", &o);
	T_OK(job_identity_parse(o.admin_comment, &id));
	T_INT(id.nodes, 1);
	T_INT(id.cpus, 8);
	T_INT(o.size.change, JOBSIZE_SAME);
	had_pods = 8;
	had_nodes = id.nodes;
	had_cpus = id.cpus;
	clear(&o);
	/* that one has gone, and two smaller ones have come */
	have_nodes(2);
	machines[0].view.cpu_milli = machines[1].view.cpu_milli = 4000;
	have_gang();
	make("", &o);
	T_INT(o.size.change, JOBSIZE_LOST);
	T_INT(o.p.min_nodes, 2);
	clear(&o);
	/* (of other pods it is no matter of nodes) */
	had_pods = 7;
	make("", &o);
	T_INT(o.size.change, JOBSIZE_SAME);
	clear(&o);
	had_pods = had_nodes = had_cpus = 0;
	HASH_CLEAR(hh, hosts);
}

/* Thousands of gangs wait, and there are thousands of nodes. */
static void nodes_are_walked_once_in_a_pass(void)
{
	struct job_spec o;

	have_nodes(2);
	have_gang();
	make("", &o);
	job_options_clear(&o.options);
	job_size_clear(&o.size);
	free(o.exclude);
	walks = 0;
	for (int i = 0; i < 10; i++) {
		make("", &o);
		T_INT(o.p.min_nodes, 1);
		job_options_clear(&o.options);
		job_size_clear(&o.size);
		free(o.exclude);
	}
	T_INT(walks, 0);
	thread.sizes_known = false; /* the next pass */
	machines[1].view.cpu_milli = 4000;
	make("", &o);
	T_INT(walks, 1);
	T_INT(o.p.min_nodes, 2);
	clear(&o);
	HASH_CLEAR(hh, hosts);
}

T_MAIN("job_spec", T(a_gang_waits_until_a_node_is_known),
       T(a_gang_is_sized_by_the_nodes_of_its_partition),
       T(a_job_says_for_which_nodes_it_was_made),
       T(a_job_says_for_which_scheduler_it_was_made),
       T(nodes_are_walked_once_in_a_pass),
       T(a_gang_that_cannot_be_bound_is_refused),
       T(sbatchs_options_are_carried),
       T(a_job_for_pods_that_run_starts_there_at_once),
       T(a_job_is_for_the_nodes_of_pods_that_we_have_bound),
       T(no_job_is_for_a_node_that_slurm_is_still_to_get),
       T(a_priority_of_0_holds),
       T(groups_of_a_leaderworkerset_are_told_apart_by_name),
       T(the_same_nodes_are_the_same_few_words),
       T(a_job_is_told_other_nodes_when_these_change),
       T(too_many_names_are_the_nodes_fault),
       T(a_pod_that_was_bound_keeps_none_from_a_node),
       T(unequal_pods_are_put_together))
