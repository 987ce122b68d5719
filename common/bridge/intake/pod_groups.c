/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bridge/intake/pod_groups.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "bridge/intake/pod_groups_internal.h"
#include "objects/partial_pod.h"

#define RETRY_MAX_MS 600000 /* longest pause between tries, as after 403 */
#define RELIST_MS 10000	    /* least pause between two lists */
/* for ended pods: a list begins with those seen before */
#define ENDED_AGAIN_MS 600000

void pod_groups_free(struct pod_groups *v)
{
	if (!v)
		return;
	store_each(&v->pods, pod_groups_drop, v);
	group_index_clear(&v->groups);
	store_each(&v->spaces, namespaces_drop, &v->spaces);
	gone_pods_free(&v->gone);
	pthread_mutex_destroy(&v->lock);
	free(v->selector);
	free(v);
}

/* --- what the bridge's thread reads */

bool pod_groups_ready(struct pod_groups *v)
{
	bool ready;

	pthread_mutex_lock(&v->lock);
	ready = v->pods.synced && v->spaces.synced;
	pthread_mutex_unlock(&v->lock);
	return ready;
}

size_t pod_groups_dirty(const struct pod_groups *v)
{
	return v->groups.n_dirty;
}

size_t pod_groups_take_dirty(struct pod_groups *v, char **keys, size_t max)
{
	size_t n;

	pthread_mutex_lock(&v->lock);
	n = group_index_take(&v->groups, keys, max);
	pthread_mutex_unlock(&v->lock);
	return n;
}

void pod_groups_lock(struct pod_groups *v)
{
	pthread_mutex_lock(&v->lock);
}

void pod_groups_unlock(struct pod_groups *v)
{
	pthread_mutex_unlock(&v->lock);
}

struct pod_group *pod_groups_find(struct pod_groups *v, const char *key)
{
	return group_index_find(&v->groups, key);
}

struct pod_group *pod_groups_first(struct pod_groups *v)
{
	return v->groups.all;
}

struct group_pod *pod_groups_pod(struct pod_groups *v, const char *uid)
{
	return store_find(&v->pods, uid);
}

void pod_groups_forget(struct pod_groups *v, struct pod_group *g)
{
	while (g->members)
		pod_groups_drop(v, g->members);
	g->vanished = false;
	group_index_drop(&v->groups, g);
}

unsigned int pod_groups_lists(const struct pod_groups *v)
{
	return v->lists;
}

void pod_groups_tie(struct pod_groups *v, struct pod_group *g,
		    enum pod_tie_as as, enum workload_kind kind,
		    const char *name)
{
	group_index_tie(&v->groups, g, as, kind, name);
}

struct gone_pods **pod_groups_gone(struct pod_groups *v)
{
	return &v->gone;
}

json_object *pod_groups_labels(struct pod_groups *v, const char *ns)
{
	const struct namespace *s = store_find(&v->spaces, ns);
	json_object *labels = NULL;

	if (s && s->labels)
		jx_parse(s->labels, strlen(s->labels), &labels, NULL);
	return labels;
}

bool pod_groups_has_space(struct pod_groups *v, const char *ns)
{
	return v->opt.config->n_ns == v->opt.config->n_named ||
	       store_find(&v->spaces, ns);
}

void pod_groups_touch(struct pod_groups *v, const char *key)
{
	struct pod_group *g;

	pthread_mutex_lock(&v->lock);
	g = pod_groups_find(v, key);
	if (g)
		group_index_mark(&v->groups, g);
	pthread_mutex_unlock(&v->lock);
}

void pod_groups_touch_all(struct pod_groups *v)
{
	pthread_mutex_lock(&v->lock);
	group_index_mark_all(&v->groups);
	pthread_mutex_unlock(&v->lock);
	v->opt.ring(v->opt.arg);
}

void pod_groups_object_changed(struct pod_groups *v, enum workload_kind kind,
			       const char *ns, const char *name)
{
	bool any;

	pthread_mutex_lock(&v->lock);
	any = group_index_touch(&v->groups, kind, ns, name);
	pthread_mutex_unlock(&v->lock);
	if (any)
		v->opt.ring(v->opt.arg);
}

bool pod_groups_left_out(const struct pod_groups *v, const char *key)
{
	char ns[WORKLOAD_NAME_MAX];

	pod_group_key_ns(key, sizeof(ns), ns);
	return v->left_out || unread_pods_has(&v->unread, ns);
}

