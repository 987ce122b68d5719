/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A call is on one of three lists: ready (to be sent when the window allows),
 * active (libcurl has it) or waiting (for its next try). The window of calls
 * at once halves when the server says 429 (once for all the tries that were
 * under way then) and grows again by one for each window of successes. Watches,
 * pages of lists and what is urgent are not counted in it, and are sent first:
 * what is seen, and the right to act, must not wait behind what is to be done.
 */
#include "kube/client.h"

#include <curl/curl.h>
#include <errno.h>
#include <pthread.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/openssl.h"
#include "base/str.h"
#include "kube/ca.h"
#include "kube/call.h"
#include "kube/frames.h"
#include "kube/proxy.h"
#include "kube/server.h"
#include "kube/status.h"
#include "kube/transport.h"
#include "metrics/metrics.h"

#define DEFAULT_CALLS 100
#define DEFAULT_ANSWER (32u * 1024 * 1024)
#define DEFAULT_ATTEMPT_MS 30000
#define CUT_SHORT_MS 50 /* how far curl's clock and ours may differ */
#define DEFAULT_DEADLINE_MS 60000
#define UNHEARD_MS 1000 /* least silence of a dead connection */
/*
 * Calls at once where each needs a connection of its own (HTTP/1.1), or may
 * need one, as the server has not answered yet. More calls would wait within
 * libcurl, where none is sent before others and no time limit ends them.
 */
#define LONE_CALLS 8
#define RETRY_AFTER_MAX_S 3600
/* grace after a deadline, by which libcurl itself ends most calls */
#define LATE_MS 1000

static void global_init(void)
{
	openssl_use();
	curl_global_init(CURL_GLOBAL_DEFAULT);
}

/* The host part of https://host[:port][/...], and what follows it. */
static int split_server(struct kube_client *c, const char *server,
			struct err *err)
{
	const char *sni = c->config->tls_server_name;
	size_t len = 0, base_len = strlen(server);
	const char *host = NULL, *port;
	int rc = kube_server_parse(server, &host, &len, err);

	if (rc)
		return err_wrap(err, rc, "%s", c->config->source);
	while (base_len && server[base_len - 1] == '/')
		base_len--;
	if (!sni) {
		c->base = strndup(server, base_len);
		return c->base ? 0 : err_oom(err);
	}
	/* ask for the name to verify, connect to where the server is */
	port = memrchr(host, ':', len);
	if (port && memchr(port, ']', len - (size_t)(port - host)))
		port = NULL; /* a bare [v6] address */
	c->base = str_printf(
		"https://%s%.*s", sni,
		(int)(server + base_len - (port ? port : host + len)),
		port ? port : host + len);
	c->connect = port ? str_printf("::%.*s", (int)len, host)
			  : str_printf("::%.*s:443", (int)len, host);
	if (!c->base || !c->connect)
		return err_oom(err);
	c->connect_to = curl_slist_append(NULL, c->connect);
	return c->connect_to ? 0 : err_oom(err);
}

/* Set the members of a client that come from its config. */
static int by_config(struct kube_client *c, const struct kube_config *config,
		     struct err *err)
{
	int rc = 0;

	c->config = config;
	if (config->ca_pem)
		rc = ca_backend_fits(
			curl_version_info(CURLVERSION_NOW)->ssl_version, err);
	if (!rc)
		rc = split_server(c, config->server, err);
	if (!rc)
		rc = kube_proxy_of(config, &c->proxy, err);
	if (rc)
		return rc;
	c->whom = str_printf("%s%s%s", config->server,
			     c->proxy.url ? " by the proxy " : "",
			     c->proxy.url ? c->proxy.shown : "");
	c->cred = kube_cred_new(config);
	return c->whom && c->cred ? 0 : err_oom(err);
}

static void forget_config(struct kube_client *c)
{
	curl_slist_free_all(c->connect_to);
	kube_cred_free(c->cred);
	free(c->base);
	free(c->connect);
	free(c->whom);
	kube_proxy_clear(&c->proxy);
}

