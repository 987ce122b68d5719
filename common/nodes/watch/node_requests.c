/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "nodes/watch/node_requests.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "base/backoff.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/str.h"
#include "cluster/requests.h"
#include "kube/status.h"
#include "kube/verbs.h"
#include "nodes/pod/pod_op.h"
#include "objects/pod_event.h"
#include "syntax/wellknown.h"

#define CREATE_MS 30000
#define DELETE_MS 10000
#define NOTE_MS 10000
#define FORBIDDEN_MS 600000
#define FORBIDDEN_MIN_MS 5000 /* an API server that starts refuses, too */
#define EVENTS_MAX 500
#define NOTES_MAX 1000
#define STEP_NOTES_MAX 750 /* with so many, none on steps is added */
#define LOOKS_MAX 500
#define LOOK_MS 10000

/* The most important kind is first. */
enum what { LOOK, DELETE, CREATE, NOTE, EVENT };
#define KINDS 5

struct node_request {
	struct request base;
	struct node_requests *work;
	bool unscaled; /* a NOTE without what autoscalers go by */
	/* NOTE: the body without what the pod's jobs ask for */
	char *plain;
	/* NOTE: what was refused, and is left out; `refused`: the words */
	enum { NOTHING, ASKED, SCALE } left_out;
	char *refused;
	char pod[254];
	char uid[64];
	int64_t since_ms;  /* when it was asked for; monotonic, ms */
	int64_t asked_ms;  /* LOOK: when Kubernetes was asked */
	struct pod_op *op; /* CREATE: allocated, as it is large */
	bool early;	   /* CREATE: k8s_resume is to come */
	char *node, *body; /* body: what is sent; DELETE and LOOK have none */
};

/* What Kubernetes refuses is tried more and more seldom. */
struct pause {
	_Atomic int64_t until; /* end of the pause; monotonic; any thread */
	unsigned int n;	       /* refusals in a row; the link's thread */
};

struct node_requests {
	struct node_requests_options opt;
	struct pause events, notes;
	/* the link's thread only */
	struct kube_client *client;
	struct pause scale;	/* for what autoscalers are told by notes */
	int64_t tell_at;	/* when a refused note may be logged */
	int64_t asked_tell_at;	/* when refused wishes of jobs may be logged */
	int64_t scale_tell_at;	/* when untold autoscalers may be logged */
	int64_t look_tell_at;	/* when a look without answer may be logged */
	pthread_mutex_t lock;	/* protects the queue */
	struct requests *queue; /* keyed by the pod's name; Events have none */
};

static bool is_over(struct pause *p)
{
	return clock_ms() >= atomic_load(&p->until);
}

static void pause_begin(struct pause *p)
{
	atomic_store(&p->until,
		     backoff_until(clock_ms(), atomic_load(&p->until), &p->n,
				   FORBIDDEN_MIN_MS, FORBIDDEN_MS));
}

static void pause_end(struct pause *p)
{
	atomic_store(&p->until, 0);
	p->n = 0;
}

static void request_free(struct request *base)
{
	struct node_request *r = (struct node_request *)base;

	free(r->op);
	free(r->node);
	free(r->body);
	free(r->refused);
	free(r->plain);
	free(r);
}

static void cancel_create(struct request *r)
{
	pod_op_cancel(((struct node_request *)r)->op);
}

/*
 * Where the API server, or a webhook there, does not answer, each kind, and
 * notes and Events together, have no more than a quarter of what may be under
 * way in this cluster: the others go on, and the bridge.
 */
static bool may_begin(const void *room, unsigned int kind)
{
	const struct node_requests *w = room;
	const size_t most = w->opt.cluster->max_requests;
	const size_t begun = kind < NOTE
				     ? requests_begun(w->queue, kind, kind)
				     : requests_begun(w->queue, NOTE, EVENT);

	return begun < (most > 3 ? most / 4 : 1);
}

