/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which nodes fit, how often that is found out, and under which locks. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "bridge/jobspec/job_spec.h"
#include "t.h"

void __wrap_inventory_lock(struct inventory *h);
void __wrap_inventory_unlock(struct inventory *h);
struct inventory_node *__wrap_inventory_first(struct inventory *h);
bool __wrap_inventory_ready(struct inventory *h);
uint64_t __wrap_inventory_views(struct inventory *h);
uint64_t __wrap_inventory_views_locked(const struct inventory *h);
bool __wrap_ctl_nodes_find(const struct ctl_nodes *nodes, const char *name,
			   struct ctl_node *out);
int64_t __wrap_clock_ms(void);
void __wrap_clock_nap(int64_t ms);

static struct inventory_node *hosts;
static uint64_t views = 1;
static int64_t now, locked_at, longest;
static size_t looked;	/* at nodes */
static int64_t node_ms; /* so long each takes */
static int naps;

void __wrap_inventory_lock(struct inventory *h)
{
	(void)h;
	locked_at = now;
}

void __wrap_inventory_unlock(struct inventory *h)
{
	(void)h;
	if (now - locked_at > longest)
		longest = now - locked_at;
}

struct inventory_node *__wrap_inventory_first(struct inventory *h)
{
	(void)h;
	return hosts;
}

bool __wrap_inventory_ready(struct inventory *h)
{
	(void)h;
	return true;
}

uint64_t __wrap_inventory_views(struct inventory *h)
{
	(void)h;
	return views;
}

uint64_t __wrap_inventory_views_locked(const struct inventory *h)
{
	(void)h;
	return views;
}

bool __wrap_ctl_nodes_find(const struct ctl_nodes *nodes, const char *name,
			   struct ctl_node *out)
{
	(void)nodes;
	(void)name;
	*out = (struct ctl_node){.cpus = 1};
	looked++;
	now += node_ms;
	return true;
}

int64_t __wrap_clock_ms(void)
{
	return now;
}

static void (*at_nap)(void); /* what happens while nothing is locked */

void __wrap_clock_nap(int64_t ms)
{
	now += ms;
	naps++;
	if (at_nap)
		at_nap();
}

/* --- pods and nodes */

#define PODS 8192
#define HOSTS 600

static struct external_nodes external = {.slurm.nodes =
						 (struct ctl_nodes *)&hosts};
static const atomic_bool stop;
static struct job_specs b = {.external = &external, .stop = &stop};
static struct inventory_node all[HOSTS];
static struct kube_label labels[HOSTS][1];
static char names[HOSTS][16];
static struct pod_class shapes[FIT_WANTS_MAX + 1];
static struct group_pod members[PODS];
static struct bridged_pod pod = {
	.name = "p", .ns = "ns", .uid = "u", .node = ""};
static struct pod_group group;

/* Each has the label host=its name. */
static void begin(int n_hosts)
{
	for (int i = 0; i < n_hosts; i++) {
		struct inventory_node *x = &all[i];

		snprintf(names[i], sizeof(names[i]), "n%d", i);
		labels[i][0] = (struct kube_label){"host", names[i]};
		*x = (struct inventory_node){.view = {.name = names[i],
						      .labels = labels[i],
						      .n_labels = 1},
					     .seen = true};
		str_copy(x->slurm, names[i], sizeof(x->slurm));
		HASH_ADD_KEYPTR(hh, hosts, names[i], strlen(names[i]), x);
	}
	now = 0;
	longest = node_ms = 0;
	looked = 0;
	naps = 0;
	at_nap = NULL;
}

static void end(void)
{
	HASH_CLEAR(hh, hosts);
	node_fits_free(&b);
	for (size_t i = 0; i <= FIT_WANTS_MAX; i++)
		node_filter_clear(&shapes[i].want);
	memset(shapes, 0, sizeof(shapes));
}

static void want(struct pod_class *s, const char *text)
{
	_cleanup_json_ json_object *o = t_parse(text);
	struct err err = {0};

	node_filter_clear(&s->want);
	T_INT(node_filter_of(o, &s->want, &err), 0);
}

/* Not on node n`not`, in so many ways, in turn. */
static void pods(size_t n, size_t kinds)
{
	for (size_t i = 0; i < kinds; i++) {
		char text[512];

		snprintf(text, sizeof(text),
			 "{\"spec\":{\"affinity\":{\"nodeAffinity\":{"
			 "\"requiredDuringSchedulingIgnoredDuringExecution\":{"
			 "\"nodeSelectorTerms\":[{\"matchExpressions\":[{"
			 "\"key\":\"host\",\"operator\":\"NotIn\","
			 "\"values\":[\"n%zu\"]}]}]}}}}}",
			 i);
		want(&shapes[i], text);
	}
	group = (struct pod_group){.members = members, .n = n};
	for (size_t i = 0; i < n; i++)
		members[i] = (struct group_pod){
			.pod = &pod,
			.shape = &shapes[i % kinds],
			.next = i + 1 < n ? &members[i + 1] : NULL};
}

