/* SPDX-License-Identifier: GPL-2.0-or-later */
/* common/kube/client against a server that fails on demand. */
#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "fault.h"
#include "kube/verbs.h"

#define MANY 64
#define POD "{\"metadata\":{\"name\":\"p\"}}"
#define AGAIN_AND_AGAIN "'times':1000000"

static const struct kube_request get_pods = {.method = "GET", .path = PODS};
static const struct kube_request post_pod = {
	.method = "POST", .path = PODS, .body = POD};

static struct kube_request until(const struct kube_request *like, int64_t ms)
{
	struct kube_request r = *like;

	r.deadline_ms = clock_ms() + ms;
	return r;
}

/* Whole, and nothing of an earlier try in front of it. */
static bool is_list(const char *body)
{
	_cleanup_json_ json_object *o = NULL;

	return !jx_parse(body, strlen(body), &o, NULL) &&
	       str_eq(jx_str(o, "kind"), "PodList");
}

/* --- what is tried again, and when */

static void retries_wait_longer_each_time(void)
{
	struct kube_client_options o = {.retry_base_ms = 40};
	_cleanup_got_ struct got g = {0};
	_cleanup_link_ struct fault_link l = fault_link(&o);

	fault_script("'rules':[{'do':'status','code':500,'times':2},"
		     "{'do':'status','code':503},{'do':'status','code':504}]");
	fault_call(l.client, &get_pods, &g);
	T_INT(g.rc, 0);
	T_INT(g.http, 200);
	T_INT(g.attempts, 5);
	T_NEED(T_INT(fault_requests("GET", PODS), 5));
	for (int64_t n = 1, least = 20; n < 5; n++, least *= 2)
		T_OK(fault_when("GET", PODS, (size_t)n + 1) -
			     fault_when("GET", PODS, (size_t)n) >=
		     least - 1);
}

static void retry_after_is_honoured(void)
{
	_cleanup_got_ struct got a = {0}, b = {0};
	_cleanup_link_ struct fault_link l = fault_link(NULL);
	struct kube_request get_some = {.method = "GET",
					.path = PODS "?limit=9"};
	struct kube_request get_one = {.method = "GET", .path = PODS "/x"};

	fault_script("'rules':[{'do':'status','code':429,'path':'limit',"
		     "'headers':{'Retry-After':1}},"
		     "{'do':'status','code':503,'path':'/x$',"
		     "'headers':{'Retry-After':1}}]");
	fault_start(l.client, &get_some, &a);
	fault_start(l.client, &get_one, &b);
	fault_await(l.client, &a.done);
	fault_await(l.client, &b.done);
	T_INT(a.rc, 0);
	T_INT(a.attempts, 2);
	T_INT(b.http, 404);
	T_INT(b.attempts, 2);
	T_OK(fault_when("GET", PODS "/x", 2) -
		     fault_when("GET", PODS "/x", 1) >=
	     999);
	T_OK(fault_when("GET", "limit", 2) - fault_when("GET", "limit", 1) >=
	     999);
}

/* (in milliseconds it is no number any more) */
static void a_huge_retry_after_is_one(void)
{
	_cleanup_got_ struct got g = {0};
	_cleanup_link_ struct fault_link l = fault_link(NULL);
	struct kube_request r;

	fault_script("'rules':[{'do':'status','code':429,"
		     "'headers':{'Retry-After':'9223372036854775800'}}]");
	r = until(&get_pods, 4000);
	fault_call(l.client, &r, &g);
	T_ERR(g.rc, &g.err, -EAGAIN, "given up after 1 tries");
}

static void retry_after_beyond_the_deadline_ends_the_call(void)
{
	_cleanup_got_ struct got g = {0};
	_cleanup_link_ struct fault_link l = fault_link(NULL);
	struct kube_request r;

	fault_script("'rules':[{'do':'status','code':429,'message':'slow down',"
		     "'headers':{'Retry-After':5}}]");
	r = until(&get_pods, 4000);
	fault_call(l.client, &r, &g);
	T_ERR(g.rc, &g.err, -EAGAIN, "given up after 1 tries");
	T_HAS(g.err.msg, "slow down");
	T_INT(g.err.http, 429);
	T_INT(fault_requests("GET", PODS), 1);
}