void pod_groups_each_unread_node(const struct pod_groups *v,
				 void (*on)(void *arg, const char *node),
				 void *arg)
{
	unread_pods_each_node(&v->unread, on, arg);
}

/* --- the link's thread */

static struct informer *inform_of_spaces(struct pod_groups *v,
					 struct kube_client *client)
{
	const struct informer_options opt = {
		.collection = {.api = KUBE_CORE_V1, .resource = "namespaces"},
		.retry_max_ms = RETRY_MAX_MS,
	};
	const struct informer_handler on = pod_groups_spaces_handler(v);

	return informer_keep_fresh(informer_new(client, &opt, &on),
				   v->opt.config->stale_after_ms);
}

static struct informer *inform_of_pods(struct pod_groups *v)
{
	const struct informer_options opt = {
		.collection = {.api = KUBE_CORE_V1, .resource = "pods"},
		.select = {.fields = v->selector},
		.only = bridged_pod_table,
	};
	const struct informer_handler on = informer_pair_handler(&v->both);

	return informer_keep_fresh(informer_new(v->client, &opt, &on),
				   v->opt.config->stale_after_ms);
}

struct pod_groups *pod_groups_new(const struct pod_groups_options *opt)
{
	struct pod_groups *v = calloc(1, sizeof(*v));

	if (!v)
		return NULL;
	v->opt = *opt;
	v->spaces.synced = opt->config->n_ns == opt->config->n_named;
	v->both.first = pod_groups_pods_handler(v);
	v->both.second = opt->also;
	v->selector =
		str_printf("spec.schedulerName=%s", opt->config->scheduler);
	pthread_mutex_init(&v->lock, NULL);
	if (v->selector)
		return v;
	pod_groups_free(v);
	return NULL;
}

int pod_groups_start(struct pod_groups *v, struct kube_client *client)
{
	v->client = client;
	if (v->spaces.synced)
		v->pods_in = inform_of_pods(v);
	else /* namespaces come first: they tell which pods may enter */
		v->spaces_in = inform_of_spaces(v, client);
	return v->pods_in || v->spaces_in ? 0 : -ENOMEM;
}

/* Under the lock. True if pods that were left out may have room now. */
static bool has_room_again(struct pod_groups *v, int64_t now)
{
	const struct pod_bounds *b = &v->bounds;
	const int64_t ended_at = v->relist_at + ENDED_AGAIN_MS - RELIST_MS;
	bool again = v->relist;

	for (int c = 0; c < PODS_CLASSES; c++)
		again |= c != PODS_OUTSIDE && b->full[c] &&
			 pod_bounds_again(b, (enum pod_bounds_class)c) &&
			 (c != PODS_ENDED || now >= ended_at);
	return again;
}

/* List all pods again, for those that were left out may have room by now. */
static void relist(struct pod_groups *v)
{
	const int64_t now = clock_ms();
	struct pod_bounds *b = &v->bounds;
	bool due = now >= v->relist_at && informer_live(v->pods_in);

	if (!due)
		return;
	pthread_mutex_lock(&v->lock);
	due = has_room_again(v, now);
	for (int c = 0; c < PODS_CLASSES && due; c++)
		b->full[c] &= c == PODS_OUTSIDE; /* PODS_OUTSIDE is said once */
	v->relist &= !due;
	pthread_mutex_unlock(&v->lock);
	if (!due)
		return;
	v->relist_at = now + RELIST_MS;
	informer_relist(v->pods_in);
}

void pod_groups_step(struct pod_groups *v)
{
	if (v->spaces_in)
		informer_step(v->spaces_in);
	if (!v->pods_in && v->spaces.synced)
		v->pods_in = inform_of_pods(v);
	if (!v->pods_in)
		return;
	relist(v);
	informer_step(v->pods_in);
}

void pod_groups_fresh(struct pod_groups *v, struct freshness *out)
{
	v->relist |= freshness_take_relist(out);
	freshness_put(out, VIEW_PODS, v->pods_in);
	freshness_put(out, VIEW_NAMESPACES, v->spaces_in);
}

void pod_groups_stop(struct pod_groups *v)
{
	informer_free(v->pods_in);
	informer_free(v->spaces_in);
	v->pods_in = v->spaces_in = NULL;
}