static int find(const struct node_fit **out, struct err *err)
{
	int rc = node_fit_find(&b, &group, out, err);

	if (rc != -EAGAIN || !node_fits_step(&b))
		return rc;
	*err = (struct err){0};
	return node_fit_find(&b, &group, out, err);
}

/* --- */

static void the_nodes_of_a_gang_fit_all_its_pods(void)
{
	const struct node_fit *fit = NULL;
	struct err err = {0};

	begin(5);
	pods(PODS, 3);
	T_INT(find(&fit, &err), 0);
	T_STR(node_fit_exclude(fit), "n[0-2]");
	T_OK(!node_fit_has(fit, 0) && !node_fit_has(fit, 2) &&
	     node_fit_has(fit, 3) && node_fit_has(fit, 4) &&
	     !node_fit_has(fit, 5));
	end();
}

/* (what it would fit by is not known) */
static void a_node_that_cannot_be_read_fits_none(void)
{
	const struct node_fit *fit = NULL;
	struct err err = {0};

	begin(3);
	all[2].view.unread = true;
	pods(2, 1);
	T_INT(find(&fit, &err), 0);
	T_STR(node_fit_exclude(fit), "n[0,2]");
	T_OK(node_fit_has(fit, 1) && !node_fit_has(fit, 2));
	views++;
	all[1].view.unread = true;
	T_ERR(find(&fit, &err), &err, -EHOSTUNREACH, "n1: it cannot be read");
	views++;
	end();
}

/* (a hybrid one without the label: the bridge may not drain it in Slurm) */
static void a_node_with_a_pod_that_does_not_end_fits_none(void)
{
	static char stuck[] = "a/b";
	const struct node_fit *fit = NULL;
	struct err err = {0};

	begin(3);
	all[1].kept_by = all[2].kept_by = stuck;
	all[2].bridge = true; /* drained */
	pods(2, 1);
	T_INT(find(&fit, &err), 0);
	T_STR(node_fit_exclude(fit), "n[0-1]");
	views++;
	all[2].bridge = false;
	T_ERR(find(&fit, &err), &err, -EHOSTUNREACH,
	      "Kubernetes node n2 still runs a pod whose job has ended: a/b");
	views++;
	end();
}

/* Each node was looked at once for each change from one pod to the next. */
static void pods_that_alternate_cost_as_much_as_their_kinds(void)
{
	const struct node_fit *fit = NULL;
	struct err err = {0};

	begin(HOSTS);
	pods(PODS, 2);
	T_INT(find(&fit, &err), 0);
	T_INT(looked, HOSTS);
	T_STR(node_fit_exclude(fit), "n[0-1]");
	/* nothing more, as long as the nodes are the same */
	for (int i = 0; i < 100; i++)
		T_INT(find(&fit, &err), 0);
	T_INT(looked, HOSTS);
	external.step.version++;
	T_INT(find(&fit, &err), 0);
	T_INT(looked, 2 * HOSTS);
	views++;
	T_INT(find(&fit, &err), 0);
	T_INT(looked, 3 * HOSTS);
	end();
}

static void too_many_kinds_are_refused_with_words(void)
{
	const struct node_fit *fit = NULL;
	struct err err = {0};

	begin(2);
	pods(PODS, FIT_WANTS_MAX + 1);
	T_INT(node_fit_find(&b, &group, &fit, &err), -E2BIG);
	T_STR(err.msg, "its pods ask for nodes in more than 64 different ways");
	T_INT(looked, 0);
	pods(PODS, FIT_WANTS_MAX);
	T_INT(find(&fit, &err), -EHOSTUNREACH);
	T_HAS(err.msg, "no node of Slurm's fits all its pods");
	end();
}

/* Slurm has it in each list of its jobs, of each of them. */
static void names_that_do_not_get_shorter_are_bounded(void)
{
	const struct node_fit *fit = NULL;
	struct err err = {0};

	begin(HOSTS);
	for (int i = 0; i < HOSTS; i++)
		snprintf(all[i].slurm, sizeof(all[i].slurm),
			 "ip-10-%d.a-rather-long-name-of-a-region.compute."
			 "internal",
			 i);
	pods(1, 1);
	want(&shapes[0], "{\"spec\":{\"nodeSelector\":{\"host\":\"n0\"}}}");
	T_INT(find(&fit, &err), -EHOSTUNREACH);
	T_HAS(err.msg, "are more than 32768 bytes: ask for a feature");
	end();
}

