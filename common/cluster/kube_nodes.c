/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cluster/kube_nodes.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/str.h"
#include "objects/node_filter.h"
#include "runtime/store.h"

#define GONE_KEPT_MS 600000 /* how long a deleted node counts, for its pods */
#define RETRY_MAX_MS 600000 /* not allowed to look: ask seldom */
#define CONTROL_PLANE_TAINT "node-role.kubernetes.io/control-plane"

struct host {
	struct store_item item;
	bool cordoned, ready;
	bool control; /* a node of the control plane: it takes no pods */
	bool gone;    /* deleted */
	bool deleted; /* gone, and the deletion was seen */
	int64_t gone_at;
	char name[];
};

struct kube_nodes {
	const char *cluster;
	void (*ring)(void *arg);
	void *arg;
	struct informer_handler also; /* on_list NULL: there is none */
	pthread_mutex_t lock;	      /* protects what follows */
	struct store nodes;
	struct disruption_seen seen; /* counts of `nodes`, by count() */
	int64_t drop_at; /* when to drop deleted nodes; 0: there are none */
};

struct kube_nodes *kube_nodes_new(const char *cluster, void (*ring)(void *arg),
				  void *arg)
{
	struct kube_nodes *h = calloc(1, sizeof(*h));

	if (!h)
		return NULL;
	h->cluster = cluster;
	h->ring = ring;
	h->arg = arg;
	pthread_mutex_init(&h->lock, NULL);
	return h;
}

/* Under the lock: `by` -1 before each change of this one, 1 after it. */
static void count(struct kube_nodes *h, const struct host *x, int by)
{
	if (x->control)
		disruption_count_other(&h->seen, x->ready, by);
	else if (!x->deleted)
		disruption_count(&h->seen, !x->ready, by);
}

/* Under the lock. */
static void drop(void *arg, void *item)
{
	struct kube_nodes *h = arg;
	struct host *x = item;

	count(h, x, -1);
	store_remove(&h->nodes, &x->item);
	free(x);
}

void kube_nodes_free(struct kube_nodes *h)
{
	if (!h)
		return;
	store_each(&h->nodes, drop, h);
	pthread_mutex_destroy(&h->lock);
	free(h);
}

static void on_list(void *arg)
{
	struct kube_nodes *h = arg;

	if (h->also.on_list)
		h->also.on_list(h->also.arg);
	pthread_mutex_lock(&h->lock);
	store_list_begins(&h->nodes);
	pthread_mutex_unlock(&h->lock);
}

/*
 * True for a node of the control plane: it takes no pods, and stands beside the
 * API server, so that it may well be ready when the network to all others has
 * failed.
 */
static bool is_control_plane(const json_object *node)
{
	json_object *seq = jx_get(node, "spec", "taints");

	for (size_t i = 0;
	     jx_is(seq, json_type_array) && i < json_object_array_length(seq);
	     i++) {
		json_object *t = json_object_array_get_idx(seq, i);

		if (str_eq(jx_str(t, "key"), CONTROL_PLANE_TAINT) &&
		    str_eq(jx_str(t, "effect"), "NoSchedule"))
			return true;
	}
	return false;
}

/* Under the lock: one that has been gone for long is dropped. */
static void drop_old(void *arg, void *item)
{
	struct kube_nodes *h = arg;
	const struct host *x = item;
	const int64_t at = x->gone_at + GONE_KEPT_MS;

	if (!x->gone)
		return;
	if (clock_ms() >= at)
		drop(h, item);
	else if (!h->drop_at || at < h->drop_at)
		h->drop_at = at;
}

/* Under the lock. (Where machines come and go each has a new name.) */
static void drop_gone(struct kube_nodes *h)
{
	if (!h->drop_at || clock_ms() < h->drop_at)
		return;
	h->drop_at = 0;
	store_each(&h->nodes, drop_old, h);
}

/* Under the lock. NULL: out of memory. */
static struct host *host_of(struct kube_nodes *h, const char *name, bool *fresh)
{
	struct host *x = store_keep(&h->nodes, name);

	*fresh = !x;
	if (x)
		return x;
	drop_gone(h);
	x = store_new(&h->nodes, offsetof(struct host, name), name);
	if (x)
		count(h, x, 1);
	return x;
}

/* Under the lock. True: it has changed. */
static bool put(struct kube_nodes *h, const char *name, const struct host *is)
{
	bool fresh, changed;
	struct host *x = host_of(h, name, &fresh);

	if (!x)
		return false;
	changed = fresh || x->cordoned != is->cordoned || x->ready != is->ready;
	count(h, x, -1);
	x->cordoned = is->cordoned;
	x->ready = is->ready;
	x->control = is->control;
	x->gone = x->deleted = false;
	count(h, x, 1);
	return changed;
}

