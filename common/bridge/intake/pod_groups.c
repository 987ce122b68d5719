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

#define RETRY_MAX_MS 600000 /* not allowed to look: ask seldom */
#define LABELS_MAX (64 * 1024)
#define RELIST_MS 10000	      /* not more often than that */
#define ENDED_AGAIN_MS 600000 /* of those that have ended: they come first */

struct bridge_seen {
	struct bridge_seen_options opt;
	/* these four: the link's thread only; client: borrowed until stop */
	struct kube_client *client;
	struct informer *pods_in, *spaces_in;
	int64_t relist_at; /* monotonic: not before */
	char *selector;
	struct both both;
	pthread_mutex_t lock;	    /* of what follows */
	struct bridge_member *pods; /* by uid */
	struct bridge_groups groups;
	struct bridge_shape *shapes;
	struct bridge_spaces spaces;
	unsigned int generation;
	unsigned int lists; /* that are complete */
	bool pods_known, spaces_known;
	struct bridge_bounds bounds;
	struct bridge_unread unread;
	struct bridge_gone *gone;
	bool left_out; /* pods that may enter were, in this list: */
	unsigned int left_out_of;
	bool relist; /* what was left out may be seen now */
};

/* --- pods in groups; under the lock */

static void leave(struct bridge_seen *v, struct bridge_member *m)
{
	struct bridge_group *g = m->group;

	DL_DELETE(g->members, m);
	g->n--;
	bridge_groups_mark(&v->groups, g);
	m->group = NULL;
	m->told = 0;
}

static void drop(struct bridge_seen *v, struct bridge_member *m)
{
	leave(v, m);
	bridge_bounds_move(&v->bounds, &m->class, BRIDGE_UNCOUNTED);
	HASH_DELETE(hh, v->pods, m);
	bridge_shape_release(&v->shapes, m->shape);
	bpod_free(m->pod);
	free(m->besides);
	free(m);
}

void bridge_seen_free(struct bridge_seen *v)
{
	struct bridge_member *m = NULL, *next = NULL;

	if (!v)
		return;
	HASH_ITER(hh, v->pods, m, next)
	{
		drop(v, m);
	}
	bridge_groups_clear(&v->groups);
	bridge_spaces_clear(&v->spaces);
	bridge_gone_free(&v->gone);
	pthread_mutex_destroy(&v->lock);
	free(v->selector);
	free(v);
}

/* --- what the bridge's thread reads */

bool bridge_seen_ready(struct bridge_seen *v)
{
	bool ready;

	pthread_mutex_lock(&v->lock);
	ready = v->pods_known && v->spaces_known;
	pthread_mutex_unlock(&v->lock);
	return ready;
}

size_t bridge_seen_take_dirty(struct bridge_seen *v, char **keys, size_t max)
{
	struct bridge_groups *s = &v->groups;
	size_t n = 0;

	pthread_mutex_lock(&v->lock);
	while (s->dirty && n < max && (keys[n] = strdup(s->dirty->key))) {
		bridge_groups_drop(s, bridge_groups_take(s));
		n++;
	}
	pthread_mutex_unlock(&v->lock);
	return n;
}

void bridge_seen_lock(struct bridge_seen *v)
{
	pthread_mutex_lock(&v->lock);
}

void bridge_seen_unlock(struct bridge_seen *v)
{
	pthread_mutex_unlock(&v->lock);
}

struct bridge_group *bridge_seen_find(struct bridge_seen *v, const char *key)
{
	return bridge_groups_find(&v->groups, key);
}

struct bridge_group *bridge_seen_first(struct bridge_seen *v)
{
	return v->groups.all;
}

struct bridge_member *bridge_seen_pod(struct bridge_seen *v, const char *uid)
{
	struct bridge_member *m;

	HASH_FIND_STR(v->pods, uid, m);
	return m;
}