static const struct request_kind kinds[KINDS] = {
	[LOOK] = {.max = LOOKS_MAX},
	[CREATE] = {.cancel = cancel_create},
	[NOTE] = {.max = NOTES_MAX, .yields = true},
	[EVENT] = {.max = EVENTS_MAX},
};

static const struct requests_table table = {.kinds = kinds,
					    .n_kinds = KINDS,
					    .may_begin = may_begin,
					    .free = request_free};

struct node_requests *node_requests_new(const struct node_requests_options *opt)
{
	struct node_requests *w = calloc(1, sizeof(*w));

	if (!w || !(w->queue = requests_new(&table, w))) {
		free(w);
		return NULL;
	}
	w->opt = *opt;
	pthread_mutex_init(&w->lock, NULL);
	return w;
}

void node_requests_free(struct node_requests *w)
{
	if (!w)
		return;
	requests_free(w->queue);
	pthread_mutex_destroy(&w->lock);
	free(w);
}

/* --- asking */

static void created(struct pod_op *op);

/*
 * Queue a request, which is taken over. False: one is there already, there are
 * too many, or there is no memory.
 */
static bool submit(struct node_requests *w, struct node_request *r)
{
	bool good;

	r->work = w;
	r->since_ms = clock_ms();
	pthread_mutex_lock(&w->lock);
	good = requests_add(w->queue, &r->base,
			    r->base.kind == EVENT ? NULL : r->pod,
			    w->opt.cluster->ns) == REQUEST_ADDED;
	pthread_mutex_unlock(&w->lock);
	if (good)
		w->opt.asked(w->opt.arg);
	return good;
}

static struct node_request *request_new(enum what what, const char *pod)
{
	struct node_request *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	r->base.kind = what;
	str_copy(r->pod, pod, sizeof(r->pod));
	return r;
}

static struct node_request *request_of_node(enum what what, const char *node)
{
	char name[DNS_LABEL_MAX + 1];
	struct node_request *r;

	name_pod_of_node(node, name);
	r = request_new(what, name);
	if (r && (r->node = strdup(node)))
		return r;
	free(r);
	return NULL;
}

/* Make a request that owns the text. NULL: there is no text, or no memory. */
static struct node_request *request_of(const struct pod_view *pod,
				       enum what what, char *body)
{
	struct node_request *r = body ? request_new(what, pod->name) : NULL;

	if (r)
		r->body = body;
	else
		free(body);
	return r;
}

void node_requests_delete(struct node_requests *w, const struct pod_view *pod)
{
	struct node_request *r = request_new(DELETE, pod->name);

	if (!r)
		return;
	str_copy(r->uid, pod->uid, sizeof(r->uid));
	submit(w, r);
}

void node_requests_create(struct node_requests *w, const struct nodeset *set,
			  const char *node, char *body, const char *hash,
			  int64_t since_ms, bool early)
{
	struct node_request *r = body ? request_of_node(CREATE, node) : NULL;
	/*
	 * No pod is there when this is asked for: one that is there by then was
	 * made by k8s_resume, by a newer k8s.yaml it may be, and a job may run
	 * in it.
	 */
	struct pod_op_options opt = {.set = set,
				     .cluster = w->opt.slurm_cluster,
				     .body = body,
				     .since_ms = since_ms,
				     .any_hash = true,
				     .look_first = true,
				     .on_done = created,
				     .arg = r};

	if (!r || !(r->op = calloc(1, sizeof(*r->op)))) {
		if (r)
			request_free(&r->base);
		free(body);
		return;
	}
	r->body = body;
	r->early = early;
	opt.node = r->node;
	opt.body_len = strlen(body);
	str_copy(opt.hash, hash, sizeof(opt.hash));
	pod_op_prepare(r->op, &opt);
	submit(w, r);
}

bool node_requests_look(struct node_requests *w, const char *node)
{
	struct node_request *r = request_of_node(LOOK, node);

	return r && submit(w, r);
}