/* (the process was stopped, for one) */
static void a_try_that_is_not_sent_in_time_keeps_the_words_of_one_before(void)
{
	_cleanup_got_ struct got g = {0};
	_cleanup_link_ struct fault_link l = fault_link(NULL);
	struct kube_counters n = {0};
	struct kube_request r;

	fault_script("'rules':[{'do':'status','code':429,'message':'slow down',"
		     "'headers':{'Retry-After':1}}]");
	r = until(&get_pods, 3000);
	fault_start(l.client, &r, &g);
	while (!n.retries && !g.done) {
		kube_client_step(l.client, 10);
		kube_client_counters(l.client, &n);
	}
	T_NEED(!g.done);
	while (clock_ms() < r.deadline_ms)
		clock_nap(50);
	fault_await(l.client, &g.done);
	T_ERR(g.rc, &g.err, -EAGAIN, "given up after 1 tries");
	T_HAS(g.err.msg, "slow down");
	T_INT(fault_requests("GET", PODS), 1);
}

static void deadline_error_names_method_path_and_tries(void)
{
	_cleanup_free_ char *tries = NULL;
	_cleanup_got_ struct got g = {0};
	_cleanup_link_ struct fault_link l = fault_link(NULL);
	struct kube_request r;
	size_t came;

	fault_script("'rules':[{'do':'status','code':500,'message':'etcd is "
		     "away'," AGAIN_AND_AGAIN "}]");
	r = until(&get_pods, 2000);
	fault_call(l.client, &r, &g);
	T_ERR(g.rc, &g.err, -EIO, "GET " PODS ": 500 InternalError");
	T_HAS(g.err.msg, "etcd is away");
	tries = str_printf("given up after %u tries", g.attempts);
	T_HAS(g.err.msg, tries);
	T_OK(g.attempts >= 3);
	/* (the deadline may have cut the last one before it came there) */
	came = fault_requests("GET", PODS);
	T_OK(came == g.attempts || came + 1 == g.attempts);
	T_OK(g.undecided);
}

static void a_try_that_the_deadline_ends_keeps_the_words_of_one_before(void)
{
	static const struct {
		const char *first, *words;
	} rows[] = {
		{"'do':'status','code':500,'message':'etcd is away'",
		 "500 InternalError: etcd is away"},
		{"'do':'half'", "https://127.0.0.1"},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_got_ struct got g = {0};
		_cleanup_link_ struct fault_link l = fault_link(NULL);
		struct kube_request r;

		t_row("%s", rows[i].first);
		fault_script("'rules':[{%s},{'do':'hang','s':60}]",
			     rows[i].first);
		r = until(&get_pods, 3000);
		fault_call(l.client, &r, &g);
		T_ERR(g.rc, &g.err, -EIO, "given up after 2 tries");
		T_HAS(g.err.msg, rows[i].words);
		T_OK(g.undecided);
	}
}

static void deadline_ends_a_call_that_hangs(void)
{
	_cleanup_got_ struct got g = {0};
	_cleanup_link_ struct fault_link l = fault_link(NULL);
	struct kube_request r;

	fault_script("'rules':[{'do':'hang','s':60}]");
	r = until(&post_pod, 1000);
	fault_call(l.client, &r, &g);
	T_ERR(g.rc, &g.err, -ETIMEDOUT, "POST " PODS);
	T_HAS(g.err.msg, "given up after 1 tries");
	T_HAS(g.err.msg, "no answer from https://127.0.0.1");
	T_OK(g.undecided);
	T_OK(clock_ms() >= r.deadline_ms - 50);
}

static void a_hanging_try_is_given_up_for_another(void)
{
	struct kube_client_options o = {.attempt_ms = 2000};
	_cleanup_got_ struct got g = {0};
	_cleanup_link_ struct fault_link l = fault_link(&o);

	fault_script("'rules':[{'do':'hang','s':60}]");
	fault_call(l.client, &get_pods, &g);
	T_INT(g.rc, 0);
	T_INT(g.attempts, 2);
}

static void cut_connections_are_retried(void)
{
	static const char *const ways[] = {"'do':'reset'", "'do':'lost'",
					   "'do':'half'"};
	_cleanup_got_ struct got g = {0};

	for (size_t i = 0; i < T_COUNT(ways); i++) {
		/* a fresh connection: on an old one libcurl itself resends */
		_cleanup_link_ struct fault_link l = fault_link(NULL);

		t_row("%s", ways[i]);
		fault_script("'rules':[{'method':'GET',%s}]", ways[i]);
		fault_call(l.client, &get_pods, &g);
		T_INT(g.rc, 0);
		T_INT(g.attempts, 2);
		T_OK(is_list(g.body));
		T_INT(fault_requests("GET", PODS), 2);
	}
}

