/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "nodes/watch/worker_pods.h"

#include <pthread.h>
#include <string.h>
#include <utlist.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/hash.h"
#include "base/str.h"
#include "runtime/store.h"

#define FORGET_MS 600000 /* how long a pod that is gone is remembered */
#define ASKED_MS 60000	 /* how long an answer about a pod is remembered */
#define WARNING_OLD_MS                                                         \
	150000 /* kubelet repeats what lasts within 2 minutes                  \
		*/

struct entry {
	struct store_item item;
	struct entry *prev, *next; /* in the list of pods that are gone */
	struct worker_pod_entry seen;
	char *warning; /* text of seen.pod.warning; NULL: none */
	char text[];   /* all other texts of seen.pod */
};

/* An answer of Kubernetes, asked for a pod: there is none, or it has ended. */
struct answer {
	UT_hash_handle hh;
	struct answer *prev, *next; /* in the list of answers, by age */
	int failed;
	int64_t at_ms;
	char ended[64]; /* uid of the pod that has ended; "": there is none */
	char name[];
};

struct worker_pods {
	pthread_mutex_t lock;
	struct store pods;
	struct answer *answers, *first_answer;
	struct entry *gone; /* pods that are gone, the oldest first */
	size_t alive, n_gone;
	bool lossy; /* a pod of this list is missing: there was no memory */
	char *dirty[POD_CACHE_DIRTY_MAX];
	int n_dirty; /* -1: too many, or no memory */
};

struct worker_pods *worker_pods_new(void)
{
	struct worker_pods *c = calloc(1, sizeof(*c));

	if (c)
		pthread_mutex_init(&c->lock, NULL);
	return c;
}

static void drop(void *arg, void *item)
{
	struct worker_pods *c = arg;
	struct entry *e = item;

	if (e->seen.gone) {
		DL_DELETE(c->gone, e);
		c->n_gone--;
	} else {
		c->alive--;
	}
	store_remove(&c->pods, &e->item);
	free(e->warning);
	free(e);
}

/*
 * Drop what is too old. For writers only: a walk over the pods must not lose
 * one.
 */
static void forget(struct worker_pods *c)
{
	int64_t now = clock_ms();

	while (c->pods.first && c->gone &&
	       (c->n_gone > POD_CACHE_GONE_MAX ||
		now - c->gone->seen.since_ms > FORGET_MS))
		drop(c, c->gone);
}

static void drop_answer(struct worker_pods *c, struct answer *a)
{
	DL_DELETE(c->first_answer, a);
	HASH_DELETE(hh, c->answers, a);
	free(a);
}

static struct answer *find_answer(struct worker_pods *c, const char *name)
{
	struct answer *a;

	HASH_FIND_STR(c->answers, name, a);
	return a;
}

/*
 * Forget an answer that there is no pod. That a pod has ended stays true of it.
 */
static void forget_absence(struct worker_pods *c, const char *name)
{
	struct answer *a = find_answer(c, name);

	if (a && !*a->ended)
		drop_answer(c, a);
}

void worker_pods_free(struct worker_pods *c)
{
	if (!c)
		return;
	while (c->answers && c->first_answer)
		drop_answer(c, c->first_answer);
	store_each(&c->pods, drop, c);
	while (c->n_dirty > 0)
		free(c->dirty[--c->n_dirty]);
	pthread_mutex_destroy(&c->lock);
	free(c);
}

void worker_pods_lock(struct worker_pods *c)
{
	pthread_mutex_lock(&c->lock);
}

void worker_pods_unlock(struct worker_pods *c)
{
	pthread_mutex_unlock(&c->lock);
}

static void mark_all(struct worker_pods *c)
{
	while (c->n_dirty > 0)
		free(c->dirty[--c->n_dirty]);
	c->n_dirty = -1;
}

static void mark(struct worker_pods *c, const char *node)
{
	if (c->n_dirty < 0)
		return;
	for (int i = 0; i < c->n_dirty; i++)
		if (!strcmp(c->dirty[i], node))
			return;
	if (c->n_dirty == POD_CACHE_DIRTY_MAX ||
	    !(c->dirty[c->n_dirty] = strdup(node))) {
		mark_all(c);
		return;
	}
	c->n_dirty++;
}

static char *pack(char **to, const char *from)
{
	char *at = *to;

	*to = stpcpy(at, from) + 1;
	return at;
}

static struct entry *entry_of(const struct worker_pod *v)
{
	size_t len = strlen(v->name) + strlen(v->uid) + strlen(v->node) +
		     strlen(v->nodeset) + strlen(v->hash) +
		     strlen(v->kube_node) + strlen(v->words) + strlen(v->jobs) +
		     strlen(v->features) + 9;
	struct entry *e = calloc(1, sizeof(*e) + len);
	char *to;

