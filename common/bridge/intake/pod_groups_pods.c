/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Bridged pods come and go: the link's thread. They leave groups and view in
 * the bridge's thread, too.
 */
#include <string.h>
#include <utlist.h>

#include "base/log.h"
#include "base/str.h"
#include "bridge/intake/pod_groups_internal.h"
#include "bridge/intake/pod_reading.h"

#define DELETED_MAX 1024 /* pods that are kept for how they ended */

void pod_groups_leave(struct pod_groups *v, struct group_pod *m)
{
	struct pod_group *g = m->group;

	DL_DELETE(g->members, m);
	g->n--;
	group_index_mark(&v->groups, g);
	m->group = NULL;
	m->told = 0;
}

void pod_groups_drop(void *arg, void *pod)
{
	struct pod_groups *v = arg;
	struct group_pod *m = pod;

	v->n_deleted -= m->deleted;
	pod_groups_leave(v, m);
	pod_bounds_move(&v->bounds, &m->class, PODS_UNCOUNTED);
	store_remove(&v->pods, &m->item);
	pod_class_release(&v->shapes, m->shape);
	bridged_pod_free(m->pod);
	free(m->besides);
	free(m);
}

void pod_groups_counted(struct pod_groups *v, struct pod_group *g,
			bool job_ends)
{
	struct group_pod *m = g->members, *next;

	for (; m; m = next) {
		next = m->next;
		m->counted = m->pod->ended && !job_ends;
		if (m->counted && m->deleted)
			pod_groups_drop(v, m);
	}
}

void pod_groups_apart(struct pod_groups *v, struct group_pod *m)
{
	struct pod_group *g = m->besides && !m->apart
				      ? group_index_get(&v->groups, m->besides)
				      : NULL;

	if (!g)
		return;
	pod_groups_leave(v, m);
	m->apart = true;
	m->group = g;
	g->vanished = false;
	DL_APPEND(g->members, m);
	g->n++;
	group_index_mark(&v->groups, g);
	v->opt.ring(v->opt.arg);
}

static void on_list(void *arg)
{
	struct pod_groups *v = arg;

	pthread_mutex_lock(&v->lock);
	store_list_begins(&v->pods);
	pthread_mutex_unlock(&v->lock);
}

/*
 * Under the lock. True if a pod is in view only to be told why it does not
 * enter. A pod that runs by a job of ours is that job's, though its namespace
 * may not enter any more.
 */
static bool is_outside(struct pod_groups *v, const struct bridged_pod *p)
{
	return !(*p->node && p->job_id) && !pod_groups_may_enter(v, p->ns);
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

void pod_groups_sort(struct pod_groups *v, struct group_pod *m)
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
	v->left_out_of = v->pods.generation;
	if (of == PODS_ENDED) /* the group is not short of an ended pod */
		return false;
	g->partial = true;
	g->partial_of = v->pods.generation;
	return false;
}

/*
 * Under the lock: all pods are listed. What earlier lists left out counts no
 * more.
 */
static void forget_left_out(struct pod_groups *v)
{
	if (!v->left_out)
		return;
	v->left_out = v->left_out_of == v->pods.generation;
	for (struct pod_group *g = v->groups.all; g; g = g->hh.next) {
		if (!g->partial || g->partial_of == v->pods.generation)
			continue;
		g->partial = false;
		group_index_mark(&v->groups, g);
	}
}

/*
 * Under the lock. The pod in view, or a new one of zeros. NULL: too many, or no
 * memory.
 */
static struct group_pod *member_of(struct pod_groups *v,
				   const struct bridged_pod *p,
				   struct pod_group *g)
{
	struct group_pod *m = pod_groups_pod(v, p->uid);

	return m || !has_room(v, p, g) ? m : calloc(1, sizeof(*m));
}

/*
 * Drop what a pod in view was before. `stays`: the group that it is in, and
 * stays in.
 */
static void take_out(struct pod_groups *v, struct group_pod *m,
		     const struct pod_group *stays)
{
	/* the key is in m->pod, freed below */
	store_remove(&v->pods, &m->item);
	pod_class_release(&v->shapes, m->shape);
	bridged_pod_free(m->pod);
	if (m->group != stays)
		pod_groups_leave(v, m);
}

