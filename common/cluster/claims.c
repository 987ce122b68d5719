/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cluster/claims.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/backoff.h"
#include "base/clock.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/str.h"
#include "kube/status.h"
#include "kube/verbs.h"
#include "syntax/names.h"
#include "syntax/wellknown.h"

#define AGAIN_MS 300000
#define OTHERS_MS 30000
#define REFUSED_MS 600000
#define LASTS_MS 60000 /* an API server that starts refuses, too */
#define RETRY_MS 2000
#define RETRY_MAX_MS 60000
/*
 * Time for one request: a webhook may hang for as long as it is waited for, so
 * at first that is not long. A claim whose answer came too late is found at the
 * next try.
 */
#define CALL_MS 2500
#define CALL_MAX_MS 10000
#define NAME_MAX_K8S 253

enum what { NAMESPACE, TAKE_NODE, GIVE_NODE };

/* Something that is claimed, or is to be. */
struct claim {
	UT_hash_handle hh; /* by key */
	int failed;
	enum what what;
	enum claims_is is;
	int64_t at;	    /* when to ask for it; monotonic */
	int64_t wanted_at;  /* monotonic: when somebody last wanted to know */
	unsigned int tries; /* tries in a row that came to nothing */
	int64_t refused_at; /* since when the right is missing; 0: it is not */
	bool under_way;	    /* a request for it is under way */
	bool refused; /* logged: the right is missing, or it is left out */
	char words[CLAIM_WORDS_MAX];
	char key[]; /* "n" or "o", and the name */
};

/* A request that is under way, and what it is about. The link's thread only. */
struct asking {
	struct claims *c;
	struct kube_call *call; /* NULL: none */
	char key[NAME_MAX_K8S + 2];
	enum what what;
	int64_t most_ms; /* time for each request */
	bool wanted;	 /* somebody has asked whose it is, lately */
	bool reading;	 /* a GET; else a node's PATCH, or a Lease's POST */
	/* a POST was refused in this namespace: `refusal` */
	bool create_refused;
	bool no_right; /* refused by the authorizer, not by admission */
	char refusal[ERR_MSG_MAX];
};

struct claims {
	struct claims_options opt;
	char lease[CLAIM_NAME_MAX + 1];
	char label[DNS_LABEL_MAX + 1], by[CLAIM_LEASE_MAX];
	struct claim_self self;
	pthread_mutex_t lock; /* protects what follows */
	struct claim *all;
	struct claim_kind {
		size_t n; /* claims of this kind, at most CLAIMS_MAX */
		bool told;
	} nodes, spaces;
	struct kube_client *client; /* the link's thread only */
	struct asking asking[CLAIMS_AT_ONCE];
	/* logged, and nodes count as ours; under the lock */
	bool nodes_refused;
	int64_t nodes_refused_at; /* refused_at of all nodes; under the lock */
};

static int64_t or_else(int64_t ms, int64_t usual)
{
	return ms ? ms : usual;
}

struct claims *claims_new(const struct claims_options *opt)
{
	struct claims *c = calloc(1, sizeof(*c));
	char ours[DNS_LABEL_MAX + 1];

	if (!c)
		return NULL;
	c->opt = *opt;
	c->opt.again_ms = or_else(opt->again_ms, AGAIN_MS);
	c->opt.wanted_ms = or_else(opt->wanted_ms, c->opt.again_ms);
	c->opt.others_ms = or_else(opt->others_ms, OTHERS_MS);
	c->opt.refused_ms = or_else(opt->refused_ms, REFUSED_MS);
	c->opt.lasts_ms = or_else(opt->lasts_ms, LASTS_MS);
	c->opt.retry_ms = or_else(opt->retry_ms, RETRY_MS);
	if (!opt->at_once || opt->at_once > CLAIMS_AT_ONCE)
		c->opt.at_once = CLAIMS_AT_ONCE;
	for (size_t i = 0; i < CLAIMS_AT_ONCE; i++)
		c->asking[i].c = c;
	claim_lease_name(opt->scheduler, c->lease);
	name_label_of(opt->slurm_cluster, c->label);
	name_lease_of(opt->slurm_cluster, ours);
	snprintf(c->by, sizeof(c->by), "%s/%s", opt->ns, ours);
	c->self = (struct claim_self){opt->slurm_cluster, c->label, c->by};
	pthread_mutex_init(&c->lock, NULL);
	return c;
}

