/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "nodes/watch/watch.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/str.h"
#include "cluster/freshness.h"
#include "cluster/pdb.h"
#include "objects/partial_pod.h"
#include "objects/pod_event.h"
#include "syntax/names.h"
#include "syntax/wellknown.h"

#define STALE_MS 120000		     /* nothing is decided by an older view */
#define RELIST_MS 10000		     /* least pause between two relists */
#define WARNINGS_RETRY_MAX_MS 600000 /* not allowed to look: ask seldom */

struct watch {
	struct cluster *of;
	const struct config *config;	      /* borrowed */
	const struct cluster_config *cluster; /* borrowed from config */
	char *selector;
	/*
	 * what is in view of pods is as of this time (clock_boot_ms()); 0: none
	 * is in view
	 */
	_Atomic int64_t pods_at;
	int64_t relist_at; /* no relist before; monotonic, ms */
	bool relist;	   /* a pod is not as it is in view */
	struct informer *pods_in, *warnings_in;
	struct worker_pods *pods;
	struct node_requests *requests;
	struct pdb budget;
};

static const struct cluster_part_ops ops;

static void ring(const struct watch *w)
{
	cluster_ring(w->of);
}

/* --- pods in view */

static void pods_list(void *arg)
{
	struct watch *w = arg;

	worker_pods_begin(w->pods);
}

static const char *container_of_pod(const struct watch *w,
				    const json_object *pod)
{
	const char *name = jx_str(pod, "metadata", "labels", WK_LABEL_NODESET);
	const struct nodeset *set =
		name ? config_nodeset_named(w->config, name) : NULL;

	return set ? set->container : WK_CONTAINER;
}

static void pods_object(void *arg, json_object *pod)
{
	struct watch *w = arg;

	if (worker_pods_put(w->pods, pod, container_of_pod(w, pod)))
		ring(w);
}

static void pods_delete(void *arg, json_object *pod)
{
	struct watch *w = arg;

	worker_pods_delete(w->pods, pod);
	ring(w);
}

static void pods_oversized(void *arg, const struct object_id *id, bool news)
{
	struct watch *w = arg;
	const struct pod_view pod = {.name = id->name, .uid = id->uid};

	worker_pods_keep(w->pods, id->name, id->uid);
	if (news && *id->uid)
		node_requests_event(w->requests, &pod, true, "Not read",
				    informer_why(id));
}

static void pods_synced(void *arg)
{
	struct watch *w = arg;

	worker_pods_synced(w->pods);
	log_info("cluster %s: %zu pods in view", w->cluster->name,
		 worker_pods_count(w->pods));
	ring(w);
}

static void pods_trouble(void *arg, int rc, const char *words)
{
	struct watch *w = arg;

	if (rc)
		log_error("cluster %s: pods cannot be seen: %s",
			  w->cluster->name, words);
	else
		log_info("cluster %s: pods can be seen again",
			 w->cluster->name);
}

static struct informer *inform_of_pods(struct watch *w,
				       struct kube_client *client)
{
	const struct informer_options opt = {
		.collection = {.api = KUBE_CORE_V1,
			       .ns = w->cluster->ns,
			       .resource = "pods"},
		.select = {.labels = w->selector},
		.only = whole_pod,
	};
	const struct informer_handler on = {
		.on_list = pods_list,
		.on_object = pods_object,
		.on_delete = pods_delete,
		.on_oversized = pods_oversized,
		.on_synced = pods_synced,
		.on_trouble = pods_trouble,
		.arg = w,
	};

	return informer_keep_fresh(informer_new(client, &opt, &on), STALE_MS);
}

/* Take an answer to node_requests_look(), as what is in view may be old. */
static void pod_looked(void *arg, const char *pod, const char *node,
		       int64_t asked_ms, const json_object *found)
{
	struct watch *w = cluster_part(arg, &ops);

	if (worker_pods_looked(w->pods, pod, node, asked_ms, found))
		w->relist = true;
}

static void relist_pods(struct watch *w)
{
	if (!w->relist || clock_ms() < w->relist_at)
		return;
	w->relist = false;
	w->relist_at = clock_ms() + RELIST_MS;
	log_info("cluster %s: what is in view of pods is old: they are listed "
		 "anew",
		 w->cluster->name);
	informer_relist(w->pods_in);
}

/* --- Events: what kubelet cannot do, and the pod's status does not say */

static void warnings_object(void *arg, json_object *event)
{
	struct watch *w = arg;
	const json_object *pod = jx_get(event, "involvedObject");
	const char *name = jx_str(pod, "name"), *uid = jx_str(pod, "uid");
	int64_t first, last;
	_cleanup_free_ char *words = pod_event_warning(event, &first, &last);

	if (name && uid && words &&
	    worker_pods_warn(w->pods, name, uid, words, first, last))
		ring(w);
}

