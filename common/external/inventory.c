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
#include "objects/partial_pod.h"
#include "syntax/wellknown.h"

#define RETRY_MAX_MS 600000 /* not allowed to look: ask seldom */

/* A kind with a longer name no pod of ours can ask for. */
static void take_kinds(struct inventory *h, const struct label_pairs *pairs)
{
	for (size_t i = 0; pairs && i < pairs->n; i++)
		if (h->n_kinds < BRIDGE_RESOURCES_MAX &&
		    strlen(pairs->v[i].key) <= PODNEED_NAME_MAX)
			h->kinds[h->n_kinds++] = pairs->v[i].key;
}

struct inventory *inventory_new(const struct inventory_options *opt)
{
	struct inventory *h = calloc(1, sizeof(*h));

	if (!h)
		return NULL;
	h->opt = *opt;
	take_kinds(h, opt->resources);
	h->others_known = !opt->count_others;
	h->theirs.h = h->ours.h = h;
	h->ours.ours = true;
	pthread_mutex_init(&h->lock, NULL);
	h->selector = str_printf("spec.schedulerName!=%s,spec.nodeName!=,"
				 "status.phase!=Succeeded,status.phase!=Failed",
				 opt->scheduler);
	if (h->selector)
		return h;
	inventory_free(h);
	return NULL;
}

/* Under the lock, as all up to the readers. */
static void changed(struct inventory *h, struct inventory_node *x)
{
	h->version++;
	if (x)
		x->changed_at = clock_ms();
}

/* Takes the lock; for change_end(). */
static uint64_t change_begin(struct inventory *h)
{
	pthread_mutex_lock(&h->lock);
	return h->version;
}

/* Give the lock back, and wake the reader if there is news. True: there is. */
static bool change_end(struct inventory *h, uint64_t before)
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

static void host_drop(struct inventory *h, struct inventory_node *x)
{
	/* A node with pods of others may be seen again later. */
	const bool gone = !x->others;

	if (gone)
		HASH_DELETE(hh, h->hosts, x);
	changed(h, NULL);
	h->views++;
	kube_node_clear(&x->view);
	x->seen = x->bridge = false;
	unname(h, x);
	if (gone)
		free(x);
}

static void other_drop(struct inventory *h, struct other_pod *o)
{
	struct inventory_node *x = o->host;

	changed(h, x);
	DL_DELETE(x->others, o);
	HASH_DELETE(hh, h->others, o);
	free(o->counts);
	free(o);
	if (!x->seen && !x->others)
		host_drop(h, x);
}

void inventory_free(struct inventory *h)
{
	struct other_pod *o = NULL, *next_o = NULL;
	struct inventory_node *x = NULL, *next = NULL;

	if (!h)
		return;
	HASH_ITER(hh, h->others, o, next_o)
	{
		other_drop(h, o);
	}
	HASH_ITER(hh, h->hosts, x, next)
	{
		host_drop(h, x);
	}
	pthread_mutex_destroy(&h->lock);
	free(h->selector);
	free(h);
}

/* NULL: out of memory. */
static struct inventory_node *host_of(struct inventory *h, const char *name)
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
	ready = h->hosts_known && h->others_known;
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

/* Nothing of it has changed that matters. */
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
			changed(h, x);
	}
}

/* Takes the view over. */
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
			changed(h, NULL);
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
	changed(h, x);
	h->views++;
	if (*name && strcmp(name, x->slurm))
		name_others(h);
}

