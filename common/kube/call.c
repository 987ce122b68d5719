/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kube/call.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

#include "base/clock.h"
#include "base/str.h"
#include "kube/headers.h"
#include "kube/libcurl.h"
#include "kube/transport.h"

#define CONNECT_MS 5000
/*
 * The result of on_write() that ends the transfer: any but the number of bytes
 * does.
 */
#define END_TRANSFER SIZE_MAX

bool kube_call_beside(const struct kube_call *k)
{
	return k->req.urgent || k->req.on_data || k->req.page;
}

void call_list_init(struct list *l)
{
	l->head.next = l->head.prev = &l->head;
	l->n = 0;
}

void call_list_del(struct kube_client *c, struct kube_call *k)
{
	k->prev->next = k->next;
	k->next->prev = k->prev;
	c->lists[k->where].n--;
	if (k->where == ACTIVE && kube_call_beside(k))
		c->beside--;
}

void call_list_put(struct kube_client *c, struct kube_call *k, enum where to)
{
	struct list *l = &c->lists[to];

	k->where = to;
	k->prev = kube_call_beside(k) ? &l->head : l->head.prev;
	k->next = k->prev->next;
	k->prev->next = k;
	k->next->prev = k;
	l->n++;
	if (to == ACTIVE && kube_call_beside(k))
		c->beside++;
}

void call_list_move(struct kube_client *c, struct kube_call *k, enum where to)
{
	call_list_del(c, k);
	call_list_put(c, k, to);
}

void kube_call_forget(struct kube_call *k)
{
	k->client->held -= k->answer.len;
	/* A buf_reset() would keep memory that `held` no longer counts. */
	buf_free(&k->answer);
}

void kube_call_free(struct kube_call *k)
{
	kube_call_forget(k);
	free((char *)k->req.path);
	free((void *)k->req.body);
	free(k);
}

void kube_call_release(struct kube_client *c, struct kube_call *k)
{
	if (!k->easy)
		return;
	curl_multi_remove_handle(c->conns.multi, k->easy);
	connections_let_go(k->easy);
	headers_free(k->headers);
	k->headers = NULL;
	curl_easy_reset(k->easy);
	if (c->n_idle < IDLE_EASY_MAX)
		c->idle[c->n_idle++] = k->easy;
	else
		curl_easy_cleanup(k->easy);
	k->easy = NULL;
}

long kube_call_port(const struct kube_call *k)
{
	long port = 0;

	curl_easy_getinfo(k->easy, CURLINFO_LOCAL_PORT, &port);
	return port > 0 ? port : k->reused_port;
}

void kube_call_heard(struct kube_call *k)
{
	const int64_t now = clock_ms();
	const long port = kube_call_port(k);

	conn_activity_note(&k->client->activity, CONN_ACTIVITY_ANY, now);
	if (port > 0)
		conn_activity_note(&k->client->activity, port, now);
}

/* Date of RFC 9110, which has one form only for servers that write it now. */
static void note_date(struct kube_call *k, const char *line, size_t n)
{
	static const char name[] = "date:";
	char value[64];
	time_t at;

	if (n <= strlen(name) || strncasecmp(line, name, strlen(name)) != 0)
		return;
	line += strlen(name);
	n -= strlen(name);
	if (n >= sizeof(value))
		return;
	memcpy(value, line, n);
	value[n] = '\0';
	at = curl_getdate(value, NULL);
	k->peer.date_ms = at < 0 ? -1 : (int64_t)at * 1000;
}

void kube_call_note_peer(struct kube_call *k)
{
	static const char field[] = "Cert:";
	struct curl_certinfo *info = NULL;

	if (!k->req.peer ||
	    curl_easy_getinfo(k->easy, CURLINFO_CERTINFO, &info) || !info ||
	    info->num_of_certs < 1)
		return;
	for (struct curl_slist *l = info->certinfo[0]; l; l = l->next)
		if (!strncmp(l->data, field, strlen(field)))
			k->peer.cert =
				kube_validity_first(l->data + strlen(field));
}

static bool is_empty_line(const char *line, size_t n)
{
	return n > 0 && n <= 2 && (*line == '\r' || *line == '\n');
}

