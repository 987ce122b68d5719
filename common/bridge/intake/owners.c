/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bridge/intake/owners.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/backoff.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/log_ratelimit.h"
#include "base/str.h"
#include "bridge/intake/owner_cache.h"
#include "bridge/intake/owner_store.h"
#include "bridge/intake/pod_class.h"
#include "kube/informer.h"
#include "objects/scheduling_group.h"
#include "objects/workload_table.h"

#define FIND_MS 10000
#define RETRY_MS 60000 /* until a kind that is not there is looked for */
/* until a kind that is not found is looked for once more: it may be new */
#define SURE_MS 3000
#define RETRY_MAX_MS 600000 /* longest pause between tries, as after 403 */
#define RELIST_MS 10000	    /* a kind is not listed anew more often */
/* pause before a list that would show one more object only */
#define CROWDED_MS 600000

/* A kind that some pod has asked for. */
struct kind {
	struct owners *all;
	enum workload_kind kind;
	bool wanted, synced;
	bool absent;	  /* the API server has no such kind */
	char words[200];  /* why the kind cannot be seen; "": it can */
	int64_t fresh_at; /* see informer_fresh_at(); 0: never */
	/*
	 * missing: some objects were left out since the last list began;
	 * partial: in the last list that is complete, or since. Not for want of
	 * room: see owner_store.h.
	 */
	bool missing, partial;
	/* The members below are the link's thread's only. */
	struct kube_call *finding;
	struct informer *in;
	int64_t find_at;
	int64_t seen_at;    /* monotonic: synced since; 0: it is not */
	unsigned int anews; /* how often in a row begin_anew() was called */
	bool missed;	    /* the last answer was: no such kind */
	bool outside;	    /* some were left out for their namespace */
	int64_t relist_at;  /* monotonic: no list before */
	bool ended;	    /* the API server has dropped its version */
	unsigned int has;   /* bits: which of our versions the group has */
	const char *const *version; /* to be asked for; NULL: the group */
	char api[128]; /* "apis/scheduling.x-k8s.io/v1alpha1"; "": unknown */
};

struct owners {
	struct owners_options opt;
	/* guards `store`, `over_share`, `kinds` up to `partial` */
	pthread_mutex_t lock;
	struct owner_store store;
	struct log_ratelimit
		over_share; /* namespaces of which some were left out */
	struct kind kinds[WORKLOAD_KINDS];
	struct log_ratelimit large; /* named objects; the link's thread only */
	struct owner_cache parsed;  /* the bridge's thread only */
};

struct owners *owners_new(const struct owners_options *opt)
{
	struct owners *o = calloc(1, sizeof(*o));

	if (!o)
		return NULL;
	o->opt = *opt;
	o->store.max = opt->max ? opt->max : BRIDGE_OBJECTS_MAX;
	o->store.part = BRIDGE_OBJECTS_BYTES / BRIDGE_OBJECTS_MAX;
	o->parsed.max = BRIDGE_PARSED_BYTES;
	pthread_mutex_init(&o->lock, NULL);
	for (int i = 0; i < WORKLOAD_KINDS; i++) {
		o->kinds[i].all = o;
		o->kinds[i].kind = i;
	}
	return o;
}

void owners_free(struct owners *o)
{
	if (!o)
		return;
	owner_store_clear(&o->store);
	owner_cache_clear(&o->parsed);
	pthread_mutex_destroy(&o->lock);
	free(o);
}

/* Under the lock. True if the view of a kind is older than it may be. */
static bool is_stale(const struct kind *k, int64_t *age_ms)
{
	const int64_t bound = k->all->opt.stale_after_ms;

	*age_ms = k->fresh_at ? clock_boot_ms() - k->fresh_at : 0;
	return bound && *age_ms > bound;
}

/* What is found of an object: parsed already, or to be. */
struct found_text {
	uint64_t stamp;
	json_object *parsed; /* borrowed from the cache; NULL: `text` is set */
	char *text;	     /* a copy that is to be parsed; owned */
};

