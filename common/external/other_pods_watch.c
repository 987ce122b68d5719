/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pods that are not ours, as the API server tells of them. The link's thread.
 */
#include <stdlib.h>
#include <string.h>
#include <utlist.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/str.h"
#include "external/inventory_internal.h"
#include "objects/bridged_pod.h"

/*
 * A store_fn, under the lock: a pod is gone; and so is its node, if Kubernetes
 * does not have that and no other pod is there.
 */
static void drop(void *arg, void *item)
{
	struct source *from = arg;
	struct inventory *h = from->h;
	struct other_pod *o = item;
	struct inventory_node *x = o->host;

	inventory_changed(h, x);
	DL_DELETE(x->others, o);
	store_remove(&from->pods, &o->item);
	free(o->counts);
	free(o);
	if (!x->seen && !x->others)
		inventory_drop_host(h, x);
}

void other_pods_clear(struct source *from)
{
	store_each(&from->pods, drop, from);
}

static void others_list(void *arg)
{
	struct source *from = arg;

	pthread_mutex_lock(&from->h->lock);
	store_list_begins(&from->pods);
	pthread_mutex_unlock(&from->h->lock);
}

/* How many pods there are, of both informers. */
static size_t count(const struct inventory *h)
{
	return store_count(&h->theirs.pods) + store_count(&h->ours.pods);
}

/* A new pod of zeros. Under the lock. NULL: too many, or no memory. */
static struct other_pod *other_new(struct source *from, const char *uid)
{
	const struct inventory *h = from->h;

	if (count(h) >= BRIDGE_OTHERS_MAX) {
		if (!h->theirs.left_out && !h->ours.left_out)
			log_warn("cluster %s: more than %d pods: what the rest "
				 "uses is not seen until there are fewer",
				 h->opt.cluster, BRIDGE_OTHERS_MAX);
		from->left_out = true;
		return NULL;
	}
	return store_new(&from->pods, offsetof(struct other_pod, uid), uid);
}

static const int64_t no_counts[BRIDGE_RESOURCES_MAX];

static bool holds(const struct inventory *h, const struct other_pod *o,
		  const struct pod_requests *need, const int64_t *counts)
{
	return o->cpu_milli == need->cpu_milli &&
	       o->memory_bytes == need->memory_bytes &&
	       !memcmp(o->counts ? o->counts : no_counts, counts,
		       h->n_kinds * sizeof(*counts));
}

/*
 * Keep the amounts that a pod holds; without memory it counts as holding none.
 */
static void put_counts(const struct inventory *h, struct other_pod *o,
		       const int64_t *counts)
{
	const size_t size = h->n_kinds * sizeof(*counts);

	if (memcmp(counts, no_counts, size) != 0 && (o->counts = malloc(size)))
		memcpy(o->counts, counts, size);
}

/* Under the lock. What a pod holds changes only by a resize. */
static void put_other(struct source *from, const char *uid, const char *node,
		      uint32_t job_id, const struct pod_requests *need,
		      const int64_t *counts)
{
	struct inventory *h = from->h;
	struct other_pod *o = store_keep(&from->pods, uid);

	if (o && o->job_id == job_id && holds(h, o, need, counts))
		return;
	if (o)
		drop(from, o);
	o = other_new(from, uid);
	if (!o)
		return;
	o->from = from;
	o->host = inventory_host(h, node);
	if (!o->host) {
		store_remove(&from->pods, &o->item);
		free(o);
		return;
	}
	DL_APPEND(o->host->others, o);
	o->job_id = job_id;
	o->cpu_milli = need->cpu_milli;
	o->memory_bytes = need->memory_bytes;
	put_counts(h, o, counts);
	inventory_changed(h, o->host);
}

/* Called, too, when a pod has ended, for the selector leaves ended pods out. */
static void others_delete(void *arg, json_object *pod)
{
	struct source *from = arg;
	struct inventory *h = from->h;
	const char *uid = jx_str(pod, "metadata", "uid");
	struct other_pod *o;

	pthread_mutex_lock(&h->lock);
	o = uid ? store_find(&from->pods, uid) : NULL;
	if (o)
		drop(from, o);
	pthread_mutex_unlock(&h->lock);
	if (o)
		h->opt.ring(h->opt.arg);
}

/*
 * True for a pod that the selector of others lets through, and that we have not
 * bound.
 */
static bool is_foreign(const json_object *pod)
{
	const char *node = jx_str(pod, "spec", "nodeName");
	const char *phase = jx_str(pod, "status", "phase");

	return node && *node && !str_eq(phase, "Succeeded") &&
	       !str_eq(phase, "Failed") && !bridged_pod_bound_by(pod);
}