static void warnings_trouble(void *arg, int rc, const char *words)
{
	struct watch *w = arg;

	if (rc)
		log_warn(
			"cluster %s: Events cannot be seen, so that pods whose "
			"volumes cannot be mounted wait for ResumeTimeout: %s",
			w->cluster->name, words);
}

static struct informer *inform_of_warnings(struct watch *w,
					   struct kube_client *client)
{
	const struct informer_options opt = {
		.collection = {.api = KUBE_CORE_V1,
			       .ns = w->cluster->ns,
			       .resource = "events"},
		.select = {.fields = POD_EVENT_WARNINGS},
		.retry_max_ms = WARNINGS_RETRY_MAX_MS,
	};
	const struct informer_handler on = {
		.on_object = warnings_object,
		.on_trouble = warnings_trouble,
		.arg = w,
	};

	return informer_keep_fresh(informer_new(client, &opt, &on), STALE_MS);
}

/* --- the cluster's thread */

static int watch_start(void *part, struct kube_client *client)
{
	struct watch *w = part;

	w->budget = (struct pdb){.client = client,
				 .ns = w->cluster->ns,
				 .slurm_cluster = cluster_slurm_cluster(w->of),
				 .name = w->cluster->name};
	w->pods_in = inform_of_pods(w, client);
	w->warnings_in = inform_of_warnings(w, client);
	return w->pods_in && w->warnings_in ? 0 : -ENOMEM;
}

static void note_age(struct watch *w)
{
	const int64_t now = view_at(w->pods_in);

	if (view_is_fresh(atomic_exchange(&w->pods_at, now), STALE_MS) !=
	    view_is_fresh(now, STALE_MS))
		ring(w);
}

static void watch_step(void *part, struct kube_client *client, bool held)
{
	struct watch *w = part;

	relist_pods(w);
	informer_step(w->pods_in);
	informer_step(w->warnings_in);
	note_age(w);
	if (held) {
		pdb_step(&w->budget);
		node_requests_begin(w->requests, client);
	} else {
		node_requests_drop(w->requests, client);
	}
}

static void watch_stop(void *part, struct kube_client *client)
{
	struct watch *w = part;

	(void)client;
	atomic_store(&w->pods_at, 0);
	informer_free(w->pods_in);
	informer_free(w->warnings_in);
	w->pods_in = w->warnings_in = NULL;
}

/* --- its life */

static void watch_free(void *part)
{
	struct watch *w = part;

	node_requests_free(w->requests);
	worker_pods_free(w->pods);
	free(w->selector);
	free(w);
}

static const struct cluster_part_ops ops = {.start = watch_start,
					    .step = watch_step,
					    .stop = watch_stop,
					    .free = watch_free};

int watch_attach(struct cluster *l, struct err *err)
{
	const struct cluster_options *opt = cluster_options(l);
	struct watch *w = calloc(1, sizeof(*w));
	const struct node_requests_options requests = {
		.cluster = opt->cluster,
		.slurm_cluster = cluster_slurm_cluster(l),
		.asked = cluster_wake,
		.done = cluster_ring,
		.may = cluster_may_act,
		.looked = pod_looked,
		.arg = l,
	};
	char label[DNS_LABEL_MAX + 1];

	if (!w)
		return err_oom(err);
	*w = (struct watch){
		.of = l, .config = opt->config, .cluster = opt->cluster};
	name_label_of(cluster_slurm_cluster(l), label);
	w->selector = str_printf(WK_LABEL_CLUSTER "=%s", label);
	w->pods = worker_pods_new();
	w->requests = node_requests_new(&requests);
	cluster_attach(l, &ops, w);
	return w->selector && w->pods && w->requests ? 0 : err_oom(err);
}

static struct watch *watch_of(struct cluster *l)
{
	return cluster_part(l, &ops);
}

struct worker_pods *watch_pods(struct cluster *l)
{
	return watch_of(l)->pods;
}

struct node_requests *watch_requests(struct cluster *l)
{
	return watch_of(l)->requests;
}

int64_t watch_pods_age(struct cluster *l)
{
	const int64_t at = atomic_load(&watch_of(l)->pods_at);

	return at ? clock_boot_ms() - at : -1;
}

bool watch_is_live(struct cluster *l)
{
	return view_is_fresh(atomic_load(&watch_of(l)->pods_at), STALE_MS) &&
	       cluster_held(l);
}
