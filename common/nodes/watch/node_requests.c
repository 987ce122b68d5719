/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "nodes/watch/node_requests.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <utlist.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/str.h"
#include "kube/status.h"
#include "kube/verbs.h"
#include "nodes/pod/pod_op.h"
#include "objects/pod_event.h"
#include "syntax/wellknown.h"

#define CREATE_MS 30000
#define DELETE_MS 10000
#define NOTE_MS 10000
#define FORBIDDEN_MS 600000
#define EVENTS_MAX 500
#define NOTES_MAX 1000
#define STEP_NOTES_MAX 750 /* these wait: no further one on steps only */
#define LOOKS_MAX 500
#define LOOK_MS 10000

/* (in order of importance) */
enum what { LOOK, DELETE, CREATE, NOTE, EVENT };
#define KINDS 5

/* To do, then under way. */
struct job {
	UT_hash_handle hh;
	struct job *prev, *next; /* not begun: in its kind's list */
	struct node_requests *work;
	int failed;
	enum what what;
	bool begun;	 /* under the lock */
	bool only_steps; /* changed, for a NOTE */
	bool unscaled;	 /* a NOTE without what autoscalers go by */
	/* of a NOTE: its body without what the pod's jobs ask for */
	char *plain;
	/* of a NOTE: what it was refused with, and is without; the words */
	enum { NOTHING, ASKED, SCALE } left_out;
	char *refused;
	struct kube_call *call; /* begun, but for CREATE */
	char key[254]; /* the pod's name; events have one of their own */
	char pod[254];
	char uid[64];
	int64_t grace_s;
	int64_t since_ms;  /* monotonic: it was asked for */
	int64_t asked_ms;  /* of LOOK: Kubernetes was */
	struct pod_op *op; /* of CREATE: large */
	char *node, *body; /* what is sent, but for DELETE and LOOK */
};

struct node_requests {
	struct node_requests_options opt;
	atomic_bool events_forbidden;
	_Atomic int64_t notes_at; /* forbidden: not before; monotonic */
	/* the link's thread only */
	struct kube_client *client;
	int64_t scale_at;      /* the same of what autoscalers go by */
	int64_t tell_at;       /* of refused notes: not again before */
	int64_t asked_tell_at; /* the same of what jobs ask for */
	int64_t look_tell_at;  /* the same of what is not known */
	bool scale_told;
	pthread_mutex_t lock;		 /* of what follows */
	struct job *jobs;		 /* all, by key */
	struct job *lists[KINDS];	 /* not begun */
	size_t n[KINDS], n_begun[KINDS]; /* of all; under way */
	unsigned int next_event;
};

struct node_requests *node_requests_new(const struct node_requests_options *opt)
{
	struct node_requests *w = calloc(1, sizeof(*w));

	if (!w)
		return NULL;
	w->opt = *opt;
	pthread_mutex_init(&w->lock, NULL);
	return w;
}

static void job_free(struct job *j)
{
	free(j->op);
	free(j->node);
	free(j->body);
	free(j->refused);
	free(j->plain);
	free(j);
}

void node_requests_free(struct node_requests *w)
{
	struct job *j = NULL, *next = NULL;

	if (!w)
		return;
	HASH_ITER(hh, w->jobs, j, next)
	{
		HASH_DELETE(hh, w->jobs, j);
		job_free(j);
	}
	pthread_mutex_destroy(&w->lock);
	free(w);
}

/* --- asking */

static bool is_full(const struct node_requests *w, const struct job *j)
{
	static const size_t most[KINDS] = {
		[LOOK] = LOOKS_MAX, [NOTE] = NOTES_MAX, [EVENT] = EVENTS_MAX};

	if (j->only_steps && w->n[NOTE] >= STEP_NOTES_MAX)
		return true;
	return most[j->what] && w->n[j->what] >= most[j->what];
}

/* Under the lock. */
static void forget(struct node_requests *w, struct job *j)
{
	HASH_DELETE(hh, w->jobs, j);
	w->n[j->what]--;
	if (j->begun)
		w->n_begun[j->what]--;
	else
		DL_DELETE(w->lists[j->what], j);
}

