/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pods that are not ours take room of a node that is Slurm's by now; the rest
 * of the bridge, and Slurm's nodes, are the test's.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bridge/reconcile/reconcile.h"
#include "bridge_fixture.h"
#include "t.h"

static struct pod_group *groups; /* mine, theirs */
static int walks;		 /* over all pods */
static struct sent_binding *sent;
static struct placed_node layout[2];
static struct ctl_node slurm;

struct pod_group *pod_groups_first(struct pod_groups *v)
{
	(void)v;
	walks++;
	return groups;
}

struct group_pod *pod_groups_pod(struct pod_groups *v, const char *uid)
{
	(void)v;
	for (struct pod_group *g = groups; g; g = g->hh.next)
		for (struct group_pod *m = g->members; m; m = m->next)
			if (!strcmp(m->pod->uid, uid))
				return m;
	return NULL;
}

int allocation_nodes(const struct queue_entry *q, struct hostlist *out)
{
	return hostlist_expand(q->nodes.names, out, NULL);
}

const struct placed_node *ctl_layout_at(const struct ctl_layout *l, size_t i)
{
	(void)l;
	return &layout[i];
}

static struct sent_binding *unsent;

void bridge_requests_each_way(struct bridge_requests *w,
			      void (*look)(void *arg,
					   const struct sent_binding *one),
			      void *arg)
{
	(void)w;
	for (struct sent_binding *s = sent; s; s = s->hh.next)
		look(arg, s);
	for (struct sent_binding *s = unsent; s; s = s->hh.next)
		look(arg, s);
}

bool ctl_nodes_find(const struct ctl_nodes *n, const char *name,
		    struct ctl_node *out)
{
	(void)n;
	(void)name;
	*out = slurm;
	return true;
}

static void ring(void *arg)
{
	(void)arg;
}

/* n1 and n2: 8 CPUs, 8 GiB, 4 GPUs each; as Slurm has them */
static void hosts_begin(struct bridge *b)
{
	static struct label_pair gpu = {(char *)"nvidia.com/gpu",
					(char *)"gpu"};
	static const struct label_pairs resources = {&gpu, 1};
	static const struct inventory_options opt = {.cluster = "c",
						     .label = "l",
						     .scheduler = "s",
						     .resources = &resources,
						     .count_others = true,
						     .ring = ring};
	struct informer_handler on;

	*b = (struct bridge){.inventory = inventory_new(&opt)};
	b->external.slurm.nodes = (struct ctl_nodes *)&slurm;
	slurm = (struct ctl_node){.external = true,
				  .cpus = 8,
				  .memory_mib = 8192,
				  .gres = "gpu:4"};
	on = inventory_handler(b->inventory);
	for (int i = 1; i <= 2; i++) {
		char text[400];
		_cleanup_json_ json_object *node = NULL;

		snprintf(text, sizeof(text),
			 "{\"metadata\":{\"name\":\"n%d\",\"uid\":\"u%d\"},"
			 "\"status\":{\"allocatable\":{\"cpu\":\"8\","
			 "\"memory\":\"8Gi\",\"nvidia.com/gpu\":\"4\"}}}",
			 i, i);
		node = t_parse(text);
		on.on_object(on.arg, node);
	}
	on.on_synced(on.arg);
	on = inventory_others_handler(b->inventory);
	on.on_synced(on.arg);
}

/* A pod of another scheduler on n1. */
static void other(struct bridge *b, const char *uid, const char *asks)
{
	struct informer_handler on;
	char text[400];
	_cleanup_json_ json_object *pod = NULL;

	snprintf(text, sizeof(text),
		 "{\"metadata\":{\"name\":\"o\",\"namespace\":\"x\",\"uid\":"
		 "\"%s\"},\"spec\":{\"nodeName\":\"n1\",\"containers\":[{"
		 "\"name\":\"c\",\"resources\":{\"requests\":%s}}]}}",
		 uid, asks);
	pod = t_parse(text);
	on = inventory_others_handler(b->inventory);
	on.on_object(on.arg, pod);
}

static void other_gone(struct bridge *b, const char *uid)
{
	struct informer_handler on;
	char text[100];
	_cleanup_json_ json_object *pod = NULL;

	snprintf(text, sizeof(text), "{\"metadata\":{\"uid\":\"%s\"}}", uid);
	pod = t_parse(text);
	on = inventory_others_handler(b->inventory);
	on.on_delete(on.arg, pod);
}

static struct pod_group *group(const char *key)
{
	struct pod_group *g = calloc(1, sizeof(*g) + strlen(key) + 1);

	strcpy(g->key, key);
	HASH_ADD_STR(groups, key, g);
	return g;
}