/* libcurl calls this for each header line; an empty line ends the headers. */
static size_t on_header(char *line, size_t one, size_t n, void *arg)
{
	struct kube_call *k = arg;
	long http = 0;

	(void)one;
	if (!k->dead && k->req.peer)
		note_date(k, line, n);
	if (k->dead || !is_empty_line(line, n))
		return n;
	kube_call_heard(k);
	if (!k->req.on_open)
		return n;
	curl_easy_getinfo(k->easy, CURLINFO_RESPONSE_CODE, &http);
	if (http == 200)
		k->req.on_open(k->req.arg);
	return n;
}

static int hold(struct kube_call *k, const char *data, size_t n)
{
	int rc = k->client->held + n > ANSWERS_MAX
			 ? -ENOBUFS
			 : buf_add(&k->answer, data, n);

	k->client->held += rc ? 0 : n;
	return rc;
}

static size_t on_write(char *data, size_t one, size_t n, void *arg)
{
	struct kube_call *k = arg;
	long http = 0;
	int rc;

	(void)one;
	if (k->dead)
		return END_TRANSFER;
	kube_call_heard(k);
	k->last_data_at = clock_ms();
	curl_easy_getinfo(k->easy, CURLINFO_RESPONSE_CODE, &http);
	if (k->req.on_data && http == 200)
		rc = k->req.on_data(k->req.arg, data, n);
	else
		rc = hold(k, data, n);
	if (rc) {
		k->stop = rc;
		return END_TRANSFER;
	}
	return n;
}

/*
 * Note that libcurl sends the request. By itself it sends it again when a
 * connection that had served others ended before anything was answered: what
 * the server says then may be about what it has done the first time.
 */
static void note_send(struct kube_call *k)
{
	/* A GET has no effect that could be unseen. */
	if (!strcmp(k->req.method, "GET"))
		return;
	k->undecided |= k->sent;
	k->sent = true;
}

#if LIBCURL_VERSION_NUM >= 0x075000 /* 7.80 */

/* libcurl calls this just before it sends the request. */
/* NOLINTNEXTLINE(readability-non-const-parameter): these are libcurl's types */
static int on_send(void *arg, char *peer_ip, char *own_ip, int peer_port,
		   int own_port)
{
	(void)peer_ip;
	(void)own_ip;
	(void)peer_port;
	(void)own_port;
	note_send(arg);
	return CURL_PREREQFUNC_OK;
}

static void watch_sends(struct kube_call *k, CURL *e)
{
	k->sent = false;
	curl_easy_setopt(e, CURLOPT_PREREQFUNCTION, on_send);
	curl_easy_setopt(e, CURLOPT_PREREQDATA, k);
}

#else

/*
 * libcurl calls this when headers were sent, which are the request unless a
 * proxy gets them; a server does nothing with a part of them. All else that it
 * tells, tokens among it, is dropped here. Its first call is about the
 * connection that is taken: before 7.79 the port of one that was idle is known
 * at that moment only.
 */
static int on_debug(CURL *e, curl_infotype type, char *text, size_t n,
		    void *arg)
{
	static const char proxy[] = "CONNECT ";
	struct kube_call *k = arg;
	long port = 0;

	curl_easy_getinfo(e, CURLINFO_LOCAL_PORT, &port);
	if (port > 0)
		k->reused_port = port;
	if (type == CURLINFO_HEADER_OUT &&
	    (n < strlen(proxy) || memcmp(text, proxy, strlen(proxy)) != 0))
		note_send(k);
	return 0;
}

static void watch_sends(struct kube_call *k, CURL *e)
{
	k->sent = false;
	k->reused_port = 0;
	curl_easy_setopt(e, CURLOPT_DEBUGFUNCTION, on_debug);
	curl_easy_setopt(e, CURLOPT_DEBUGDATA, k);
	curl_easy_setopt(e, CURLOPT_VERBOSE, 1L);
}

#endif

