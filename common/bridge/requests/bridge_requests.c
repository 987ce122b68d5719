/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bridge/requests/bridge_requests_internal.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/str.h"
#include "bridge/requests/workload_log.h"
#include "kube/verbs.h"
#include "metrics/metrics.h"
#include "objects/pod_event.h"
#include "syntax/wellknown.h"

#define DO_MS 15000
#define MARK_MS 3000 /* as a pod that is to be deleted has CPUs of others */

struct bridge_requests *
bridge_requests_new(const struct bridge_requests_options *opt)
{
	struct bridge_requests *w = calloc(1, sizeof(*w));

	if (!w || !(w->queue = requests_new(&bridge_request_table, w))) {
		free(w);
		return NULL;
	}
	w->opt = *opt;
	pthread_mutex_init(&w->lock, NULL);
	return w;
}

void bridge_requests_free(struct bridge_requests *w)
{
	if (!w)
		return;
	requests_free(w->queue);
	sent_binding_free(&w->sent_bindings);
	workload_logs_free(w->says);
	pthread_mutex_destroy(&w->lock);
	free(w);
}

/* --- asking */

static struct bridge_request *bridge_request_new(enum bridge_request_what what,
						 const struct pod_ref *pod)
{
	const size_t ns = strlen(pod->ns) + 1, name = strlen(pod->name) + 1,
		     uid = strlen(pod->uid) + 1;
	struct bridge_request *d = calloc(1, sizeof(*d) + ns + name + uid);

	if (!d)
		return NULL;
	d->base.kind = what;
	d->ns = memcpy(d->text, pod->ns, ns);
	d->name = memcpy(d->text + ns, pod->name, name);
	d->uid = memcpy(d->text + ns + name, pod->uid, uid);
	return d;
}

void bridge_request_key(enum bridge_request_what what, const char *uid,
			char out[80])
{
	snprintf(out, 80, "%d %s", (int)what, uid);
}

/*
 * Under the lock. A note of the pod that is to be sent, or under way, says that
 * it waits: the binding's mark takes its place, so that this is not the last
 * word.
 */
static void outdate_note(struct bridge_requests *w,
			 const struct bridge_request *bind)
{
	struct bridge_request *note;
	char key[80];
	char *mark;

	bridge_request_key(BRIDGE_REQUEST_NOTE, bind->uid, key);
	note = requests_find(w->queue, key);
	mark = note ? strdup(bind->mark) : NULL;
	if (!mark)
		return;
	bridge_request_renew(note, mark);
}

/* Put a request into the queue; owns `d`. False: it is refused. */
static bool submit(struct bridge_requests *w, struct bridge_request *d)
{
	const bool event = d->base.kind == BRIDGE_REQUEST_EVENT;
	enum request_added added;

	d->work = w;
	bridge_request_key(d->base.kind, d->uid, d->key);
	pthread_mutex_lock(&w->lock);
	added = requests_add(w->queue, &d->base, event ? NULL : d->key, d->ns);
	if (added == REQUEST_ADDED && d->base.kind == BRIDGE_REQUEST_BIND) {
		stall_asked(w);
		outdate_note(w, d);
	}
	pthread_mutex_unlock(&w->lock);
	if (added != REQUEST_REFUSED)
		w->opt.asked(w->opt.arg);
	return added != REQUEST_REFUSED;
}

/* Sends the object as it is; owns d and puts the object, which may be NULL. */
static bool submit_object(struct bridge_requests *w, struct bridge_request *d,
			  json_object *o)
{
	char *text = jx_take_text(o);

	if (d && text) {
		d->body = text;
		return submit(w, d);
	}
	free(text);
	if (d)
		bridge_request_free(&d->base);
	return false;
}