static void add_pod(struct pod_group *g, const char *uid, const char *node,
		    const struct pod_requests *need)
{
	fixture_pod(g, uid, node, *node ? 7 : 0)->shape->need = *need;
}

static void end(struct bridge *b)
{
	struct pod_group *g = NULL, *next = NULL;

	HASH_ITER(hh, groups, g, next)
	{
		fixture_no_pods(g);
		HASH_DELETE(hh, groups, g);
		free(g);
	}
	sent_binding_free(&sent);
	overcommit_free(b);
	inventory_free(b->inventory);
}

/* In the same pass. */
static bool still_overcommitted(struct bridge *b, const char *nodes,
				const struct pod_group *g)
{
	struct queue_entry q = {.nodes.names = (char *)nodes, .job.id = 9};

	if (nodes[strcspn(nodes, "[,")])
		q.nodes.layout = (struct ctl_layout *)layout;
	return is_overcommitted(b, &q, g);
}

static bool overcommitted(struct bridge *b, const char *nodes,
			  const struct pod_group *g)
{
	b->overcommit.known = false;
	return still_overcommitted(b, nodes, g);
}

static const struct pod_requests four = {.cpu_milli = 4000,
					 .memory_bytes = 1 << 20};
static const struct pod_requests two = {.cpu_milli = 2000,
					.memory_bytes = 1 << 20};
static const struct pod_requests gpus = {
	.cpu_milli = 1000, .n_ext = 1, .ext = {{"nvidia.com/gpu", 2}}};

static void what_others_have_taken_is_not_given_twice(void)
{
	struct bridge b;
	struct pod_group *mine, *theirs;

	hosts_begin(&b);
	mine = group("mine");
	theirs = group("theirs");
	add_pod(mine, "m1", "", &four);
	add_pod(theirs, "t1", "n1", &two);
	T_OK(!overcommitted(&b, "n1", mine));
	other(&b, "o1", "{\"cpu\":\"2\"}"); /* 2 + 2 + 4 */
	T_OK(!overcommitted(&b, "n1", mine));
	other(&b, "o2", "{\"cpu\":\"1m\"}");
	T_OK(overcommitted(&b, "n1", mine));
	T_OK(!overcommitted(&b, "n2", mine));
	/* (what does not run any more holds nothing) */
	theirs->members->pod->ended = true;
	T_OK(!overcommitted(&b, "n1", mine));
	theirs->members->pod->ended = false;
	T_OK(overcommitted(&b, "n1", mine));
	other_gone(&b, "o2");
	T_OK(!overcommitted(&b, "n1", mine));
	other(&b, "o3", "{\"memory\":\"8Gi\"}");
	T_OK(overcommitted(&b, "n1", mine));
	/* (a node with a slurmd is as large as its slurm.conf says) */
	slurm.external = false;
	T_OK(!overcommitted(&b, "n1", mine));
	end(&b);
}

/* (nothing would end the wait; it is refused, see bind.c) */
static void for_room_of_one_that_cannot_be_read_nothing_waits(void)
{
	struct bridge b;
	struct pod_group *mine;

	hosts_begin(&b);
	mine = group("mine");
	add_pod(mine, "m1", "", &four);
	other(&b, "o1", "{\"cpu\":\"8\"}");
	T_OK(overcommitted(&b, "n1", mine));
	inventory_find(b.inventory, "n1")->view.unread = true;
	T_OK(!overcommitted(&b, "n1", mine));
	end(&b);
}

/* (and so needs no room; one that runs needs what it has, refused or not) */
static void what_is_refused_is_not_to_be_bound(void)
{
	static struct pod_class bad = {.refusal = (char *)"no",
				       .need = {.cpu_milli = 64000}};
	struct bridge b;
	struct pod_group *mine, *theirs;
	struct pod_class *good;

	hosts_begin(&b);
	mine = group("mine");
	add_pod(mine, "m1", "", &four);
	add_pod(mine, "m2", "", &four);
	good = mine->members->shape;
	mine->members->shape = &bad;
	other(&b, "o1", "{\"cpu\":\"4\"}"); /* 4 + 4 */
	T_OK(!overcommitted(&b, "n1", mine));
	other_gone(&b, "o1");
	mine->members->shape = good;
	good->refusal = (char *)"no";
	theirs = group("theirs");
	add_pod(theirs, "t1", "n1", &two);
	theirs->members->shape->refusal = (char *)"no";
	other(&b, "o2", "{\"cpu\":\"2\"}"); /* 2 + 2 + 4 */
	T_OK(!overcommitted(&b, "n1", mine));
	other(&b, "o3", "{\"cpu\":\"1m\"}");
	T_OK(overcommitted(&b, "n1", mine));
	end(&b);
}