/*
 * Under the lock. False: one is there already, too many, or no memory. A note
 * that has not been sent is in nobody's way: who comes takes its place.
 */
static bool enqueue(struct node_requests *w, struct job *j)
{
	struct job *other, *behind = NULL;

	if (j->what == EVENT)
		snprintf(j->key, sizeof(j->key), "event %u", w->next_event++);
	else
		str_copy(j->key, j->pod, sizeof(j->key));
	HASH_FIND_STR(w->jobs, j->key, other);
	if (other && (other->begun || other->what != NOTE))
		return false;
	if (is_full(w, j) && !(other && j->what == NOTE))
		return false;
	if (other) {
		behind = j->what == NOTE ? other->next : NULL;
		forget(w, other);
		job_free(other);
	}
	HASH_ADD_KEYPTR(hh, w->jobs, j->key, strlen(j->key), j);
	if (j->failed)
		return false;
	w->n[j->what]++;
	if (behind)
		DL_PREPEND_ELEM(w->lists[j->what], behind, j);
	else
		DL_APPEND(w->lists[j->what], j);
	return true;
}

static bool submit(struct node_requests *w, struct job *j)
{
	bool good;

	j->work = w;
	j->since_ms = clock_ms();
	pthread_mutex_lock(&w->lock);
	good = enqueue(w, j);
	pthread_mutex_unlock(&w->lock);
	if (good)
		w->opt.asked(w->opt.arg);
	else
		job_free(j);
	return good;
}

void node_requests_delete(struct node_requests *w, const struct pod_view *pod,
			  int64_t grace_s)
{
	struct job *j = calloc(1, sizeof(*j));

	if (!j)
		return;
	j->what = DELETE;
	j->grace_s = grace_s;
	str_copy(j->pod, pod->name, sizeof(j->pod));
	str_copy(j->uid, pod->uid, sizeof(j->uid));
	submit(w, j);
}

void node_requests_create(struct node_requests *w, const struct nodeset *set,
			  const char *node, char *body, const char *hash,
			  int64_t since_ms)
{
	struct job *j = body ? calloc(1, sizeof(*j)) : NULL;
	char name[DNS_LABEL_MAX + 1];

	if (!j || !(j->node = strdup(node)) ||
	    !(j->op = calloc(1, sizeof(*j->op)))) {
		if (j)
			job_free(j);
		free(body);
		return;
	}
	name_pod_of_node(node, name);
	j->what = CREATE;
	j->body = body;
	j->op->set = set;
	str_copy(j->pod, name, sizeof(j->pod));
	str_copy(j->op->hash, hash, sizeof(j->op->hash));
	j->op->since_ms = since_ms;
	submit(w, j);
}

void node_requests_look(struct node_requests *w, const char *node)
{
	struct job *j = calloc(1, sizeof(*j));
	char name[DNS_LABEL_MAX + 1];

	if (!j || !(j->node = strdup(node))) {
		free(j);
		return;
	}
	name_pod_of_node(node, name);
	j->what = LOOK;
	str_copy(j->pod, name, sizeof(j->pod));
	submit(w, j);
}

/* The object (may be NULL) as text; puts it. */
static char *text_of(json_object *o)
{
	const char *text =
		o ? json_object_to_json_string_ext(o, JSON_C_TO_STRING_PLAIN)
		  : NULL;
	char *copy = text ? strdup(text) : NULL;

	json_object_put(o);
	return copy;
}

/* Owns the text. NULL: there is none, or no memory. */
static struct job *job_of(const struct pod_view *pod, int what, char *body)
{
	struct job *j = body ? calloc(1, sizeof(*j)) : NULL;

	if (!j) {
		free(body);
		return NULL;
	}
	j->what = what;
	j->body = body;
	str_copy(j->pod, pod->name, sizeof(j->pod));
	return j;
}

bool node_requests_note(struct node_requests *w, const struct pod_view *pod,
			const struct pod_jobs *jobs, bool only_steps)
{
	struct pod_jobs plain = *jobs;
	const bool asked = jobs->ids && jobs->rules && jobs->asked;
	struct job *j = job_of(pod, NOTE,
			       text_of(pod_annotations_patch(pod->uid, jobs)));

	if (!j)
		return false;
	plain.asked = NULL;
	if (asked)
		j->plain = text_of(pod_annotations_patch(pod->uid, &plain));
	j->only_steps = only_steps;
	return submit(w, j);
}

