/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "api_server.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/str.h"
#include "progress.h"
#include "syntax/wellknown.h"
#include "json/json_only.h"

#define PAGE 1000      /* rows of a page */
#define PAGES_MAX 5000 /* for a server that always has a next page */
#define PARTS_MAX (100 * PAGE)
#define QUERY_MAX 65536
#define TABLE "application/json;as=Table;v=v1;g=meta.k8s.io"

int api_open(struct api_server *s, const struct cluster_config *k,
	     struct err *err)
{
	const struct kube_client_options opt = {.user_agent = WK_USER_AGENT,
						.attempt_ms = API_WAIT_MS,
						.compressed = true};
	int rc;

	*s = (struct api_server){.k = k};
	progress_says("waiting for Kubernetes cluster %s", k->name);
	rc = k->in_cluster ? kube_config_in_cluster(NULL, &s->config, err)
			   : kube_config_load(k->kubeconfig, k->context,
					      &s->config, err);
	return rc ? rc : kube_client_new(s->config, &opt, &s->client, err);
}

void api_close(struct api_server *s)
{
	kube_client_free(s->client);
	kube_config_free(s->config);
	*s = (struct api_server){0};
}

static void on_answer(void *arg, const struct kube_result *res)
{
	struct api_answer *a = arg;

	a->http = res->http;
	a->peer = res->peer;
	a->undecided = res->rc && res->undecided;
	if (res->rc)
		err_set(&a->err, res->rc, "%s", res->err->msg);
	else if (res->body)
		a->body = strndup(res->body, res->len);
	if (!res->rc && !a->body)
		err_oom(&a->err);
}

struct kube_request api_request(const char *method, const char *path,
				struct api_answer *a)
{
	return (struct kube_request){.method = method,
				     .path = path,
				     .deadline_ms = clock_ms() + API_WAIT_MS,
				     .conflict_is_final = true,
				     .on_done = on_answer,
				     .arg = a};
}

void api_wait(struct api_server *s)
{
	while (kube_client_step(s->client, 200))
		progress_step();
}

void api_ask(struct api_server *s, const struct kube_request *req,
	     struct api_answer *a)
{
	int64_t start = clock_ms();

	if (!kube_client_start(s->client, req))
		err_oom(&a->err);
	api_wait(s);
	s->http = a->http;
	a->took_ms = clock_ms() - start;
}

/* GET `path`; the caller frees *body. */
static int get_path(struct api_server *s, const char *path, const char *accept,
		    char **body, struct err *err)
{
	struct api_answer a = {0};
	struct kube_request req = api_request("GET", path, &a);

	req.accept = accept;
	req.page = accept != NULL;
	api_ask(s, &req, &a);
	*body = a.body;
	if (!a.err.code)
		return 0;
	return err_set(err, a.http == 404 ? -ENOENT : a.err.code, "%s",
		       a.err.msg);
}

int api_get(struct api_server *s, const struct kube_ref *ref, json_object **out,
	    struct err *err)
{
	_cleanup_free_ char *path = kube_path(ref, NULL), *body = NULL;
	int rc = path ? get_path(s, path, NULL, &body, err) : err_oom(err);

	*out = NULL;
	return rc ? rc : jx_parse(body, strlen(body), out, err);
}

/* --- tables */

/* Members of an object's metadata that are read: all of it can be large. */
static const struct jx_only labels[] = {
	{WK_LABEL_CLUSTER}, {WK_LABEL_NODE},  {WK_LABEL_NODESET},
	{WK_LABEL_HASH},    {WK_LABEL_BUSY},  {WK_LABEL_APP_MANAGED_BY},
	{WK_BRIDGE_JOB_ID}, {WK_LABEL_PROBE}, {NULL}};
static const struct jx_only notes[] = {{WK_BRIDGE_NOTE},
				       {WK_ANNOTATION_FEATURES},
				       {WK_NOTE_JOBS},
				       {WK_ANNOTATION_PROBE_SECONDS},
				       {NULL}};
static const struct jx_only metadata[] = {{"name"},
					  {"namespace"},
					  {"uid"},
					  {"creationTimestamp"},
					  {"deletionTimestamp"},
					  {"labels", labels},
					  {"annotations", notes},
					  {NULL}};
static const struct jx_only object[] = {{"metadata", metadata}, {NULL}};
static const struct jx_only row[] = {{"cells"}, {"object", object}, {NULL}};
static const struct jx_only column[] = {{"name"}, {NULL}};
static const struct jx_only table_page[] = {{"kind"},
					    {"metadata"},
					    {"columnDefinitions", column},
					    {"rows", row},
					    {NULL}};

