/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "external/inventory_internal.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <utlist.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/str.h"
#include "objects/bridged_pod.h"
#include "syntax/wellknown.h"

#define RETRY_MAX_MS 600000 /* longest pause between tries, as after 403 */
#define RELIST_MS 60000	    /* least pause between two lists of all pods */

/* A kind with a longer name no pod of ours can ask for. */
static void take_kinds(struct inventory *h, const struct label_pairs *pairs)
{
	for (size_t i = 0; pairs && i < pairs->n; i++)
		if (h->n_kinds < BRIDGE_RESOURCES_MAX &&
		    strlen(pairs->v[i].key) <= PODNEED_NAME_MAX)
			h->kinds[h->n_kinds++] = pairs->v[i].key;
	_Static_assert(BRIDGE_RESOURCES_MAX <= HELD_KINDS_MAX, "all are read");
	held_pod_table(&h->held, h->kinds, h->n_kinds);
}

struct inventory *inventory_new(const struct inventory_options *opt)
{
	struct inventory *h = calloc(1, sizeof(*h));

	if (!h)
		return NULL;
	h->opt = *opt;
	take_kinds(h, opt->resources);
	h->theirs.h = h->ours.h = h;
	h->ours.ours = true;
	h->theirs.pods.synced = !opt->count_others;
	pthread_mutex_init(&h->lock, NULL);
	h->selector = str_printf("spec.schedulerName!=%s,spec.nodeName!=,"
				 "status.phase!=Succeeded,status.phase!=Failed",
				 opt->scheduler);
	if (h->selector)
		return h;
	inventory_free(h);
	return NULL;
}

void inventory_changed(struct inventory *h, struct inventory_node *x)
{
	h->version++;
	if (x)
		x->changed_at = clock_ms();
}

/* Takes the lock; for inventory_end(). */
uint64_t inventory_begin(struct inventory *h)
{
	pthread_mutex_lock(&h->lock);
	return h->version;
}

/* Give the lock back, and wake the reader if there is news. True: there is. */
bool inventory_end(struct inventory *h, uint64_t before)
{
	const bool news = h->version != before;

	pthread_mutex_unlock(&h->lock);
	if (news)
		h->opt.ring(h->opt.arg);
	return news;
}

static void unname(struct inventory *h, struct inventory_node *x)
{
	if (*x->slurm && h->by_slurm)
		HASH_DELETE(by_slurm, h->by_slurm, x);
	*x->slurm = '\0';
}

void inventory_drop_host(struct inventory *h, struct inventory_node *x)
{
	/* A node with pods of others may be seen again later. */
	const bool gone = !x->others;

	if (gone)
		HASH_DELETE(hh, h->hosts, x);
	inventory_changed(h, NULL);
	h->views++;
	kube_node_clear(&x->view);
	x->seen = x->bridge = false;
	inventory_node_kept(h, x, NULL, false);
	unname(h, x);
	if (gone)
		free(x);
}

void inventory_free(struct inventory *h)
{
	struct inventory_node *x = NULL, *next = NULL;

	if (!h)
		return;
	other_pods_clear(&h->theirs);
	other_pods_clear(&h->ours);
	HASH_ITER(hh, h->hosts, x, next)
	{
		inventory_drop_host(h, x);
	}
	pthread_mutex_destroy(&h->lock);
	free(h->selector);
	free(h);
}

void inventory_node_kept(struct inventory *h, struct inventory_node *host,
			 const char *pod, bool overdue)
{
	host->overdue = overdue;
	if (str_eq(host->kept_by, pod))
		return;
	h->views++; /* no pod fits there: see bridge/jobspec/node_fit.c */
	free(host->kept_by);
	host->kept_by = pod ? strdup(pod) : NULL;
}

struct inventory_node *inventory_host(struct inventory *h, const char *name)
{
	const size_t size = strlen(name) + 1;
	struct inventory_node *x;

	HASH_FIND_STR(h->hosts, name, x);
	if (x)
		return x;
	x = calloc(1, sizeof(*x) + size);
	if (!x)
		return NULL;
	memcpy(x->name, name, size);
	HASH_ADD_KEYPTR(hh, h->hosts, x->name, size - 1, x);
	if (!x->failed)
		return x;
	free(x);
	return NULL;
}