static void set_body(CURL *e, const struct kube_request *r)
{
	curl_easy_setopt(e, CURLOPT_CUSTOMREQUEST, r->method);
	if (r->body) {
		curl_easy_setopt(e, CURLOPT_POSTFIELDSIZE_LARGE,
				 (curl_off_t)r->body_len);
		curl_easy_setopt(e, CURLOPT_POSTFIELDS, r->body);
	} else if (!strcmp(r->method, "POST")) {
		curl_easy_setopt(e, CURLOPT_POSTFIELDSIZE, 0L);
		curl_easy_setopt(e, CURLOPT_POSTFIELDS, "");
	}
}

/*
 * Bound the time of a try, except for a page of a list, which may take all of
 * its own time as long as it comes: over a slow link each try of a long page
 * would end half way.
 */
static void set_times(const struct kube_client *c, const struct kube_call *k,
		      CURL *e)
{
	const int64_t left = k->req.deadline_ms - clock_ms();
	const int64_t most = left < 1 ? 1 : left;
	const bool cut = !k->req.page && most > c->opt.attempt_ms;

	curl_easy_setopt(e, CURLOPT_CONNECTTIMEOUT_MS, (long)CONNECT_MS);
	if (k->req.on_data)
		return;
	curl_easy_setopt(e, CURLOPT_TIMEOUT_MS,
			 (long)(cut ? c->opt.attempt_ms : most));
	if (!k->req.page)
		return;
	curl_easy_setopt(e, CURLOPT_LOW_SPEED_LIMIT, 1L); /* bytes/s */
	curl_easy_setopt(e, CURLOPT_LOW_SPEED_TIME,
			 (long)((c->opt.attempt_ms + 999) / 1000));
}

CURL *kube_call_easy(struct kube_client *c, struct kube_call *k,
		     const struct kube_secret *s)
{
	CURL *e = c->n_idle ? c->idle[--c->n_idle] : curl_easy_init();
	_cleanup_free_ char *url = str_printf("%s%s", c->base, k->req.path);

	k->headers = headers_make(&k->req, s);
	if (!e || !k->headers || !url) {
		headers_free(k->headers);
		k->headers = NULL;
		if (e)
			curl_easy_cleanup(e);
		return NULL;
	}
	curl_easy_setopt(e, CURLOPT_URL, url);
	libcurl_https_only(e);
	curl_easy_setopt(e, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_2TLS);
	/*
	 * Other calls share a connection, and wait until a new one is known to
	 * take many. An urgent call takes one of its own instead: the server of
	 * the shared one may be dead, and some libcurls wait for its first
	 * answer.
	 */
	curl_easy_setopt(e, CURLOPT_PIPEWAIT, k->req.urgent ? 0L : 1L);
	curl_easy_setopt(e, CURLOPT_NOSIGNAL, 1L);
	libcurl_quick_exit(e);
	curl_easy_setopt(e, CURLOPT_USERAGENT, c->opt.user_agent);
	if (c->opt.compressed)
		curl_easy_setopt(e, CURLOPT_ACCEPT_ENCODING, "gzip");
	curl_easy_setopt(e, CURLOPT_HTTPHEADER, k->headers);
	curl_easy_setopt(e, CURLOPT_PRIVATE, k);
	curl_easy_setopt(e, CURLOPT_WRITEFUNCTION, on_write);
	curl_easy_setopt(e, CURLOPT_WRITEDATA, k);
	curl_easy_setopt(e, CURLOPT_HEADERFUNCTION, on_header);
	curl_easy_setopt(e, CURLOPT_HEADERDATA, k);
	curl_easy_setopt(e, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
	connections_setup(e);
	if (k->req.urgent)
		connections_keep_apart(&c->conns, e);
	curl_easy_setopt(e, CURLOPT_UPLOAD_BUFFERSIZE,
			 16384L); /* default 64 k */
	curl_easy_setopt(e, CURLOPT_TCP_NODELAY, 1L);
	set_times(c, k, e);
	if (c->connect_to)
		curl_easy_setopt(e, CURLOPT_CONNECT_TO, c->connect_to);
	kube_proxy_setup(e, &c->proxy);
	transport_set_tls(e, c->config->ca_pem, s);
	set_body(e, &k->req);
	if (k->req.peer)
		curl_easy_setopt(e, CURLOPT_CERTINFO, 1L);
	watch_sends(k, e);
	return e;
}
