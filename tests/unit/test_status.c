/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "kube/status.h"
#include "t.h"

static int status(struct err *err, int http, const char *body)
{
	return kube_status_err(err, "POST", "/api/v1/pods", http, body,
			       body ? strlen(body) : 0);
}

static void kubernetes_words_are_kept(void)
{
	struct err err = {0};
	int rc = status(&err, 403,
			"{\"kind\": \"Status\", \"reason\": \"Forbidden\","
			" \"message\": \"pods is forbidden\", \"code\": 403}");

	T_ERR(rc, &err, -EACCES,
	      "POST /api/v1/pods: 403 Forbidden: pods is forbidden");
	T_INT(err.http, 403);
	T_STR(err.reason, "Forbidden");
	T_STR(err.words, "pods is forbidden");
}

#define STATUS(reason) "{\"kind\": \"Status\", \"reason\": \"" reason "\"}"

static void every_http_status_has_its_code(void)
{
	static const struct {
		int http;
		const char *body;
		int code;
		const char *reason;
	} rows[] = {
		{400, NULL, -EINVAL, "BadRequest"},
		{401, NULL, -EACCES, "Unauthorized"},
		{403, NULL, -EACCES, "Forbidden"},
		{404, NULL, -ENOENT, "NotFound"},
		{409, STATUS("AlreadyExists"), -EEXIST, "AlreadyExists"},
		{409, STATUS("Conflict"), -ESTALE, "Conflict"},
		{409, NULL, -ESTALE, "Conflict"},
		{410, STATUS("Expired"), -ESTALE, "Expired"},
		{412, NULL, -ESTALE, ""},
		{413, NULL, -EINVAL, "RequestEntityTooLarge"},
		{422, NULL, -EINVAL, "Invalid"},
		{429, NULL, -EAGAIN, "TooManyRequests"},
		{500, NULL, -EIO, "InternalError"},
		{502, NULL, -EIO, ""},
		{503, NULL, -EIO, "ServiceUnavailable"},
		{504, NULL, -EIO, "Timeout"},
		{302, NULL, -EIO, ""},
		{0, NULL, -EIO, ""},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		struct err err = {0};

		t_row("%d %s", rows[i].http, rows[i].reason);
		T_INT(status(&err, rows[i].http, rows[i].body), rows[i].code);
		T_INT(err.code, rows[i].code);
		T_STR(err.reason, rows[i].reason);
		T_INT(status(NULL, rows[i].http, rows[i].body), rows[i].code);
	}
}

static void a_body_that_is_no_status_is_quoted(void)
{
	struct err err = {0};

	T_ERR(status(&err, 502, "<html>bad\ngateway\x1b[0m"), &err, -EIO,
	      "502 : <html>bad gateway [0m");
	T_ERR(status(&err, 404, "{\"kind\": \"Pod\"}"), &err, -ENOENT,
	      "404 NotFound: {\"kind\": \"Pod\"}");
	T_ERR(status(&err, 500, "{\"kind\": \"Status\", \"message\": 5}"), &err,
	      -EIO, "500 InternalError");
}

static void a_long_body_is_cut_and_not_read_beyond_its_length(void)
{
	_cleanup_free_ char *body = t_repeat("x", 5000);
	struct err err = {0};

	status(&err, 500, body);
	T_OK(strlen(err.msg) < 300);
	kube_status_err(&err, "GET", "/", 500, "abcdef", 3);
	T_STR(err.words, "abc");
}

/* (of 1 MiB of these json-c makes 260 MiB) */
static void a_body_that_holds_too_much_is_quoted(void)
{
	_cleanup_free_ char *units = t_repeat("{},", 350000);
	_cleanup_free_ char *list = str_printf("[%s{}]", units);
	_cleanup_free_ char *with =
		str_printf("{\"kind\":\"Status\",\"message\":\"no\","
			   "\"details\":{\"causes\":[%s{}]}}",
			   units);
	struct err err = {0};

	T_ERR(status(&err, 500, list), &err, -EIO,
	      "500 InternalError: [{},{},{},{}");
	T_ERR(status(&err, 403, with), &err, -EACCES,
	      "403 Forbidden: {\"kind\":\"Status\",\"message\":\"no\"");
}