static struct claim_kind *kind_of(struct claims *c, char kind)
{
	return kind == 'n' ? &c->spaces : &c->nodes;
}

static void drop(struct claims *c, struct claim *x)
{
	kind_of(c, *x->key)->n--;
	HASH_DELETE(hh, c->all, x);
	free(x);
}

void claims_free(struct claims *c)
{
	struct claim *x = NULL, *next = NULL;

	if (!c)
		return;
	HASH_ITER(hh, c->all, x, next)
	{
		drop(c, x);
	}
	pthread_mutex_destroy(&c->lock);
	free(c);
}

const char *claims_by(const struct claims *c)
{
	return c->by;
}

/* --- under the lock */

static struct claim *find(struct claims *c, const char *key)
{
	struct claim *x;

	HASH_FIND_STR(c->all, key, x);
	return x;
}

static void key_of(char kind, const char *name, char out[NAME_MAX_K8S + 2])
{
	*out = kind;
	str_copy(out + 1, name, NAME_MAX_K8S + 1);
}

static bool is_full(const struct claim_kind *k)
{
	return k->n >= CLAIMS_MAX;
}

/* Find or make a claim. NULL: no memory, or too many. */
static struct claim *get(struct claims *c, char kind, const char *name,
			 enum what what, bool *fresh)
{
	struct claim_kind *k = kind_of(c, kind);
	char key[NAME_MAX_K8S + 2];
	struct claim *x;
	size_t size;

	key_of(kind, name, key);
	size = strlen(key) + 1;
	x = find(c, key);
	*fresh = !x;
	if (x) {
		x->wanted_at = clock_ms();
		return x;
	}
	if (is_full(k)) {
		if (!k->told)
			log_warn("cluster %s: more than %d %s: the rest is not "
				 "claimed",
				 c->opt.cluster, CLAIMS_MAX,
				 kind == 'n' ? "namespaces" : "nodes");
		k->told = true;
		return NULL;
	}
	x = calloc(1, sizeof(*x) + size);
	if (!x)
		return NULL;
	memcpy(x->key, key, size);
	x->what = what;
	x->is = CLAIMS_UNKNOWN;
	x->at = x->wanted_at = clock_ms();
	HASH_ADD_KEYPTR(hh, c->all, x->key, size - 1, x);
	if (x->failed) {
		free(x);
		return NULL;
	}
	k->n++;
	return x;
}

/* --- any thread */

enum claims_is claims_namespace(struct claims *c, const char *ns,
				char words[CLAIM_WORDS_MAX])
{
	enum claims_is is = CLAIMS_UNKNOWN;
	bool fresh = false;
	struct claim *x;

	if (words)
		*words = '\0';
	if (!c)
		return CLAIMS_OURS;
	pthread_mutex_lock(&c->lock);
	x = get(c, 'n', ns, NAMESPACE, &fresh);
	/* Namespaces over CLAIMS_MAX are served without a claim. */
	if (!x && is_full(&c->spaces))
		is = CLAIMS_OURS;
	if (x) {
		is = x->is;
		if (words)
			str_copy(words, x->words, CLAIM_WORDS_MAX);
	}
	pthread_mutex_unlock(&c->lock);
	if (fresh && x)
		c->opt.asked(c->opt.arg);
	return is;
}

