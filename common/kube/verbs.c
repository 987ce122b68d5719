/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kube/verbs.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "base/buf.h"
#include "base/str.h"

#define PATH_MAX_LEN (64 * 1024)
#define LIST_LIMIT 500
#define LIST_RESTARTS 3

static int add_escaped(struct buf *b, const char *text)
{
	for (; *text; text++) {
		unsigned char ch = (unsigned char)*text;
		int rc = isalnum(ch) || strchr("-._~", ch)
				 ? buf_add(b, text, 1)
				 : buf_addf(b, "%%%02X", ch);

		if (rc)
			return rc;
	}
	return 0;
}

char *kube_escape(const char *text)
{
	struct buf b = BUF_INIT(PATH_MAX_LEN);

	if (buf_add(&b, "", 0) || add_escaped(&b, text))
		buf_free(&b);
	return b.data;
}

static int add_segment(struct buf *b, const char *name)
{
	int rc = buf_add(b, "/", 1);

	return rc ? rc : add_escaped(b, name);
}

char *kube_path(const struct kube_ref *ref, const char *query)
{
	struct buf b = BUF_INIT(PATH_MAX_LEN);
	int bad = buf_addf(&b, "/%s", ref->api);

	if (ref->ns)
		bad |= buf_addf(&b, "/namespaces") | add_segment(&b, ref->ns);
	bad |= add_segment(&b, ref->resource);
	if (ref->name)
		bad |= add_segment(&b, ref->name);
	if (ref->sub)
		bad |= add_segment(&b, ref->sub);
	if (query && *query)
		bad |= buf_addf(&b, "?%s", query);
	if (bad)
		buf_free(&b);
	return b.data;
}

/* Not all servers can: plain JSON will do. */
#define METADATA_ONLY                                                          \
	"application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,"        \
	"application/json"

static struct kube_call *start(struct kube_client *c, const char *method,
			       const struct kube_ref *ref, const char *query,
			       const void *body, size_t len, const char *type,
			       const struct kube_reply *to)
{
	_cleanup_free_ char *path = kube_path(ref, query);
	struct kube_request r = {
		.method = method,
		.path = path,
		.body = body,
		.body_len = len,
		.content_type = type,
		.accept = strcmp(method, "POST") ? NULL : METADATA_ONLY,
		.not_before_ms = to->not_before_ms,
		.deadline_ms = to->deadline_ms,
		.no_retry = to->no_retry,
		.urgent = to->urgent,
		.on_done = to->on_done,
		.arg = to->arg,
	};

	return path ? kube_client_start(c, &r) : NULL;
}

struct kube_call *kube_get(struct kube_client *c, const struct kube_ref *ref,
			   const struct kube_reply *to)
{
	return start(c, "GET", ref, NULL, NULL, 0, NULL, to);
}

struct kube_call *kube_create(struct kube_client *c, const struct kube_ref *ref,
			      const void *body, size_t len,
			      const struct kube_reply *to)
{
	return start(c, "POST", ref, NULL, body, len, NULL, to);
}

struct kube_call *kube_replace(struct kube_client *c,
			       const struct kube_ref *ref, const void *body,
			       size_t len, const struct kube_reply *to)
{
	return start(c, "PUT", ref, NULL, body, len, NULL, to);
}

struct kube_call *kube_delete(struct kube_client *c, const struct kube_ref *ref,
			      const char *uid, int64_t grace_s,
			      const struct kube_reply *to)
{
	_cleanup_json_ json_object *o = json_object_new_object();
	json_object *pre;
	const char *body;
	int bad;

	if (!o)
		return NULL;
	bad = jx_set_str(o, "apiVersion", "v1");
	bad |= jx_set_str(o, "kind", "DeleteOptions");
	if (grace_s >= 0)
		bad |= jx_set(o, "gracePeriodSeconds",
			      json_object_new_int64(grace_s));
	if (uid) {
		pre = jx_need(o, "preconditions", json_type_object);
		bad |= !pre || jx_set_str(pre, "uid", uid);
	}
	if (bad)
		return NULL;
	body = json_object_to_json_string_ext(o, JSON_C_TO_STRING_PLAIN);
	return start(c, "DELETE", ref, NULL, body, strlen(body), NULL, to);
}

struct kube_call *kube_patch(struct kube_client *c, const struct kube_ref *ref,
			     enum kube_patch_type type, const char *manager,
			     bool force, const void *body, size_t len,
			     const struct kube_reply *to)
{
	static const char *const types[] = {
		[KUBE_PATCH_MERGE] = "application/merge-patch+json",
		[KUBE_PATCH_STRATEGIC] =
			"application/strategic-merge-patch+json",
		[KUBE_PATCH_APPLY] = "application/apply-patch+yaml",
	};
	_cleanup_free_ char *who = manager ? kube_escape(manager) : NULL;
	_cleanup_free_ char *query = NULL;

	if (manager && !who)
		return NULL;
	if (who) {
		query = str_printf("fieldManager=%s%s", who,
				   force ? "&force=true" : "");
		if (!query)
			return NULL;
	}
	return start(c, "PATCH", ref, query, body, len, types[type], to);
}