/* Under the lock. Find an object; errors as of owners_get(). */
static int look_up(struct owners *o, const struct kind *k,
		   const struct owner_name *of, struct found_text *out,
		   struct err *err)
{
	const char *kind = workload_api(k->kind)->kind;
	struct owner_entry *x;
	int64_t age;

	if (is_stale(k, &age))
		return err_set(err, -EAGAIN, "not seen for %lld s",
			       (long long)(age / 1000));
	if (*k->words) /* an object that is only not in view may be there */
		return err_set(err, k->absent ? -EOPNOTSUPP : -EAGAIN, "%s",
			       k->words);
	if (!k->synced)
		return -EAGAIN;
	x = owner_store_find(&o->store, of);
	if (!x && owner_store_is_partial(&o->store, k->kind, of->ns))
		return err_set(err, -EDQUOT,
			       "not all %ss are in view, as its namespace has "
			       "too many of them or the like",
			       kind);
	if (!x && k->partial)
		return err_set(err, -EAGAIN, "not all %ss are in view", kind);
	if (!x)
		return err_set(err, -ENOENT, "there is no such %s", kind);
	out->stamp = x->stamp;
	out->parsed = owner_cache_find(&o->parsed, x->stamp);
	if (!out->parsed)
		out->text = strdup(x->text);
	return out->parsed || out->text ? 0 : -ENOMEM;
}

/* Without the lock: to parse may take milliseconds. */
static int parse(struct owners *o, const struct found_text *found,
		 json_object **out, struct err *err)
{
	int rc;

	if (found->parsed) {
		*out = json_object_get(found->parsed);
		return 0;
	}
	rc = jx_parse(found->text, strlen(found->text), out, err);
	if (!rc)
		owner_cache_put(&o->parsed, found->stamp, found->text, *out);
	return rc;
}

int owners_get(struct owners *o, enum workload_kind kind, const char *ns,
	       const char *name, json_object **out, struct err *err)
{
	const struct owner_name of = {kind, ns, name};
	struct kind *k = &o->kinds[kind];
	struct found_text it = {0};
	bool asked;
	int rc;

	pthread_mutex_lock(&o->lock);
	asked = !k->wanted;
	k->wanted = true;
	rc = look_up(o, k, &of, &it, err);
	pthread_mutex_unlock(&o->lock);
	if (asked)
		o->opt.asked(o->opt.arg);
	if (it.parsed || it.text)
		rc = parse(o, &it, out, err);
	free(it.text);
	return rc;
}

/* --- in view */

static void on_list(void *arg)
{
	struct kind *k = arg;

	pthread_mutex_lock(&k->all->lock);
	k->missing = false; /* the store is partial until this list has ended */
	k->outside = false;
	owner_store_list(&k->all->store, k->kind);
	pthread_mutex_unlock(&k->all->lock);
}

/*
 * Keep of metadata what identifies the object, and annotations that ask for
 * something: other members may be most of an object.
 */
static void prune_meta(json_object *meta)
{
	static const char *const useful[] = {"name",	   "namespace",
					     "uid",	   "annotations",
					     "generation", "resourceVersion"};
	json_object *notes = jx_get(meta, "annotations");

	if (!jx_is(meta, json_type_object))
		return;
	json_object_object_foreach(meta, key, val)
	{
		bool keeps = false;

		(void)val;
		for (size_t i = 0; i < sizeof(useful) / sizeof(*useful); i++)
			keeps |= !strcmp(key, useful[i]);
		if (!keeps)
			json_object_object_del(meta, key);
	}
	if (!jx_is(notes, json_type_object))
		return;
	json_object_object_foreach(notes, note, text)
	{
		(void)text;
		if (!pod_class_asks(note))
			json_object_object_del(notes, note);
	}
}

/*
 * Delete members that nobody needs, at any depth: they may be most of an
 * object.
 */