static void want(struct claims *c, const char *node, enum what what)
{
	bool fresh = false;
	struct claim *x;

	pthread_mutex_lock(&c->lock);
	x = get(c, 'o', node, what, &fresh);
	if (x && x->what != what) {
		x->what = what;
		x->at = clock_ms();
		fresh = true;
	}
	pthread_mutex_unlock(&c->lock);
	if (fresh && x)
		c->opt.asked(c->opt.arg);
}

enum claims_is claims_node(struct claims *c, const char *node,
			   const char *value, const char *by,
			   char words[CLAIM_WORDS_MAX])
{
	enum claim_of is;
	bool refused;

	*words = '\0';
	if (!c)
		return CLAIMS_OURS;
	is = claim_of_node(value, by, node, &c->self, words);
	if (is == CLAIM_OTHERS)
		return CLAIMS_OTHERS;
	if (is == CLAIM_OURS && by && *by)
		return CLAIMS_OURS;
	want(c, node, TAKE_NODE);
	if (is == CLAIM_OURS)
		return CLAIMS_OURS;
	pthread_mutex_lock(&c->lock);
	refused = c->nodes_refused || is_full(&c->nodes);
	pthread_mutex_unlock(&c->lock);
	return refused ? CLAIMS_OURS : CLAIMS_UNKNOWN;
}

void claims_give_back(struct claims *c, const char *node, const char *value,
		      const char *by)
{
	char words[CLAIM_WORDS_MAX];

	if (c && by && *by &&
	    claim_of_node(value, by, node, &c->self, words) == CLAIM_OURS)
		want(c, node, GIVE_NODE);
}

/* --- the link's thread: how a request ended */

/*
 * Under the lock: the claim that a request was for, which is not under way any
 * more. NULL: it was dropped.
 */
static struct claim *take(struct asking *q)
{
	struct claim *x = find(q->c, q->key);

	if (x)
		x->under_way = false;
	return x;
}

/* Note whose the namespace is, and when to ask for it again. */
static void settle(struct asking *q, enum claims_is is, const char *words,
		   int64_t again_ms)
{
	struct claims *c = q->c;
	bool news = false;
	struct claim *x;

	pthread_mutex_lock(&c->lock);
	x = take(q);
	if (x) {
		news = x->is != is;
		x->is = is;
		str_copy(x->words, words, sizeof(x->words));
		x->at = clock_ms() + again_ms;
		x->tries = 0;
		x->refused_at = 0;
		x->refused = false;
	}
	pthread_mutex_unlock(&c->lock);
	if (!news)
		return;
	if (is == CLAIMS_OTHERS)
		log_warn("cluster %s: %s", c->opt.cluster, words);
	else
		log_info("cluster %s: namespace %s is ours", c->opt.cluster,
			 q->key + 1);
	c->opt.changed(c->opt.told);
}

/* Note trouble: what is known of a claim stays for now. */
static void later(struct asking *q, const char *words)
{
	struct claims *c = q->c;
	struct claim *x;

	log_debug("cluster %s: claim of %s: %s", c->opt.cluster, q->key + 1,
		  words);
	pthread_mutex_lock(&c->lock);
	x = take(q);
	if (x)
		x->at = clock_ms() + backoff_doubled(c->opt.retry_ms,
						     x->tries++, RETRY_MAX_MS);
	pthread_mutex_unlock(&c->lock);
}

/* Under the lock: since when the right to claim it is missing. */
static int64_t *refused_at(struct asking *q, struct claim *x)
{
	return q->what == NAMESPACE ? &x->refused_at : &q->c->nodes_refused_at;
}

/*
 * True if it is ours although the right to claim it is missing: that has
 * lasted, and nobody is known to have claimed it, or it was seen that nobody
 * has (free).
 */