int kube_client_new(const struct kube_config *config,
		    const struct kube_client_options *options,
		    struct kube_client **out, struct err *err)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	_cleanup_(kube_client_freep) struct kube_client *c =
		calloc(1, sizeof(*c));
	int rc;

	pthread_once(&once, global_init);
	if (!c)
		return err_oom(err);
	for (int i = 0; i < 3; i++)
		call_list_init(&c->lists[i]);
	if (options)
		c->opt = *options;
	if (!c->opt.user_agent)
		c->opt.user_agent = "slurm-k8s";
	if (!c->opt.max_calls)
		c->opt.max_calls = DEFAULT_CALLS;
	if (!c->opt.max_answer)
		c->opt.max_answer = DEFAULT_ANSWER;
	if (!c->opt.attempt_ms)
		c->opt.attempt_ms = DEFAULT_ATTEMPT_MS;
	if (!c->opt.retry_base_ms)
		c->opt.retry_base_ms = 100;
	if (!c->opt.retry_max_ms)
		c->opt.retry_max_ms = 5000;
	c->window = c->opt.max_calls;
	c->seed = (uint64_t)clock_real_ms() ^ (uintptr_t)c ^
		  ((uint64_t)getpid() << 32);
	rc = by_config(c, config, err);
	if (rc)
		return rc;
	if (connections_init(&c->conns, LONE_CALLS))
		return err_oom(err);
	*out = steal_ptr(c);
	return 0;
}

void kube_client_cancel(struct kube_client *c, struct kube_call *k)
{
	if (c->performing && k->where == ACTIVE) {
		/* libcurl lets no handle go now: see bury_dead() */
		c->dead += !k->dead;
		k->dead = true;
		return;
	}
	kube_call_release(c, k);
	call_list_del(c, k);
	kube_call_free(k);
}

void kube_client_free(struct kube_client *c)
{
	if (!c)
		return;
	for (int i = 0; i < 3; i++)
		while (c->lists[i].n)
			kube_client_cancel(c, c->lists[i].head.next);
	while (c->n_idle)
		curl_easy_cleanup(c->idle[--c->n_idle]);
	connections_free(&c->conns);
	forget_config(c);
	free(c);
}

/* What is known of a server that has not answered. */
static const struct kube_peer nobody = {.date_ms = -1,
					.cert = {.to_ms = INT64_MAX}};

struct kube_call *kube_client_start(struct kube_client *c,
				    const struct kube_request *req)
{
	struct kube_call *k = calloc(1, sizeof(*k));
	void *body = NULL;

	if (!k)
		return NULL;
	k->client = c;
	k->req = *req;
	k->peer = nobody;
	k->req.path = strdup(req->path);
	if (req->body) {
		body = malloc(req->body_len + 1);
		if (body)
			memcpy(body, req->body, req->body_len);
	}
	k->req.body = body;
	if (!k->req.path || (req->body && !body)) {
		kube_call_free(k);
		return NULL;
	}
	if (!k->req.deadline_ms)
		k->req.deadline_ms = clock_ms() + DEFAULT_DEADLINE_MS;
	buf_limit(&k->answer, req->page || c->opt.max_answer < FRAME_MAX
				      ? c->opt.max_answer
				      : FRAME_MAX);
	c->seed = c->seed * 6364136223846793005ULL + 1442695040888963407ULL;
	backoff_init(&k->backoff, c->opt.retry_base_ms, c->opt.retry_max_ms,
		     c->seed);
	k->start_at = req->not_before_ms;
	call_list_put(c, k, k->start_at > clock_ms() ? WAITING : READY);
	return k;
}

/*
 * Note that nothing has come for this call since `since`, though an answer was
 * due. If nothing has come by its connection either, that connection is dead,
 * and libcurl would send other calls there, too: it takes the oldest connection
 * that has room. A connection of HTTP/1.1 has no other calls, and libcurl
 * closes it itself; it also gives up a connection that does not come to be. An
 * urgent call's connection has no other calls by which it would be heard, and
 * is left alone: a Lease that is not written in time is no reason to begin all
 * watches anew.
 */
static void note_unheard(struct kube_client *c, const struct kube_call *k,
			 int64_t since)
{
	const long port = kube_call_port(k);

	if (clock_ms() - since < UNHEARD_MS || port <= 0)
		return;
	c->apart_unheard |= k->req.urgent;
	conn_activity_miss(&c->activity,
			   c->multiplexed && !k->req.urgent ? port
							    : CONN_ACTIVITY_ANY,
			   since);
}

