/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kube/watch.h"

#include <errno.h>
#include <string.h>

#include "base/str.h"
#include "kube/status.h"

#define IDLE_EXTRA_MS 15000 /* silence allowed beyond the server's timeout */

struct kube_watch {
	struct kube_client *client;
	struct kube_call *call;
	struct kube_watch_reply to;
	struct frames frames;
	char *version;
	struct err err; /* error of an ERROR event; code 0: none came */
};

static void watch_free(struct kube_watch *w)
{
	frames_free(&w->frames);
	free(w->version);
	free(w);
}

/* Set the version to go on from; NULL leaves it. */
static int set_version(struct kube_watch *w, const char *version)
{
	char *copy;

	if (!version)
		return 0;
	copy = strdup(version);
	if (!copy)
		return -ENOMEM;
	free(w->version);
	w->version = copy;
	return 0;
}

static int on_frame(void *arg, enum kube_event type, json_object *object)
{
	struct kube_watch *w = arg;
	const char *words;
	int http;

	if (type == KUBE_ERROR) {
		http = (int)jx_int(jx_get(object, "code"), 500);
		words = json_object_to_json_string(object);
		return kube_status_err(&w->err, "WATCH", "", http, words,
				       strlen(words));
	}
	if (set_version(w, jx_str(object, "metadata", "resourceVersion")))
		return -ENOMEM;
	w->to.on_event(w->to.arg, type, object);
	return 0;
}

static int on_oversized(void *arg, enum kube_event type,
			const struct object_id *id)
{
	struct kube_watch *w = arg;

	if (set_version(w, *id->version ? id->version : NULL))
		return -ENOMEM;
	if (w->to.on_oversized)
		w->to.on_oversized(w->to.arg, type, id);
	return 0;
}

static int on_data(void *arg, const char *data, size_t len)
{
	struct kube_watch *w = arg;
	const struct frame_handler to = {
		.on_frame = on_frame,
		.on_oversized = on_oversized,
		.arg = w,
		.only = w->to.only,
	};

	return frames_feed(&w->frames, data, len, &to);
}

static void on_open(void *arg)
{
	struct kube_watch *w = arg;

	if (w->to.on_open)
		w->to.on_open(w->to.arg);
}

static void on_done(void *arg, const struct kube_result *res)
{
	struct kube_watch *w = arg;
	int rc = w->err.code ? w->err.code : res->rc;

	w->to.on_end(w->to.arg, rc, w->err.code ? &w->err : res->err);
	watch_free(w);
}

struct kube_watch *kube_watch_start(struct kube_client *c,
				    const struct kube_ref *ref,
				    const struct kube_select *sel,
				    const char *version, unsigned int timeout_s,
				    const struct kube_watch_reply *to)
{
	struct kube_watch *w = calloc(1, sizeof(*w));
	_cleanup_free_ char *labels =
		kube_escape(sel && sel->labels ? sel->labels : "");
	_cleanup_free_ char *fields =
		kube_escape(sel && sel->fields ? sel->fields : "");
	_cleanup_free_ char *rv = kube_escape(version);
	_cleanup_free_ char *query = NULL, *path = NULL;
	struct kube_request r = {
		.method = "GET",
		.on_data = on_data,
		.on_open = on_open,
		.on_done = on_done,
		.arg = w,
		.idle_ms = to->idle_ms
				   ? to->idle_ms
				   : (int64_t)timeout_s * 1000 + IDLE_EXTRA_MS,
	};

	if (!w)
		return NULL;
	*w = (struct kube_watch){
		.client = c,
		.to = *to,
		.frames = FRAMES_INIT,
		.version = strdup(version),
	};
	if (labels && fields && rv)
		query = str_printf(
			"watch=1&allowWatchBookmarks=true&timeoutSeconds=%u&"
			"resourceVersion=%s%s%s%s%s",
			timeout_s, rv, *labels ? "&labelSelector=" : "", labels,
			*fields ? "&fieldSelector=" : "", fields);
	if (query)
		path = kube_path(ref, query);
	r.path = path;
	w->call = path && w->version ? kube_client_start(c, &r) : NULL;
	if (!w->call) {
		watch_free(w);
		return NULL;
	}
	return w;
}

void kube_watch_stop(struct kube_watch *w)
{
	kube_client_cancel(w->client, w->call);
	watch_free(w);
}

const char *kube_watch_version(const struct kube_watch *w)
{
	return w->version;
}
