/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kube/verbs.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/str.h"
#include "kube/page.h"
#include "kube/page_stream.h"

#define PATH_MAX_LEN (64 * 1024)
#define LIST_LIMIT 500
#define LIST_RESTARTS 3
#define SHRINK 8 /* a page that is too long is divided by this */
/*
 * The number of pages after which they may have twice as many items. By then
 * twice as many items have come as were in the page that was too long: no more
 * than about a quarter of what is fetched is fetched for nothing.
 */
#define GROW_AFTER (2 * SHRINK)
/* Objects and lists in a page: to read so many takes about a second. */
#define PAGE_PARTS_MAX 1000000
#define PIECE_IDLE_MS 30000 /* silence within a page that comes in pieces */

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

/* A server that cannot send metadata alone sends plain JSON. */
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
		.conflict_is_final = to->conflict_is_final,
		.failure_is_final = to->failure_is_final,
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
			     const void *body, size_t len,
			     const struct kube_reply *to)
{
	static const char *const types[] = {
		[KUBE_PATCH_MERGE] = "application/merge-patch+json",
		[KUBE_PATCH_STRATEGIC] =
			"application/strategic-merge-patch+json",
	};
	_cleanup_free_ char *who = manager ? kube_escape(manager) : NULL;
	_cleanup_free_ char *query = NULL;

	if (manager && !who)
		return NULL;
	if (who) {
		query = str_printf("fieldManager=%s", who);
		if (!query)
			return NULL;
	}
	return start(c, "PATCH", ref, query, body, len, types[type], to);
}

/* --- list in pages */

struct kube_listing {
	struct kube_client *c;
	/* `select`: "&labelSelector=..." and so on, or "" */
	char *path, *select;
	char *token; /* "continue" token; NULL: the first page */
	struct kube_call *call;
	struct kube_list_reply to;
	unsigned int limit, most; /* items a page: now; as the caller wants */
	unsigned int small; /* pages to come before they may have more items */
	unsigned int restarts, pages;
	/*
	 * reader of a page that comes in pieces; NULL: the page is held whole
	 */
	struct page_stream *stream;
	/* clock_ms() deadline of the page; 0: none */
	int64_t page_end_ms;
};

static void stream_free(struct kube_listing *l)
{
	if (l->stream)
		page_stream_clear(l->stream);
	free(l->stream);
	l->stream = NULL;
}