bool node_requests_may_note(struct node_requests *w)
{
	return clock_ms() >= atomic_load(&w->notes_at);
}

void node_requests_event(struct node_requests *w, const struct pod_view *pod,
			 bool warning, const char *reason, const char *message)
{
	const struct pod_event event = {.ns = w->opt.cluster->ns,
					.pod = pod->name,
					.uid = pod->uid,
					.warning = warning,
					.reason = reason,
					.message = message,
					.at_ms = clock_real_ms()};

	struct job *j =
		atomic_load(&w->events_forbidden)
			? NULL
			: job_of(pod, EVENT, text_of(pod_event_make(&event)));

	if (j)
		submit(w, j);
}

bool node_requests_busy(struct node_requests *w, const char *pod)
{
	struct job *j;
	bool busy;

	pthread_mutex_lock(&w->lock);
	HASH_FIND_STR(w->jobs, pod, j);
	busy = j && (j->begun || j->what != NOTE);
	pthread_mutex_unlock(&w->lock);
	return busy;
}

/* --- doing */

static void job_done(struct job *j)
{
	struct node_requests *w = j->work;
	bool event = j->what == EVENT;

	pthread_mutex_lock(&w->lock);
	forget(w, j);
	pthread_mutex_unlock(&w->lock);
	job_free(j);
	if (!event)
		w->opt.done(w->opt.arg);
}

static void deleted(void *arg, const struct kube_result *res)
{
	struct job *j = arg;

	if (!res->rc)
		log_debug("pod %s deleted, uid %s", j->pod, j->uid);
	else if (res->http != 404 && res->http != 409)
		log_error("pod %s cannot be deleted: %s", j->pod,
			  res->err->msg);
	job_done(j);
}

static void created(struct pod_op *op)
{
	struct job *j = op->arg;

	if (op->outcome == POD_OP_FAILED)
		log_error("%s: its pod cannot be created: %s", j->node,
			  op->err.msg);
	else
		log_info("%s: pod %s/%s %s, uid %s", j->node,
			 op->set->cluster->ns, op->pod,
			 pod_outcome_word(op->outcome), op->uid);
	job_done(j);
}

/*
 * The API server itself says that it has no such pod: not the 404 of a proxy
 * before it, or of a path that it does not serve.
 */
static bool says_absent(const struct job *j, int http, const json_object *o)
{
	return http == 404 && str_eq(jx_str(o, "kind"), "Status") &&
	       str_eq(jx_str(o, "reason"), "NotFound") &&
	       str_eq(jx_str(o, "details", "kind"), "pods") &&
	       str_eq(jx_str(o, "details", "name"), j->pod);
}

static void tell_unknown(struct node_requests *w, const struct job *j,
			 const char *why)
{
	const int64_t now = clock_ms();

	if (now < w->look_tell_at)
		return;
	w->look_tell_at = now + FORBIDDEN_MS;
	log_warn("cluster %s: node %s: whether its pod is gone, or has ended, "
		 "is not known: %s",
		 w->opt.cluster->name, j->node, why);
}

static void looked(void *arg, const struct kube_result *res)
{
	struct job *j = arg;
	struct node_requests *w = j->work;
	_cleanup_json_ json_object *o = NULL;
	struct err err = {0};

	if (res->body)
		jx_parse(res->body, res->len, &o, &err);
	if ((!res->rc && o) || says_absent(j, res->http, o))
		w->opt.looked(w->opt.arg, j->pod, j->node, j->asked_ms,
			      res->rc ? NULL : o);
	else
		tell_unknown(w, j, res->rc ? res->err->msg : err.msg);
	job_done(j);
}

static struct kube_call *send(struct job *j, struct kube_client *client);

/*
 * By admission, or because we lack a right. (A webhook that gives no code makes
 * 400, most give 403, a ValidatingAdmissionPolicy 422.)
 */
static bool is_refused(const struct kube_result *res)
{
	return res->http == 400 || res->http == 403 || res->http == 422;
}