static bool is_ours_without(struct asking *q, bool free)
{
	const int64_t now = clock_ms();
	struct claims *c = q->c;
	bool may = false;
	struct claim *x;

	pthread_mutex_lock(&c->lock);
	x = find(c, q->key);
	if (x) {
		int64_t *since = refused_at(q, x);

		if (!*since)
			*since = now;
		may = now - *since >= c->opt.lasts_ms &&
		      (free || x->is != CLAIMS_OTHERS);
	}
	pthread_mutex_unlock(&c->lock);
	return may;
}

/*
 * Note that we lack the right, by an older ClusterRole: a node or namespace is
 * ours then, as it was before there were claims.
 */
static void refused(struct asking *q, bool free, const char *words)
{
	struct claims *c = q->c;
	const bool node = q->what != NAMESPACE;
	bool told = false, news = false;
	struct claim *x;

	if (!is_ours_without(q, free)) {
		later(q, words);
		return;
	}
	pthread_mutex_lock(&c->lock);
	x = take(q);
	if (x) {
		told = node ? c->nodes_refused : x->refused;
		news = x->is != CLAIMS_OURS;
		x->is = CLAIMS_OURS;
		x->refused = true;
		x->at = clock_ms() + c->opt.refused_ms;
	}
	c->nodes_refused |= node;
	pthread_mutex_unlock(&c->lock);
	if (!told)
		log_warn("cluster %s: %s %s cannot be claimed: no other Slurm "
			 "cluster is kept from it: %s",
			 c->opt.cluster, node ? "node" : "namespace",
			 q->key + 1, words);
	if (news)
		c->opt.changed(c->opt.told);
}

/*
 * Drop a claim. A node's label is seen by the watch, and a namespace may be
 * gone: the bridge asks anew if it wants to know.
 */
static void forget(struct asking *q)
{
	struct claims *c = q->c;
	struct claim *x;

	pthread_mutex_lock(&c->lock);
	x = take(q);
	if (x && x->what == q->what)
		drop(c, x);
	pthread_mutex_unlock(&c->lock);
}

/*
 * Note an answer, or none, that does not say that the right is missing. (What
 * is read of a node says nothing of the right to label any.)
 */
static void not_refused(struct asking *q)
{
	struct claims *c = q->c;
	struct claim *x;

	pthread_mutex_lock(&c->lock);
	x = find(c, q->key);
	if (x && (q->what == NAMESPACE || !q->reading))
		*refused_at(q, x) = 0;
	pthread_mutex_unlock(&c->lock);
}

/* A node has its label: we have the right. */
static void labelled(struct asking *q)
{
	struct claims *c = q->c;

	pthread_mutex_lock(&c->lock);
	c->nodes_refused = false;
	c->nodes_refused_at = 0;
	pthread_mutex_unlock(&c->lock);
	forget(q);
}

/* True for a refusal: by an authorizer, an admission policy or a webhook. */
static bool is_refusal(int http)
{
	return http == 400 || http == 403 || http == 405 || http == 422;
}

/*
 * Note a refusal by an admission webhook, policy or quota, which may take
 * others: only this claim is left out. What is ours stays so.
 */
static void left_out(struct asking *q, const char *words)
{
	struct claims *c = q->c;
	const bool node = q->what != NAMESPACE;
	bool told = true;
	struct claim *x;

	pthread_mutex_lock(&c->lock);
	x = take(q);
	if (x) {
		told = x->refused;
		x->refused = true;
		x->refused_at = 0;
		if (!node && x->is != CLAIMS_OURS) {
			x->is = CLAIMS_UNKNOWN;
			str_copy(x->words, words, sizeof(x->words));
		}
		x->at = clock_ms() + c->opt.refused_ms;
	}
	pthread_mutex_unlock(&c->lock);
	if (told)
		return;
	log_warn("cluster %s: %s %s cannot be claimed, and %s: %s",
		 c->opt.cluster, node ? "node" : "namespace", q->key + 1,
		 node ? "is left out" : "its pods wait", words);
	if (!node) /* pods of the namespace are told why */
		c->opt.changed(c->opt.told);
}