static void cut_again_and_again_ends_with_words(void)
{
	_cleanup_got_ struct got g = {0};
	_cleanup_link_ struct fault_link l = fault_link(NULL);
	struct kube_request r;

	fault_script("'rules':[{'do':'half'," AGAIN_AND_AGAIN "}]");
	r = until(&get_pods, 2000);
	fault_call(l.client, &r, &g);
	T_ERR(g.rc, &g.err, -EIO, "GET " PODS ": https://127.0.0.1");
	T_HAS(g.err.msg, "given up after");
}

static void a_slow_answer_is_read_to_its_end(void)
{
	_cleanup_got_ struct got g = {0};
	_cleanup_link_ struct fault_link l = fault_link(NULL);

	fault_script("'rules':[{'do':'drip','piece':7,'ms':5}]");
	fault_call(l.client, &get_pods, &g);
	T_INT(g.rc, 0);
	T_INT(g.attempts, 1);
	T_HAS(g.body, "\"items\": []}");
}

static void a_too_slow_answer_is_a_failed_try(void)
{
	struct kube_client_options o = {.attempt_ms = 2000};
	_cleanup_got_ struct got g = {0};
	_cleanup_link_ struct fault_link l = fault_link(&o);

	fault_script("'rules':[{'do':'drip','ms':100}]");
	fault_call(l.client, &get_pods, &g);
	T_INT(g.rc, 0);
	T_INT(g.attempts, 2);
	T_OK(is_list(g.body));
}

static void answers_for_good_are_not_retried(void)
{
	static const struct {
		const char *rule;
		int http, rc;
		const char *reason, *words;
	} rows[] = {
		{"'code':403,'message':'exceeded quota: q'", 403, -EACCES,
		 "Forbidden", "exceeded quota: q"},
		{"'code':422,'message':'spec: bad'", 422, -EINVAL, "Invalid",
		 "spec: bad"},
		{"'code':400,'message':'no JSON'", 400, -EINVAL, "BadRequest",
		 "no JSON"},
		{"'code':404,'message':'no namespace'", 404, -ENOENT,
		 "NotFound", "no namespace"},
		{"'code':409,'reason':'AlreadyExists'", 409, -EEXIST,
		 "AlreadyExists", "scripted"},
		{"'code':401,'message':'Unauthorized'", 401, -EACCES,
		 "Unauthorized", "Unauthorized"},
		{"'code':410", 410, -ESTALE, "Expired", "scripted"},
	};
	_cleanup_got_ struct got g = {0};
	_cleanup_link_ struct fault_link l = fault_link(NULL);

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		t_row("%s", rows[i].rule);
		fault_script("'rules':[{'do':'status',%s}]", rows[i].rule);
		fault_call(l.client, &post_pod, &g);
		T_ERR(g.rc, &g.err, rows[i].rc, "POST " PODS);
		T_INT(g.http, rows[i].http);
		T_INT(g.attempts, 1);
		T_STR(g.err.reason, rows[i].reason);
		T_STR(g.err.words, rows[i].words);
		T_OK(!g.undecided);
		T_INT(fault_requests(NULL, PODS), 1);
	}
}

static void quota_conflict_is_retried_for_post_only(void)
{
	_cleanup_got_ struct got g = {0};
	_cleanup_link_ struct fault_link l = fault_link(NULL);
	struct kube_request del = {.method = "DELETE", .path = PODS "/p"};

	fault_script("'rules':[{'do':'status','code':409,'times':2,'message':"
		     "'Operation cannot be fulfilled on resourcequotas'}]");
	fault_call(l.client, &post_pod, &g);
	T_INT(g.rc, 0);
	T_INT(g.http, 201);
	T_INT(g.attempts, 3);
	fault_change("'rules':[{'do':'status','code':409,'times':2}]");
	fault_call(l.client, &del, &g);
	T_ERR(g.rc, &g.err, -ESTALE, "409 Conflict");
	T_INT(g.attempts, 1);
}