void bridge_seen_forget(struct bridge_seen *v, struct bridge_group *g)
{
	while (g->members)
		drop(v, g->members);
	g->vanished = false;
	bridge_groups_drop(&v->groups, g);
}

unsigned int bridge_seen_lists(const struct bridge_seen *v)
{
	return v->lists;
}

void bridge_seen_apart(struct bridge_seen *v, struct bridge_member *m)
{
	struct bridge_group *g =
		m->besides && !m->apart
			? bridge_groups_get(&v->groups, m->besides)
			: NULL;

	if (!g)
		return;
	leave(v, m);
	m->apart = true;
	m->group = g;
	g->vanished = false;
	DL_APPEND(g->members, m);
	g->n++;
	bridge_groups_mark(&v->groups, g);
	v->opt.ring(v->opt.arg);
}

void bridge_seen_tie(struct bridge_seen *v, struct bridge_group *g,
		     enum bridge_tie_as as, enum workload_kind kind,
		     const char *name)
{
	bridge_groups_tie(&v->groups, g, as, kind, name);
}

struct bridge_gone **bridge_seen_gone(struct bridge_seen *v)
{
	return &v->gone;
}

json_object *bridge_seen_labels(struct bridge_seen *v, const char *ns)
{
	const struct bridge_space *s = bridge_spaces_find(&v->spaces, ns);
	json_object *labels = NULL;

	if (s && s->labels)
		jx_parse(s->labels, strlen(s->labels), &labels, NULL);
	return labels;
}

bool bridge_seen_has_space(struct bridge_seen *v, const char *ns)
{
	return v->opt.config->n_ns == v->opt.config->n_named ||
	       bridge_spaces_find(&v->spaces, ns);
}

void bridge_seen_touch(struct bridge_seen *v, const char *key)
{
	struct bridge_group *g;

	pthread_mutex_lock(&v->lock);
	g = bridge_seen_find(v, key);
	if (g)
		bridge_groups_mark(&v->groups, g);
	pthread_mutex_unlock(&v->lock);
}

void bridge_seen_touch_all(struct bridge_seen *v)
{
	pthread_mutex_lock(&v->lock);
	for (struct bridge_group *g = v->groups.all; g; g = g->hh.next)
		bridge_groups_mark(&v->groups, g);
	pthread_mutex_unlock(&v->lock);
	v->opt.ring(v->opt.arg);
}

void bridge_seen_object_changed(struct bridge_seen *v, enum workload_kind kind,
				const char *ns, const char *name)
{
	bool any;

	pthread_mutex_lock(&v->lock);
	any = bridge_groups_touch(&v->groups, kind, ns, name);
	pthread_mutex_unlock(&v->lock);
	if (any)
		v->opt.ring(v->opt.arg);
}

/* --- pods come and go; the link's thread */

static void on_list(void *arg)
{
	struct bridge_seen *v = arg;

	pthread_mutex_lock(&v->lock);
	v->generation++;
	pthread_mutex_unlock(&v->lock);
}

/* Under the lock. May its pods enter, as far as is known by now? (Labels that
 * are not known match no less than none.) */
static bool may_enter(struct bridge_seen *v, const char *ns)
{
	const struct bridge_space *s;

	if (bridge_ns_find(v->opt.config, ns, NULL))
		return true;
	s = bridge_spaces_find(&v->spaces, ns);
	return s && s->enters;
}

bool bridge_seen_enters(struct bridge_seen *v, const char *ns)
{
	bool enters;

	pthread_mutex_lock(&v->lock);
	enters = may_enter(v, ns);
	pthread_mutex_unlock(&v->lock);
	return enters;
}

/* Under the lock. It is in view only to be told why. (What runs by a job of
 * ours is that job's, though its namespace may not enter any more.) */
static bool is_outside(struct bridge_seen *v, const struct bpod *p)
{
	return !(*p->node && p->job_id) && !may_enter(v, p->ns);
}