static void long_and_hostile_status_words_are_bounded_and_clean(void)
{
	_cleanup_free_ char *words = t_repeat("\\n\\u001bx", 2000);
	_cleanup_free_ char *body = NULL;
	struct err err = {0};

	if (asprintf(&body,
		     "{\"kind\": \"Status\", \"reason\": \"%s\","
		     " \"message\": \"%s\"}",
		     words, words) < 0)
		abort();
	T_INT(status(&err, 422, body), -EINVAL);
	T_OK(strlen(err.reason) < sizeof(err.reason));
	T_OK(strlen(err.words) < sizeof(err.words));
	T_LACKS(err.msg, "\n");
	T_LACKS(err.words, "\x1b");
	T_LACKS(err.reason, "\n");
}

static void only_what_may_pass_is_tried_again(void)
{
	static const struct {
		const char *method;
		int http;
		const char *reason;
		bool want;
	} rows[] = {
		{"GET", 408, "", true},
		{"GET", 429, "TooManyRequests", true},
		{"POST", 500, "InternalError", true},
		{"GET", 502, "", true},
		{"GET", 503, "", true},
		{"GET", 504, "Timeout", true},
		{"POST", 409, "Conflict", true}, /* quota bookkeeping */
		{"POST", 409, "AlreadyExists", false},
		{"DELETE", 409, "Conflict", false}, /* a uid precondition */
		{"POST", 403, "Forbidden", false},
		{"POST", 422, "Invalid", false},
		{"GET", 404, "NotFound", false},
		{"GET", 410, "Expired", false},
		{"GET", 501, "", false},
		{"GET", 200, "", false},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		t_row("%s %d %s", rows[i].method, rows[i].http, rows[i].reason);
		T_INT(kube_status_retriable(rows[i].method, rows[i].http,
					    rows[i].reason),
		      rows[i].want);
	}
}

static void no_right_is_what_an_authorizer_says(void)
{
	static const struct {
		int http;
		const char *words;
		bool no_right;
	} rows[] = {
		{403,
		 "nodes 'n1' is forbidden: User 'u' cannot patch resource "
		 "'nodes' in API group '' at the cluster scope",
		 true},
		{403,
		 "admission webhook 'w' denied the request: nodes 'n1' is "
		 "forbidden: User 'u' cannot patch resource 'nodes'",
		 false},
		{403,
		 "nodes 'n1' is forbidden: ValidatingAdmissionPolicy 'p' with "
		 "binding 'b' denied request: User 'u' cannot patch it",
		 false},
		{403, "nodes 'n1' is forbidden: node 'n2' is not allowed",
		 false},
		{403, "go away", false},
		{403, "", false},
		{422, "nodes 'n1' is forbidden: User 'u' cannot patch resource",
		 false},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		struct err err = {.http = rows[i].http};

		t_row("%s", rows[i].words);
		str_copy(err.words, rows[i].words, sizeof(err.words));
		for (char *c = err.words; *c; c++)
			*c = *c == '\'' ? '"' : *c;
		T_INT(kube_status_no_right(&err), rows[i].no_right);
	}
}

T_MAIN("status", T(no_right_is_what_an_authorizer_says),
       T(kubernetes_words_are_kept), T(every_http_status_has_its_code),
       T(a_body_that_is_no_status_is_quoted),
       T(a_long_body_is_cut_and_not_read_beyond_its_length),
       T(a_body_that_holds_too_much_is_quoted),
       T(long_and_hostile_status_words_are_bounded_and_clean),
       T(only_what_may_pass_is_tried_again))