static void prune(json_object *o)
{
	static const char *const useless[] = {
		"status",	  "containers",	    "initContainers", "volumes",
		"leaderTemplate", "workerTemplate", "metadata"};

	if (jx_is(o, json_type_array)) {
		for (size_t i = 0; i < json_object_array_length(o); i++)
			prune(json_object_array_get_idx(o, i));
		return;
	}
	if (!jx_is(o, json_type_object))
		return;
	for (size_t i = 0; i < sizeof(useless) / sizeof(*useless); i++)
		json_object_object_del(o, useless[i]);
	json_object_object_foreach(o, key, val)
	{
		(void)key;
		prune(val);
	}
}

/* Under the lock. Once a minute for each namespace. */
static void log_over_share(struct owners *o, const struct owner_share *of)
{
	if (log_ratelimit(&o->over_share, of->ns, clock_ms()) ==
	    LOG_RATELIMIT_FIRST)
		log_warn("cluster %s: more than %zu objects above bridged "
			 "pods, or %zu MiB of them: of namespace %s, which has "
			 "the most, %zu are seen, and pods of the others wait",
			 o->opt.cluster, o->store.max,
			 o->store.max * o->store.part >> 20, of->ns, of->many);
}

/* True: the object's text is new, or has changed. */
static bool put(struct kind *k, const struct owner_name *of, const char *text)
{
	struct owners *o = k->all;
	const struct owner_share *gave;
	int rc;

	pthread_mutex_lock(&o->lock);
	rc = owner_store_put(&o->store, of, text, &gave);
	if (gave)
		log_over_share(o, gave);
	if (rc == -ENOMEM)
		k->missing = k->partial = true;
	pthread_mutex_unlock(&o->lock);
	return rc == 1;
}

/*
 * A ReplicaSet that a Deployment has had before, or a Job that has ended: there
 * may be many, and no pod of them waits for anything but its end.
 */
static bool is_former(const struct kind *k, const json_object *object)
{
	return workload_has_ended(k->kind, object) ||
	       (k->kind == WORKLOAD_REPLICASET &&
		jx_int(jx_get(object, "spec", "replicas"), 1) == 0);
}

static bool is_kept(struct owners *o, const struct owner_name *of)
{
	bool kept;

	pthread_mutex_lock(&o->lock);
	kept = owner_store_find(&o->store, of);
	pthread_mutex_unlock(&o->lock);
	return kept;
}

/*
 * True if no pods of that namespace enter, and the object is not in view. One
 * that is in view stays: pods that have entered may still run.
 */
static bool is_outside(struct kind *k, const struct owner_name *of)
{
	struct owners *o = k->all;

	if (!o->opt.enters || o->opt.enters(o->opt.told, of->ns) ||
	    is_kept(o, of))
		return false;
	k->outside = true;
	return true;
}

void owners_entered(struct owners *o)
{
	pthread_mutex_lock(&o->lock);
	for (struct kind *k = o->kinds; k < o->kinds + WORKLOAD_KINDS; k++)
		if (k->outside)
			k->missing = k->partial = true;
	pthread_mutex_unlock(&o->lock);
}

/* Kind, namespace and name of an object. False: it has none. */
static bool name_of(const struct kind *k, const json_object *object,
		    struct owner_name *of)
{
	*of = (struct owner_name){.kind = k->kind,
				  .ns = jx_str(object, "metadata", "namespace"),
				  .name = jx_str(object, "metadata", "name")};
	return of->ns && of->name;
}

static void on_delete(void *arg, json_object *object)
{
	struct kind *k = arg;
	struct owners *o = k->all;
	struct owner_entry *x;
	struct owner_name of;

	if (!name_of(k, object, &of))
		return;
	pthread_mutex_lock(&o->lock);
	x = owner_store_find(&o->store, &of);
	if (x)
		owner_store_drop(&o->store, x);
	pthread_mutex_unlock(&o->lock);
	if (x)
		o->opt.changed(o->opt.told, k->kind, of.ns, of.name);
}