static void listing_free(struct kube_listing *l)
{
	free(l->path);
	free(l->select);
	free(l->token);
	stream_free(l);
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

static int64_t whole_end(const struct kube_listing *l)
{
	return l->to.deadline_ms ? l->to.deadline_ms : INT64_MAX;
}

static int64_t page_deadline(const struct kube_listing *l)
{
	const int64_t whole = l->to.deadline_ms;
	const int64_t page = clock_ms() + l->to.page_ms;

	if (!l->to.page_ms)
		return whole;
	return whole && whole < page ? whole : page;
}

/* Why the listing must not have another page; NULL: it may have one. */
static const char *no_more_pages(struct kube_listing *l)
{
	const unsigned int most = l->to.pages ? l->to.pages : LIST_PAGES_MAX;

	if (++l->pages >= most)
		return "the list has too many pages";
	if (l->to.deadline_ms && clock_ms() >= l->to.deadline_ms)
		return "the list did not end in time";
	return NULL;
}

static int item_oversized(void *arg, const struct object_id *id)
{
	struct kube_listing *l = arg;

	if (l->to.on_oversized)
		l->to.on_oversized(l->to.arg, id);
	return 0;
}

static int item(void *arg, json_object *object)
{
	struct kube_listing *l = arg;

	return l->to.on_item(l->to.arg, object);
}

static int on_piece(void *arg, const char *data, size_t len)
{
	struct kube_listing *l = arg;
	const struct page_handler to = {item, item_oversized, l, l->to.only};

	/* The client sets no deadline on an answer that comes in pieces. */
	if (l->page_end_ms && clock_ms() >= l->page_end_ms)
		return -ETIMEDOUT;
	return page_stream_feed(l->stream, data, len, &to);
}

/* Ask for the page that begins at l->token. */
static int ask_for_page(struct kube_listing *l)
{
	_cleanup_free_ char *token = l->token ? kube_escape(l->token) : NULL;
	_cleanup_free_ char *path =
		str_printf("%s?limit=%u%s%s%s", l->path, l->limit, l->select,
			   token ? "&continue=" : "", token ? token : "");
	struct kube_request r = {
		.method = "GET",
		.path = path,
		.deadline_ms = page_deadline(l),
		/*
		 * The first page's error ends a listing; a later page is tried
		 * again, rather than all pages before it.
		 */
		.no_retry = l->to.no_retry && !token,
		.page = true,
		.on_data = l->stream ? on_piece : NULL,
		.idle_ms = PIECE_IDLE_MS,
		.on_done = on_page,
		.arg = l,
	};

	l->page_end_ms = r.deadline_ms;
	l->call = path && (token || !l->token) ? kube_client_start(l->c, &r)
					       : NULL;
	return l->call ? 0 : -ENOMEM;
}

/* Ask for the page that begins at `token`; NULL: the first one. */
static int next_page(struct kube_listing *l, const char *token)
{
	stream_free(l);
	free(l->token);
	l->token = token ? strdup(token) : NULL;
	return token && !l->token ? -ENOMEM : ask_for_page(l);
}

/*
 * True if a page is too long: for memory; for its time, where some of it has
 * come, so that the server lives; or for the time of this thread, which may
 * have a lease to renew between two pages.
 */
static bool is_too_long(const struct kube_listing *l,
			const struct kube_result *res)
{
	if (l->stream)
		return false;
	if (!res->rc && l->limit > 1)
		return jx_parts(res->body, res->len) > PAGE_PARTS_MAX;
	return res->rc == -EMSGSIZE ||
	       (res->rc == -ETIMEDOUT && res->len > 0 && l->limit > 1 &&
		clock_ms() < whole_end(l));
}

/*
 * Ask for a smaller page in place of one that is too long. The API reference
 * wants the same query with a token, but says of "limit" only that a server may
 * give fewer; a server that minds says 410 or 400.
 */
static int smaller_page(struct kube_listing *l)
{
	l->small = GROW_AFTER;
	if (l->limit == 1) { /* even one item is too long: read it in pieces */
		l->stream = malloc(sizeof(*l->stream));
		if (!l->stream)
			return -ENOMEM;
		page_stream_init(l->stream);
		return ask_for_page(l);
	}
	l->limit = l->limit > SHRINK ? l->limit / SHRINK : 1;
	return ask_for_page(l);
}

/*
 * Read a page that is held whole; the items of a stream were handed on before.
 * *meta is the page's metadata.
 */
static int read_page(struct kube_listing *l, const struct kube_result *res,
		     json_object **meta)
{
	_cleanup_json_ json_object *again = NULL;
	const struct page_handler to = {item, item_oversized, l, l->to.only};
	int rc;

	if (l->stream)
		rc = page_stream_end(l->stream, meta);
	else /* no item is handed on before all is a list */
		rc = page_read(res->body, res->len, meta, NULL);
	if (!rc && !jx_str(*meta, "resourceVersion"))
		rc = -EBADMSG;
	return rc || l->stream ? rc
			       : page_read(res->body, res->len, &again, &to);
}

static void on_page(void *arg, const struct kube_result *res)
{
	struct kube_listing *l = arg;
	_cleanup_json_ json_object *meta = NULL;
	const char *token, *no_more;
	int rc = res->rc;

	if (res->http == 410 && l->restarts < LIST_RESTARTS) {
		l->restarts++;
		if (l->to.on_restart)
			l->to.on_restart(l->to.arg);
		if (next_page(l, NULL))
			listing_end(l, res, -ENOMEM, "out of memory", NULL);
		return;
	}
	if (is_too_long(l, res)) {
		if (smaller_page(l))
			listing_end(l, res, -ENOMEM, "out of memory", NULL);
		return;
	}
	if (rc) {
		listing_end(l, res, 0, NULL, NULL);
		return;
	}
	rc = read_page(l, res, &meta);
	if (rc) {
		listing_end(l, res, rc,
			    rc == -EBADMSG ? "the answer is not a list"
					   : strerror(-rc),
			    NULL);
		return;
	}
	token = jx_str(meta, "continue");
	if (l->small)
		l->small--;
	else
		l->limit = l->limit < l->most / 2 ? l->limit * 2 : l->most;
	no_more = token && *token ? no_more_pages(l) : NULL;
	if (!token || !*token)
		listing_end(l, res, 0, NULL, jx_str(meta, "resourceVersion"));
	else if (no_more)
		listing_end(l, res, -ETIMEDOUT, no_more, NULL);
	else if (next_page(l, token))
		listing_end(l, res, -ENOMEM, "out of memory", NULL);
}

struct kube_listing *kube_list(struct kube_client *c,
			       const struct kube_ref *ref,
			       const struct kube_select *sel,
			       unsigned int limit,
			       const struct kube_list_reply *to)
{
	_cleanup_free_ char *labels =
		kube_escape(sel && sel->labels ? sel->labels : "");
	_cleanup_free_ char *fields =
		kube_escape(sel && sel->fields ? sel->fields : "");
	struct kube_listing *l = calloc(1, sizeof(*l));

	if (!l)
		return NULL;
	l->c = c;
	l->to = *to;
	l->limit = l->most = limit ? limit : LIST_LIMIT;
	l->path = kube_path(ref, NULL);
	if (labels && fields)
		l->select = str_printf(
			"%s%s%s%s", *labels ? "&labelSelector=" : "", labels,
			*fields ? "&fieldSelector=" : "", fields);
	if (!l->path || !l->select || next_page(l, NULL)) {
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