	if (!e)
		return NULL;
	to = e->text;
	e->seen.pod = (struct pod_view){
		.phase = v->phase,
		.trouble = v->trouble,
		.deleting = v->deleting,
		.terminated = v->terminated,
		.displaced = v->displaced,
		.running = v->slurmd_running,
		.busy = v->busy,
		.scale = v->scale,
		.steps = v->steps,
		.asked = v->asked,
		.created_ms = v->created_ms,
		.scheduled_ms = v->scheduled_ms,
		.running_ms = v->running_ms,
		.unschedulable_ms = v->unschedulable_ms,
		.restarts = v->restarts,
	};
	e->seen.pod.name = pack(&to, v->name);
	e->seen.pod.uid = pack(&to, v->uid);
	e->seen.pod.node = pack(&to, v->node);
	e->seen.pod.nodeset = pack(&to, v->nodeset);
	e->seen.pod.hash = pack(&to, v->hash);
	e->seen.pod.kube_node = pack(&to, v->kube_node);
	e->seen.pod.words = pack(&to, v->words);
	e->seen.pod.jobs = pack(&to, v->jobs);
	e->seen.pod.warning = "";
	e->seen.pod.features = pack(&to, v->features);
	return e;
}

void worker_pods_begin(struct worker_pods *c)
{
	pthread_mutex_lock(&c->lock);
	store_list_begins(&c->pods);
	c->lossy = false;
	pthread_mutex_unlock(&c->lock);
}

/* Keep what is known of a pod not from its own words. */
static void take_over(struct entry *e, struct entry *old)
{
	e->seen.since_ms = e->seen.born_ms = old->seen.born_ms;
	if (e->seen.ending_ms && old->seen.ending_ms)
		e->seen.ending_ms = old->seen.ending_ms;
	if (!old->warning)
		return;
	e->warning = steal_ptr(old->warning);
	e->seen.pod.warning = e->warning;
	e->seen.pod.warned_ms = old->seen.pod.warned_ms;
	e->seen.pod.warned_last_ms = old->seen.pod.warned_last_ms;
}

static void put(struct worker_pods *c, struct entry *e)
{
	struct entry *old = store_find(&c->pods, e->seen.pod.name);

	forget_absence(c, e->seen.pod.name);
	/*
	 * The new entry is added before the old one is dropped: without memory
	 * the old one stays.
	 */
	if (store_add(&c->pods, &e->item, e->seen.pod.name)) {
		free(e);
		c->lossy = true;
		mark_all(c);
		return;
	}
	e->seen.since_ms = e->seen.born_ms = clock_ms();
	e->seen.ending_ms = e->seen.pod.deleting ? e->seen.born_ms : 0;
	c->alive++;
	mark(c, e->seen.pod.node);
	if (!old)
		return;
	e->seen.mark = old->seen.mark;
	e->seen.asked_ms = old->seen.asked_ms;
	if (!old->seen.gone && !strcmp(old->seen.pod.uid, e->seen.pod.uid))
		take_over(e, old);
	drop(c, old);
}

bool worker_pods_put(struct worker_pods *c, const json_object *pod,
		     const char *container)
{
	struct worker_pod v;
	struct entry *e;

	if (worker_pod_of(pod, container, &v) || !*v.node)
		return false;
	e = entry_of(&v);
	pthread_mutex_lock(&c->lock);
	if (!e)
		c->lossy = true;
	else
		put(c, e);
	forget(c);
	pthread_mutex_unlock(&c->lock);
	return e != NULL;
}

/* Under the lock. */
static bool warn(struct entry *e, const char *words, int64_t first_ms,
		 int64_t last_ms)
{
	char *copy = strdup(words);

	if (!copy)
		return false;
	if (!e->warning || first_ms < e->seen.pod.warned_ms)
		e->seen.pod.warned_ms = first_ms;
	if (!e->warning || last_ms > e->seen.pod.warned_last_ms)
		e->seen.pod.warned_last_ms = last_ms;
	free(e->warning);
	e->seen.pod.warning = e->warning = copy;
	return true;
}

bool worker_pods_warn(struct worker_pods *c, const char *name, const char *uid,
		      const char *words, int64_t first_ms, int64_t last_ms)
{
	int64_t now = clock_real_ms();
	struct entry *e;
	bool news;

	last_ms = last_ms < 0 ? now : last_ms;
	first_ms = first_ms < 0 || first_ms > last_ms ? last_ms : first_ms;
	if (now - last_ms > WARNING_OLD_MS)
		return false;
	pthread_mutex_lock(&c->lock);
	e = store_find(&c->pods, name);
	news = e && !e->seen.gone && !strcmp(e->seen.pod.uid, uid) &&
	       warn(e, words, first_ms, last_ms);
	if (news)
		mark(c, e->seen.pod.node);
	pthread_mutex_unlock(&c->lock);
	return news;
}

/*
 * Note that a pod is gone. One that was being deleted has gone that way,
 * whoever saw the end.
 */
static void bury(struct worker_pods *c, struct entry *e, bool seen)
{
	if (e->seen.gone)
		return;
	e->seen.gone = true;
	e->seen.deleted = seen || e->seen.pod.deleting;
	e->seen.since_ms = clock_ms();
	c->alive--;
	DL_APPEND(c->gone, e);
	c->n_gone++;
	mark(c, e->seen.pod.node);
}