static void a_redirect_is_not_followed(void)
{
	_cleanup_got_ struct got g = {0};
	_cleanup_link_ struct fault_link l = fault_link(NULL);

	fault_script("'rules':[{'do':'status','code':307,'headers':{'Location':"
		     "'https://127.0.0.1:%d/elsewhere'}}]",
		     fault()->port);
	fault_call(l.client, &get_pods, &g);
	T_ERR(g.rc, &g.err, -EIO, "307");
	T_INT(fault_requests(NULL, "/elsewhere"), 0);
}

static void undecided_says_when_the_work_may_be_done(void)
{
	static const struct {
		const char *rule;
		bool undecided;
	} rows[] = {
		{"'do':'lost'", true},
		{"'do':'half'", true},
		{"'do':'status','code':500", true},
		{"'do':'status','code':403", false},
		{"'do':'status','code':429", false},
	};
	_cleanup_got_ struct got g = {0};
	struct kube_request r = post_pod;

	r.no_retry = true;
	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_link_ struct fault_link l = fault_link(NULL);

		t_row("%s", rows[i].rule);
		fault_script("'rules':[{%s}]", rows[i].rule);
		fault_call(l.client, &r, &g);
		T_OK(g.rc != 0);
		T_INT(g.attempts, 1);
		T_INT(g.undecided, rows[i].undecided);
	}
}

/* A lost POST, then 409: it is ours, but the client can not know. */
static void a_lost_create_is_done_once(void)
{
	_cleanup_got_ struct got g = {0};
	_cleanup_link_ struct fault_link l = fault_link(NULL);

	fault_script("'rules':[{'do':'lost'}]");
	fault_call(l.client, &post_pod, &g);
	T_ERR(g.rc, &g.err, -EEXIST, "409 AlreadyExists");
	T_INT(g.attempts, 2);
	T_OK(g.undecided);
	T_INT(fault_count("creates", "p"), 1);
}

/*
 * A connection that has served another call ends without an answer: libcurl
 * itself sends the request again, and we see one try.
 */
static void what_libcurl_has_sent_twice_is_undecided(void)
{
	static const struct {
		const char *method, *path, *rules;
		int rc, http;
		bool undecided;
	} rows[] = {
		{"POST", PODS, "{'do':'lost','method':'POST'}", -EEXIST, 409,
		 true},
		{"DELETE", PODS "/old", "{'do':'lost','method':'DELETE'}",
		 -ENOENT, 404, true},
		/* (no work is done: it cannot be told from the other) */
		{"POST", PODS,
		 "{'do':'reset','method':'POST'},"
		 "{'do':'status','code':403,'method':'POST'}",
		 -EACCES, 403, true},
		{"POST", PODS, "{'do':'reset','method':'POST'}", 0, 201, false},
		{"GET", PODS "/none", "{'do':'reset','path':'/none'}", -ENOENT,
		 404, false},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		struct kube_request r = {.method = rows[i].method,
					 .path = rows[i].path,
					 .no_retry = true};
		_cleanup_link_ struct fault_link l = fault_link(NULL);
		_cleanup_got_ struct got g = {0};

		t_row("%zu: %s %s", i, r.method, r.path);
		if (!strcmp(r.method, "POST"))
			r.body = POD;
		fault_script("'looks':0,'pods':[{'metadata':{'name':'old'}}],"
			     "'rules':[%s]",
			     rows[i].rules);
		fault_call(l.client, &get_pods, &g);
		T_INT(g.rc, 0);
		got_clear(&g);
		fault_call(l.client, &r, &g);
		T_INT(g.rc, rows[i].rc);
		T_INT(g.http, rows[i].http);
		T_INT(g.attempts, 1);
		T_INT(fault_requests(r.method, r.path), 2);
		T_INT(g.undecided, rows[i].undecided);
	}
}

/* (nothing was resent: each try is one) */
static void one_try_on_a_connection_that_lives_is_decided(void)
{
	_cleanup_link_ struct fault_link l = fault_link(NULL);
	_cleanup_got_ struct got g = {0};

	fault_script("'rules':[]");
	fault_call(l.client, &post_pod, &g);
	T_INT(g.rc, 0);
	for (int i = 0; i < 3; i++) {
		fault_call(l.client, &post_pod, &g);
		T_INT(g.http, 409);
		T_INT(g.attempts, 1);
		T_OK(!g.undecided);
	}
	/* nor is what 429 had sent again, on the same transfer of libcurl */
	fault_change("'rules':[{'do':'status','code':429}]");
	fault_call(l.client, &post_pod, &g);
	T_INT(g.http, 409);
	T_INT(g.attempts, 2);
	T_OK(!g.undecided);
}