bool bridge_requests_bind(struct bridge_requests *w, const struct pod_ref *pod,
			  const char *node, uint32_t job_id, bool keeps)
{
	const struct pod_patch mark = {.job_id = job_id,
				       .bound = true,
				       .node = node,
				       .group = pod->group,
				       .by = pod->by,
				       .since_ms = clock_real_ms(),
				       .queue = ""};
	struct bridge_request *d = bridge_request_new(BRIDGE_REQUEST_BIND, pod);

	if (d) {
		d->job_id = job_id;
		d->created_ms = pod->created_ms;
		d->node = strdup(node);
		d->mark = jx_take_text(pod_patch_patch(pod->uid, &mark));
	}
	if (d && (!d->node || !d->mark)) {
		bridge_request_free(&d->base);
		return false;
	}
	return submit_object(w, d, pod_patch_binding(pod, node, job_id, keeps));
}

/* A deletion. NULL: no memory. */
static struct bridge_request *deletion(const struct pod_ref *pod,
				       int64_t grace_s, const char *reason,
				       const char *words)
{
	struct bridge_request *d =
		bridge_request_new(BRIDGE_REQUEST_DELETE, pod);

	if (!d)
		return NULL;
	d->grace_s = grace_s;
	d->reason = reason;
	d->words = reason ? strdup(words) : NULL;
	return d;
}

bool bridge_requests_delete(struct bridge_requests *w,
			    const struct pod_ref *pod, int64_t grace_s,
			    const char *reason, const char *words)
{
	struct bridge_request *d = deletion(pod, grace_s, reason, words);

	return d && submit(w, d);
}

/* The patch that says so on the pod. NULL: no memory; it is deleted as it is.
 */
static char *disruption(const struct pod_ref *pod, const char *words)
{
	return jx_take_text(
		pod_patch_disruption(pod->uid, words, clock_real_ms()));
}

bool bridge_requests_disrupt(struct bridge_requests *w,
			     const struct pod_ref *pod, int64_t grace_s,
			     const char *reason, const char *words)
{
	struct bridge_request *d = deletion(pod, grace_s, reason, words);

	if (!d)
		return false;
	d->mark = disruption(pod, words);
	return submit(w, d);
}

bool bridge_requests_end(struct bridge_requests *w, const struct pod_ref *pod,
			 const char *node, const struct pod_deletion *job)
{
	struct bridge_request *d =
		bridge_request_new(BRIDGE_REQUEST_DELETE, pod);

	if (!d)
		return false;
	d->look = true;
	d->grace_s = job->grace_s;
	d->job_id = job->job_id;
	d->node = strdup(node);
	d->reason = "Slurm job ended";
	d->words = strdup(job->words);
	if (job->disrupts)
		d->mark = disruption(pod, job->words);
	if (d->node && d->words)
		return submit(w, d);
	bridge_request_free(&d->base);
	return false;
}

/*
 * Under the lock. (Whoever makes pods whose notes fail hides no failure of a
 * binding.)
 */
static void keep_failure(struct bridge_requests *w,
			 const struct bridge_request_failure *f)
{
	if (f->what == BRIDGE_REQUEST_NOTE &&
	    w->n_failures - w->n_taken >= NOTE_FAILURES_MAX)
		return;
	w->failures[w->n_failures++ % FAILURES_MAX] = *f;
	if (w->n_failures - w->n_taken > FAILURES_MAX) /* the oldest goes */
		w->n_taken++;
}

/* Keep a failure as if the API server had refused the note once more. */
static void note_is_forbidden(struct bridge_requests *w,
			      const struct pod_ref *pod)
{
	struct bridge_request_failure f = {.what = BRIDGE_REQUEST_NOTE,
					   .http = 403,
					   .look = POD_READ_GONE,
					   .words = "notes are forbidden"};

	str_copy(f.uid, pod->uid, sizeof(f.uid));
	pthread_mutex_lock(&w->lock);
	keep_failure(w, &f);
	pthread_mutex_unlock(&w->lock);
	w->opt.failed(w->opt.told);
}

bool bridge_requests_note(struct bridge_requests *w, const struct pod_ref *pod,
			  const struct pod_patch *note)
{
	if (!request_is_forbidden(w, BRIDGE_REQUEST_NOTE, pod->ns))
		return submit_object(
			w, bridge_request_new(BRIDGE_REQUEST_NOTE, pod),
			pod_patch_patch(pod->uid, note));
	note_is_forbidden(w, pod);
	return true;
}