/*
 * True if we lack the right. Admission is not asked when something is read, so
 * a 403 to a GET always means that.
 */
static bool is_no_right(const struct asking *q, const struct kube_result *res)
{
	return res->http == 405 ||
	       (res->http == 403 &&
		(q->reading || kube_status_no_right(res->err)));
}

static void failed(struct asking *q, const struct kube_result *res)
{
	if (is_refusal(res->http) && is_no_right(q, res)) {
		refused(q, false, res->err->msg);
		return;
	}
	if (res->http != 404)
		not_refused(q);
	if (is_refusal(res->http))
		left_out(q, res->err->msg);
	else if (q->what != NAMESPACE && res->http == 404)
		forget(q);
	else
		later(q, res->err->msg);
}

/* --- a node: look, then patch what was seen */

static void on_patched(void *arg, const struct kube_result *res)
{
	struct asking *q = arg;

	q->call = NULL;
	if (res->rc)
		failed(q, res);
	else
		labelled(q);
}

static struct kube_reply reply(struct asking *q, kube_done_fn then)
{
	return (struct kube_reply){.on_done = then,
				   .arg = q,
				   .deadline_ms = clock_ms() + q->most_ms,
				   .no_retry = true};
}

static struct kube_ref node_ref(const struct asking *q)
{
	return (struct kube_ref){
		.api = KUBE_CORE_V1, .resource = "nodes", .name = q->key + 1};
}

static void on_node(void *arg, const struct kube_result *res)
{
	struct asking *q = arg;
	const struct kube_ref ref = node_ref(q);
	const struct kube_reply to = reply(q, on_patched);
	_cleanup_json_ json_object *node = NULL, *patch = NULL;
	struct err err = {0};
	_cleanup_free_ char *text = NULL;
	int rc;

	q->call = NULL;
	if (res->rc) {
		failed(q, res);
		return;
	}
	q->reading = false;
	rc = jx_parse(res->body, res->len, &node, &err);
	if (!rc)
		rc = claim_node_patch(node, &q->c->self,
				      q->what == TAKE_NODE ? clock_real_ms()
							   : 0,
				      &patch, &err);
	if (rc == -EEXIST || rc == -EALREADY) {
		forget(q); /* the watch tells whose it is */
		return;
	}
	text = rc ? NULL : jx_take_text(steal_ptr(patch));
	if (text)
		q->call = kube_patch(q->c->client, &ref, KUBE_PATCH_MERGE, NULL,
				     text, strlen(text), &to);
	if (!q->call)
		later(q, rc ? err.msg : "out of memory");
}

/* --- a namespace: create, or look who was faster */

static struct kube_ref lease_ref(const struct asking *q, const char *name)
{
	return (struct kube_ref){.api = KUBE_COORDINATION_V1,
				 .ns = q->key + 1,
				 .resource = "leases",
				 .name = name};
}

static void on_lease(void *arg, const struct kube_result *res)
{
	struct asking *q = arg;
	_cleanup_json_ json_object *lease = NULL;
	char words[CLAIM_WORDS_MAX];
	struct err err = {0};

	q->call = NULL;
	if (res->http == 404 && !q->wanted) {
		/* The bridge asks anew for a namespace that still has pods. */
		forget(q);
		q->c->opt.changed(q->c->opt.told);
		return;
	}
	if (res->http == 404 && q->create_refused) {
		if (q->no_right)
			refused(q, true, q->refusal);
		else
			left_out(q, q->refusal);
		return;
	}
	if (res->rc) {
		failed(q, res); /* after a 404 the next try creates it */
		return;
	}
	if (jx_parse(res->body, res->len, &lease, &err)) {
		later(q, err.msg);
		return;
	}
	if (claim_of_lease(lease, q->key + 1, q->c->lease, &q->c->self,
			   words) == CLAIM_OURS)
		settle(q, CLAIMS_OURS, "", q->c->opt.again_ms);
	else
		settle(q, CLAIMS_OTHERS, words, q->c->opt.others_ms);
}

