/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * All that the engine keeps in view of a Kubernetes cluster: bridged pods and
 * their namespaces, nodes, others' pods, pods of Slurm's nodes. Lines of steps;
 * see fuzz_informer.h.
 */
#include <string.h>

#include "bridge/intake/pod_groups.h"
#include "cluster/kube_nodes.h"
#include "config/config.h"
#include "external/inventory.h"
#include "fuzz_informer.h"
#include "nodes/watch/worker_pods.h"

static const char yaml[] =
	"clusters: [{name: c, kubeconfig: k}]\n"
	"nodesets: [{name: s, cluster: c, nodes: n1, podTemplate: {spec: "
	"{containers: [{name: slurmd}]}}}]\n"
	"bridge:\n"
	"  cluster: c\n"
	"  namespaces: {a: {user: alice}}\n"
	"  selectors: [{matchLabels: {x: \"y\"}, user: bob}]\n";

struct view {
	struct pod_groups *seen;
	struct inventory *inventory;
	struct kube_nodes *hosts;
	struct informer *nodes;
	struct worker_pods *pods;
};

static void ring(void *arg)
{
	(void)arg;
}

static void oversized(void *arg, const struct object_id *id)
{
	(void)arg;
	PROMISE(*id->uid);
}

static void begin(struct view *v)
{
	static struct label_pair gpu = {(char *)"nvidia.com/gpu",
					(char *)"gpu"};
	static const struct label_pairs resources = {&gpu, 1};
	static struct config *c;
	const struct inventory_options of_hosts = {.cluster = "c",
						   .label = "l",
						   .scheduler = "s",
						   .resources = &resources,
						   .count_others = true,
						   .ring = ring};
	struct pod_groups_options of_pods = {
		.cluster = "c", .ring = ring, .oversized = oversized};
	struct informer_handler also;

	if (!c)
		PROMISE(!config_parse("k8s.yaml", yaml, strlen(yaml), &c,
				      NULL));
	fuzz_now = 100000;
	of_pods.config = &c->bridge;
	v->pods = worker_pods_new();
	v->seen = pod_groups_new(&of_pods);
	v->inventory = inventory_new(&of_hosts);
	v->hosts = kube_nodes_new("c", ring, NULL);
	PROMISE(v->pods && v->seen && v->inventory && v->hosts);
	fuzz_others = true;
	PROMISE(!inventory_start(v->inventory, NULL));
	fuzz_others = false;
	also = inventory_handler(v->inventory);
	v->nodes = kube_nodes_inform(v->hosts, NULL, &also);
	PROMISE(!pod_groups_start(v->seen, NULL));
}

static void end(struct view *v)
{
	pod_groups_stop(v->seen);
	inventory_stop(v->inventory);
	informer_free(v->nodes);
	pod_groups_free(v->seen);
	inventory_free(v->inventory);
	kube_nodes_free(v->hosts);
	worker_pods_free(v->pods);
	for (size_t i = 0; i < FUZZ_INFORMERS; i++)
		PROMISE(!fuzz_informers[i]);
}

/* Each pod of a group is in view, and in no other group. */
static void check_pods(struct view *v)
{
	pod_groups_lock(v->seen);
	for (struct pod_group *g = pod_groups_first(v->seen); g;
	     g = g->hh.next) {
		size_t in = 0;

		for (struct group_pod *m = g->members; m; m = m->next) {
			PROMISE(m->group == g && m->pod && m->shape);
			PROMISE(pod_groups_pod(v->seen, m->pod->uid) == m);
			in++;
		}
		PROMISE(in == g->n && pod_groups_find(v->seen, g->key) == g);
	}
	pod_groups_unlock(v->seen);
	(void)pod_groups_ready(v->seen);
}

/* A name in Slurm is of one node; what others use has an error, or is none. */
static void check_hosts(struct view *v)
{
	struct kube_node_state plan;

	inventory_lock(v->inventory);
	for (struct inventory_node *h = inventory_first(v->inventory); h;
	     h = h->hh.next) {
		struct pod_requests used;
		struct err err = {0};

		promise_err(inventory_node_used(h, &used, &err), &err);
		promise_clean(h->why_not);
		PROMISE(!*h->slurm ||
			inventory_of_slurm(v->inventory, h->slurm));
		PROMISE(!h->seen || inventory_find(v->inventory, h->name) == h);
		kube_nodes_find(v->hosts, h->name, &plan);
	}
	inventory_unlock(v->inventory);
}

static void check_slurm_pod(void *arg, struct worker_pod_entry *s)
{
	struct view *v = arg;

	PROMISE(worker_pods_find(v->pods, s->pod.name) == s);
	promise_clean(s->pod.words);
}

static void tell_cache(struct view *v, char what, const char *text, size_t len)
{
	_cleanup_json_ json_object *o = NULL;
	char *dirty[POD_CACHE_DIRTY_MAX];
	int n;

	if (what == 'l')
		worker_pods_begin(v->pods);
	else if (what == 'y')
		worker_pods_synced(v->pods);
	else if (!jx_parse(text, len, &o, NULL) && jx_is(o, json_type_object)) {
		if (what == 'd')
			worker_pods_delete(v->pods, o);
		else
			worker_pods_put(v->pods, o, "slurmd");
	}
	n = worker_pods_take_dirty(v->pods, dirty);
	while (n > 0)
		free(dirty[--n]);
	worker_pods_lock(v->pods);
	worker_pods_each(v->pods, check_slurm_pod, v);
	worker_pods_unlock(v->pods);
}

/* The bridge's thread: what has changed, and what it does about it. */
static void take(struct view *v, char what)
{
	char *keys[4];
	size_t n = pod_groups_take_dirty(v->seen, keys, 4);

	pod_groups_lock(v->seen);
	for (size_t i = 0; i < n; i++) {
		struct pod_group *g = pod_groups_find(v->seen, keys[i]);

		if (g && g->members && what == 'p')
			pod_groups_apart(v->seen, g->members);
		else if (g && what == 'f')
			pod_groups_forget(v->seen, g);
		free(keys[i]);
	}
	pod_groups_unlock(v->seen);
}

static void step(void *arg, const char letters[2], const char *text, size_t len)
{
	struct view *v = arg;

	fuzz_now += 1000;
	switch (letters[0]) {
	case 'p':
		fuzz_tell(fuzz_informer("pods", false), letters[1], text, len);
		break;
	case 'n':
		fuzz_tell(fuzz_informer("namespaces", false), letters[1], text,
			  len);
		break;
	case 'h':
		fuzz_tell(v->nodes, letters[1], text, len);
		break;
	case 'o':
		fuzz_tell(fuzz_informer("pods", true), letters[1], text, len);
		break;
	case 's':
		tell_cache(v, letters[1], text, len);
		break;
	case 't':
		take(v, letters[1]);
		break;
	default:
		fuzz_now += 600000;
	}
	pod_groups_step(v->seen);
	inventory_step(v->inventory);
	check_pods(v);
	check_hosts(v);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct view v = {0};

	begin(&v);
	fuzz_steps(data, len, step, &v);
	end(&v);
	return 0;
}