/* --- many at once */

/* Start n GETs at once, wait for all; how many ended so. */
static size_t requests_answered(struct kube_client *c, size_t n, int want_http)
{
	static struct got g[MANY];
	struct kube_request r = get_pods;
	size_t well = 0;

	r.no_retry = want_http == 429;
	for (size_t i = 0; i < n; i++)
		fault_start(c, &r, &g[i]);
	for (size_t i = 0; i < n; i++) {
		fault_await(c, &g[i].done);
		well += g[i].http == want_http;
		got_clear(&g[i]);
	}
	return well;
}

/* Longer until so many have met. */
#define SLOWLY(busy)                                                           \
	"{'do':'delay','ms':150,'busy':" #busy "," AGAIN_AND_AGAIN "}"

static void the_window_shrinks_on_429_and_grows_again(void)
{
	struct kube_client_options o = {.max_calls = 8};
	_cleanup_link_ struct fault_link l = fault_link(&o);

	fault_script("'rules':[" SLOWLY(5) "]");
	T_INT(requests_answered(l.client, 32, 200), 32);
	T_OK(fault_count("max_busy", NULL) >= 5);
	T_OK(fault_count("max_busy", NULL) <= 8);

	/* 8 -> 4, and 5 after four good ones */
	fault_change("'rules':[{'do':'status','code':429}]");
	T_INT(requests_answered(l.client, 1, 200), 1);
	fault_change("'rewind':true,'rules':[" SLOWLY(0) "]");
	T_INT(requests_answered(l.client, 7, 200), 7);
	T_OK(fault_count("max_busy", NULL) <= 5);

	fault_change("'rules':[]");
	T_INT(requests_answered(l.client, MANY, 200), MANY);
	fault_change("'rewind':true,'rules':[" SLOWLY(6) "]");
	T_INT(requests_answered(l.client, 32, 200), 32);
	T_OK(fault_count("max_busy", NULL) >= 6);
}

/* All calls of one moment are refused: that is one reason to slow down. */
static void a_burst_of_429_narrows_the_window_once(void)
{
	struct kube_client_options o = {.max_calls = 8};
	_cleanup_link_ struct fault_link l = fault_link(&o);

	fault_script("'rules':[" SLOWLY(8) "]");
	T_INT(requests_answered(l.client, 8, 200),
	      8); /* 8 connections are open now */
	fault_change("'rules':[{'do':'status','code':429,'times':8}]");
	T_INT(requests_answered(l.client, 8, 429), 8);
	fault_change("'rewind':true,'rules':[" SLOWLY(4) "]");
	T_INT(requests_answered(l.client, 7, 200), 7);
	T_OK(fault_count("max_busy", NULL) >= 4);
	T_OK(fault_count("max_busy", NULL) <= 5);
}

static int drop_data(void *arg, const char *data, size_t len)
{
	(void)data;
	*(bool *)arg = len > 0;
	return 0;
}

struct stream {
	bool open;
	struct got end;
};

static int on_stream(void *arg, const char *data, size_t len)
{
	struct stream *s = arg;

	return drop_data(&s->open, data, len);
}

static void on_stream_end(void *arg, const struct kube_result *res)
{
	struct stream *s = arg;

	got_done(&s->end, res);
}

static void start_stream(struct kube_client *c, struct stream *s,
			 int64_t idle_ms)
{
	const struct kube_request r = {
		.method = "GET",
		.path = PODS "?watch=1&timeoutSeconds=60&resourceVersion=0",
		.on_data = on_stream,
		.on_done = on_stream_end,
		.idle_ms = idle_ms,
		.arg = s,
	};

	if (!kube_client_start(c, &r))
		abort();
}

#define OPEN_STREAM                                                            \
	"{'path':'watch','do':'stream','steps':[{'bookmark':'7'},"             \
	"{'silent':60}]," AGAIN_AND_AGAIN "}"

/* A watch lasts for minutes: it must not use up the window of calls. */
static void a_watch_does_not_hold_up_calls(void)
{
	struct kube_client_options o = {.max_calls = 4};
	struct stream s = {0};
	_cleanup_link_ struct fault_link l = fault_link(&o);

	fault_script("'rules':[" OPEN_STREAM ",{'do':'status','code':429,"
		     "'times':4}]");
	start_stream(l.client, &s, WAIT_MS);
	T_NEED(fault_await(l.client, &s.open));
	T_INT(requests_answered(l.client, 8, 200), 8);
	T_OK(!s.end.done);
}