/*
 * Leave what matters of an object. Only a PodGroup keeps generation and
 * resourceVersion, for the patch of its status: in others they would make each
 * change of the object another text.
 */
static void shorten(const struct kind *k, json_object *object)
{
	const char *api = k->api + strlen("apis/");
	const char *version = strrchr(k->api, '/');
	const bool group = k->kind == WORKLOAD_GROUP && version;
	json_object *status =
		group ? scheduling_group_status(object, version + 1) : NULL;
	const int64_t done = jx_int(jx_get(object, "status", "succeeded"), 0);

	prune_meta(jx_get(object, "metadata"));
	prune(jx_get(object, "spec"));
	json_object_object_del(object, "status");
	if (done > 0) /* for how many pods a Job still makes */
		jx_set(jx_need(object, "status", json_type_object), "succeeded",
		       json_object_new_int64(done));
	if (status)
		jx_set(object, "status", status);
	if (group) {
		jx_set_str(object, "apiVersion", api);
		return;
	}
	json_object_object_del(jx_get(object, "metadata"), "generation");
	json_object_object_del(jx_get(object, "metadata"), "resourceVersion");
}

/*
 * Note that an object is there which is too big to be kept anew: what is known
 * of it stays.
 */
static void keep(struct kind *k, const struct owner_name *of)
{
	pthread_mutex_lock(&k->all->lock);
	owner_store_keep(&k->all->store, of);
	pthread_mutex_unlock(&k->all->lock);
}

static void on_oversized(void *arg, const struct object_id *id, bool news)
{
	struct kind *k = arg;
	const struct owner_name of = {k->kind, id->ns, id->name};

	(void)news;
	keep(k, &of);
}

static void tell_large(struct kind *k, const json_object *object,
		       const struct owner_name *of)
{
	struct owners *o = k->all;
	const char *uid = jx_str(object, "metadata", "uid");
	const enum log_ratelimit_answer is =
		log_ratelimit(&o->large, uid ? uid : "", clock_ms());

	if (is == LOG_RATELIMIT_FULL)
		log_warn("cluster %s: more than %d objects above pods have "
			 "more than %d bytes: the others are not named",
			 o->opt.cluster, LOG_RATELIMIT_MAX,
			 BRIDGE_OBJECT_TEXT_MAX);
	if (is == LOG_RATELIMIT_FIRST)
		log_warn("cluster %s: %s %s/%s has more than %d bytes and is "
			 "not read: what was known of it stays",
			 o->opt.cluster, workload_api(k->kind)->kind, of->ns,
			 of->name, BRIDGE_OBJECT_TEXT_MAX);
}

static void on_object(void *arg, json_object *object)
{
	struct kind *k = arg;
	struct owners *o = k->all;
	struct owner_name of;
	const char *text;

	if (!name_of(k, object, &of))
		return;
	if (is_former(k, object)) {
		on_delete(arg, object);
		return;
	}
	if (is_outside(k, &of))
		return;
	shorten(k, object);
	text = json_object_to_json_string_ext(object, JSON_C_TO_STRING_PLAIN);
	if (!text || strlen(text) > BRIDGE_OBJECT_TEXT_MAX) {
		tell_large(k, object, &of);
		keep(k, &of);
		return;
	}
	if (put(k, &of, text))
		o->opt.changed(o->opt.told, k->kind, of.ns, of.name);
}

static void on_synced(void *arg)
{
	struct kind *k = arg;
	struct owners *o = k->all;

	if (!k->seen_at)
		k->seen_at = clock_ms();
	pthread_mutex_lock(&o->lock);
	owner_store_synced(&o->store, k->kind);
	k->synced = true;
	k->partial = k->missing;
	k->fresh_at = informer_fresh_at(k->in);
	k->absent = false;
	*k->words = '\0';
	pthread_mutex_unlock(&o->lock);
	o->opt.known(o->opt.told);
}