/* --- list in pages */

struct kube_listing {
	struct kube_client *c;
	char *path; /* with its fixed query */
	struct kube_call *call;
	struct kube_list_reply to;
	unsigned int restarts;
};

static void listing_free(struct kube_listing *l)
{
	free(l->path);
	free(l);
}

static void listing_end(struct kube_listing *l, const struct kube_result *res,
			int rc, const char *what, const char *version)
{
	struct kube_result r = *res;
	struct err e;

	if (rc) {
		r.rc = err_set(&e, rc, "GET %s: %s", l->path, what);
		r.err = &e;
	}
	l->to.on_done(l->to.arg, &r, version);
	listing_free(l);
}

static void on_page(void *arg, const struct kube_result *res);

static int next_page(struct kube_listing *l, const char *token)
{
	_cleanup_free_ char *t = token ? kube_escape(token) : NULL;
	_cleanup_free_ char *path =
		t ? str_printf("%s&continue=%s", l->path, t) : NULL;
	struct kube_request r = {
		.method = "GET",
		.path = token ? path : l->path,
		.deadline_ms = l->to.deadline_ms,
		.no_retry = l->to.no_retry,
		.on_done = on_page,
		.arg = l,
	};

	l->call = r.path ? kube_client_start(l->c, &r) : NULL;
	return l->call ? 0 : -ENOMEM;
}

static void on_page(void *arg, const struct kube_result *res)
{
	struct kube_listing *l = arg;
	_cleanup_json_ json_object *o = NULL;
	json_object *items;
	const char *token, *version;
	int rc = res->rc;

	if (res->http == 410 && l->restarts < LIST_RESTARTS) {
		l->restarts++;
		if (l->to.on_restart)
			l->to.on_restart(l->to.arg);
		if (next_page(l, NULL))
			listing_end(l, res, -ENOMEM, "out of memory", NULL);
		return;
	}
	if (rc) {
		listing_end(l, res, 0, NULL, NULL);
		return;
	}
	rc = jx_parse(res->body, res->len, &o, NULL);
	items = jx_get(o, "items");
	version = jx_str(o, "metadata", "resourceVersion");
	if (rc || !version || (items && !jx_is(items, json_type_array))) {
		listing_end(l, res, -EBADMSG, "the answer is not a list", NULL);
		return;
	}
	for (size_t i = 0; items && i < json_object_array_length(items); i++) {
		rc = l->to.on_item(l->to.arg,
				   json_object_array_get_idx(items, i));
		if (rc) {
			listing_end(l, res, rc, strerror(-rc), NULL);
			return;
		}
	}
	token = jx_str(o, "metadata", "continue");
	if (!token || !*token)
		listing_end(l, res, 0, NULL, version);
	else if (next_page(l, token))
		listing_end(l, res, -ENOMEM, "out of memory", NULL);
}

struct kube_listing *kube_list(struct kube_client *c,
			       const struct kube_ref *ref,
			       const struct kube_select *sel,
			       unsigned int limit,
			       const struct kube_list_reply *to)
{
	_cleanup_free_ char *labels = NULL, *fields = NULL, *query = NULL;
	struct kube_listing *l = calloc(1, sizeof(*l));

	labels = kube_escape(sel && sel->labels ? sel->labels : "");
	fields = kube_escape(sel && sel->fields ? sel->fields : "");
	if (l && labels && fields)
		query = str_printf("limit=%u%s%s%s%s",
				   limit ? limit : LIST_LIMIT,
				   *labels ? "&labelSelector=" : "", labels,
				   *fields ? "&fieldSelector=" : "", fields);
	if (query) {
		l->c = c;
		l->to = *to;
		l->path = kube_path(ref, query);
	}
	if (!query || !l->path || next_page(l, NULL)) {
		if (l)
			listing_free(l);
		return NULL;
	}
	return l;
}

void kube_list_cancel(struct kube_listing *l)
{
	kube_client_cancel(l->c, l->call);
	listing_free(l);
}

/* --- waiting */

struct waiting {
	bool done;
	int rc;
	json_object **answer;
	struct err *err;
};

static void on_waited(void *arg, const struct kube_result *res)
{
	struct waiting *w = arg;

	w->done = true;
	w->rc = res->rc;
	if (res->rc && w->err)
		*w->err = *res->err;
	if (!res->rc && w->answer)
		w->rc = jx_parse(res->body, res->len, w->answer, w->err);
}

int kube_wait(struct kube_client *c, kube_start_fn begin, void *arg,
	      int64_t deadline_ms, json_object **answer, struct err *err)
{
	struct waiting w = {.answer = answer, .err = err};
	struct kube_reply to = {
		.on_done = on_waited, .arg = &w, .deadline_ms = deadline_ms};

	if (!begin(c, &to, arg))
		return err_oom(err);
	while (!w.done)
		kube_client_step(c, 1000);
	return w.rc;
}
