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
#include "external/external_hosts.h"
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
	struct bridge_seen *seen;
	struct bridge_hosts *bridge_hosts;
	struct hosts *hosts;
	struct informer *nodes;
	struct pod_cache *pods;
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
	static struct bridge_pair gpu = {(char *)"nvidia.com/gpu",
					 (char *)"gpu"};
	static const struct bridge_pairs resources = {&gpu, 1};
	static struct config *c;
	const struct bridge_hosts_options of_hosts = {.cluster = "c",
						      .label = "l",
						      .scheduler = "s",
						      .resources = &resources,
						      .count_others = true,
						      .ring = ring};
	struct bridge_seen_options of_pods = {
		.cluster = "c", .ring = ring, .oversized = oversized};
	struct informer_handler also;

	if (!c)
		PROMISE(!config_parse("k8s.yaml", yaml, strlen(yaml), &c,
				      NULL));
	fuzz_now = 100000;
	of_pods.config = &c->bridge;
	v->pods = pod_cache_new();
	v->seen = bridge_seen_new(&of_pods);
	v->bridge_hosts = bridge_hosts_new(&of_hosts);
	v->hosts = hosts_new("c", ring, NULL);
	PROMISE(v->pods && v->seen && v->bridge_hosts && v->hosts);
	fuzz_others = true;
	PROMISE(!bridge_hosts_start(v->bridge_hosts, NULL));
	fuzz_others = false;
	bridge_hosts_handler(v->bridge_hosts, &also);
	v->nodes = hosts_inform(v->hosts, NULL, &also);
	PROMISE(!bridge_seen_start(v->seen, NULL));
}

static void end(struct view *v)
{
	bridge_seen_stop(v->seen);
	bridge_hosts_stop(v->bridge_hosts);
	informer_free(v->nodes);
	bridge_seen_free(v->seen);
	bridge_hosts_free(v->bridge_hosts);
	hosts_free(v->hosts);
	pod_cache_free(v->pods);
	for (size_t i = 0; i < FUZZ_INFORMERS; i++)
		PROMISE(!fuzz_informers[i]);
}

/* Each pod of a group is in view, and in no other group. */
static void check_pods(struct view *v)
{
	bridge_seen_lock(v->seen);
	for (struct bridge_group *g = bridge_seen_first(v->seen); g;
	     g = g->hh.next) {
		size_t in = 0;

		for (struct bridge_member *m = g->members; m; m = m->next) {
			PROMISE(m->group == g && m->pod && m->shape);
			PROMISE(bridge_seen_pod(v->seen, m->pod->uid) == m);
			in++;
		}
		PROMISE(in == g->n && bridge_seen_find(v->seen, g->key) == g);
	}
	bridge_seen_unlock(v->seen);
	(void)bridge_seen_ready(v->seen);
}

/* A name in Slurm is of one node; what others use has an error, or is none. */
static void check_hosts(struct view *v)
{
	struct plan_host plan;

	bridge_hosts_lock(v->bridge_hosts);
	for (struct bridge_host *h = bridge_hosts_first(v->bridge_hosts); h;
	     h = h->hh.next) {
		struct podneed used;
		struct err err = {0};

		promise_err(bridge_host_used(h, &used, &err), &err);
		promise_clean(h->why_not);
		PROMISE(!*h->slurm ||
			bridge_hosts_of_slurm(v->bridge_hosts, h->slurm));
		PROMISE(!h->seen ||
			bridge_hosts_find(v->bridge_hosts, h->name) == h);
		hosts_find(v->hosts, h->name, &plan);
	}
	bridge_hosts_unlock(v->bridge_hosts);
}

static void check_slurm_pod(void *arg, struct pod_seen *s)
{
	struct view *v = arg;

	PROMISE(pod_cache_find(v->pods, s->pod.name) == s);
	promise_clean(s->pod.words);
}

static void tell_cache(struct view *v, char what, const char *text, size_t len)
{
	_cleanup_json_ json_object *o = NULL;
	char *dirty[POD_CACHE_DIRTY_MAX];
	int n;

	if (what == 'l')
		pod_cache_begin(v->pods);
	else if (what == 'y')
		pod_cache_synced(v->pods);
	else if (!jx_parse(text, len, &o, NULL) && jx_is(o, json_type_object)) {
		if (what == 'd')
			pod_cache_delete(v->pods, o);
		else
			pod_cache_put(v->pods, o, "slurmd");
	}
	n = pod_cache_take_dirty(v->pods, dirty);
	while (n > 0)
		free(dirty[--n]);
	pod_cache_lock(v->pods);
	pod_cache_each(v->pods, check_slurm_pod, v);
	pod_cache_unlock(v->pods);
}

/* The bridge's thread: what has changed, and what it does about it. */
static void take(struct view *v, char what)
{
	char *keys[4];
	size_t n = bridge_seen_take_dirty(v->seen, keys, 4);

	bridge_seen_lock(v->seen);
	for (size_t i = 0; i < n; i++) {
		struct bridge_group *g = bridge_seen_find(v->seen, keys[i]);

		if (g && g->members && what == 'p')
			bridge_seen_apart(v->seen, g->members);
		else if (g && what == 'f')
			bridge_seen_forget(v->seen, g);
		free(keys[i]);
	}
	bridge_seen_unlock(v->seen);
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
	bridge_seen_step(v->seen);
	bridge_hosts_step(v->bridge_hosts);
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