void worker_pods_delete(struct worker_pods *c, const json_object *pod)
{
	const char *name = jx_str(pod, "metadata", "name");
	const char *uid = jx_str(pod, "metadata", "uid");
	struct entry *e;

	if (!name || !uid)
		return;
	pthread_mutex_lock(&c->lock);
	e = store_find(&c->pods, name);
	if (e && !strcmp(e->seen.pod.uid, uid))
		bury(c, e, true);
	forget(c);
	pthread_mutex_unlock(&c->lock);
}

void worker_pods_keep(struct worker_pods *c, const char *name, const char *uid)
{
	struct entry *e;

	pthread_mutex_lock(&c->lock);
	e = store_find(&c->pods, name);
	if (e && !strcmp(e->seen.pod.uid, uid))
		store_seen(&c->pods, &e->item);
	pthread_mutex_unlock(&c->lock);
}

static void bury_unlisted(void *arg, void *item)
{
	struct worker_pods *c = arg;

	if (!c->lossy)
		bury(c, item, false);
}

void worker_pods_synced(struct worker_pods *c)
{
	pthread_mutex_lock(&c->lock);
	store_list_ends(&c->pods, bury_unlisted, c);
	forget(c);
	pthread_mutex_unlock(&c->lock);
}

/* Remember the answer about a pod; `ended`: its uid, "": there is none. */
static void add_answer(struct worker_pods *c, const char *name,
		       const char *ended, int64_t at_ms)
{
	const size_t size = strlen(name) + 1;
	struct answer *a;

	while (c->answers && c->first_answer &&
	       at_ms - c->first_answer->at_ms > ASKED_MS)
		drop_answer(c, c->first_answer);
	a = calloc(1, sizeof(*a) + size);
	if (!a)
		return;
	memcpy(a->name, name, size);
	str_copy(a->ended, ended, sizeof(a->ended));
	a->at_ms = at_ms;
	HASH_ADD_KEYPTR(hh, c->answers, a->name, size - 1, a);
	if (a->failed)
		free(a);
	else
		DL_APPEND(c->first_answer, a);
}

static bool is_in_view(struct worker_pods *c, const struct worker_pod *v)
{
	const struct entry *e = store_find(&c->pods, v->name);

	return e && !e->seen.gone && !strcmp(e->seen.pod.uid, v->uid) &&
	       e->seen.pod.phase == v->phase;
}

bool worker_pods_looked(struct worker_pods *c, const char *name,
			const char *node, int64_t at_ms,
			const json_object *found)
{
	struct worker_pod v = {0};
	const bool read = found && !worker_pod_of(found, "", &v);
	struct answer *old;
	bool same;

	pthread_mutex_lock(&c->lock);
	old = find_answer(c, name);
	if (old)
		drop_answer(c, old);
	if (!found || (read && phase_is_end(v.phase)))
		add_answer(c, name, v.uid, at_ms);
	same = !found || (read && is_in_view(c, &v));
	mark(c, node);
	pthread_mutex_unlock(&c->lock);
	return !same;
}

/* The last answer about this name, if it is not too old. */
static const struct answer *answer_of(struct worker_pods *c, const char *name)
{
	const struct answer *a = find_answer(c, name);

	return a && clock_ms() - a->at_ms <= ASKED_MS ? a : NULL;
}

int64_t worker_pods_absent_at(struct worker_pods *c, const char *name)
{
	const struct answer *a = answer_of(c, name);

	return a && !*a->ended ? a->at_ms : -1;
}

int64_t worker_pods_ended_at(struct worker_pods *c, const char *name,
			     const char *uid)
{
	const struct answer *a = answer_of(c, name);

	return a && *a->ended && !strcmp(a->ended, uid) ? a->at_ms : -1;
}

struct worker_pod_entry *worker_pods_find(struct worker_pods *c,
					  const char *name)
{
	struct entry *e = store_find(&c->pods, name);

	return e ? &e->seen : NULL;
}

void worker_pods_each(struct worker_pods *c, pod_seen_fn fn, void *arg)
{
	struct entry *e = (struct entry *)c->pods.first;

	for (; e; e = e->item.hh.next)
		fn(arg, &e->seen);
}

size_t worker_pods_count(struct worker_pods *c)
{
	size_t n;

	pthread_mutex_lock(&c->lock);
	n = c->alive;
	pthread_mutex_unlock(&c->lock);
	return n;
}

int worker_pods_take_dirty(struct worker_pods *c,
			   char *nodes[POD_CACHE_DIRTY_MAX])
{
	int n;

	pthread_mutex_lock(&c->lock);
	n = c->n_dirty;
	for (int i = 0; i < n; i++)
		nodes[i] = c->dirty[i];
	c->n_dirty = 0;
	pthread_mutex_unlock(&c->lock);
	return n;
}