static enum bridge_class class_of(struct bridge_seen *v, const struct bpod *p)
{
	const bool over = *p->node ? p->ended : phase_is_end(p->phase);

	if (is_outside(v, p))
		return BRIDGE_OF_OUTSIDE;
	if (over)
		return BRIDGE_OF_ENDED;
	/* (whoever makes a pod may name a node: only ours have precedence) */
	return *p->node && p->job_id ? BRIDGE_OF_RUNNING : BRIDGE_OF_WAITING;
}

/* Under the lock: it may be so no longer. */
static void sort_out(struct bridge_seen *v, struct bridge_member *m)
{
	bridge_bounds_move(&v->bounds, &m->class, class_of(v, m->pod));
}

/* Under the lock: is there room for one more, of that group? */
static bool has_room(struct bridge_seen *v, const struct bpod *p,
		     struct bridge_group *g)
{
	const enum bridge_class of = class_of(v, p);

	if (bridge_bounds_room(&v->bounds, of))
		return true;
	if (!v->bounds.full[of])
		bridge_bounds_tell(v->opt.cluster, of);
	v->bounds.full[of] = true;
	if (of == BRIDGE_OF_OUTSIDE)
		return false;
	v->left_out = true;
	v->left_out_of = v->generation;
	if (of == BRIDGE_OF_ENDED) /* (the group is not short of it) */
		return false;
	g->partial = true;
	g->partial_of = v->generation;
	return false;
}

/* Under the lock: all are listed. What was left out before counts no more. */
static void forget_left_out(struct bridge_seen *v)
{
	if (!v->left_out)
		return;
	v->left_out = v->left_out_of == v->generation;
	for (struct bridge_group *g = v->groups.all; g; g = g->hh.next) {
		if (!g->partial || g->partial_of == v->generation)
			continue;
		g->partial = false;
		bridge_groups_mark(&v->groups, g);
	}
}

bool bridge_seen_left_out(const struct bridge_seen *v, const char *key)
{
	char ns[WORKLOAD_NAME_MAX];

	bridge_seen_key_ns(key, sizeof(ns), ns);
	return v->left_out || bridge_unread_has(&v->unread, ns);
}

void bridge_seen_each_unread_node(const struct bridge_seen *v,
				  void (*on)(void *arg, const char *node),
				  void *arg)
{
	bridge_unread_each_node(&v->unread, on, arg);
}

/* Under the lock. NULL: too many, or no memory. */
static struct bridge_member *
member_of(struct bridge_seen *v, const struct bpod *p, struct bridge_group *g)
{
	struct bridge_member *m = bridge_seen_pod(v, p->uid);

	return m || !has_room(v, p, g) ? m : calloc(1, sizeof(*m));
}

/* What it was before goes. */
static void take_out(struct bridge_seen *v, struct bridge_member *m,
		     const struct bridge_group *stays)
{
	HASH_DELETE(hh, v->pods, m); /* (its key is in the pod) */
	bridge_shape_release(&v->shapes, m->shape);
	bpod_free(m->pod);
	if (m->group != stays)
		leave(v, m);
}

static void put_in(struct bridge_seen *v, struct bridge_member *m,
		   struct bridge_group *g)
{
	if (!m->group) {
		m->group = g;
		DL_APPEND(g->members, m);
		g->n++;
	}
	g->vanished = false;
	m->failed = 0;
	HASH_ADD_KEYPTR(hh, v->pods, m->pod->uid, strlen(m->pod->uid), m);
	bridge_groups_mark(&v->groups, g);
	if (!m->failed) {
		sort_out(v, m);
		return;
	}
	leave(v, m);
	bridge_bounds_move(&v->bounds, &m->class, BRIDGE_UNCOUNTED);
	bridge_shape_release(&v->shapes, m->shape);
	bpod_free(m->pod);
	free(m->besides);
	free(m);
}

