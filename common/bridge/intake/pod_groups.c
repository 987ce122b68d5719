/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bridge/intake/pod_groups.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <utlist.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/str.h"
#include "bridge/intake/group_index.h"
#include "bridge/intake/namespaces.h"
#include "bridge/intake/pod_reading.h"
#include "bridge/intake/unread_pods.h"
#include "objects/partial_pod.h"

#define RETRY_MAX_MS 600000 /* not allowed to look: ask seldom */
#define LABELS_MAX (64 * 1024)
#define RELIST_MS 10000	      /* not more often than that */
#define ENDED_AGAIN_MS 600000 /* of those that have ended: they come first */

struct pod_groups {
	struct pod_groups_options opt;
	/*
	 * The four below: the link's thread only; client: borrowed until stop.
	 */
	struct kube_client *client;
	struct informer *pods_in, *spaces_in;
	int64_t relist_at; /* monotonic: not before */
	char *selector;
	struct informer_pair both;
	pthread_mutex_t lock;	/* of what follows */
	struct group_pod *pods; /* by uid */
	struct group_index groups;
	struct pod_class *shapes;
	struct namespaces spaces;
	unsigned int generation;
	unsigned int lists; /* that are complete */
	bool pods_known, spaces_known;
	struct pod_bounds bounds;
	struct unread_pods unread;
	struct gone_pods *gone;
	bool left_out; /* pods that may enter were, in this list: */
	unsigned int left_out_of;
	bool relist; /* what was left out may be seen now */
};

/* --- pods in groups; under the lock */

static void leave(struct pod_groups *v, struct group_pod *m)
{
	struct pod_group *g = m->group;

	DL_DELETE(g->members, m);
	g->n--;
	group_index_mark(&v->groups, g);
	m->group = NULL;
	m->told = 0;
}

static void drop(struct pod_groups *v, struct group_pod *m)
{
	leave(v, m);
	pod_bounds_move(&v->bounds, &m->class, PODS_UNCOUNTED);
	HASH_DELETE(hh, v->pods, m);
	pod_class_release(&v->shapes, m->shape);
	bridged_pod_free(m->pod);
	free(m->besides);
	free(m);
}

void pod_groups_free(struct pod_groups *v)
{
	struct group_pod *m = NULL, *next = NULL;

	if (!v)
		return;
	HASH_ITER(hh, v->pods, m, next)
	{
		drop(v, m);
	}
	group_index_clear(&v->groups);
	namespaces_clear(&v->spaces);
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
	ready = v->pods_known && v->spaces_known;
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
	struct group_pod *m;

	HASH_FIND_STR(v->pods, uid, m);
	return m;
}

void pod_groups_forget(struct pod_groups *v, struct pod_group *g)
{
	while (g->members)
		drop(v, g->members);
	g->vanished = false;
	group_index_drop(&v->groups, g);
}

unsigned int pod_groups_lists(const struct pod_groups *v)
{
	return v->lists;
}

void pod_groups_apart(struct pod_groups *v, struct group_pod *m)
{
	struct pod_group *g = m->besides && !m->apart
				      ? group_index_get(&v->groups, m->besides)
				      : NULL;

	if (!g)
		return;
	leave(v, m);
	m->apart = true;
	m->group = g;
	g->vanished = false;
	DL_APPEND(g->members, m);
	g->n++;
	group_index_mark(&v->groups, g);
	v->opt.ring(v->opt.arg);
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
	const struct namespace *s = namespaces_find(&v->spaces, ns);
	json_object *labels = NULL;

	if (s && s->labels)
		jx_parse(s->labels, strlen(s->labels), &labels, NULL);
	return labels;
}