/* --- readers */

bool inventory_ready(struct inventory *h)
{
	bool ready;

	pthread_mutex_lock(&h->lock);
	ready = h->hosts_known && h->theirs.pods.synced;
	pthread_mutex_unlock(&h->lock);
	return ready;
}

bool inventory_has_nodes(struct inventory *h)
{
	bool known;

	pthread_mutex_lock(&h->lock);
	known = h->hosts_known;
	pthread_mutex_unlock(&h->lock);
	return known;
}

uint64_t inventory_views(struct inventory *h)
{
	uint64_t views;

	pthread_mutex_lock(&h->lock);
	views = h->views;
	pthread_mutex_unlock(&h->lock);
	return views;
}

uint64_t inventory_views_locked(const struct inventory *h)
{
	return h->views;
}

uint64_t inventory_version(struct inventory *h)
{
	uint64_t version;

	pthread_mutex_lock(&h->lock);
	version = h->version;
	pthread_mutex_unlock(&h->lock);
	return version;
}

void inventory_lock(struct inventory *h)
{
	pthread_mutex_lock(&h->lock);
}

void inventory_unlock(struct inventory *h)
{
	pthread_mutex_unlock(&h->lock);
}

struct inventory_node *inventory_first(struct inventory *h)
{
	return h->hosts;
}

struct inventory_node *inventory_of_slurm(struct inventory *h,
					  const char *slurm_name)
{
	struct inventory_node *x;

	HASH_FIND(by_slurm, h->by_slurm, slurm_name, strlen(slurm_name), x);
	return x;
}

struct inventory_node *inventory_find(struct inventory *h, const char *name)
{
	struct inventory_node *x;

	HASH_FIND_STR(h->hosts, name, x);
	return x && x->seen ? x : NULL;
}

/* --- nodes; the link's thread */

static void on_list(void *arg)
{
	struct inventory *h = arg;

	pthread_mutex_lock(&h->lock);
	h->generation++;
	pthread_mutex_unlock(&h->lock);
}

/* The label of claims says nothing of the node: see same_claim(). */
static const struct kube_label *next_label(const struct kube_node *v, size_t *i)
{
	while (*i < v->n_labels && !strcmp(v->labels[*i].key, WK_CLAIM_NODE))
		(*i)++;
	return *i < v->n_labels ? &v->labels[(*i)++] : NULL;
}

static bool same_labels(const struct kube_node *a, const struct kube_node *b)
{
	const struct kube_label *x, *y;
	size_t i = 0, k = 0;

	do {
		x = next_label(a, &i);
		y = next_label(b, &k);
		if (!x != !y || (x && (!str_eq(x->key, y->key) ||
				       !str_eq(x->value, y->value))))
			return false;
	} while (x);
	return true;
}

static bool same_claim(const struct kube_node *a, const struct kube_node *b)
{
	return str_eq(kube_node_label(a, WK_CLAIM_NODE),
		      kube_node_label(b, WK_CLAIM_NODE)) &&
	       str_eq(a->claimed_by, b->claimed_by);
}

/* True if nothing has changed that matters. */
static bool same(const struct kube_node *a, const struct kube_node *b)
{
	if (!a->name || a->ready != b->ready || !str_eq(a->uid, b->uid) ||
	    a->cpu_milli != b->cpu_milli ||
	    a->memory_bytes != b->memory_bytes || a->pods != b->pods ||
	    !str_eq(a->closed, b->closed) || a->external != b->external ||
	    a->unread != b->unread || !str_eq(a->slurm_node, b->slurm_node) ||
	    !str_eq(a->partitions, b->partitions) ||
	    !str_eq(a->topology, b->topology) || !same_labels(a, b) ||
	    a->n_taints != b->n_taints || a->n_ext != b->n_ext)
		return false;
	for (size_t i = 0; i < a->n_taints; i++)
		if (!str_eq(a->taints[i].key, b->taints[i].key) ||
		    !str_eq(a->taints[i].value, b->taints[i].value) ||
		    !str_eq(a->taints[i].effect, b->taints[i].effect))
			return false;
	for (size_t i = 0; i < a->n_ext; i++)
		if (!str_eq(a->ext[i].name, b->ext[i].name) ||
		    a->ext[i].count != b->ext[i].count)
			return false;
	return true;
}