/*
 * Under the lock; takes what it needs. One that is bound stays in the group by
 * whose job it was bound: else whoever may change its labels would have it run
 * by another job of his, and without a time limit.
 */
static void put(struct bridge_seen *v, struct bridge_reading *r)
{
	struct bridge_member *m = bridge_seen_pod(v, r->pod->uid);
	const bool stays = m && (r->part || *r->pod->node);
	const struct workload *of =
		m && m->apart && r->besides ? r->besides : &r->of;
	struct bridge_shape *shape = steal_ptr(r->shape);
	struct bridge_group *g;

	shape = m && r->part ? bridge_shape_keep(&v->shapes, m->shape, shape)
			     : bridge_shape_intern(&v->shapes, shape);
	g = !shape  ? NULL
	    : stays ? m->group
		    : bridge_groups_get(&v->groups, of);
	m = g ? member_of(v, r->pod, g) : NULL;
	if (!m) {
		if (g)
			bridge_groups_drop(&v->groups, g);
		if (shape)
			bridge_shape_release(&v->shapes, shape);
		return;
	}
	if (m->pod)
		take_out(v, m, g);
	m->pod = steal_ptr(r->pod);
	bridge_gone_see(&v->gone, m->pod, &m->ends_at);
	m->shape = shape;
	if (!stays) {
		free(m->besides);
		m->besides = steal_ptr(r->besides);
	}
	m->generation = v->generation;
	put_in(v, m, g);
}

/* It was read, as a whole or in part. */
static void take(struct bridge_seen *v, struct bridge_reading *r)
{
	pthread_mutex_lock(&v->lock);
	bridge_unread_drop(&v->unread, r->pod->uid);
	put(v, r);
	pthread_mutex_unlock(&v->lock);
	v->opt.ring(v->opt.arg);
}

static void on_object(void *arg, json_object *object)
{
	struct bridge_seen *v = arg;
	struct bridge_reading r;

	if (!bridge_reading_of(object, &r))
		take(v, &r);
	bridge_reading_clear(&r);
}

static void on_delete(void *arg, json_object *object)
{
	struct bridge_seen *v = arg;
	const char *uid = jx_str(object, "metadata", "uid");
	struct bridge_member *m;

	pthread_mutex_lock(&v->lock);
	m = uid ? bridge_seen_pod(v, uid) : NULL;
	if (m) {
		m->group->vanished = false;
		bridge_gone_note(&v->gone, m->pod, m->ends_at, true, v->opt.by);
		drop(v, m);
	}
	bridge_unread_drop(&v->unread, uid);
	pthread_mutex_unlock(&v->lock);
	if (m)
		v->opt.ring(v->opt.arg);
}

/*
 * Under the lock. It has got a node, and nobody knows by whom: it waits no more
 * in its group, and keeps others from that node. (Else it would be bound again,
 * or get another job.)
 */
static bool is_bound_unseen(struct bridge_seen *v,
			    const struct bridge_member *m,
			    const struct object_id *id)
{
	return m && !*m->pod->node && *id->node &&
	       bridge_unread_see(&v->unread, id, v->generation);
}

/* No more is known of it than its id. */
static void keep_unread(struct bridge_seen *v, const struct object_id *id)
{
	struct bridge_member *m;
	bool bound, ended;

	pthread_mutex_lock(&v->lock);
	m = bridge_seen_pod(v, id->uid);
	bound = is_bound_unseen(v, m, id);
	ended = m && bpod_end_unread(m->pod, podview_phase(id->phase));
	if (bound) {
		drop(v, m);
	} else if (m) {
		m->generation = v->generation;
		sort_out(v, m);
	} else {
		bridge_unread_see(&v->unread, id, v->generation);
	}
	if (ended)
		bridge_groups_mark(&v->groups, m->group);
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
	struct bridge_seen *v = arg;
	struct bridge_reading r;

	if (!bridge_reading_of_part(id, &r))
		take(v, &r);
	else
		keep_unread(v, id);
	bridge_reading_clear(&r);
	if (news && *id->uid && v->opt.oversized)
		v->opt.oversized(v->opt.arg, id);
}