/*
 * Under the lock. It is more than is read of one (taints, labels): what was
 * known of it stays. Of one that was never read at least the name is known:
 * without it the jobs there would end, as of a node that is gone. NULL: it has
 * none, or out of memory.
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
	x = host_of(h, name);
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

	before = change_begin(h);
	x = see_unread(h, jx_str(meta, "name"), jx_str(meta, "uid"),
		       jx_get(meta, "labels"));
	if (x) {
		told = x->told_unread;
		known = !x->view.unread;
		x->told_unread = true;
	}
	change_end(h, before);
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
	before = change_begin(h);
	x = host_of(h, view.name);
	if (x)
		put(h, x, &view);
	change_end(h, before);
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
		host_drop(h, x);
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
	before = change_begin(h);
	see_unread(h, id->name, id->uid, labels);
	change_end(h, before);
}

static void on_synced(void *arg)
{
	struct inventory *h = arg;
	struct inventory_node *x = NULL, *next = NULL;

	pthread_mutex_lock(&h->lock);
	HASH_ITER(hh, h->hosts, x, next)
	{
		if (x->seen && x->generation != h->generation)
			host_drop(h, x);
	}
	name_others(h);
	h->hosts_known = true;
	h->version++;
	h->views++;
	pthread_mutex_unlock(&h->lock);
	h->opt.ring(h->opt.arg);
}

void inventory_handler(struct inventory *h, struct informer_handler *out)
{
	*out = (struct informer_handler){
		.on_list = on_list,
		.on_object = on_object,
		.on_delete = on_delete,
		.on_oversized = on_oversized,
		.on_synced = on_synced,
		.arg = h,
	};
}

/* --- pods that are not ours; the link's thread */

static void others_list(void *arg)
{
	struct source *from = arg;

	pthread_mutex_lock(&from->h->lock);
	from->generation++;
	pthread_mutex_unlock(&from->h->lock);
}

/* Under the lock. NULL: too many, or no memory. */
static struct other_pod *other_new(struct inventory *h, const char *uid)
{
	const size_t size = strlen(uid) + 1;
	struct other_pod *o;