bool node_requests_note(struct node_requests *w, const struct pod_view *pod,
			const struct pod_jobs *jobs, bool only_steps)
{
	struct pod_jobs plain = *jobs;
	const bool asked = jobs->ids && jobs->rules && jobs->asked;
	struct node_request *r = request_of(
		pod, NOTE, jx_take_text(pod_annotations_patch(pod->uid, jobs)));

	if (!r)
		return false;
	plain.asked = NULL;
	if (asked)
		r->plain =
			jx_take_text(pod_annotations_patch(pod->uid, &plain));
	r->base.max = only_steps ? STEP_NOTES_MAX : 0;
	return submit(w, r);
}

bool node_requests_may_note(struct node_requests *w)
{
	return is_over(&w->notes);
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

	struct node_request *r =
		is_over(&w->events)
			? request_of(pod, EVENT,
				     jx_take_text(pod_event_make(&event)))
			: NULL;

	if (r)
		submit(w, r);
}

bool node_requests_busy(struct node_requests *w, const char *pod)
{
	const struct request *r;
	bool busy;

	pthread_mutex_lock(&w->lock);
	r = requests_find(w->queue, pod);
	busy = r && (r->begun || r->kind != NOTE);
	pthread_mutex_unlock(&w->lock);
	return busy;
}

/* --- doing */

static void request_done(struct node_request *r)
{
	struct node_requests *w = r->work;
	const bool event = r->base.kind == EVENT;

	pthread_mutex_lock(&w->lock);
	requests_end(w->queue, &r->base);
	pthread_mutex_unlock(&w->lock);
	if (!event)
		w->opt.done(w->opt.arg);
}

static void deleted(void *arg, const struct kube_result *res)
{
	struct node_request *r = arg;

	if (!res->rc)
		log_debug("pod %s deleted, uid %s", r->pod, r->uid);
	else if (res->http != 404 && res->http != 409)
		log_error("pod %s cannot be deleted: %s", r->pod,
			  res->err->msg);
	request_done(r);
}

static void created(struct pod_op *op)
{
	struct node_request *r = op->opt.arg;

	if (op->outcome == POD_OP_FAILED && r->early)
		log_debug("%s: its pod is left to k8s_resume: %s", r->node,
			  op->err.msg);
	else if (op->outcome == POD_OP_FAILED)
		log_error("%s: its pod cannot be created: %s", r->node,
			  op->err.msg);
	else
		log_info("%s: pod %s/%s %s, uid %s", r->node,
			 op->opt.set->cluster->ns, op->pod,
			 pod_outcome_word(op->outcome), op->uid);
	request_done(r);
}

/*
 * True if the API server itself says that it has no such pod: not the 404 of a
 * proxy before it, or of a path that it does not serve.
 */
static bool says_absent(const struct node_request *r, int http,
			const json_object *o)
{
	return http == 404 && str_eq(jx_str(o, "kind"), "Status") &&
	       str_eq(jx_str(o, "reason"), "NotFound") &&
	       str_eq(jx_str(o, "details", "kind"), "pods") &&
	       str_eq(jx_str(o, "details", "name"), r->pod);
}

static void tell_unknown(struct node_requests *w, const struct node_request *r,
			 const char *why)
{
	if (!clock_due(&w->look_tell_at, FORBIDDEN_MS))
		return;
	log_warn("cluster %s: node %s: whether its pod is gone, or has ended, "
		 "is not known: %s",
		 w->opt.cluster->name, r->node, why);
}

static void looked(void *arg, const struct kube_result *res)
{
	struct node_request *r = arg;
	struct node_requests *w = r->work;
	_cleanup_json_ json_object *o = NULL;
	struct err err = {0};

	if (res->body)
		jx_parse(res->body, res->len, &o, &err);
	if ((!res->rc && o) || says_absent(r, res->http, o))
		w->opt.looked(w->opt.arg, r->pod, r->node, r->asked_ms,
			      res->rc ? NULL : o);
	else
		tell_unknown(w, r, res->rc ? res->err->msg : err.msg);
	request_done(r);
}