/* Under the lock: the list does not have them any more. */
static void drop_unlisted(struct bridge_seen *v)
{
	struct bridge_member *m = NULL, *next = NULL;

	HASH_ITER(hh, v->pods, m, next)
	{
		if (m->generation == v->generation)
			continue;
		/* (whose end was seen, or is told to end, may go unseen) */
		m->group->vanished |=
			!m->pod->deleting && m->class != BRIDGE_OF_ENDED;
		bridge_gone_note(&v->gone, m->pod, m->ends_at, false,
				 v->opt.by);
		drop(v, m);
	}
}

static void on_synced(void *arg)
{
	struct bridge_seen *v = arg;
	size_t n;

	pthread_mutex_lock(&v->lock);
	drop_unlisted(v);
	v->lists++;
	forget_left_out(v);
	bridge_unread_synced(&v->unread, v->generation);
	v->pods_known = true;
	n = HASH_COUNT(v->pods);
	pthread_mutex_unlock(&v->lock);
	log_info("cluster %s: %zu bridged pods in view", v->opt.cluster, n);
	v->opt.ring(v->opt.arg);
}

static void on_trouble(void *arg, int rc, const char *words)
{
	struct bridge_seen *v = arg;

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
	struct bridge_seen *v = arg;

	pthread_mutex_lock(&v->lock);
	bridge_spaces_list(&v->spaces);
	pthread_mutex_unlock(&v->lock);
}

/* Under the lock: its pods are looked at again. */
static void touch_space(struct bridge_seen *v, const char *name)
{
	for (struct bridge_group *g = v->groups.all; g; g = g->hh.next) {
		if (strcmp(g->of.ns, name) != 0)
			continue;
		bridge_groups_mark(&v->groups, g);
		for (struct bridge_member *m = g->members; m; m = m->next)
			sort_out(v, m);
	}
}

/* Under the lock. */
static void label_space(struct bridge_seen *v, struct bridge_space *s,
			const json_object *labels, const char *text)
{
	const bool entered = s->enters;

	free(s->labels);
	s->labels = text ? strdup(text) : NULL;
	s->enters = bridge_ns_find(v->opt.config, s->name,
				   s->labels ? labels : NULL) != NULL;
	/* (pods of it may be among those that were left out) */
	v->relist |= s->enters && !entered && v->bounds.full[BRIDGE_OF_OUTSIDE];
	if (s->enters && !entered && v->opt.entered)
		v->opt.entered(v->opt.arg);
	touch_space(v, s->name);
}

static void spaces_object(void *arg, json_object *object)
{
	struct bridge_seen *v = arg;
	const char *name = jx_str(object, "metadata", "name");
	json_object *labels = jx_get(object, "metadata", "labels");
	const char *text = labels ? json_object_to_json_string_ext(
					    labels, JSON_C_TO_STRING_PLAIN)
				  : NULL;
	struct bridge_space *s;
	bool known;

	if (!name)
		return;
	if (text && strlen(text) > LABELS_MAX)
		text = NULL;
	pthread_mutex_lock(&v->lock);
	known = bridge_spaces_find(&v->spaces, name);
	s = bridge_spaces_see(&v->spaces, name);
	if (s && (!known || !str_eq(s->labels, text)))
		label_space(v, s, labels, text);
	pthread_mutex_unlock(&v->lock);
	v->opt.ring(v->opt.arg);
}

static void spaces_delete(void *arg, json_object *object)
{
	struct bridge_seen *v = arg;
	const char *name = jx_str(object, "metadata", "name");

	pthread_mutex_lock(&v->lock);
	if (name)
		bridge_spaces_drop(&v->spaces, name);
	pthread_mutex_unlock(&v->lock);
}