/* A user who makes pods, each with another uid, must not fill the log. */
static void tell_whole(struct inventory *h, const char *ns, const char *name,
		       const char *node, const char *why)
{
	const enum log_ratelimit_answer is =
		log_ratelimit(&h->whole, node, clock_ms());

	if (is == LOG_RATELIMIT_FULL)
		log_warn("cluster %s: pods on more than %d nodes count as if "
			 "they held all of their node: the other nodes are not "
			 "named",
			 h->opt.cluster, LOG_RATELIMIT_MAX);
	if (is == LOG_RATELIMIT_FIRST)
		log_warn("cluster %s: pod %s/%s counts as if it held all of "
			 "node %s: %s",
			 h->opt.cluster, ns ? ns : "", name ? name : "", node,
			 why);
}

static void others_object(void *arg, json_object *pod)
{
	struct source *from = arg;
	struct inventory *h = from->h;
	const char *uid = jx_str(pod, "metadata", "uid");
	const char *node = jx_str(pod, "spec", "nodeName");
	int64_t counts[BRIDGE_RESOURCES_MAX];
	struct pod_requests need;
	struct err err = {0};
	uint64_t before;

	if (from->ours && !is_foreign(pod)) {
		others_delete(arg, pod);
		return;
	}
	if (!uid || !node || !*node)
		return;
	/* A pod whose requests are unknown may hold all of the node. */
	if (pod_requests_held_of(pod, h->kinds, h->n_kinds, &need, counts,
				 &err))
		need.cpu_milli = INT64_MAX;
	before = inventory_begin(h);
	put_other(from, uid, node, bridged_pod_bound_by(pod), &need, counts);
	if (inventory_end(h, before) && err.code)
		tell_whole(h, jx_str(pod, "metadata", "namespace"),
			   jx_str(pod, "metadata", "name"), node, err.msg);
}

/*
 * Keep what is known: what a pod holds changes only by a resize. A pod of
 * others that was never read may hold all of the node. To the node of a pod of
 * ours that was never read nothing is bound: see nodes_are_free().
 */
static void others_unread(void *arg, const struct object_id *id)
{
	struct source *from = arg;
	struct inventory *h = from->h;
	const struct pod_requests all = {.cpu_milli = INT64_MAX};
	bool is_new;

	pthread_mutex_lock(&h->lock);
	is_new = !store_keep(&from->pods, id->uid) && !from->ours && *id->uid &&
		 *id->node;
	if (is_new)
		put_other(from, id->uid, id->node, 0, &all, no_counts);
	pthread_mutex_unlock(&h->lock);
	if (!is_new)
		return;
	tell_whole(h, id->ns, id->name, id->node, informer_why(id));
	h->opt.ring(h->opt.arg);
}

/*
 * A pod that is too large is read in part: else anybody who may create a pod
 * could take a node with a tiny one.
 */
static void others_oversized(void *arg, const struct object_id *id, bool news)
{
	_cleanup_json_ json_object *part = NULL;
	const struct source *from = arg;

	(void)news;
	if (id->text &&
	    !held_pod_read(&from->h->held, id->text, id->text_len, &part))
		others_object(arg, part);
	else
		others_unread(arg, id);
}

static void others_synced(void *arg)
{
	struct source *from = arg;
	struct inventory *h = from->h;

	pthread_mutex_lock(&h->lock);
	store_list_ends(&from->pods, drop, from);
	pthread_mutex_unlock(&h->lock);
	h->opt.ring(h->opt.arg);
}

static void others_trouble(void *arg, int rc, const char *words)
{
	struct source *from = arg;
	const struct inventory *h = from->h;

	if (rc)
		log_error("cluster %s: other pods cannot be seen, so that no "
			  "external node is made: %s",
			  h->opt.cluster, words);
}

bool other_pods_again(struct source *from)
{
	const size_t many = BRIDGE_OTHERS_MAX - BRIDGE_OTHERS_MAX / 10;
	const bool again = from->left_out && count(from->h) < many;

	from->left_out &= !again;
	return again;
}

struct informer_handler other_pods_handler(struct source *from)
{
	return (struct informer_handler){
		.on_list = others_list,
		.on_object = others_object,
		.on_delete = others_delete,
		.on_oversized = others_oversized,
		.on_synced = others_synced,
		.on_trouble = from->ours ? NULL : others_trouble,
		.arg = from,
	};
}