static struct kube_call *send(struct node_request *r,
			      struct kube_client *client);

/*
 * True if the request was refused by admission, or because we lack a right. (A
 * webhook that gives no code makes 400, most give 403, a
 * ValidatingAdmissionPolicy 422.)
 */
static bool is_refused(const struct kube_result *res)
{
	return res->http == 400 || res->http == 403 || res->http == 422;
}

/* Leave out what autoscalers go by. False: no memory. */
static bool drop_scale(struct node_request *r)
{
	_cleanup_json_ json_object *o = NULL;
	struct err err;
	char *body = NULL;

	if (!jx_parse(r->body, strlen(r->body), &o, &err)) {
		pod_annotations_drop_scale(o);
		body = jx_take_text(steal_ptr(o));
	}
	if (!body)
		return false;
	free(r->body);
	r->body = body;
	r->unscaled = true;
	return true;
}

/*
 * Leave out what jobs ask for. What autoscalers go by is sent once more: send()
 * leaves it out if that is refused now.
 */
static void drop_asked(struct node_request *r)
{
	free(r->body);
	r->body = steal_ptr(r->plain);
	r->unscaled = false;
}

/*
 * Send a refused note without a part of it. The label must depend neither on
 * what users ask for, which is refused for their pods only and so is left out
 * first, nor on the annotations that autoscalers go by. False: there is no less
 * to send, or it cannot be sent.
 */
static bool send_less(struct node_request *r, const struct kube_result *res)
{
	struct node_requests *w = r->work;

	if (!w->opt.may(w->opt.arg))
		return false;
	r->left_out = r->plain ? ASKED : SCALE;
	if (r->plain)
		drop_asked(r);
	else if (!drop_scale(r))
		return false;
	free(r->refused);
	r->refused = strdup(res->err->msg);
	r->base.call = send(r, w->client);
	return r->base.call != NULL;
}

static const char *why_refused(const struct node_request *r)
{
	return r->refused ? r->refused : "no memory for the words";
}

static void tell_unasked(struct node_requests *w, const struct node_request *r)
{
	if (!clock_due(&w->asked_tell_at, FORBIDDEN_MS))
		return;
	log_warn("cluster %s: what jobs ask for (--k8s-label, "
		 "--k8s-annotation) is not set on pod %s: %s",
		 w->opt.cluster->name, r->pod, why_refused(r));
}

/* A note was taken: if not as a whole, then what was left out last is refused.
 */
static void took_note(struct node_requests *w, const struct node_request *r)
{
	pause_end(&w->notes);
	if (!r->unscaled)
		pause_end(&w->scale);
	if (r->left_out == ASKED)
		tell_unasked(w, r);
	if (r->left_out != SCALE)
		return;
	if (!w->scale.n && clock_due(&w->scale_tell_at, FORBIDDEN_MS))
		log_warn("cluster %s: autoscalers are not told which pods have "
			 "jobs; it is tried again, each 10 minutes at the "
			 "latest: %s",
			 w->opt.cluster->name, why_refused(r));
	pause_begin(&w->scale);
}

static void refused_note(struct node_requests *w, const struct node_request *r,
			 const struct kube_result *res)
{
	/* Where we have the right, admission may have refused this pod only. */
	if (kube_status_no_right(res->err))
		pause_begin(&w->notes);
	if (!clock_due(&w->tell_at, FORBIDDEN_MS))
		return;
	log_warn("cluster %s: jobs are not noted on their pods, nor are these "
		 "protected from eviction: pod %s: %s",
		 w->opt.cluster->name, r->pod, res->err->msg);
}