/*
 * Note that a kind cannot be seen, and tell the log each reason once. `absent`:
 * the API server has said that it has no such kind.
 */
static void cannot(struct kind *k, const char *words, bool absent)
{
	struct owners *o = k->all;
	const char *kind = workload_api(k->kind)->kind;
	char text[sizeof(k->words)];
	bool news = false;

	snprintf(text, sizeof(text), "%ss cannot be seen: %.150s", kind, words);
	pthread_mutex_lock(&o->lock);
	k->absent = absent && !k->synced;
	if (!k->synced) {
		news = strcmp(k->words, text) != 0;
		memcpy(k->words, text, sizeof(text));
	}
	pthread_mutex_unlock(&o->lock);
	if (!news)
		return;
	log_warn("cluster %s: %s", o->opt.cluster, text);
	o->opt.known(o->opt.told);
}

static void on_trouble(void *arg, int rc, const char *words)
{
	struct kind *k = arg;

	if (rc)
		cannot(k, words, false);
	k->ended = rc == -ENOENT;
}

/*
 * --- finding the version: the first of ours that has the kind, by the
 * discovery documents of the group and of its versions (kubernetes.io "API
 * discovery"). The version that the server prefers says nothing: of
 * scheduling.k8s.io that is v1, which has PriorityClasses only.
 */

static void none_found(struct kind *k)
{
	k->version = NULL;
	/*
	 * At first this is not believed: a pod names the kind, and the API
	 * server is slow to tell of new kinds.
	 */
	if (k->missed)
		cannot(k, "the API server does not know them", true);
	k->find_at = clock_ms() + (k->missed ? RETRY_MS : SURE_MS);
	k->missed = true;
}

/*
 * Go to the first version from `from` on that the group has. False: there is
 * none.
 */
static bool next_version(struct kind *k, const char *const *from)
{
	const char *const *all = workload_api(k->kind)->versions;

	k->version = from;
	while (*k->version && !(k->has & 1U << (k->version - all)))
		k->version++;
	if (*k->version)
		return true;
	none_found(k);
	return false;
}

/* Take the group's document: its versions. */
static void take_group(struct kind *k, const json_object *o)
{
	const char *const *all = workload_api(k->kind)->versions;
	json_object *versions = jx_get(o, "versions");
	const size_t n = jx_is(versions, json_type_array)
				 ? json_object_array_length(versions)
				 : 0;

	k->has = 0;
	for (size_t i = 0; i < n; i++) {
		const char *name = jx_str(
			json_object_array_get_idx(versions, i), "version");

		for (unsigned int v = 0; all[v]; v++)
			k->has |= str_eq(name, all[v]) ? 1U << v : 0;
	}
	next_version(k, all);
}

/* Take a version's document: its kinds. */
static void take_version(struct kind *k, const json_object *o)
{
	const struct workload_api *api = workload_api(k->kind);

	if (!jx_by_name(jx_get(o, "resources"), api->plural)) {
		next_version(k, k->version + 1);
		return;
	}
	k->missed = false;
	snprintf(k->api, sizeof(k->api), "apis/%s/%s", api->group, *k->version);
	k->version = NULL;
}

static void found(void *arg, const struct kube_result *res)
{
	struct kind *k = arg;
	_cleanup_json_ json_object *o = NULL;
	struct err err = {0};

	k->finding = NULL;
	if (res->http == 404 && k->version) { /* the version has just ended */
		next_version(k, k->version + 1);
		return;
	}
	if (res->http == 404) {
		none_found(k);
		return;
	}
	if (res->rc || jx_parse(res->body, res->len, &o, &err)) {
		cannot(k, res->rc ? res->err->msg : err.msg, false);
		k->find_at = clock_ms() + RETRY_MS;
		k->version = NULL;
		return;
	}
	if (k->version)
		take_version(k, o);
	else
		take_group(k, o);
}