/*
 * (the fault server speaks HTTP/1.1 only: each stream has a connection for as
 * long as it lasts, and so has each call that hangs)
 */
static void watches_leave_connections_for_calls(void)
{
	struct stream s[12] = {0};
	struct kube_request r;
	_cleanup_got_ struct got g = {0};
	_cleanup_link_ struct fault_link l = fault_link(NULL);

	fault_script("'rules':[" OPEN_STREAM "]");
	for (size_t i = 0; i < T_COUNT(s); i++)
		start_stream(l.client, &s[i], WAIT_MS);
	for (size_t i = 0; i < T_COUNT(s); i++)
		T_NEED(fault_await(l.client, &s[i].open));
	r = until(&get_pods, 20000);
	fault_call(l.client, &r, &g);
	T_INT(g.rc, 0);
	T_INT(g.attempts, 1);
}

static void watches_pages_and_what_is_urgent_do_not_wait_behind_calls(void)
{
	static const struct kube_request hangs = {.method = "GET",
						  .path = PODS "/hangs"};
	struct kube_request urgent = {
		.method = "GET", .path = PODS "/urgent", .urgent = true};
	struct kube_request page = {
		.method = "GET", .path = PODS "?limit=1", .page = true};
	struct got waiting[MANY] = {0};
	struct stream s = {0};
	_cleanup_got_ struct got a = {0}, b = {0};
	_cleanup_link_ struct fault_link l = fault_link(NULL);

	fault_script("'rules':[{'path':'hangs','do':'hang','s':120,"
		     "'times':1000}," OPEN_STREAM "]");
	for (size_t i = 0; i < MANY; i++)
		fault_start(l.client, &hangs, &waiting[i]);
	while (fault_requests("GET", "hangs") < 8)
		kube_client_step(l.client, 50);
	start_stream(l.client, &s, WAIT_MS);
	fault_start(l.client, &urgent, &a);
	fault_start(l.client, &page, &b);
	fault_await(l.client, &s.open);
	fault_await(l.client, &a.done);
	fault_await(l.client, &b.done);
	T_INT(a.http, 404);
	T_INT(b.http, 200);
	for (size_t i = 0; i < MANY; i++) {
		T_OK(!waiting[i].done);
		got_clear(&waiting[i]);
	}
}

static void a_silent_stream_is_ended(void)
{
	struct stream s = {0};
	int64_t began = clock_ms();
	_cleanup_link_ struct fault_link l = fault_link(NULL);

	fault_script("'rules':[" OPEN_STREAM "]");
	start_stream(l.client, &s, 2000); /* (it must open in less) */
	fault_await(l.client, &s.end.done);
	T_ERR(s.end.rc, &s.end.err, -ETIMEDOUT, "silent for 2000 ms");
	T_OK(s.open);
	T_OK(clock_ms() - began >= 2000);
	got_clear(&s.end);
}

static void a_stream_without_an_answer_is_ended(void)
{
	struct stream s = {0};
	_cleanup_link_ struct fault_link l = fault_link(NULL);

	fault_script("'rules':[{'do':'hang','s':60}]");
	start_stream(l.client, &s, 300);
	fault_await(l.client, &s.end.done);
	T_ERR(s.end.rc, &s.end.err, -ETIMEDOUT, "silent for 300 ms");
	T_OK(!s.open);
	got_clear(&s.end);
}

struct canceller {
	struct kube_client *c;
	struct kube_call *victim;
	struct got end;
};

static int cancel_on_data(void *arg, const char *data, size_t len)
{
	struct canceller *x = arg;

	(void)data, (void)len;
	if (x->victim)
		kube_client_cancel(x->c, x->victim);
	x->victim = NULL;
	return 0;
}

static void on_canceller_end(void *arg, const struct kube_result *res)
{
	struct canceller *x = arg;

	got_done(&x->end, res);
}