/* Find which Slurm node it is; no two Kubernetes nodes are one. */
static void name_it(struct inventory *h, struct inventory_node *x)
{
	const struct inventory_node *other;
	char name[EXTERNAL_NODE_NAME_MAX + 1];
	struct err err = {0};

	unname(h, x);
	*x->why_not = '\0';
	if (external_node_name(&x->view, name, &err)) {
		str_copy(x->why_not, err.msg, sizeof(x->why_not));
		return;
	}
	other = inventory_of_slurm(h, name);
	if (other) {
		snprintf(x->why_not, sizeof(x->why_not),
			 "Kubernetes node %.100s is Slurm's already",
			 other->name);
		/* a letter may have been cut within */
		str_sanitize(x->why_not);
		return;
	}
	str_copy(x->slurm, name, sizeof(x->slurm));
	x->failed = 0;
	HASH_ADD(by_slurm, h->by_slurm, slurm, strlen(x->slurm), x);
	if (!x->failed) {
		x->told_why_not = false;
		return;
	}
	*x->slurm = '\0';
	str_copy(x->why_not, "out of memory", sizeof(x->why_not));
}

/* A name has become free: give it to another node that has it. */
static void name_others(struct inventory *h)
{
	for (struct inventory_node *x = h->hosts; x; x = x->hh.next) {
		if (!x->seen || *x->slurm)
			continue;
		name_it(h, x);
		if (*x->slurm)
			inventory_changed(h, x);
	}
}

/* Put a node in as it is now, and take its view over. Under the lock. */
static void put(struct inventory *h, struct inventory_node *x,
		struct kube_node *view)
{
	char name[sizeof(x->slurm)];
	bool news, claimed;

	view->external =
		view->external || kube_node_label(view, h->opt.label) != NULL;
	news = !same(&x->view, view);
	claimed = !same_claim(&x->view, view);
	kube_node_clear(&x->view);
	x->view = *view;
	*view = (struct kube_node){0};
	x->generation = h->generation;
	if (!x->view.unread)
		x->told_unread = false;
	if (!news && x->seen) {
		/* The claim alone has changed: no pod waits for that. */
		if (claimed)
			inventory_changed(h, NULL);
		return;
	}
	x->seen = true;
	x->bridge = x->view.external;
	if (x->view.ready || x->view.unread)
		x->unready_at = 0;
	else if (!x->unready_at)
		x->unready_at = clock_ms();
	memcpy(name, x->slurm, sizeof(name));
	name_it(h, x);
	inventory_changed(h, x);
	h->views++;
	if (*name && strcmp(name, x->slurm))
		name_others(h);
}

/*
 * Under the lock. Note a node that is more than is read of one (taints,
 * labels): what was known of it stays. Of one that was never read at least the
 * name is known: without it the jobs there would end, as of a node that is
 * gone. NULL: it has no name, or out of memory.
 */
static struct inventory_node *see_unread(struct inventory *h, const char *name,
					 const char *uid,
					 const json_object *labels)
{
	_cleanup_(kube_node_clear) struct kube_node view = {0};
	struct inventory_node *x = NULL;

	if (name)
		HASH_FIND_STR(h->hosts, name, x);
	if (x && x->seen && !x->view.unread && str_eq(x->view.uid, uid)) {
		x->generation = h->generation;
		return x;
	}
	if (kube_node_unread(name, uid, labels, &view))
		return NULL;
	x = inventory_host(h, name);
	if (x)
		put(h, x, &view);
	return x;
}

static void keep_known(struct inventory *h, const json_object *node,
		       const struct err *why)
{
	const json_object *meta = jx_get(node, "metadata");
	struct inventory_node *x;
	bool told = false, known = false;
	uint64_t before;

	before = inventory_begin(h);
	x = see_unread(h, jx_str(meta, "name"), jx_str(meta, "uid"),
		       jx_get(meta, "labels"));
	if (x) {
		told = x->told_unread;
		known = !x->view.unread;
		x->told_unread = true;
	}
	inventory_end(h, before);
	if (!told)
		log_warn("cluster %s: a node is not %s: %s", h->opt.cluster,
			 known ? "seen as it is now"
			       : "used until it can be read",
			 why->msg);
}