/* (the link's thread renews the lease meanwhile) */
static void the_nodes_are_let_go_of_again_and_again(void)
{
	const struct node_fit *fit = NULL;
	struct err err = {0};

	begin(HOSTS);
	pods(4, 4);
	node_ms = 1;
	T_INT(find(&fit, &err), 0);
	T_OK(naps > 10);
	T_OK(longest <= 20);
	T_STR(node_fit_exclude(fit), "n[0-3]");
	T_OK(!node_fit_has(fit, 3) && node_fit_has(fit, 4) &&
	     node_fit_has(fit, HOSTS - 1));
	end();
}

static void what_takes_too_long_twice_is_refused_for_a_while(void)
{
	const struct node_fit *fit = NULL;
	struct err err = {0};
	int64_t at;

	begin(HOSTS);
	pods(4, 4);
	node_ms = 10;
	T_INT(find(&fit, &err), -EAGAIN);
	T_INT(find(&fit, &err), -ETIME);
	T_HAS(err.msg, "cannot be found in 2 s");
	T_OK(now < 20000);
	/* nothing more is tried meanwhile, */
	at = now;
	T_INT(find(&fit, &err), -ETIME);
	T_INT(now, at);
	/* and by other nodes once is enough */
	external.step.version++;
	T_INT(find(&fit, &err), -ETIME);
	T_OK(now > at && now < at + 5000);
	/* then it is, also where the nodes are the same */
	node_ms = 0;
	now += FIT_SLOW_MS;
	T_INT(find(&fit, &err), 0);
	T_STR(node_fit_exclude(fit), "n[0-3]");
	end();
}

static void nothing_runs(void)
{
	now += naps == 1 ? 2500 : 0;
}

/* (a debugger, a machine that is paused) */
static void a_slurmctld_that_was_stopped_refuses_nothing(void)
{
	const struct node_fit *fit = NULL;
	struct err err = {0};

	begin(HOSTS);
	pods(4, 4);
	for (int i = 0; i < 3; i++) {
		node_ms = 1;
		at_nap = nothing_runs;
		naps = 0;
		T_INT(find(&fit, &err), -EAGAIN);
		T_INT(find(&fit, &err), 0);
		T_STR(node_fit_exclude(fit), "n[0-3]");
		external.step.version++;
	}
	end();
}

static void a_node_goes(void)
{
	struct inventory_node *x = &all[1];

	if (naps == 1) {
		HASH_DELETE(hh, hosts, x);
		views++;
	}
}

static void nodes_that_change_meanwhile_are_looked_at_again(void)
{
	const struct node_fit *fit = NULL;
	struct err err = {0};

	begin(100);
	pods(3, 3);
	node_ms = 1;
	at_nap = a_node_goes;
	T_INT(find(&fit, &err), 0);
	T_STR(node_fit_exclude(fit), "n[0,2]");
	T_OK(!node_fit_has(fit, 0) && !node_fit_has(fit, 1) &&
	     node_fit_has(fit, 2));
	end();
}

/* One that is asked for again and again stays, whatever others ask for. */
static void what_is_used_stays_known(void)
{
	const struct node_fit *fit = NULL;
	struct err err = {0};
	char text[64];
	size_t before;

	begin(4);
	pods(1, 1);
	want(&shapes[1], "{\"spec\":{\"nodeSelector\":{\"host\":\"n2\"}}}");
	for (int i = 0; i < 3000; i++) {
		members[0].shape = &shapes[0];
		snprintf(text, sizeof(text),
			 "{\"spec\":{\"nodeSelector\":{\"host\":\"x%d\"}}}", i);
		want(&shapes[0], text);
		T_INT(find(&fit, &err), -EHOSTUNREACH);
		members[0].shape = &shapes[1];
		before = looked;
		T_INT(find(&fit, &err), 0);
		T_INT(looked - before, i ? 0 : 4);
	}
	T_STR(node_fit_exclude(fit), "n[0-1,3]");
	end();
}

T_MAIN("node_fit", T(a_node_with_a_pod_that_does_not_end_fits_none),
       T(a_node_that_cannot_be_read_fits_none),
       T(the_nodes_of_a_gang_fit_all_its_pods),
       T(pods_that_alternate_cost_as_much_as_their_kinds),
       T(too_many_kinds_are_refused_with_words),
       T(names_that_do_not_get_shorter_are_bounded),
       T(the_nodes_are_let_go_of_again_and_again),
       T(what_takes_too_long_twice_is_refused_for_a_while),
       T(a_slurmctld_that_was_stopped_refuses_nothing),
       T(nodes_that_change_meanwhile_are_looked_at_again),
       T(what_is_used_stays_known))