/* False: no memory. */
static bool drop_scale(struct job *j)
{
	_cleanup_json_ json_object *o = NULL;
	struct err err;
	char *body = NULL;

	if (!jx_parse(j->body, strlen(j->body), &o, &err)) {
		pod_annotations_drop_scale(o);
		body = strdup(json_object_to_json_string_ext(
			o, JSON_C_TO_STRING_PLAIN));
	}
	if (!body)
		return false;
	free(j->body);
	j->body = body;
	j->unscaled = true;
	return true;
}

/* (send() leaves out what autoscalers go by, if that is refused now) */
static void drop_asked(struct job *j)
{
	free(j->body);
	j->body = steal_ptr(j->plain);
	j->unscaled = false;
}

/*
 * The label must depend neither on what users ask for, which is refused for
 * their pods only and so is left out first, nor on the annotations that
 * autoscalers go by. False: there is no less to send, or it cannot be sent.
 */
static bool send_less(struct job *j, const struct kube_result *res)
{
	struct node_requests *w = j->work;

	if (!w->opt.may(w->opt.arg))
		return false;
	j->left_out = j->plain ? ASKED : SCALE;
	if (j->plain)
		drop_asked(j);
	else if (!drop_scale(j))
		return false;
	free(j->refused);
	j->refused = strdup(res->err->msg);
	j->call = send(j, w->client);
	return j->call != NULL;
}

static const char *why_refused(const struct job *j)
{
	return j->refused ? j->refused : "no memory for the words";
}

static void tell_unasked(struct node_requests *w, const struct job *j)
{
	const int64_t now = clock_ms();

	if (now < w->asked_tell_at)
		return;
	w->asked_tell_at = now + FORBIDDEN_MS;
	log_warn("cluster %s: what jobs ask for (--k8s-label, "
		 "--k8s-annotation) is not set on pod %s: %s",
		 w->opt.cluster->name, j->pod, why_refused(j));
}

/* A note was taken: if not as a whole, then what was left out last is refused.
 */
static void took_note(struct node_requests *w, const struct job *j)
{
	if (!j->unscaled)
		w->scale_told = false;
	if (j->left_out == ASKED)
		tell_unasked(w, j);
	if (j->left_out != SCALE)
		return;
	w->scale_at = clock_ms() + FORBIDDEN_MS;
	if (!w->scale_told)
		log_warn("cluster %s: autoscalers are not told which pods have "
			 "jobs; it is tried again each 10 minutes: %s",
			 w->opt.cluster->name, why_refused(j));
	w->scale_told = true;
}

static void refused_note(struct node_requests *w, const struct job *j,
			 const struct kube_result *res)
{
	const int64_t now = clock_ms();

	/* (admission may refuse this pod only) */
	if (kube_status_no_right(res->err))
		atomic_store(&w->notes_at, now + FORBIDDEN_MS);
	if (now < w->tell_at)
		return;
	w->tell_at = now + FORBIDDEN_MS;
	log_warn("cluster %s: jobs are not noted on their pods, nor are these "
		 "protected from eviction: pod %s: %s",
		 w->opt.cluster->name, j->pod, res->err->msg);
}

static void noted(void *arg, const struct kube_result *res)
{
	struct job *j = arg;

	if (is_refused(res) && (j->plain || !j->unscaled)) {
		if (!send_less(j, res))
			job_done(j);
		return;
	}
	if (is_refused(res))
		refused_note(j->work, j, res);
	else if (!res->rc)
		took_note(j->work, j);
	else if (res->http != 404 && res->http != 409)
		log_debug("%s", res->err->msg);
	job_done(j);
}

static void told(void *arg, const struct kube_result *res)
{
	struct job *j = arg;
	struct node_requests *w = j->work;

	if (res->rc && kube_status_no_right(res->err) &&
	    !atomic_exchange(&w->events_forbidden, true))
		log_info("cluster %s: no Events on pods: %s",
			 w->opt.cluster->name, res->err->msg);
	else if (res->rc)
		log_debug("%s", res->err->msg);
	job_done(j);
}