static void finish(struct kube_client *c, struct kube_call *k, int rc)
{
	struct kube_result res = {
		.rc = rc,
		.http = k->http,
		.body = buf_str(&k->answer),
		.len = k->answer.len,
		.attempts = k->attempts,
		.err = rc ? &k->err : NULL,
		.undecided = rc && k->undecided,
		.peer = k->peer,
	};

	kube_call_release(c, k);
	call_list_del(c, k);
	c->told = true;
	if (k->req.on_done)
		k->req.on_done(k->req.arg, &res);
	kube_call_free(k);
}

static void give_up(struct kube_client *c, struct kube_call *k)
{
	int rc = k->err.code;

	err_wrap(&k->err, rc, "given up after %u tries", k->attempts);
	finish(c, k, rc);
}

/* Try again later, or give up with what the last try said. */
static void retry_or_finish(struct kube_client *c, struct kube_call *k, int rc,
			    bool retriable, int64_t retry_after_ms)
{
	int64_t now = clock_ms(), wait;

	if (!retriable || k->req.no_retry || k->req.on_data) {
		finish(c, k, rc);
		return;
	}
	wait = backoff_next(&k->backoff, retry_after_ms);
	if (now + wait >= k->req.deadline_ms) {
		give_up(c, k);
		return;
	}
	kube_call_release(c, k);
	kube_call_forget(k);
	c->count.retries++;
	metrics_count(METRIC_API_RETRIES, 0, 0);
	k->start_at = now + wait;
	call_list_move(c, k, WAITING);
}

static bool is_write(const struct kube_call *k)
{
	return !k->req.urgent && strcmp(k->req.method, "GET") != 0;
}

static bool may_write(const struct kube_client *c)
{
	return !c->opt.may_write || c->opt.may_write(c->opt.may_arg);
}

static void bar(struct kube_client *c, struct kube_call *k)
{
	err_set(&k->err, -ECANCELED, "%s %s: we may not write any more",
		k->req.method, k->req.path);
	finish(c, k, -ECANCELED);
}

/* True if the call is a write and we may not write: it has ended. */
static bool is_barred(struct kube_client *c, struct kube_call *k)
{
	if (!is_write(k) || may_write(c))
		return false;
	bar(c, k);
	return true;
}

/* A pause may have been long: what was not sent before it must not be now. */
static void bar_writes(struct kube_client *c)
{
	struct kube_call *k = c->lists[ACTIVE].head.next;

	while (!may_write(c) && k != &c->lists[ACTIVE].head) {
		if (!is_write(k)) {
			k = k->next;
			continue;
		}
		k->undecided = true;
		bar(c, k);
		/* bar() has called back: the list may be another one */
		k = c->lists[ACTIVE].head.next;
	}
}

static void start_try(struct kube_client *c, struct kube_call *k)
{
	struct kube_secret s;
	int64_t rest;
	int rc;

	if (is_barred(c, k))
		return;
	if (!k->req.on_data && clock_ms() >= k->req.deadline_ms) {
		if (k->attempts) {
			give_up(c, k);
			return;
		}
		err_set(&k->err, -ETIMEDOUT,
			"%s %s: out of time before it could be sent",
			k->req.method, k->req.path);
		finish(c, k, -ETIMEDOUT);
		return;
	}
	rc = kube_cred_get(c->cred, &s, &k->err);
	k->attempts++;
	if (rc) {
		/* A code that is not taken for an answer of the API server. */
		rc = rc == -ETIMEDOUT ? rc : -EIO;
		err_wrap(&k->err, rc, "%s %s: no credentials", k->req.method,
			 k->req.path);
		rest = kube_cred_rest_ms(c->cred);
		retry_or_finish(c, k, rc, rc == -ETIMEDOUT || rest > 0, rest);
		return;
	}
	if (is_barred(c, k)) /* a credential plugin may take 30 s */
		return;
	k->stop = 0;
	k->http = 0;
	k->peer = nobody;
	k->easy = kube_call_easy(c, k, &s);
	if (!k->easy) {
		finish(c, k, err_oom(&k->err));
		return;
	}
	call_list_move(c, k, ACTIVE);
	connections_limit(&c->conns, LONE_CALLS + c->beside);
	k->last_data_at = k->sent_at = clock_ms();
	k->nr = ++c->count.requests;
	if (curl_multi_add_handle(c->conns.multi, k->easy))
		finish(c, k, err_oom(&k->err));
}