static void put_in(struct pod_groups *v, struct group_pod *m,
		   struct pod_group *g)
{
	int rc;

	if (!m->group) {
		m->group = g;
		DL_APPEND(g->members, m);
		g->n++;
	}
	g->vanished = false;
	rc = store_add(&v->pods, &m->item, m->pod->uid);
	group_index_mark(&v->groups, g);
	if (!rc) {
		pod_groups_sort(v, m);
		return;
	}
	pod_groups_leave(v, m);
	pod_bounds_move(&v->bounds, &m->class, PODS_UNCOUNTED);
	pod_class_release(&v->shapes, m->shape);
	bridged_pod_free(m->pod);
	free(m->besides);
	free(m);
}

/*
 * Under the lock; takes what it needs of *r. A bound pod stays in the group by
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

/*
 * True if the bridge has still to see how a deleted pod ended. Whoever waits
 * for a pod to end may delete it at once ("kubectl run --rm"): that comes
 * before the bridge has looked, and its job ends as it did.
 */
static bool is_awaited(const struct pod_groups *v, const struct group_pod *m)
{
	return m->pod->ended && *m->pod->node && m->pod->job_id &&
	       !m->counted && v->n_deleted < DELETED_MAX;
}

/* Under the lock. A pod was deleted: drop it, unless its end is awaited. */
static void forget(struct pod_groups *v, struct group_pod *m)
{
	m->group->vanished = false;
	gone_pods_note(&v->gone, m->pod, m->ends_at, true, v->opt.by);
	if (!is_awaited(v, m)) {
		pod_groups_drop(v, m);
	} else if (!m->deleted) {
		m->deleted = true;
		v->n_deleted++;
	}
}

static void on_delete(void *arg, json_object *object)
{
	struct pod_groups *v = arg;
	const char *uid = jx_str(object, "metadata", "uid");
	struct group_pod *m;

	pthread_mutex_lock(&v->lock);
	m = uid ? pod_groups_pod(v, uid) : NULL;
	if (m)
		forget(v, m);
	unread_pods_drop(&v->unread, uid);
	pthread_mutex_unlock(&v->lock);
	if (m)
		v->opt.ring(v->opt.arg);
}

/*
 * Under the lock. True if a pod that cannot be read has got a node, and nobody
 * knows by whom: it keeps others from there, and leaves its group, where it
 * would be bound again.
 */
static bool is_bound_unseen(struct pod_groups *v, const struct group_pod *m,
			    const struct object_id *id)
{
	return m && !*m->pod->node && *id->node &&
	       unread_pods_see(&v->unread, id, v->pods.generation);
}

/* Note a pod of which no more than its id is known. */
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
		pod_groups_drop(v, m);
	} else if (m) {
		store_seen(&v->pods, &m->item);
		pod_groups_sort(v, m);
	} else {
		unread_pods_see(&v->unread, id, v->pods.generation);
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

/* A store_fn, under the lock: the list does not have the pod any more. */
static void drop_unlisted(void *arg, void *pod)
{
	struct pod_groups *v = arg;
	const struct group_pod *m = pod;

	/* One that has ended, or was told to end, may go. */
	m->group->vanished |= !m->pod->deleting && m->class != PODS_ENDED;
	gone_pods_note(&v->gone, m->pod, m->ends_at, false, v->opt.by);
	pod_groups_drop(v, pod);
}

static void on_synced(void *arg)
{
	struct pod_groups *v = arg;
	size_t n;

	pthread_mutex_lock(&v->lock);
	store_list_ends(&v->pods, drop_unlisted, v);
	v->lists++;
	forget_left_out(v);
	unread_pods_synced(&v->unread, v->pods.generation);
	n = store_count(&v->pods);
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

struct informer_handler pod_groups_pods_handler(struct pod_groups *v)
{
	return (struct informer_handler){
		on_list,   on_object,  on_delete, on_oversized,
		on_synced, on_trouble, v};
}