void bridge_requests_event(struct bridge_requests *w, const struct pod_ref *pod,
			   bool warning, const char *reason,
			   const char *message)
{
	const struct pod_event event = {.ns = pod->ns,
					.pod = pod->name,
					.uid = pod->uid,
					.warning = warning,
					.reason = reason,
					.message = message,
					.at_ms = clock_real_ms()};

	if (!request_is_forbidden(w, BRIDGE_REQUEST_EVENT, pod->ns))
		submit_object(w, bridge_request_new(BRIDGE_REQUEST_EVENT, pod),
			      pod_event_make(&event));
}

bool bridge_requests_group(struct bridge_requests *w,
			   const struct pod_ref *group, const char *version,
			   json_object *patch)
{
	struct bridge_request *d;

	if (request_is_forbidden(w, BRIDGE_REQUEST_GROUP, group->ns)) {
		json_object_put(patch);
		return true;
	}
	d = bridge_request_new(BRIDGE_REQUEST_GROUP, group);
	if (d)
		d->api = str_printf("apis/scheduling.k8s.io/%s", version);
	if (!d || d->api)
		return submit_object(w, d, patch);
	bridge_request_free(&d->base);
	json_object_put(patch);
	return false;
}

/*
 * Under the lock. True: the binding is taken back now. It cannot be while its
 * mark is written: then it is when that has been answered.
 */
static bool is_recalled(struct request *base, uint32_t job_id)
{
	struct bridge_request *d = (struct bridge_request *)base;

	if (d->base.begun && d->mark && !d->look)
		d->recalled |= d->job_id == job_id;
	return !d->base.begun && d->job_id == job_id;
}

void bridge_requests_unbind(struct bridge_requests *w, uint32_t job_id)
{
	pthread_mutex_lock(&w->lock);
	stall_gone(w, requests_withdraw(w->queue, BRIDGE_REQUEST_BIND,
					is_recalled, job_id));
	pthread_mutex_unlock(&w->lock);
}

bool bridge_requests_has(struct bridge_requests *w,
			 enum bridge_request_what what, const char *uid)
{
	char key[80];
	bool has;

	bridge_request_key(what, uid, key);
	pthread_mutex_lock(&w->lock);
	has = requests_find(w->queue, key) != NULL;
	pthread_mutex_unlock(&w->lock);
	return has;
}

/* --- doing */

struct bridge_request_failure
bridge_request_failure_of(const struct bridge_request *d, int http,
			  enum pod_read look, const char *words)
{
	struct bridge_request_failure f = {.what = d->base.kind,
					   .job_id = d->job_id,
					   .http = http,
					   .look = look};

	str_copy(f.uid, d->uid, sizeof(f.uid));
	str_shorten(f.words, words, sizeof(f.words));
	return f;
}

bool bridge_requests_take(struct bridge_requests *w,
			  struct bridge_request_failure *out)
{
	bool any;

	pthread_mutex_lock(&w->lock);
	any = w->n_taken < w->n_failures;
	if (any)
		*out = w->failures[w->n_taken++ % FAILURES_MAX];
	pthread_mutex_unlock(&w->lock);
	return any;
}

/* Under the lock. True: there is a newer note, which is sent next. */
static bool again(struct bridge_requests *w, struct bridge_request *d)
{
	if (!d->newer)
		return false;
	free(d->body);
	d->body = steal_ptr(d->newer);
	requests_again(w->queue, &d->base, false);
	return true;
}

/* Have an Event say that the pod is on its way to its node. */
static void tell_bound(const struct bridge_request *d)
{
	struct bridge_requests *w = d->work;
	const struct pod_ref ref = {d->ns, d->name, d->uid};
	char words[512];

	snprintf(words, sizeof(words), "Slurm job %u: assigned to %.400s",
		 (unsigned)d->job_id, d->node);
	bridge_requests_event(w, &ref, false, "Scheduled", words);
}