static struct kube_call *send(struct job *j, struct kube_client *client)
{
	struct kube_ref ref = {.api = KUBE_CORE_V1,
			       .ns = j->work->opt.cluster->ns,
			       .resource = "pods",
			       .name = j->pod};
	struct kube_reply to = {.arg = j, .deadline_ms = clock_ms() + NOTE_MS};

	switch (j->what) {
	case CREATE: /* begin_create() */
		break;
	case DELETE:
		to.on_done = deleted;
		to.deadline_ms = j->since_ms + DELETE_MS;
		return kube_delete(client, &ref, j->uid, j->grace_s, &to);
	case NOTE:
		if (!j->unscaled && clock_ms() < j->work->scale_at &&
		    !drop_scale(j))
			return NULL;
		to.on_done = noted;
		return kube_patch(client, &ref, KUBE_PATCH_MERGE,
				  WK_FIELD_MANAGER, j->body, strlen(j->body),
				  &to);
	case LOOK:
		to.on_done = looked;
		to.deadline_ms = j->since_ms + LOOK_MS;
		j->asked_ms = clock_ms();
		return kube_get(client, &ref, &to);
	case EVENT:
		to.on_done = told;
		ref.resource = "events";
		ref.name = NULL;
		return kube_create(client, &ref, j->body, strlen(j->body), &to);
	}
	return NULL;
}

static void begin_create(struct job *j, struct kube_client *client)
{
	struct pod_op *op = j->op;

	op->client = client;
	op->node = j->node;
	op->cluster = j->work->opt.slurm_cluster;
	op->body = j->body;
	op->body_len = strlen(j->body);
	op->deadline_ms = j->since_ms + CREATE_MS;
	op->on_done = created;
	op->arg = j;
	pod_ensure(op);
}

/* False: out of memory. (A create that fails at once is done already.) */
static bool begin(struct job *j, struct kube_client *client)
{
	if (j->what == CREATE) {
		begin_create(j, client);
		return true;
	}
	j->call = send(j, client);
	return j->call != NULL;
}

/*
 * Where the API server, or a webhook there, does not answer, each kind, and
 * notes and Events together, have no more than a quarter of what may be under
 * way in this cluster: the others go on, and the bridge.
 */
static bool may_begin(const struct node_requests *w, enum what what)
{
	const size_t most = w->opt.cluster->max_requests;
	const size_t begun = what < NOTE ? w->n_begun[what]
					 : w->n_begun[NOTE] + w->n_begun[EVENT];

	return begun < (most > 3 ? most / 4 : 1);
}

/*
 * It was asked for by what was known then: a creation, say, of an earlier
 * power-up. The engine decides anew.
 */
static bool is_old(const struct job *j)
{
	static const int64_t most[KINDS] = {
		[LOOK] = LOOK_MS, [DELETE] = DELETE_MS, [CREATE] = CREATE_MS};

	return most[j->what] && clock_ms() - j->since_ms >= most[j->what];
}

/* The next one, which is begun by now; NULL: none, or not now. */
static struct job *next_job(struct node_requests *w)
{
	struct job *j = NULL;

	pthread_mutex_lock(&w->lock);
	for (int what = 0; what < KINDS && !j; what++)
		if (w->lists[what] && may_begin(w, (enum what)what))
			j = w->lists[what];
	if (j) {
		DL_DELETE(w->lists[j->what], j);
		j->begun = true;
		w->n_begun[j->what]++;
	}
	pthread_mutex_unlock(&w->lock);
	return j;
}

void node_requests_begin(struct node_requests *w, struct kube_client *client)
{
	struct job *j;

	w->client = client;
	while ((j = next_job(w)))
		if (is_old(j) || !w->opt.may(w->opt.arg) || !begin(j, client))
			job_done(j);
}

void node_requests_drop(struct node_requests *w, struct kube_client *client)
{
	struct job *j = NULL, *next = NULL;

	pthread_mutex_lock(&w->lock);
	HASH_ITER(hh, w->jobs, j, next)
	{
		if (j->begun && j->what == CREATE)
			pod_op_cancel(j->op);
		else if (j->begun)
			kube_client_cancel(client, j->call);
		forget(w, j);
		job_free(j);
	}
	pthread_mutex_unlock(&w->lock);
}