static void find(struct kind *k, struct kube_client *client)
{
	const struct workload_api *api = workload_api(k->kind);
	char group[128];
	const struct kube_ref ref = {.api = group,
				     .resource = k->version ? *k->version
							    : api->group};
	const struct kube_reply to = {.on_done = found,
				      .arg = k,
				      .deadline_ms = clock_ms() + FIND_MS};

	if (k->finding || clock_ms() < k->find_at)
		return;
	snprintf(group, sizeof(group), "apis%s%s", k->version ? "/" : "",
		 k->version ? api->group : "");
	k->finding = kube_get(client, &ref, &to);
}

static struct informer *inform(struct kind *k, struct kube_client *client)
{
	const struct informer_options opt = {
		.collection = {.api = k->api,
			       .resource = workload_api(k->kind)->plural},
		.only = k->kind == WORKLOAD_GROUP ? workload_group_table
						  : workload_table,
		.retry_max_ms = RETRY_MAX_MS,
	};
	const struct informer_handler on = {
		.on_list = on_list,
		.on_object = on_object,
		.on_delete = on_delete,
		.on_oversized = on_oversized,
		.on_synced = on_synced,
		.on_trouble = on_trouble,
		.arg = k,
	};

	return informer_keep_fresh(informer_new(client, &opt, &on),
				   k->all->opt.stale_after_ms);
}

static void note_age(struct kind *k)
{
	const int64_t at = informer_fresh_at(k->in);

	pthread_mutex_lock(&k->all->lock);
	if (at)
		k->fresh_at = at;
	pthread_mutex_unlock(&k->all->lock);
}

/*
 * The API server was upgraded, or is another one: find the version anew. Of two
 * API servers of different versions one may find what the other does not have:
 * so the pause doubles until one version has lasted.
 */
static void begin_anew(struct kind *k)
{
	log_info("cluster %s: %ss are not in %s any more", k->all->opt.cluster,
		 workload_api(k->kind)->kind, k->api);
	informer_free(k->in);
	k->in = NULL;
	k->ended = false;
	*k->api = '\0';
	if (k->seen_at && clock_ms() - k->seen_at >= RETRY_MAX_MS)
		k->anews = 0;
	k->seen_at = 0;
	k->find_at =
		clock_ms() + backoff_doubled(SURE_MS, k->anews++, RETRY_MAX_MS);
}

/*
 * List the kind again: objects that were left out may have room by now, or
 * enter.
 */
static void relist(struct kind *k)
{
	struct owners *o = k->all;
	const int64_t now = clock_ms();
	bool due = now >= k->relist_at && informer_live(k->in);

	if (!due)
		return;
	pthread_mutex_lock(&o->lock);
	due = k->missing ||
	      owner_store_has_room_again(&o->store, k->kind,
					 now >= k->relist_at + CROWDED_MS);
	pthread_mutex_unlock(&o->lock);
	if (!due)
		return;
	k->relist_at = now + RELIST_MS;
	informer_relist(k->in);
}

static bool is_wanted(struct kind *k)
{
	bool wanted;

	pthread_mutex_lock(&k->all->lock);
	wanted = k->wanted;
	pthread_mutex_unlock(&k->all->lock);
	return wanted;
}

void owners_step(struct owners *o, struct kube_client *client)
{
	for (struct kind *k = o->kinds; k < o->kinds + WORKLOAD_KINDS; k++) {
		if (!is_wanted(k))
			continue;
		if (k->in && k->ended)
			begin_anew(k);
		if (k->in) {
			relist(k);
			informer_step(k->in);
			note_age(k);
		} else if (*k->api) {
			k->in = inform(k, client);
		} else {
			find(k, client);
		}
	}
}

void owners_stop(struct owners *o, struct kube_client *client)
{
	for (struct kind *k = o->kinds; k < o->kinds + WORKLOAD_KINDS; k++) {
		if (k->finding)
			kube_client_cancel(client, k->finding);
		informer_free(k->in);
		k->finding = NULL;
		k->in = NULL;
	}
}