/*
 * True if this try was cut short by the deadline: then the error of the try
 * before it says more.
 */
static bool is_cut_short(const struct kube_call *k)
{
	return k->err.code && k->req.deadline_ms - clock_ms() < CUT_SHORT_MS;
}

static void transport_failed(struct kube_client *c, struct kube_call *k,
			     CURLcode code)
{
	int rc = -EIO, refusal = kube_proxy_refusal(k->easy);

	/* A stream may be cut when it has long had its answer. */
	kube_call_count(k, k->req.on_data ? k->http : 0);
	if (k->stop == -EMSGSIZE && !k->req.on_data)
		err_set(&k->err, rc = -EMSGSIZE,
			"%s %s: the answer is larger than %zu bytes",
			k->req.method, k->req.path, k->answer.max);
	else if (k->stop == -ENOBUFS)
		err_set(&k->err, rc = -ENOBUFS,
			"%s %s: all answers that come now have more than %u "
			"bytes",
			k->req.method, k->req.path, ANSWERS_MAX);
	else if (k->stop)
		err_set(&k->err, rc = k->stop, "%s %s: %s", k->req.method,
			k->req.path, strerror(-k->stop));
	else if (code == CURLE_OPERATION_TIMEDOUT && is_cut_short(k))
		rc = k->err.code;
	else if (code == CURLE_OPERATION_TIMEDOUT)
		err_set(&k->err, rc = -ETIMEDOUT,
			"%s %s: no answer from %s in time", k->req.method,
			k->req.path, c->whom);
	else if (refusal)
		err_set(&k->err, rc, "%s %s: %s: it answered %d to CONNECT",
			k->req.method, k->req.path, c->whom, refusal);
	else
		err_set(&k->err, rc, "%s %s: %s: %s", k->req.method,
			k->req.path, c->whom, curl_easy_strerror(code));
	if (transport_distrusts(code))
		c->distrusted = true;
	if (code == CURLE_OPERATION_TIMEDOUT)
		note_unheard(c, k, k->sent_at);
	/*
	 * For a write `sent` says whether libcurl had begun to send it, also
	 * where it was to be sent again by a connection that did not come to
	 * be. Before 7.80 `sent` does not say so where libcurl failed while it
	 * sent.
	 */
	if (is_write(k)
		    ? k->sent || code == CURLE_SEND_ERROR || code == CURLE_HTTP2
		    : !transport_unsent(code, refusal))
		k->undecided = true;
	retry_or_finish(
		c, k, rc,
		k->stop == -ENOBUFS ||
			(!k->stop && transport_retriable(code, refusal)),
		0);
}

const char *kube_call_state(const struct kube_call *call)
{
	static const char *const words[] = {[READY] = "not sent yet",
					    [ACTIVE] = "sent, not answered",
					    [WAITING] = "to be sent again"};

	return words[call->where];
}

/*
 * Tries that may not have been sent count as undecided, too; that costs one GET
 * each.
 */
void kube_client_reconnect(struct kube_client *c, const char *why)
{
	while (c->lists[ACTIVE].n) {
		struct kube_call *k = c->lists[ACTIVE].head.next;

		err_set(&k->err, -EIO, "%s %s: %s: %s", k->req.method,
			k->req.path, c->whom, why);
		k->undecided = true;
		kube_call_count(k, 0);
		retry_or_finish(c, k, -EIO, true, 0);
	}
	/* Without memory for new connections the old ones are kept. */
	connections_renew(&c->conns);
	c->activity = (struct conn_activity){0};
}

bool kube_client_distrusted(const struct kube_client *c)
{
	return c->distrusted;
}

int kube_client_use(struct kube_client *c, const struct kube_config *config,
		    struct err *err)
{
	struct kube_client new = {0}, old;
	int rc = by_config(&new, config, err);

	if (rc) {
		forget_config(&new);
		return rc;
	}
	/* Transfers point to the old config, so they end first. */
	kube_client_reconnect(c, "begun anew with a changed kubeconfig");
	old = *c;
	c->config = new.config;
	c->base = new.base;
	c->connect = new.connect;
	c->connect_to = new.connect_to;
	c->whom = new.whom;
	c->proxy = new.proxy;
	c->cred = new.cred;
	c->distrusted = c->multiplexed = c->told_http1 = false;
	forget_config(&old);
	return 0;
}

