/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is done to a pod only after it was read by itself: a binding that was
 * answered with 409, and the end of a pod whose view is old.
 *
 * 409 is an answer, not a reason to try again: the pod is bound already, is
 * being deleted, is another one of its name, has schedulingGates, or was
 * written at the same time (kubernetes, pkg/registry/core/pod/storage,
 * assignPod and setPodNodeAndMetadata).
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/str.h"
#include "bridge/requests/bridge_requests_internal.h"
#include "kube/object.h"
#include "objects/partial_pod.h"

/* Send its next request in the place of the last one. False: no memory. */
static bool go_on(struct bridge_request *d, bool look)
{
	struct bridge_requests *w = d->work;
	bool begun;

	pthread_mutex_lock(&w->lock);
	d->look = look;
	begun = bridge_request_send(d, w->client);
	d->look &= begun;
	pthread_mutex_unlock(&w->lock);
	return begun;
}

bool bridge_request_look(struct bridge_request *d)
{
	return d->work->opt.may(d->work->opt.arg) && go_on(d, true);
}

void bridge_request_tell_ended(const struct bridge_request *d)
{
	const struct pod_ref ref = {d->ns, d->name, d->uid};

	if (!d->words)
		return;
	if (d->node) /* deleted after a look, not as one of many */
		log_info("bridge: pod %s/%s deleted: %s", d->ns, d->name,
			 d->words);
	bridge_requests_event(d->work, &ref, true, d->reason, d->words);
}

static void bound_elsewhere(struct bridge_request *d, const json_object *pod,
			    enum pod_read look)
{
	const char *node = jx_str(pod, "spec", "nodeName");
	struct bridge_request_failure f =
		bridge_request_failure_of(d, 409, look, "");

	snprintf(f.words, sizeof(f.words), "%.100s: %.120s", d->name,
		 node ? node : "");
	str_sanitize(f.words);
	bridge_request_end(
		d, look == POD_READ_EARLIER ? SENT_DONE : SENT_REFUSED, &f);
}

/*
 * The pod has been bound since an earlier binding. Until that is in view nobody
 * else gets its node, which may be none of its job's.
 */
static void bound_before(struct bridge_request *d, const json_object *pod)
{
	struct bridge_requests *w = d->work;

	pthread_mutex_lock(&w->lock);
	in_flight_note(w, d->uid, jx_str(pod, "spec", "nodeName"), 0);
	pthread_mutex_unlock(&w->lock);
	bound_elsewhere(d, pod, POD_READ_EARLIER);
}

static void try_again(struct bridge_request *d, const char *words)
{
	const struct bridge_request_failure f =
		bridge_request_failure_of(d, 409, POD_READ_FREE, words);

	bridge_request_end(d, SENT_UNCLEAR, &f);
}

static void looked_to_bind(struct bridge_request *d, enum pod_read look,
			   const json_object *pod)
{
	switch (look) {
	case POD_READ_BOUND:
		log_debug("pod %s/%s: bound already", d->ns, d->name);
		bridge_request_end(d, SENT_DONE, NULL);
		return;
	case POD_READ_EARLIER:
		bound_before(d, pod);
		return;
	case POD_READ_OTHERS:
		bound_elsewhere(d, pod, look);
		return;
	case POD_READ_FREE:
		try_again(d, "it is not bound, and could not be");
		return;
	case POD_READ_GONE:
	case POD_READ_ENDING:
		break;
	}
	log_debug("pod %s/%s: gone, or going", d->ns, d->name);
	bridge_request_end(d, SENT_REFUSED, NULL);
}

static void looked_to_delete(struct bridge_request *d, enum pod_read look)
{
	struct bridge_requests *w = d->work;

	if (look == POD_READ_BOUND && w->opt.may(w->opt.arg) && go_on(d, false))
		return;
	log_debug("pod %s/%s stays as it is: %d", d->ns, d->name, (int)look);
	bridge_request_end(d, SENT_REFUSED, NULL);
}

/*
 * The pod that was answered, or NULL. If its author has made it more than is
 * read of one, a part will do: it must not be bound for ever, nor run on.
 */
static json_object *pod_of(const struct kube_result *res)
{
	json_object *pod = NULL;
	struct skim which;

	if (res->rc)
		return NULL;
	skim_object(&which);
	if (object_parse(&which, res->body, res->len, NULL, &pod) == -EBADMSG &&
	    which.id.text)
		partial_pod_read(which.id.text, which.id.text_len, &pod, NULL);
	return pod;
}

void bridge_request_looked(struct bridge_request *d,
			   const struct kube_result *res)
{
	_cleanup_json_ json_object *pod = pod_of(res);
	enum pod_read look;

	if (!pod && res->http != 404) {
		bridge_request_tell_unread(d, res);
		if (d->base.kind == BRIDGE_REQUEST_BIND)
			try_again(d, "what became of it is not known");
		else
			bridge_request_end(d, SENT_REFUSED, NULL);
		return;
	}
	look = pod_read_of(pod, d->uid, d->node, d->job_id);
	if (d->base.kind == BRIDGE_REQUEST_BIND)
		looked_to_bind(d, look, pod);
	else
		looked_to_delete(d, look);
}