static void look(struct asking *q)
{
	const struct kube_ref ref = lease_ref(q, q->c->lease);
	const struct kube_reply to = reply(q, on_lease);

	q->reading = true;
	q->call = kube_get(q->c->client, &ref, &to);
	if (!q->call)
		later(q, "out of memory");
}

static void on_created(void *arg, const struct kube_result *res)
{
	struct asking *q = arg;

	q->call = NULL;
	/* Admission comes before Kubernetes looks whether there is a Lease. */
	q->create_refused = is_refusal(res->http);
	if (q->create_refused) {
		q->no_right = is_no_right(q, res);
		str_copy(q->refusal, res->err->msg, sizeof(q->refusal));
	}
	if (!res->rc)
		settle(q, CLAIMS_OURS, "", q->c->opt.again_ms);
	else if (res->http == 404)
		forget(q);
	else if (q->create_refused || res->http == 409)
		look(q); /* the Lease says whose it is, if it is there */
	else
		failed(q, res);
}

/*
 * Create the Lease without a look before: to create what is there changes
 * nothing.
 */
static void create(struct asking *q)
{
	const struct kube_ref ref = lease_ref(q, NULL);
	const struct kube_reply to = reply(q, on_created);
	_cleanup_free_ char *text = jx_take_text(
		claim_lease(q->c->lease, &q->c->self, clock_real_ms()));

	if (text)
		q->call = kube_create(q->c->client, &ref, text, strlen(text),
				      &to);
	if (!q->call)
		later(q, "out of memory");
}

static void ask(struct asking *q)
{
	const struct kube_ref ref = node_ref(q);
	const struct kube_reply to = reply(q, on_node);

	q->create_refused = q->reading = false;
	if (q->what == NAMESPACE) {
		(q->wanted ? create : look)(q);
		return;
	}
	if (!q->wanted) {
		forget(q);
		return;
	}
	q->reading = true;
	q->call = kube_get(q->c->client, &ref, &to);
	if (!q->call)
		later(q, "out of memory");
}

/*
 * What failed less often comes first, and of that what has been due for
 * longest: those who fail keep none waiting who may not.
 */
static bool is_before(const struct claim *x, const struct claim *y)
{
	return x->tries != y->tries ? x->tries < y->tries : x->at < y->at;
}

/* Find the claim that is due, for *q. False: none is. */
static bool find_due(struct claims *c, struct asking *q)
{
	const int64_t now = clock_ms();
	struct claim *due = NULL;

	pthread_mutex_lock(&c->lock);
	for (struct claim *x = c->all; x; x = x->hh.next)
		if (!x->under_way && x->at <= now &&
		    (!due || is_before(x, due)))
			due = x;
	if (due) {
		due->under_way = true;
		str_copy(q->key, due->key, sizeof(q->key));
		q->what = due->what;
		q->wanted = now - due->wanted_at <= c->opt.wanted_ms;
		q->most_ms = backoff_doubled(CALL_MS, due->tries, CALL_MAX_MS);
	}
	pthread_mutex_unlock(&c->lock);
	return due != NULL;
}

void claims_step(struct claims *c, struct kube_client *client, bool held)
{
	if (!c || !held)
		return;
	c->client = client;
	for (size_t i = 0; i < c->opt.at_once; i++) {
		struct asking *q = &c->asking[i];

		if (q->call)
			continue;
		if (!find_due(c, q))
			break;
		ask(q);
	}
}

void claims_stop(struct claims *c, struct kube_client *client)
{
	for (size_t i = 0; c && i < CLAIMS_AT_ONCE; i++) {
		struct asking *q = &c->asking[i];

		if (!q->call)
			continue;
		kube_client_cancel(client, q->call);
		q->call = NULL;
		pthread_mutex_lock(&c->lock);
		take(q);
		pthread_mutex_unlock(&c->lock);
	}
}