static void narrow_window(struct kube_client *c, const struct kube_call *k)
{
	if (k->nr <= c->narrowed)
		return;
	c->narrowed = c->count.requests;
	c->window = c->window > 1 ? c->window / 2 : 1;
	c->good = 0;
}

static void widen_window(struct kube_client *c)
{
	if (c->window < c->opt.max_calls && ++c->good >= c->window) {
		c->window++;
		c->good = 0;
	}
}

static int64_t retry_after_ms(curl_off_t s)
{
	return (s < 0			? 0
		: s < RETRY_AFTER_MAX_S ? s
					: RETRY_AFTER_MAX_S) *
	       1000;
}

/* True for an answer after which the caller does not want another try. */
static bool is_final(const struct kube_call *k)
{
	return (k->http == 409 && k->req.conflict_is_final) ||
	       (k->http >= 500 && k->req.failure_is_final);
}

static void refused(struct kube_client *c, struct kube_call *k)
{
	curl_off_t after = 0;
	int rc = kube_status_err(&k->err, k->req.method, k->req.path, k->http,
				 buf_str(&k->answer), k->answer.len);

	curl_easy_getinfo(k->easy, CURLINFO_RETRY_AFTER, &after);
	if (k->http == 401 && !k->refreshed && kube_cred_refused(c->cred)) {
		k->refreshed = true;
		retry_or_finish(c, k, rc, true, 0);
		return;
	}
	if (k->http == 401)
		c->distrusted = true;
	if (k->http == 429)
		narrow_window(c, k);
	else if (k->http < 500) /* a plain no is a healthy server's answer */
		widen_window(c);
	if (k->http >= 500)
		k->undecided = true;
	retry_or_finish(c, k, rc,
			!is_final(k) &&
				kube_status_retriable(k->req.method, k->http,
						      k->err.reason),
			retry_after_ms(after));
}

static void note_version(struct kube_client *c, const struct kube_call *k)
{
	long version = 0;

	curl_easy_getinfo(k->easy, CURLINFO_HTTP_VERSION, &version);
	c->multiplexed = version >= CURL_HTTP_VERSION_2_0;
	if (c->multiplexed || c->told_http1)
		return;
	c->told_http1 = true;
	log_info("%s: it does not answer by HTTP/2: each request has a "
		 "connection of its own, each watch one that stays",
		 c->whom);
}

static void try_done(struct kube_client *c, struct kube_call *k, CURLcode code)
{
	long http = 0, conns = 0;

	curl_easy_getinfo(k->easy, CURLINFO_RESPONSE_CODE, &http);
	curl_easy_getinfo(k->easy, CURLINFO_NUM_CONNECTS, &conns);
	c->count.connections += (uint64_t)conns;
	k->http = (int)http;
	if (!code)
		kube_call_count(k, k->http);
	if (http && !code) {
		kube_call_note_peer(k);
		kube_call_heard(k);
		note_version(c, k);
	}
	if (code != CURLE_OK) {
		transport_failed(c, k, code);
	} else if (http < 200 || http > 299) {
		refused(c, k);
	} else {
		widen_window(c);
		finish(c, k, 0);
	}
}

static void reap(struct kube_client *c)
{
	CURLMsg *m;
	int left;

	while ((m = curl_multi_info_read(c->conns.multi, &left))) {
		CURLcode code = m->data.result;
		struct kube_call *k = NULL;

		curl_easy_getinfo(m->easy_handle, CURLINFO_PRIVATE,
				  (char **)&k);
		if (m->msg == CURLMSG_DONE && k)
			try_done(c, k, code);
	}
}

/* Move calls whose wait is over; return ms until the next one is. */
static int64_t wake_waiting(struct kube_client *c, int64_t limit)
{
	struct kube_call *k = c->lists[WAITING].head.next, *next;
	int64_t now = clock_ms();

	for (; k != &c->lists[WAITING].head; k = next) {
		next = k->next;
		if (k->start_at <= now)
			call_list_move(c, k, READY);
		else if (k->start_at - now < limit)
			limit = k->start_at - now;
	}
	return limit;
}

/*
 * End a stream that has been silent too long, like a lost connection. True: one
 * was ended (its callback may have changed the list), and there may be more.
 */