static void on_object(void *arg, json_object *node)
{
	struct kube_nodes *h = arg;
	const char *name = jx_str(node, "metadata", "name");
	const struct host is = {
		.cordoned = json_object_get_boolean(
			jx_get(node, "spec", "unschedulable")),
		.ready = kube_node_is_ready(node),
		.control = is_control_plane(node),
	};
	bool changed;

	if (!name)
		return;
	if (h->also.on_object)
		h->also.on_object(h->also.arg, node);
	pthread_mutex_lock(&h->lock);
	changed = put(h, name, &is);
	pthread_mutex_unlock(&h->lock);
	if (changed)
		h->ring(h->arg);
}

/*
 * Under the lock. A node that is gone stays a while, not ready: its pods may
 * still be there.
 */
static void bury(struct kube_nodes *h, struct host *x, bool seen)
{
	if (x->gone)
		return;
	count(h, x, -1);
	x->ready = false;
	x->gone = true;
	x->deleted = seen;
	count(h, x, 1);
	x->gone_at = clock_ms();
	if (!h->drop_at)
		h->drop_at = x->gone_at + GONE_KEPT_MS;
}

static void on_delete(void *arg, json_object *node)
{
	struct kube_nodes *h = arg;
	const char *name = jx_str(node, "metadata", "name");
	struct host *x;

	if (h->also.on_delete)
		h->also.on_delete(h->also.arg, node);
	pthread_mutex_lock(&h->lock);
	x = name ? store_find(&h->nodes, name) : NULL;
	if (x)
		bury(h, x, true);
	pthread_mutex_unlock(&h->lock);
	h->ring(h->arg);
}

static void on_oversized(void *arg, const struct object_id *id, bool news)
{
	struct kube_nodes *h = arg;

	if (h->also.on_oversized)
		h->also.on_oversized(h->also.arg, id, news);
	pthread_mutex_lock(&h->lock);
	store_keep(&h->nodes, id->name);
	pthread_mutex_unlock(&h->lock);
}

/* Under the lock. One may have been deleted while no watch told of it. */
static void bury_unlisted(void *arg, void *item)
{
	bury(arg, item, false);
}

static void on_synced(void *arg)
{
	struct kube_nodes *h = arg;

	if (h->also.on_synced)
		h->also.on_synced(h->also.arg);
	pthread_mutex_lock(&h->lock);
	store_list_ends(&h->nodes, bury_unlisted, h);
	drop_gone(h);
	pthread_mutex_unlock(&h->lock);
	h->ring(h->arg);
}

static void on_trouble(void *arg, int rc, const char *words)
{
	struct kube_nodes *h = arg;

	if (rc)
		log_warn("cluster %s: Kubernetes nodes cannot be seen, so that "
			 "cordons and lost nodes go unnoticed: %s",
			 h->cluster, words);
}

struct informer *kube_nodes_inform(struct kube_nodes *h, struct kube_client *c,
				   const struct informer_handler *also)
{
	const struct informer_options opt = {
		.collection = {.api = KUBE_CORE_V1, .resource = "nodes"},
		.retry_max_ms = RETRY_MAX_MS,
	};
	const struct informer_handler on = {
		.on_list = on_list,
		.on_object = on_object,
		.on_delete = on_delete,
		.on_oversized = on_oversized,
		.on_synced = on_synced,
		.on_trouble = on_trouble,
		.arg = h,
	};

	h->also = also ? *also : (struct informer_handler){0};
	return informer_new(c, &opt, &on);
}

void kube_nodes_find(struct kube_nodes *h, const char *name,
		     struct kube_node_state *out)
{
	const struct host *x;

	*out = (struct kube_node_state){0};
	pthread_mutex_lock(&h->lock);
	x = h->nodes.synced ? store_find(&h->nodes, name) : NULL;
	if (x)
		*out = (struct kube_node_state){.known = true,
						.cordoned = x->cordoned,
						.ready = x->ready};
	pthread_mutex_unlock(&h->lock);
}

bool kube_nodes_count(struct kube_nodes *h, struct disruption_seen *out)
{
	bool known;

	pthread_mutex_lock(&h->lock);
	drop_gone(h);
	known = h->nodes.synced;
	*out = h->seen;
	pthread_mutex_unlock(&h->lock);
	return known;
}