	if (HASH_COUNT(h->others) >= BRIDGE_OTHERS_MAX) {
		if (!h->full)
			log_warn("cluster %s: more than %d pods: what the rest "
				 "uses is not seen",
				 h->opt.cluster, BRIDGE_OTHERS_MAX);
		h->full = true;
		return NULL;
	}
	o = calloc(1, sizeof(*o) + size);
	if (!o)
		return NULL;
	memcpy(o->uid, uid, size);
	HASH_ADD_KEYPTR(hh, h->others, o->uid, size - 1, o);
	if (!o->failed)
		return o;
	free(o);
	return NULL;
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

/* Without memory it counts as holding none of them. */
static void put_counts(const struct inventory *h, struct other_pod *o,
		       const int64_t *counts)
{
	const size_t size = h->n_kinds * sizeof(*counts);

	if (memcmp(counts, no_counts, size) != 0 && (o->counts = malloc(size)))
		memcpy(o->counts, counts, size);
}

/* Under the lock. What a pod holds changes only by a resize. */
static void put_other(const struct source *from, const char *uid,
		      const char *node, uint32_t job_id,
		      const struct pod_requests *need, const int64_t *counts)
{
	struct inventory *h = from->h;
	struct other_pod *o;

	HASH_FIND_STR(h->others, uid, o);
	if (o && o->job_id == job_id && holds(h, o, need, counts)) {
		o->generation = from->generation;
		return;
	}
	if (o)
		other_drop(h, o);
	o = other_new(h, uid);
	if (!o)
		return;
	o->from = from;
	o->generation = from->generation;
	o->host = host_of(h, node);
	if (!o->host) {
		HASH_DELETE(hh, h->others, o);
		free(o);
		return;
	}
	DL_APPEND(o->host->others, o);
	o->job_id = job_id;
	o->cpu_milli = need->cpu_milli;
	o->memory_bytes = need->memory_bytes;
	put_counts(h, o, counts);
	changed(h, o->host);
}

/* Called, too, when a pod has ended, for the selector leaves ended pods out. */
static void others_delete(void *arg, json_object *pod)
{
	const struct source *from = arg;
	struct inventory *h = from->h;
	const char *uid = jx_str(pod, "metadata", "uid");
	struct other_pod *o = NULL;

	pthread_mutex_lock(&h->lock);
	if (uid)
		HASH_FIND_STR(h->others, uid, o);
	if (o)
		other_drop(h, o);
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
	const enum lately_is is = lately(&h->whole, node, clock_ms());

	if (is == LATELY_CROWD)
		log_warn("cluster %s: pods on more than %d nodes count as if "
			 "they held all of their node: the other nodes are not "
			 "named",
			 h->opt.cluster, LATELY_MAX);
	if (is == LATELY_NEW)
		log_warn("cluster %s: pod %s/%s counts as if it held all of "
			 "node %s: %s",
			 h->opt.cluster, ns ? ns : "", name ? name : "", node,
			 why);
}

static void others_object(void *arg, json_object *pod)
{
	const struct source *from = arg;
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
	before = change_begin(h);
	put_other(from, uid, node, bridged_pod_bound_by(pod), &need, counts);
	if (change_end(h, before) && err.code)
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
	const struct source *from = arg;
	struct inventory *h = from->h;
	const struct pod_requests all = {.cpu_milli = INT64_MAX};
	struct other_pod *o = NULL;
	bool is_new;

	pthread_mutex_lock(&h->lock);
	HASH_FIND_STR(h->others, id->uid, o);
	is_new = !o && !from->ours && *id->uid && *id->node;
	if (o)
		o->generation = from->generation;
	else if (is_new)
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

	(void)news;
	if (id->text && !partial_pod_read(id->text, id->text_len, &part, NULL))
		others_object(arg, part);
	else
		others_unread(arg, id);
}

static void others_synced(void *arg)
{
	const struct source *from = arg;
	struct inventory *h = from->h;
	struct other_pod *o = NULL, *next = NULL;

	pthread_mutex_lock(&h->lock);
	HASH_ITER(hh, h->others, o, next)
	{
		if (o->from == from && o->generation != from->generation)
			other_drop(h, o);
	}
	h->others_known |= !from->ours;
	pthread_mutex_unlock(&h->lock);
	h->opt.ring(h->opt.arg);
}

static void others_trouble(void *arg, int rc, const char *words)
{
	const struct source *from = arg;
	const struct inventory *h = from->h;

	if (rc)
		log_error("cluster %s: other pods cannot be seen, so that no "
			  "external node is made: %s",
			  h->opt.cluster, words);
}

void inventory_others_handler(struct inventory *h, struct informer_handler *out)
{
	*out = (struct informer_handler){
		.on_list = others_list,
		.on_object = others_object,
		.on_delete = others_delete,
		.on_oversized = others_oversized,
		.on_synced = others_synced,
		.on_trouble = others_trouble,
		.arg = &h->theirs,
	};
}

void inventory_ours_handler(struct inventory *h, struct informer_handler *out)
{
	inventory_others_handler(h, out);
	out->on_trouble = NULL;
	out->arg = &h->ours;
}

int inventory_start(struct inventory *h, struct kube_client *client)
{
	const struct informer_options opt = {
		.collection = {.api = KUBE_CORE_V1, .resource = "pods"},
		.select = {.fields = h->selector},
		.only = whole_pod,
		.retry_max_ms = RETRY_MAX_MS,
	};
	struct informer_handler on;

	inventory_others_handler(h, &on);
	if (!h->opt.count_others)
		return 0;
	h->others_in = informer_keep_fresh(informer_new(client, &opt, &on),
					   h->opt.stale_after_ms);
	return h->others_in ? 0 : -ENOMEM;
}

void inventory_step(struct inventory *h)
{
	if (h->others_in)
		informer_step(h->others_in);
}

void inventory_fresh(const struct inventory *h, struct freshness *out)
{
	freshness_put(out, VIEW_OTHERS, h->others_in);
}

void inventory_stop(struct inventory *h)
{
	informer_free(h->others_in);
	h->others_in = NULL;
}