/* "Callbacks run inside step; they may start and cancel calls." */
static void a_callback_on_data_may_cancel_another_call(void)
{
	struct canceller x = {0};
	struct kube_request r = {
		.method = "GET",
		.path = PODS "?watch=1",
		.on_data = cancel_on_data,
		.on_done = on_canceller_end,
		.arg = &x,
		.idle_ms = WAIT_MS,
	};
	struct kube_counters n;
	_cleanup_got_ struct got never = {0};
	_cleanup_link_ struct fault_link l = fault_link(NULL);

	x.c = l.client;
	fault_script("'rules':[{'path':'watch','do':'stream','steps':["
		     "{'ms':200},{'bookmark':'7'},{'ms':20}]},"
		     "{'path':'victim','do':'hang','s':60,'times':9}]");
	x.victim = kube_client_start(
		l.client, &(struct kube_request){.method = "GET",
						 .path = PODS "/victim",
						 .on_done = got_done,
						 .arg = &never});
	if (!kube_client_start(l.client, &r))
		abort();
	fault_await(l.client, &x.end.done);
	T_INT(x.end.rc, 0);
	T_OK(!x.victim);
	/* its handle is used again for others */
	T_INT(requests_answered(l.client, 16, 200), 16);
	kube_client_counters(l.client, &n);
	T_INT(n.requests, 18);
	T_INT(n.retries, 0);
	T_OK(!never.done);
	got_clear(&x.end);
}

static void cancelled_calls_never_call_back(void)
{
	_cleanup_got_ struct got a = {0}, b = {0}, c = {0};
	struct kube_call *active, *waiting;
	_cleanup_link_ struct fault_link l = fault_link(NULL);
	struct kube_request r = get_pods;

	fault_script("'rules':[{'path':'pods$','do':'hang','s':60},"
		     "{'path':'/w$','do':'status','code':503,"
		     "'headers':{'Retry-After':5}}]");
	r.on_done = got_done;
	r.arg = &a;
	active = kube_client_start(l.client, &r);
	r.path = PODS "/w";
	r.arg = &b;
	waiting = kube_client_start(l.client, &r);
	r.path = PODS "/ok";
	fault_call(l.client, &r, &c);
	while (fault_requests(NULL, PODS) < 3)
		kube_client_step(l.client, 20);
	kube_client_cancel(l.client, active);
	kube_client_cancel(l.client, waiting);
	T_INT(kube_client_step(l.client, 0), 0);
	T_OK(!a.done && !b.done && c.done);
}

static void calls_wait_for_their_time(void)
{
	_cleanup_got_ struct got g = {0};
	_cleanup_link_ struct fault_link l = fault_link(NULL);
	struct kube_request r = get_pods;

	fault_script("%s", "");
	r.not_before_ms = clock_ms() + 300;
	fault_call(l.client, &r, &g);
	T_INT(g.rc, 0);
	T_OK(fault_when("GET", PODS, 1) >= r.not_before_ms);
}

T_MAIN("fault_client", T(retries_wait_longer_each_time),
       T(a_huge_retry_after_is_one), T(retry_after_is_honoured),
       T(retry_after_beyond_the_deadline_ends_the_call),
       T(a_try_that_is_not_sent_in_time_keeps_the_words_of_one_before),
       T(deadline_error_names_method_path_and_tries),
       T(a_try_that_the_deadline_ends_keeps_the_words_of_one_before),
       T(deadline_ends_a_call_that_hangs),
       T(a_hanging_try_is_given_up_for_another), T(cut_connections_are_retried),
       T(cut_again_and_again_ends_with_words),
       T(a_slow_answer_is_read_to_its_end),
       T(a_too_slow_answer_is_a_failed_try),
       T(answers_for_good_are_not_retried),
       T(quota_conflict_is_retried_for_post_only),
       T(a_redirect_is_not_followed),
       T(undecided_says_when_the_work_may_be_done),
       T(what_libcurl_has_sent_twice_is_undecided),
       T(one_try_on_a_connection_that_lives_is_decided),
       T(a_lost_create_is_done_once),
       T(the_window_shrinks_on_429_and_grows_again),
       T(a_burst_of_429_narrows_the_window_once),
       T(a_watch_does_not_hold_up_calls),
       T(watches_leave_connections_for_calls),
       T(watches_pages_and_what_is_urgent_do_not_wait_behind_calls),
       T(a_silent_stream_is_ended), T(a_stream_without_an_answer_is_ended),
       T(a_callback_on_data_may_cancel_another_call),
       T(cancelled_calls_never_call_back), T(calls_wait_for_their_time))