/* There is room for one of two pods that wait, beside somebody else's. */
static void begin_for_one(struct bridge *b, struct pod_group **mine,
			  struct pod_group **theirs)
{
	hosts_begin(b);
	*mine = group("mine");
	*theirs = group("theirs");
	add_pod(*mine, "m1", "", &four);
	add_pod(*theirs, "t1", "", &two);
	other(b, "o1", "{\"cpu\":\"3\"}");
	T_OK(!overcommitted(b, "n1", *mine));
}

static void a_binding_under_way_holds_its_room(void)
{
	struct bridge b;
	struct pod_group *mine, *theirs;

	begin_for_one(&b, &mine, &theirs);
	sent_binding_note(&sent, "t1", "n1", 7);
	T_OK(overcommitted(&b, "n1", mine));
	T_OK(!overcommitted(&b, "n2", mine));
	T_OK(sent != NULL);
	/* (and one that is to be sent) */
	sent_binding_free(&sent);
	sent = NULL;
	T_OK(!overcommitted(&b, "n1", mine));
	sent_binding_note(&unsent, "t1", "n1", 7);
	T_OK(overcommitted(&b, "n1", mine));
	sent_binding_free(&unsent);
	unsent = NULL;
	end(&b);
}

static void devices_that_are_away_are_waited_for(void)
{
	struct bridge b;
	struct pod_group *mine;
	struct informer_handler on;
	_cleanup_json_ json_object *node =
		t_parse("{\"metadata\":{\"name\":\"n1\",\"uid\":\"u1\"},"
			"\"status\":{\"allocatable\":{\"cpu\":\"8\","
			"\"memory\":\"8Gi\",\"nvidia.com/gpu\":\"0\"}}}");

	hosts_begin(&b);
	mine = group("mine");
	add_pod(mine, "m1", "", &gpus);
	T_OK(!overcommitted(&b, "n1", mine));
	other(&b, "o1", "{\"nvidia.com/gpu\":\"3\"}");
	T_OK(overcommitted(&b, "n1", mine));
	other_gone(&b, "o1");
	on = inventory_handler(b.inventory);
	on.on_object(on.arg, node);
	T_OK(overcommitted(&b, "n1", mine));
	T_OK(!overcommitted(&b, "n2", mine));
	end(&b);
}

/* (a kubelet runs such a pod: it passes over what its node does not have) */
static void what_nobody_has_takes_no_room(void)
{
	struct bridge b;
	struct pod_group *mine;

	hosts_begin(&b);
	mine = group("mine");
	add_pod(mine, "m1", "", &gpus);
	other(&b, "o1",
	      "{\"x/1\":\"1\",\"x/2\":\"1\",\"x/3\":\"1\",\"x/4\":\"1\","
	      "\"x/5\":\"1\",\"x/6\":\"1\",\"x/7\":\"1\",\"x/8\":\"1\","
	      "\"x/9\":\"1\",\"nvidia.com/gpu\":\"2\"}");
	T_OK(!overcommitted(&b, "n1", mine)); /* 2 + 2 */
	other(&b, "o2", "{\"nvidia.com/gpu\":\"1\"}");
	T_OK(overcommitted(&b, "n1", mine));
	end(&b);
}

static void a_kubelet_takes_so_many_pods(void)
{
	static const struct pod_requests small = {.cpu_milli = 1};
	struct bridge b;
	struct pod_group *mine, *theirs;
	struct informer_handler on;
	_cleanup_json_ json_object *node =
		t_parse("{\"metadata\":{\"name\":\"n1\",\"uid\":\"u1\"},"
			"\"status\":{\"allocatable\":{\"cpu\":\"8\","
			"\"memory\":\"8Gi\",\"pods\":\"4\"}}}");

	hosts_begin(&b);
	on = inventory_handler(b.inventory);
	on.on_object(on.arg, node);
	mine = group("mine");
	theirs = group("theirs");
	add_pod(mine, "m1", "", &small);
	add_pod(mine, "m2", "", &small);
	add_pod(theirs, "t1", "n1", &small);
	other(&b, "o1", "{}"); /* 1 + 1 + 2 */
	T_OK(!overcommitted(&b, "n1", mine));
	T_INT(overcommit_pods(&b, inventory_find(b.inventory, "n1")), 2);
	T_INT(overcommit_pods(&b, inventory_find(b.inventory, "n2")), 0);
	other(&b, "o2", "{}");
	T_OK(overcommitted(&b, "n1", mine));
	T_OK(!overcommitted(&b, "n2", mine)); /* (it does not say how many) */
	T_OK(!overcommitted(
		&b, "n[1-2]",
		mine)); /* (one there: bridge/jobspec/placement.h) */
	/* where there is a slurmd, too */
	slurm.external = false;
	T_OK(overcommitted(&b, "n1", mine));
	slurm.cpus = 2; /* never more of ours than these */
	T_OK(!overcommitted(&b, "n1", mine));
	slurm.cpus = 8;
	theirs->members->pod->ended = true;
	T_OK(!overcommitted(&b, "n1", mine));
	end(&b);
}