/* Under the lock. End a request, and free it. */
static void forget(struct bridge_requests *w, struct bridge_request *d)
{
	const bool bind = d->base.kind == BRIDGE_REQUEST_BIND;

	requests_end(w->queue, &d->base);
	stall_gone(w, bind);
}

/*
 * After 409 an earlier try may have bound the pod, though its answer was lost.
 */
static enum sent_answer answer_of(const struct kube_result *res)
{
	if (!res->rc)
		return SENT_DONE;
	return res->undecided || res->http == 409 ? SENT_UNCLEAR : SENT_REFUSED;
}

/*
 * The pod is marked: delete it, or bind it, unless its job has ended meanwhile.
 * (The request is among those that are marked until it is among those that are
 * not begun: whoever takes back what there is of a job finds it in one of
 * both.)
 */
static void go_on(struct bridge_requests *w, struct bridge_request *d)
{
	log_debug("pod %s/%s: marked", d->ns, d->name);
	pthread_mutex_lock(&w->lock);
	free(d->mark);
	d->mark = NULL;
	if (d->recalled)
		forget(w, d);
	else
		requests_again(w->queue, &d->base, true);
	pthread_mutex_unlock(&w->lock);
}

/* Count how long a pod has waited that has its node now by its job. */
static void count_bound(const struct bridge_request *d)
{
	if (d->created_ms > 0)
		metrics_time(METRIC_BRIDGE_BIND, 0,
			     clock_real_ms() - d->created_ms);
}

void bridge_request_end(struct bridge_request *d, enum sent_answer answer,
			const struct bridge_request_failure *failure)
{
	struct bridge_requests *w = d->work;
	const bool bind = d->base.kind == BRIDGE_REQUEST_BIND && !d->mark;

	if (bind && answer == SENT_DONE && !failure)
		count_bound(d);
	pthread_mutex_lock(&w->lock);
	if (bind)
		sent_binding_answered(&w->sent_bindings, d->uid, answer,
				      w->opt.stale_after_ms);
	if (failure)
		keep_failure(w, failure);
	if (!again(w, d))
		forget(w, d);
	pthread_mutex_unlock(&w->lock);
	if (failure)
		w->opt.failed(w->opt.told);
}

static void done(void *arg, const struct kube_result *res)
{
	struct bridge_request *d = arg;
	const bool tells = res->rc && !bridge_request_is_past(res) &&
			   d->base.kind <= BRIDGE_REQUEST_NOTE;
	struct bridge_request_failure failure;

	/* A mark that was written is no answer to the binding. */
	if (d->base.kind == BRIDGE_REQUEST_BIND && res->http &&
	    (!d->mark || res->rc))
		stall_answered(d->work);
	if (d->look) {
		bridge_request_looked(d, res);
		return;
	}
	if (d->mark && (!res->rc || d->base.kind == BRIDGE_REQUEST_DELETE)) {
		if (res->rc)
			log_debug("pod %s/%s: no DisruptionTarget: %s", d->ns,
				  d->name, res->err ? res->err->msg : "");
		go_on(d->work, d);
		return;
	}
	if (d->base.kind == BRIDGE_REQUEST_BIND && res->http == 409 &&
	    bridge_request_look(d))
		return;
	bridge_request_tell(d, res);
	if (d->base.kind == BRIDGE_REQUEST_BIND && !res->rc)
		tell_bound(d);
	if (d->base.kind == BRIDGE_REQUEST_DELETE && !res->rc)
		bridge_request_tell_ended(d);
	if (tells)
		failure = bridge_request_failure_of(d, res->http, POD_READ_GONE,
						    res->err ? res->err->msg
							     : "");
	bridge_request_end(d, answer_of(res), tells ? &failure : NULL);
}