static void noted(void *arg, const struct kube_result *res)
{
	struct node_request *r = arg;

	if (is_refused(res) && (r->plain || !r->unscaled)) {
		if (!send_less(r, res))
			request_done(r);
		return;
	}
	if (is_refused(res))
		refused_note(r->work, r, res);
	else if (!res->rc)
		took_note(r->work, r);
	else if (res->http != 404 && res->http != 409)
		log_debug("%s", res->err->msg);
	request_done(r);
}

static void told(void *arg, const struct kube_result *res)
{
	struct node_request *r = arg;
	struct node_requests *w = r->work;
	const bool no_right = res->rc && kube_status_no_right(res->err);

	if (no_right && !w->events.n)
		log_info("cluster %s: no Events on pods: %s",
			 w->opt.cluster->name, res->err->msg);
	else if (res->rc)
		log_debug("%s", res->err->msg);
	if (no_right)
		pause_begin(&w->events);
	else if (!res->rc)
		pause_end(&w->events);
	request_done(r);
}

static struct kube_call *send(struct node_request *r,
			      struct kube_client *client)
{
	struct kube_ref ref = {.api = KUBE_CORE_V1,
			       .ns = r->work->opt.cluster->ns,
			       .resource = "pods",
			       .name = r->pod};
	struct kube_reply to = {.arg = r, .deadline_ms = clock_ms() + NOTE_MS};

	switch ((enum what)r->base.kind) {
	case CREATE: /* begin_create() */
		break;
	case DELETE:
		to.on_done = deleted;
		to.deadline_ms = r->since_ms + DELETE_MS;
		return kube_delete(client, &ref, r->uid, -1, &to);
	case NOTE:
		if (!r->unscaled && !is_over(&r->work->scale) && !drop_scale(r))
			return NULL;
		to.on_done = noted;
		return kube_patch(client, &ref, KUBE_PATCH_MERGE,
				  WK_FIELD_MANAGER, r->body, strlen(r->body),
				  &to);
	case LOOK:
		to.on_done = looked;
		to.deadline_ms = r->since_ms + LOOK_MS;
		r->asked_ms = clock_ms();
		return kube_get(client, &ref, &to);
	case EVENT:
		to.on_done = told;
		ref.resource = "events";
		ref.name = NULL;
		return kube_create(client, &ref, r->body, strlen(r->body), &to);
	}
	return NULL;
}

static void begin_create(struct node_request *r, struct kube_client *client)
{
	struct pod_op_options opt = r->op->opt;

	opt.client = client;
	opt.deadline_ms = r->since_ms + CREATE_MS;
	pod_op_prepare(r->op, &opt);
	pod_ensure(r->op);
}

/*
 * Send a request. False: out of memory. (A create that fails at once is done
 * already.)
 */
static bool begin(struct node_request *r, struct kube_client *client)
{
	if (r->base.kind == CREATE) {
		begin_create(r, client);
		return true;
	}
	r->base.call = send(r, client);
	return r->base.call != NULL;
}

/*
 * True if the request is too old: it was asked for by what was known then, a
 * creation, say, for an earlier power-up. The engine decides anew.
 */
static bool is_old(const struct node_request *r)
{
	static const int64_t most[KINDS] = {
		[LOOK] = LOOK_MS, [DELETE] = DELETE_MS, [CREATE] = CREATE_MS};

	return most[r->base.kind] &&
	       clock_ms() - r->since_ms >= most[r->base.kind];
}

void node_requests_begin(struct node_requests *w, struct kube_client *client)
{
	struct node_request *r;

	w->client = client;
	for (;;) {
		pthread_mutex_lock(&w->lock);
		r = requests_next(w->queue);
		pthread_mutex_unlock(&w->lock);
		if (!r)
			return;
		if (is_old(r) || !w->opt.may(w->opt.arg) || !begin(r, client))
			request_done(r);
	}
}

void node_requests_drop(struct node_requests *w, struct kube_client *client)
{
	pthread_mutex_lock(&w->lock);
	requests_drop(w->queue, client);
	pthread_mutex_unlock(&w->lock);
}