bool pod_groups_has_space(struct pod_groups *v, const char *ns)
{
	return v->opt.config->n_ns == v->opt.config->n_named ||
	       namespaces_find(&v->spaces, ns);
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

/* --- pods come and go; the link's thread */

static void on_list(void *arg)
{
	struct pod_groups *v = arg;

	pthread_mutex_lock(&v->lock);
	v->generation++;
	pthread_mutex_unlock(&v->lock);
}

/* Under the lock. True if pods of `ns` may enter, by the labels known now. */
static bool may_enter(struct pod_groups *v, const char *ns)
{
	const struct namespace *s;

	if (namespace_config_find(v->opt.config, ns, NULL))
		return true;
	s = namespaces_find(&v->spaces, ns);
	return s && s->enters;
}

bool pod_groups_enters(struct pod_groups *v, const char *ns)
{
	bool enters;

	pthread_mutex_lock(&v->lock);
	enters = may_enter(v, ns);
	pthread_mutex_unlock(&v->lock);
	return enters;
}

/* Under the lock. It is in view only to be told why. (What runs by a job of
 * ours is that job's, though its namespace may not enter any more.) */
static bool is_outside(struct pod_groups *v, const struct bridged_pod *p)
{
	return !(*p->node && p->job_id) && !may_enter(v, p->ns);
}

static enum pod_bounds_class class_of(struct pod_groups *v,
				      const struct bridged_pod *p)
{
	const bool over = *p->node ? p->ended : phase_is_end(p->phase);

	if (is_outside(v, p))
		return PODS_OUTSIDE;
	if (over)
		return PODS_ENDED;
	/* A pod's author may name a node: precedence is for those we bound. */
	return *p->node && p->job_id ? PODS_RUNNING : PODS_WAITING;
}

/* Under the lock: its class may have changed. */
static void sort_out(struct pod_groups *v, struct group_pod *m)
{
	pod_bounds_move(&v->bounds, &m->class, class_of(v, m->pod));
}

/* Under the lock. True if there is room for one more pod of that group. */
static bool has_room(struct pod_groups *v, const struct bridged_pod *p,
		     struct pod_group *g)
{
	const enum pod_bounds_class of = class_of(v, p);

	if (pod_bounds_room(&v->bounds, of))
		return true;
	if (!v->bounds.full[of])
		pod_bounds_tell(v->opt.cluster, of);
	v->bounds.full[of] = true;
	if (of == PODS_OUTSIDE)
		return false;
	v->left_out = true;
	v->left_out_of = v->generation;
	if (of == PODS_ENDED) /* the group is not short of an ended pod */
		return false;
	g->partial = true;
	g->partial_of = v->generation;
	return false;
}

/* Under the lock: all are listed. What was left out before counts no more. */
static void forget_left_out(struct pod_groups *v)
{
	if (!v->left_out)
		return;
	v->left_out = v->left_out_of == v->generation;
	for (struct pod_group *g = v->groups.all; g; g = g->hh.next) {
		if (!g->partial || g->partial_of == v->generation)
			continue;
		g->partial = false;
		group_index_mark(&v->groups, g);
	}
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

/* Under the lock. NULL: too many, or no memory. */
static struct group_pod *member_of(struct pod_groups *v,
				   const struct bridged_pod *p,
				   struct pod_group *g)
{
	struct group_pod *m = pod_groups_pod(v, p->uid);

	return m || !has_room(v, p, g) ? m : calloc(1, sizeof(*m));
}

/* What it was before goes. */
static void take_out(struct pod_groups *v, struct group_pod *m,
		     const struct pod_group *stays)
{
	HASH_DELETE(hh, v->pods, m); /* its key is in the pod */
	pod_class_release(&v->shapes, m->shape);
	bridged_pod_free(m->pod);
	if (m->group != stays)
		leave(v, m);
}

static void put_in(struct pod_groups *v, struct group_pod *m,
		   struct pod_group *g)
{
	if (!m->group) {
		m->group = g;
		DL_APPEND(g->members, m);
		g->n++;
	}
	g->vanished = false;
	m->failed = 0;
	HASH_ADD_KEYPTR(hh, v->pods, m->pod->uid, strlen(m->pod->uid), m);
	group_index_mark(&v->groups, g);
	if (!m->failed) {
		sort_out(v, m);
		return;
	}
	leave(v, m);
	pod_bounds_move(&v->bounds, &m->class, PODS_UNCOUNTED);
	pod_class_release(&v->shapes, m->shape);
	bridged_pod_free(m->pod);
	free(m->besides);
	free(m);
}

/*
 * Under the lock; takes what it needs. One that is bound stays in the group by
 * whose job it was bound: else whoever may change its labels would have it run
 * by another job of his, and without a time limit.
 */
static void put(struct pod_groups *v, struct pod_reading *r)
{
	struct group_pod *m = pod_groups_pod(v, r->pod->uid);
	const bool stays = m && (r->part || *r->pod->node);
	const struct workload *of =
		m && m->apart && r->besides ? r->besides : &r->of;
	struct pod_class *shape = steal_ptr(r->shape);
	struct pod_group *g;

	shape = m && r->part ? pod_class_keep(&v->shapes, m->shape, shape)
			     : pod_class_intern(&v->shapes, shape);
	g = !shape ? NULL : stays ? m->group : group_index_get(&v->groups, of);
	m = g ? member_of(v, r->pod, g) : NULL;
	if (!m) {
		if (g)
			group_index_drop(&v->groups, g);
		if (shape)
			pod_class_release(&v->shapes, shape);
		return;
	}
	if (m->pod)
		take_out(v, m, g);
	m->pod = steal_ptr(r->pod);
	gone_pods_see(&v->gone, m->pod, &m->ends_at);
	m->shape = shape;
	if (!stays) {
		free(m->besides);
		m->besides = steal_ptr(r->besides);
	}
	m->generation = v->generation;
	put_in(v, m, g);
}

/* Take over a pod that was read, as a whole or in part. */
static void take(struct pod_groups *v, struct pod_reading *r)
{
	pthread_mutex_lock(&v->lock);
	unread_pods_drop(&v->unread, r->pod->uid);
	put(v, r);
	pthread_mutex_unlock(&v->lock);
	v->opt.ring(v->opt.arg);
}

static void on_object(void *arg, json_object *object)
{
	struct pod_groups *v = arg;
	struct pod_reading r;

	if (!pod_reading_of(object, &r))
		take(v, &r);
	pod_reading_clear(&r);
}

static void on_delete(void *arg, json_object *object)
{
	struct pod_groups *v = arg;
	const char *uid = jx_str(object, "metadata", "uid");
	struct group_pod *m;

	pthread_mutex_lock(&v->lock);
	m = uid ? pod_groups_pod(v, uid) : NULL;
	if (m) {
		m->group->vanished = false;
		gone_pods_note(&v->gone, m->pod, m->ends_at, true, v->opt.by);
		drop(v, m);
	}
	unread_pods_drop(&v->unread, uid);
	pthread_mutex_unlock(&v->lock);
	if (m)
		v->opt.ring(v->opt.arg);
}

/*
 * Under the lock. It has got a node, and nobody knows by whom: it keeps others
 * from there, and leaves its group, where it would be bound again.
 */
static bool is_bound_unseen(struct pod_groups *v, const struct group_pod *m,
			    const struct object_id *id)
{
	return m && !*m->pod->node && *id->node &&
	       unread_pods_see(&v->unread, id, v->generation);
}

/* No more is known of it than its id. */
static void keep_unread(struct pod_groups *v, const struct object_id *id)
{
	struct group_pod *m;
	bool bound, ended;

	pthread_mutex_lock(&v->lock);
	m = pod_groups_pod(v, id->uid);
	bound = is_bound_unseen(v, m, id);
	ended = m &&
		bridged_pod_end_unread(m->pod, worker_pod_phase(id->phase));
	if (bound) {
		drop(v, m);
	} else if (m) {
		m->generation = v->generation;
		sort_out(v, m);
	} else {
		unread_pods_see(&v->unread, id, v->generation);
	}
	if (ended)
		group_index_mark(&v->groups, m->group);
	pthread_mutex_unlock(&v->lock);
	if (bound || ended)
		v->opt.ring(v->opt.arg);
}

/*
 * Whoever makes a pod unreadable must not have it run outside all books: what
 * we ourselves write on it may have been the last straw.
 */
static void on_oversized(void *arg, const struct object_id *id, bool news)
{
	struct pod_groups *v = arg;
	struct pod_reading r;

	if (!pod_reading_of_part(id, &r))
		take(v, &r);
	else
		keep_unread(v, id);
	pod_reading_clear(&r);
	if (news && *id->uid && v->opt.oversized)
		v->opt.oversized(v->opt.arg, id);
}

/* Under the lock: the list does not have them any more. */
static void drop_unlisted(struct pod_groups *v)
{
	struct group_pod *m = NULL, *next = NULL;

	HASH_ITER(hh, v->pods, m, next)
	{
		if (m->generation == v->generation)
			continue;
		/* One that has ended, or was told to end, may go. */
		m->group->vanished |=
			!m->pod->deleting && m->class != PODS_ENDED;
		gone_pods_note(&v->gone, m->pod, m->ends_at, false, v->opt.by);
		drop(v, m);
	}
}

static void on_synced(void *arg)
{
	struct pod_groups *v = arg;
	size_t n;

	pthread_mutex_lock(&v->lock);
	drop_unlisted(v);
	v->lists++;
	forget_left_out(v);
	unread_pods_synced(&v->unread, v->generation);
	v->pods_known = true;
	n = HASH_COUNT(v->pods);
	pthread_mutex_unlock(&v->lock);
	log_info("cluster %s: %zu bridged pods in view", v->opt.cluster, n);
	v->opt.ring(v->opt.arg);
}

static void on_trouble(void *arg, int rc, const char *words)
{
	struct pod_groups *v = arg;

	if (rc)
		log_error("cluster %s: bridged pods cannot be seen: %s",
			  v->opt.cluster, words);
	else
		log_info("cluster %s: bridged pods can be seen again",
			 v->opt.cluster);
}

/* --- namespaces, if their labels matter */

static void spaces_list(void *arg)
{
	struct pod_groups *v = arg;

	pthread_mutex_lock(&v->lock);
	namespaces_list(&v->spaces);
	pthread_mutex_unlock(&v->lock);
}

/* Under the lock: its pods are looked at again. */
static void touch_space(struct pod_groups *v, const char *name)
{
	for (struct pod_group *g = v->groups.all; g; g = g->hh.next) {
		if (strcmp(g->of.ns, name) != 0)
			continue;
		group_index_mark(&v->groups, g);
		for (struct group_pod *m = g->members; m; m = m->next)
			sort_out(v, m);
	}
}

/* Under the lock. */
static void label_space(struct pod_groups *v, struct namespace *s,
			const json_object *labels, const char *text)
{
	const bool entered = s->enters;

	free(s->labels);
	s->labels = text ? strdup(text) : NULL;
	s->enters = namespace_config_find(v->opt.config, s->name,
					  s->labels ? labels : NULL) != NULL;
	/* Its pods may be among those that were left out. */
	v->relist |= s->enters && !entered && v->bounds.full[PODS_OUTSIDE];
	if (s->enters && !entered && v->opt.entered)
		v->opt.entered(v->opt.arg);
	touch_space(v, s->name);
}

static void spaces_object(void *arg, json_object *object)
{
	struct pod_groups *v = arg;
	const char *name = jx_str(object, "metadata", "name");
	json_object *labels = jx_get(object, "metadata", "labels");
	const char *text = labels ? json_object_to_json_string_ext(
					    labels, JSON_C_TO_STRING_PLAIN)
				  : NULL;
	struct namespace *s;
	bool known;

	if (!name)
		return;
	if (text && strlen(text) > LABELS_MAX)
		text = NULL;
	pthread_mutex_lock(&v->lock);
	known = namespaces_find(&v->spaces, name);
	s = namespaces_see(&v->spaces, name);
	if (s && (!known || !str_eq(s->labels, text)))
		label_space(v, s, labels, text);
	pthread_mutex_unlock(&v->lock);
	v->opt.ring(v->opt.arg);
}

static void spaces_delete(void *arg, json_object *object)
{
	struct pod_groups *v = arg;
	const char *name = jx_str(object, "metadata", "name");

	pthread_mutex_lock(&v->lock);
	if (name)
		namespaces_drop(&v->spaces, name);
	pthread_mutex_unlock(&v->lock);
}

static void spaces_oversized(void *arg, const struct object_id *id, bool news)
{
	struct pod_groups *v = arg;

	(void)news;
	pthread_mutex_lock(&v->lock);
	namespaces_keep(&v->spaces, id->name);
	pthread_mutex_unlock(&v->lock);
}

static void spaces_synced(void *arg)
{
	struct pod_groups *v = arg;

	pthread_mutex_lock(&v->lock);
	namespaces_synced(&v->spaces);
	v->spaces_known = true;
	pthread_mutex_unlock(&v->lock);
	v->opt.ring(v->opt.arg);
}

static void spaces_trouble(void *arg, int rc, const char *words)
{
	struct pod_groups *v = arg;

	if (rc)
		log_error("cluster %s: namespaces cannot be seen, so that no "
			  "pod is let in: %s",
			  v->opt.cluster, words);
}

static struct informer *inform_of_spaces(struct pod_groups *v,
					 struct kube_client *client)
{
	const struct informer_options opt = {
		.collection = {.api = KUBE_CORE_V1, .resource = "namespaces"},
		.retry_max_ms = RETRY_MAX_MS,
	};
	const struct informer_handler on = {
		.on_list = spaces_list,
		.on_object = spaces_object,
		.on_delete = spaces_delete,
		.on_oversized = spaces_oversized,
		.on_synced = spaces_synced,
		.on_trouble = spaces_trouble,
		.arg = v,
	};

	return informer_keep_fresh(informer_new(client, &opt, &on),
				   v->opt.config->stale_after_ms);
}

/* --- the link's thread */

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
	v->spaces_known = opt->config->n_ns == opt->config->n_named;
	v->both.first = (struct informer_handler){
		on_list,   on_object,  on_delete, on_oversized,
		on_synced, on_trouble, v};
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
	if (v->spaces_known)
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
		b->full[c] &= c == PODS_OUTSIDE; /* those: said once */
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
	if (!v->pods_in && v->spaces_known)
		v->pods_in = inform_of_pods(v);
	if (!v->pods_in)
		return;
	relist(v);
	informer_step(v->pods_in);
}

void pod_groups_fresh(struct pod_groups *v, struct freshness *out)
{
	v->relist |= atomic_exchange(&out->relist, false);
	freshness_put(out, VIEW_PODS, v->pods_in);
	freshness_put(out, VIEW_NAMESPACES, v->spaces_in);
}

void pod_groups_stop(struct pod_groups *v)
{
	informer_free(v->pods_in);
	informer_free(v->spaces_in);
	v->pods_in = v->spaces_in = NULL;
}