/* Where the wanted columns are; -1: the server has none of that name. */
static void find_columns(const json_object *page, const struct api_table *t,
			 int at[API_COLUMNS_MAX])
{
	const json_object *have = jx_get(page, "columnDefinitions");
	size_t n = jx_is(have, json_type_array) ? json_object_array_length(have)
						: 0;

	for (size_t c = 0; t->columns[c]; c++) {
		at[c] = -1;
		for (size_t i = 0; i < n; i++)
			if (str_eq(jx_str(json_object_array_get_idx(have, i),
					  "name"),
				   t->columns[c]))
				at[c] = (int)i;
	}
}

static int one_row(const json_object *r, const struct api_table *t,
		   const int at[API_COLUMNS_MAX])
{
	const char *texts[API_COLUMNS_MAX] = {0};
	const json_object *cells = jx_get(r, "cells");
	size_t n = jx_is(cells, json_type_array)
			   ? json_object_array_length(cells)
			   : 0;

	for (size_t c = 0; t->columns[c]; c++) {
		json_object *cell = at[c] >= 0 && (size_t)at[c] < n
					    ? json_object_array_get_idx(
						      cells, (size_t)at[c])
					    : NULL;

		texts[c] = cell ? json_object_get_string(cell) : "";
	}
	return t->on_row(t->arg, texts, jx_get(r, "object", "metadata"));
}

static int all_rows(const json_object *page, const struct api_table *t,
		    struct err *err)
{
	const json_object *rows = jx_get(page, "rows");
	int at[API_COLUMNS_MAX];
	int rc = 0;

	if (!str_eq(jx_str(page, "kind"), "Table"))
		return err_set(err, -EBADMSG, "the server gave no table of %s",
			       t->ref.resource);
	if (!jx_is(rows, json_type_array)) /* null: there are none */
		return 0;
	find_columns(page, t, at);
	for (size_t i = 0; !rc && i < json_object_array_length(rows); i++)
		rc = one_row(json_object_array_get_idx(rows, i), t, at);
	return rc;
}

static int add_selector(struct buf *query, const char *key, const char *value)
{
	_cleanup_free_ char *text = value ? kube_escape(value) : NULL;

	if (!value)
		return 0;
	return text ? buf_addf(query, "&%s=%s", key, text) : -ENOMEM;
}

/* The path of a page; NULL: out of memory. The caller frees. */
static char *page_path(const struct api_table *t, unsigned int limit,
		       const char *next)
{
	_cleanup_buf_ struct buf query = BUF_INIT(QUERY_MAX);

	if (buf_addf(&query, "limit=%u&includeObject=%s", limit,
		     t->metadata ? "Metadata" : "None") ||
	    add_selector(&query, "labelSelector", t->labels) ||
	    add_selector(&query, "fieldSelector", t->fields) ||
	    add_selector(&query, "continue", next))
		return NULL;
	return kube_path(&t->ref, buf_str(&query));
}

/* One page; the caller puts *page. */
static int one_page(struct api_server *s, const struct api_table *table,
		    unsigned int limit, const char *next, json_object **page,
		    struct err *err)
{
	_cleanup_free_ char *path = page_path(table, limit, next);
	_cleanup_free_ char *body = NULL;
	int rc = path ? get_path(s, path, TABLE, &body, err) : err_oom(err);

	return rc ? rc
		  : jx_parse_only(body, strlen(body), table_page, PARTS_MAX,
				  page, err);
}

/* True if the answer was too large: one with fewer objects may not be. */
static bool is_too_long(int rc)
{
	return rc == -EMSGSIZE || rc == -EBADMSG;
}

int api_list(struct api_server *s, const struct api_table *table,
	     struct err *err)
{
	_cleanup_free_ char *next = NULL;
	unsigned int limit = PAGE;

	for (unsigned int pages = 0; pages < PAGES_MAX; pages++) {
		_cleanup_json_ json_object *page = NULL;
		struct err why = {0};
		const char *more;
		int rc = one_page(s, table, limit, next, &page, &why);

		if (is_too_long(rc) && limit > 1) {
			limit /= 10;
			continue;
		}
		if (!rc)
			rc = all_rows(page, table, &why);
		if (rc)
			return why.code ? err_set(err, rc, "%s", why.msg) : rc;
		more = jx_str(page, "metadata", "continue");
		if (!more || !*more)
			return 0;
		free(next);
		next = strdup(more);
		if (!next)
			return err_oom(err);
	}
	return err_set(err, -E2BIG, "the list of %s has no end",
		       table->ref.resource);
}