/* Which pod goes to which is not said yet: the job's share of each counts. */
static void each_of_several_nodes_needs_its_share(void)
{
	struct bridge b;
	struct pod_group *mine;

	hosts_begin(&b);
	mine = group("mine");
	add_pod(mine, "m1", "", &four);
	add_pod(mine, "m2", "", &four);
	layout[0] = (struct placed_node){.name = "n1", .cpus = 4};
	layout[1] = (struct placed_node){.name = "n2", .cpus = 4};
	other(&b, "o1", "{\"cpu\":\"4\"}");
	T_OK(!overcommitted(&b, "n[1-2]", mine));
	layout[0].cpus = 5;
	T_OK(overcommitted(&b, "n[1-2]", mine));
	end(&b);
}

/* One pod of a gang was made anew, the others run. */
static void a_groups_own_pods_are_not_in_its_way(void)
{
	static const struct pod_requests all = {
		.cpu_milli = 1000, .n_ext = 1, .ext = {{"nvidia.com/gpu", 4}}};
	struct bridge b;
	struct pod_group *mine, *theirs;

	hosts_begin(&b);
	mine = group("mine");
	theirs = group("theirs");
	add_pod(mine, "m1", "n1", &all);
	add_pod(mine, "m2", "", &all);
	layout[0] = (struct placed_node){.name = "n1", .cpus = 8};
	layout[1] = (struct placed_node){.name = "n2", .cpus = 8};
	T_OK(!overcommitted(&b, "n[1-2]", mine));
	/* (the job has one node: there is no room beside the other) */
	T_OK(overcommitted(&b, "n1", mine));
	/* one whose binding was sent is not counted twice */
	T_OK(!overcommitted(&b, "n2", mine));
	sent_binding_note(&sent, "m2", "n2", 9);
	T_OK(!overcommitted(&b, "n2", mine));
	T_OK(!overcommitted(&b, "n[1-2]", mine));
	add_pod(theirs, "t1", "n2", &gpus);
	T_OK(overcommitted(&b, "n2", mine));
	T_OK(overcommitted(&b, "n[1-2]", mine));
	end(&b);
}

/* (thousands of gangs wait, with thousands of pods) */
static void pods_are_counted_once_in_a_pass(void)
{
	struct bridge b;
	struct pod_group *mine, *theirs;

	begin_for_one(&b, &mine, &theirs);
	walks = 0;
	for (int i = 0; i < 10; i++) {
		T_OK(!still_overcommitted(&b, "n1", mine));
		T_OK(!still_overcommitted(&b, "n1", theirs));
	}
	/* it is decided that theirs goes there: that counts at once */
	sent_binding_note(&unsent, "t1", "n1", 7);
	overcommit_bound(&b, "t1", "n1", &two);
	T_OK(still_overcommitted(&b, "n1", mine));
	T_OK(!still_overcommitted(&b, "n2", mine));
	/* (it is not in its own way) */
	T_OK(!still_overcommitted(&b, "n1", theirs));
	overcommit_bound(&b, "t1", "n1", &two); /* (and is one pod) */
	T_OK(!still_overcommitted(&b, "n1", theirs));
	T_INT(walks, 0);
	/* rarely it was to go elsewhere before */
	sent_binding_free(&unsent);
	unsent = NULL;
	sent_binding_note(&unsent, "t1", "n2", 7);
	overcommit_bound(&b, "t1", "n2", &two);
	T_OK(!still_overcommitted(&b, "n1", mine));
	T_INT(walks, 1);
	sent_binding_free(&unsent);
	unsent = NULL;
	end(&b);
}

T_MAIN("overcommit", T(for_room_of_one_that_cannot_be_read_nothing_waits),
       T(what_is_refused_is_not_to_be_bound),
       T(pods_are_counted_once_in_a_pass),
       T(a_groups_own_pods_are_not_in_its_way),
       T(what_others_have_taken_is_not_given_twice),
       T(a_binding_under_way_holds_its_room),
       T(devices_that_are_away_are_waited_for),
       T(what_nobody_has_takes_no_room), T(a_kubelet_takes_so_many_pods),
       T(each_of_several_nodes_needs_its_share))