/* A binding is not tried beyond the time that the view is good for. */
static int64_t deadline_of(const struct bridge_request *d)
{
	const bool marks = d->base.kind == BRIDGE_REQUEST_DELETE && d->mark;
	const int64_t at = clock_ms() + (marks && !d->look ? MARK_MS : DO_MS),
		      until = d->work->bind_until;

	return d->base.kind == BRIDGE_REQUEST_BIND && !d->look && until &&
			       until < at
		       ? until
		       : at;
}

static struct kube_call *patch_status(struct kube_client *client,
				      struct kube_ref *ref, const char *body,
				      const struct kube_reply *to)
{
	ref->sub = "status";
	return kube_patch(client, ref, KUBE_PATCH_STRATEGIC, WK_FIELD_MANAGER,
			  body, strlen(body), to);
}

/*
 * A 5xx ends a deletion, for a webhook of one namespace that fails answers so:
 * delete_failed() has it asked for again later, and meanwhile it has no slot.
 */
static struct kube_call *send(struct bridge_request *d,
			      struct kube_client *client)
{
	struct kube_ref ref = {.api = KUBE_CORE_V1,
			       .ns = d->ns,
			       .resource = "pods",
			       .name = d->name};
	const struct kube_reply to = {
		.on_done = done,
		.arg = d,
		.deadline_ms = deadline_of(d),
		.conflict_is_final = d->base.kind == BRIDGE_REQUEST_BIND,
		.failure_is_final = d->base.kind == BRIDGE_REQUEST_DELETE &&
				    !d->look && !d->mark};

	if (d->look)
		return kube_get(client, &ref, &to);
	switch ((enum bridge_request_what)d->base.kind) {
	case BRIDGE_REQUEST_DELETE:
		if (d->mark)
			return patch_status(client, &ref, d->mark, &to);
		return kube_delete(client, &ref, d->uid,
				   d->grace_s > 0 ? d->grace_s : 1, &to);
	case BRIDGE_REQUEST_BIND:
		if (d->mark)
			return patch_status(client, &ref, d->mark, &to);
		ref.sub = "binding";
		return kube_create(client, &ref, d->body, strlen(d->body), &to);
	case BRIDGE_REQUEST_GROUP:
		ref.api = d->api;
		ref.resource = "podgroups";
		return patch_status(client, &ref, d->body, &to);
	case BRIDGE_REQUEST_NOTE:
		return patch_status(client, &ref, d->body, &to);
	case BRIDGE_REQUEST_EVENT:
		ref.resource = "events";
		ref.name = NULL;
		return kube_create(client, &ref, d->body, strlen(d->body), &to);
	}
	return NULL;
}

bool bridge_request_send(struct bridge_request *d, struct kube_client *client)
{
	d->base.call = send(d, client);
	return d->base.call != NULL;
}

bool bridge_requests_may_bind(const struct bridge_requests *w)
{
	return !w->bind_until || clock_ms() < w->bind_until;
}

void bridge_requests_bind_until(struct bridge_requests *w, int64_t until)
{
	w->bind_until = until;
}

void bridge_requests_begin(struct bridge_requests *w,
			   struct kube_client *client)
{
	struct bridge_request *d;
	bool begun;

	w->client = client;
	log_workload_rest(&w->says);
	stall_look(w, client);
	while (w->opt.may(w->opt.arg)) {
		pthread_mutex_lock(&w->lock);
		d = requests_next(w->queue);
		/* The call is what tells that it has begun. */
		begun = d && bridge_request_send(d, client);
		if (d && !begun) { /* no memory: later */
			requests_again(w->queue, &d->base, false);
		} else if (d && !d->mark &&
			   d->base.kind == BRIDGE_REQUEST_BIND) {
			in_flight_note(w, d->uid, d->node, d->job_id);
		}
		pthread_mutex_unlock(&w->lock);
		if (!begun)
			return;
	}
}

void bridge_requests_drop(struct bridge_requests *w, struct kube_client *client)
{
	size_t n;

	pthread_mutex_lock(&w->lock);
	n = requests_count(w->queue, BRIDGE_REQUEST_BIND);
	requests_drop(w->queue, client);
	stall_gone(w, n);
	pthread_mutex_unlock(&w->lock);
}