static bool end_silent(struct kube_client *c)
{
	struct kube_call *k = c->lists[ACTIVE].head.next, *next;
	int64_t now = clock_ms();

	for (; k != &c->lists[ACTIVE].head; k = next) {
		next = k->next;
		if (k->req.on_data && k->req.idle_ms &&
		    now - k->last_data_at > k->req.idle_ms) {
			err_set(&k->err, -ETIMEDOUT,
				"%s %s: silent for %lld ms", k->req.method,
				k->req.path, (long long)k->req.idle_ms);
			note_unheard(c, k, k->last_data_at + 1);
			kube_call_count(k, 0);
			finish(c, k, -ETIMEDOUT);
			return true;
		}
	}
	return false;
}

/*
 * End a call that libcurl has not ended in time: it has no time limit for a
 * call that waits for a connection. True: one was ended (its callback may have
 * changed the list), and there may be more.
 */
static bool end_late(struct kube_client *c)
{
	const int64_t now = clock_ms();
	struct kube_call *k = c->lists[ACTIVE].head.next;

	for (; k != &c->lists[ACTIVE].head; k = k->next) {
		if (k->req.on_data || now < k->req.deadline_ms + LATE_MS)
			continue;
		transport_failed(c, k, CURLE_OPERATION_TIMEDOUT);
		return true;
	}
	return false;
}

static size_t total(const struct kube_client *c)
{
	return c->lists[READY].n + c->lists[ACTIVE].n + c->lists[WAITING].n;
}

static bool may_send(const struct kube_client *c)
{
	unsigned int n = c->window;

	if (!c->lists[READY].n)
		return false;
	if (kube_call_beside(c->lists[READY].head.next))
		return true;
	if (!c->multiplexed && n > LONE_CALLS)
		n = LONE_CALLS;
	return c->lists[ACTIVE].n - c->beside < n;
}

static void send_ready(struct kube_client *c)
{
	while (may_send(c))
		start_try(c, c->lists[READY].head.next);
}

/* Let go of the calls that were cancelled inside curl_multi_perform(). */
static void bury_dead(struct kube_client *c)
{
	struct kube_call *k = c->lists[ACTIVE].head.next, *next;

	for (; c->dead && k != &c->lists[ACTIVE].head; k = next) {
		next = k->next;
		if (k->dead) {
			c->dead--;
			kube_client_cancel(c, k);
		}
	}
}

/*
 * Note whether all that had come has been read, and wait for more. The time is
 * taken before it is looked: what comes later is not read yet.
 */
static void wait_for_more(struct kube_client *c, int timeout_ms)
{
	const int64_t now = clock_boot_ms();

	if (connections_are_drained(&c->conns))
		c->drained_at = now;
	if (timeout_ms)
		connections_wait(&c->conns, timeout_ms);
}

size_t kube_client_step(struct kube_client *c, int timeout_ms)
{
	int64_t wait;
	int running;
	bool ended;

	kube_cred_step(c->cred);
	wake_waiting(c, timeout_ms);
	probe_quiet_connections(c);
	bar_writes(c);
	send_ready(c);
	c->told = false;
	c->performing = true;
	curl_multi_perform(c->conns.multi, &running);
	c->performing = false;
	bury_dead(c);
	reap(c);
	ended = end_silent(c);
	ended |= end_late(c);
	/* An answer may have been read after its try had ended. */
	if (conn_activity_dead(&c->activity)) {
		kube_client_reconnect(c, KUBE_SILENT);
		return total(c);
	}
	if (c->apart_unheard)
		connections_renew_apart(&c->conns);
	c->apart_unheard = false;
	wait = wake_waiting(c, timeout_ms); /* reap() may have added some */
	/*
	 * No wait after an answer: there is room for a call, or a callback has
	 * more to send.
	 */
	if (ended || c->told || may_send(c))
		return total(c);
	if (total(c))
		wait_for_more(c, (int)wait);
	return total(c);
}

void kube_client_rest(struct kube_client *c, int timeout_ms)
{
	connections_wait(&c->conns, timeout_ms);
}

int64_t kube_client_drained_at(const struct kube_client *c)
{
	return c->drained_at;
}

void kube_client_wakeup(struct kube_client *c)
{
	connections_wakeup(&c->conns);
}

void kube_client_counters(const struct kube_client *c,
			  struct kube_counters *out)
{
	*out = c->count;
}