static void spaces_oversized(void *arg, const struct object_id *id, bool news)
{
	struct bridge_seen *v = arg;

	(void)news;
	pthread_mutex_lock(&v->lock);
	bridge_spaces_keep(&v->spaces, id->name);
	pthread_mutex_unlock(&v->lock);
}

static void spaces_synced(void *arg)
{
	struct bridge_seen *v = arg;

	pthread_mutex_lock(&v->lock);
	bridge_spaces_synced(&v->spaces);
	v->spaces_known = true;
	pthread_mutex_unlock(&v->lock);
	v->opt.ring(v->opt.arg);
}

static void spaces_trouble(void *arg, int rc, const char *words)
{
	struct bridge_seen *v = arg;

	if (rc)
		log_error("cluster %s: namespaces cannot be seen, so that no "
			  "pod is let in: %s",
			  v->opt.cluster, words);
}

static struct informer *inform_of_spaces(struct bridge_seen *v,
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

static struct informer *inform_of_pods(struct bridge_seen *v)
{
	const struct informer_options opt = {
		.collection = {.api = KUBE_CORE_V1, .resource = "pods"},
		.select = {.fields = v->selector},
	};
	const struct informer_handler on = both_handler(&v->both);

	return informer_keep_fresh(informer_new(v->client, &opt, &on),
				   v->opt.config->stale_after_ms);
}

struct bridge_seen *bridge_seen_new(const struct bridge_seen_options *opt)
{
	struct bridge_seen *v = calloc(1, sizeof(*v));

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
	bridge_seen_free(v);
	return NULL;
}

int bridge_seen_start(struct bridge_seen *v, struct kube_client *client)
{
	v->client = client;
	if (v->spaces_known)
		v->pods_in = inform_of_pods(v);
	else /* (by them it is told which pods may enter) */
		v->spaces_in = inform_of_spaces(v, client);
	return v->pods_in || v->spaces_in ? 0 : -ENOMEM;
}

/* Under the lock: may what was left out be seen now? */
static bool has_room_again(struct bridge_seen *v, int64_t now)
{
	const struct bridge_bounds *b = &v->bounds;
	const int64_t ended_at = v->relist_at + ENDED_AGAIN_MS - RELIST_MS;
	bool again = v->relist;

	for (int c = 0; c < BRIDGE_CLASSES; c++)
		again |= c != BRIDGE_OF_OUTSIDE && b->full[c] &&
			 bridge_bounds_again(b, (enum bridge_class)c) &&
			 (c != BRIDGE_OF_ENDED || now >= ended_at);
	return again;
}

/* Pods that were left out may have room by now: what are they? */
static void relist(struct bridge_seen *v)
{
	const int64_t now = clock_ms();
	struct bridge_bounds *b = &v->bounds;
	bool due = now >= v->relist_at && informer_live(v->pods_in);

	if (!due)
		return;
	pthread_mutex_lock(&v->lock);
	due = has_room_again(v, now);
	for (int c = 0; c < BRIDGE_CLASSES && due; c++)
		b->full[c] &= c == BRIDGE_OF_OUTSIDE; /* (that is told once) */
	v->relist &= !due;
	pthread_mutex_unlock(&v->lock);
	if (!due)
		return;
	v->relist_at = now + RELIST_MS;
	informer_relist(v->pods_in);
}

void bridge_seen_step(struct bridge_seen *v)
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

void bridge_seen_fresh(struct bridge_seen *v, struct bridge_fresh *out)
{
	v->relist |= atomic_exchange(&out->relist, false);
	bridge_fresh_put(out, SIGHT_PODS, v->pods_in);
	bridge_fresh_put(out, SIGHT_NAMESPACES, v->spaces_in);
}

void bridge_seen_stop(struct bridge_seen *v)
{
	informer_free(v->pods_in);
	informer_free(v->spaces_in);
	v->pods_in = v->spaces_in = NULL;
}