static void on_object(void *arg, json_object *node)
{
	struct inventory *h = arg;
	_cleanup_(kube_node_clear) struct kube_node view = {0};
	struct inventory_node *x;
	struct err err = {0};
	uint64_t before;

	if (kube_node_of(node, &view, &err)) {
		keep_known(h, node, &err);
		return;
	}
	before = inventory_begin(h);
	x = inventory_host(h, view.name);
	if (x)
		put(h, x, &view);
	inventory_end(h, before);
}

static void on_delete(void *arg, json_object *node)
{
	struct inventory *h = arg;
	const char *name = jx_str(node, "metadata", "name");
	struct inventory_node *x = NULL;

	pthread_mutex_lock(&h->lock);
	if (name)
		HASH_FIND_STR(h->hosts, name, x);
	if (x) {
		inventory_drop_host(h, x);
		name_others(h);
	}
	pthread_mutex_unlock(&h->lock);
	h->opt.ring(h->opt.arg);
}

/* Nothing is logged here: the informer has done that. */
static void on_oversized(void *arg, const struct object_id *id, bool is_new)
{
	struct inventory *h = arg;
	_cleanup_json_ json_object *labels =
		kube_node_labels_of(id->text, id->text_len);
	uint64_t before;

	(void)is_new;
	before = inventory_begin(h);
	see_unread(h, id->name, id->uid, labels);
	inventory_end(h, before);
}

static void on_synced(void *arg)
{
	struct inventory *h = arg;
	struct inventory_node *x = NULL, *next = NULL;

	pthread_mutex_lock(&h->lock);
	HASH_ITER(hh, h->hosts, x, next)
	{
		if (x->seen && x->generation != h->generation)
			inventory_drop_host(h, x);
	}
	name_others(h);
	h->hosts_known = true;
	h->version++;
	h->views++;
	pthread_mutex_unlock(&h->lock);
	h->opt.ring(h->opt.arg);
}

struct informer_handler inventory_handler(struct inventory *h)
{
	return (struct informer_handler){
		.on_list = on_list,
		.on_object = on_object,
		.on_delete = on_delete,
		.on_oversized = on_oversized,
		.on_synced = on_synced,
		.arg = h,
	};
}

/* --- pods that are not ours; the link's thread */

struct informer_handler inventory_others_handler(struct inventory *h)
{
	return other_pods_handler(&h->theirs);
}

struct informer_handler inventory_ours_handler(struct inventory *h)
{
	return other_pods_handler(&h->ours);
}

int inventory_start(struct inventory *h, struct kube_client *client)
{
	const struct informer_options opt = {
		.collection = {.api = KUBE_CORE_V1, .resource = "pods"},
		.select = {.fields = h->selector},
		.only = h->held.pod,
		.retry_max_ms = RETRY_MAX_MS,
	};
	const struct informer_handler on = inventory_others_handler(h);

	if (!h->opt.count_others)
		return 0;
	h->others_in = informer_keep_fresh(informer_new(client, &opt, &on),
					   h->opt.stale_after_ms);
	return h->others_in ? 0 : -ENOMEM;
}

void inventory_step(struct inventory *h)
{
	const int64_t now = clock_ms();

	if (!h->others_in)
		return;
	if (now >= h->relist_at && informer_live(h->others_in) &&
	    other_pods_again(&h->theirs)) {
		h->relist_at = now + RELIST_MS;
		informer_relist(h->others_in);
	}
	informer_step(h->others_in);
}

void inventory_fresh(struct inventory *h, struct freshness *out)
{
	if (other_pods_again(&h->ours))
		freshness_relist(out);
	freshness_put(out, VIEW_OTHERS, h->others_in);
}

void inventory_stop(struct inventory *h)
{
	informer_free(h->others_in);
	h->others_in = NULL;
}
