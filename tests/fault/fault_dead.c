/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A client with more than one connection (a server takes so many streams on
 * one), of which one is dead: nothing comes by it any more, and it is not
 * closed.
 */
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "base/str.h"
#include "fault.h"

#define ATTEMPT_MS 1500

struct stream {
	bool open;
	struct got end;
};

static int on_stream(void *arg, const char *data, size_t len)
{
	(void)data;
	((struct stream *)arg)->open = len > 0;
	return 0;
}

static void on_stream_end(void *arg, const struct kube_result *res)
{
	got_done(&((struct stream *)arg)->end, res);
}

static void start_stream(struct kube_client *c, struct stream *s,
			 int64_t idle_ms)
{
	const struct kube_request r = {
		.method = "GET",
		.path = PODS "?watch=1",
		.on_data = on_stream,
		.on_done = on_stream_end,
		.idle_ms = idle_ms,
		.arg = s,
	};

	got_clear(&s->end);
	s->open = false;
	if (!kube_client_start(c, &r))
		abort();
}

/* A client of the HTTP/2 server. */
static struct fault_link h2_link(void)
{
	const struct kube_client_options o = {.attempt_ms = ATTEMPT_MS};
	struct fault_link l = {.config = fault_config()};

	free(l.config->server);
	l.config->server = str_printf("https://127.0.0.1:%d", fault()->h2_port);
	l.client = fault_client(l.config, &o);
	return l;
}

static void call(struct kube_client *c, struct got *g)
{
	const struct kube_request r = {
		.method = "GET",
		.path = PODS "/p",
		.deadline_ms = clock_ms() + 20 * ATTEMPT_MS,
	};

	fault_call(c, &r, g);
}

static void calls_leave_a_dead_connection_while_a_watch_lives_on_another(void)
{
	struct stream s = {0};
	_cleanup_got_ struct got g = {0};
	_cleanup_link_ struct fault_link l = {0};

	fault_script("'h2':{'streams':1,'conns':[{'ticks':100000},"
		     "{'answers':1}]}");
	l = h2_link();
	start_stream(l.client, &s, WAIT_MS);
	T_NEED(fault_await(l.client, &s.open));
	call(l.client, &g);
	T_NEED(T_INT(g.rc, 0));
	T_NEED(T_INT(fault_count("h2_opened", NULL), 2));
	call(l.client, &g);
	T_INT(g.rc, 0);
	T_INT(g.attempts, 2);
	/* One is the probe's: each has room for one request. */
	T_INT(fault_count("h2_opened", NULL), 4);
	got_clear(&s.end);
}

static void a_watch_leaves_a_dead_connection_while_calls_live_on_another(void)
{
	struct stream s = {0};
	_cleanup_got_ struct got g = {0};
	_cleanup_link_ struct fault_link l = {0};
	int64_t end;

	fault_script("'h2':{'streams':1,'conns':[{'ticks':3}]}");
	l = h2_link();
	start_stream(l.client, &s, ATTEMPT_MS);
	T_NEED(fault_await(l.client, &s.open));
	end = clock_ms() + WAIT_MS;
	while (!s.end.done && clock_ms() < end) {
		call(l.client, &g);
		T_NEED(T_INT(g.rc, 0));
		kube_client_step(l.client, 50);
	}
	T_ERR(s.end.rc, &s.end.err, -ETIMEDOUT, "silent for 1500 ms");
	start_stream(l.client, &s, ATTEMPT_MS);
	fault_await(l.client, &s.end.done);
	T_INT(s.end.rc, 0);
	T_OK(s.open);
	got_clear(&s.end);
}

static bool until_opened(struct kube_client *c, int64_t n)
{
	const int64_t end = clock_ms() + WAIT_MS;

	while (fault_count("h2_opened", NULL) < n && clock_ms() < end)
		kube_client_step(c, 10);
	return T_INT(fault_count("h2_opened", NULL), n);
}

/* One that waits for a webhook, say, ended all watches of a quiet cluster. */
static void a_request_without_an_answer_leaves_a_quiet_watch_alone(void)
{
	struct stream s = {0};
	_cleanup_link_ struct fault_link l = {0};
	int64_t end;

	fault_script("'h2':{'conns':[{'ticks':1,'lives':1,"
		     "'unanswered':[3]}]}");
	l = h2_link();
	start_stream(l.client, &s, WAIT_MS);
	T_NEED(fault_await(l.client, &s.open));
	end = clock_ms() + 300;
	while (clock_ms() < end)
		kube_client_step(l.client, 20);
	for (int i = 0; i < 3; i++) {
		_cleanup_got_ struct got g = {0};
		const struct kube_request hung = {
			.method = "GET",
			.path = PODS "/p",
			.no_retry = true,
			.deadline_ms = clock_ms() + 2 * ATTEMPT_MS,
		};

		t_row("%d", i);
		fault_call(l.client, &hung, &g);
		T_INT(g.rc, i == 1 ? -ETIMEDOUT : 0);
		T_OK(!s.end.done);
	}
	T_INT(fault_count("h2_opened", NULL), 1);
	got_clear(&s.end);
}

/* (others wait to see whether it is to be shared) */
static void what_is_urgent_does_not_wait_for_a_connection_that_stalls(void)
{
	_cleanup_got_ struct got plain = {0}, urgent = {0};
	_cleanup_link_ struct fault_link l = {0};
	struct kube_request r = {.method = "GET", .path = PODS "/p"};

	fault_script("'h2':{'conns':[{'stalls':60}]}");
	l = h2_link();
	fault_start(l.client, &r, &plain);
	T_NEED(until_opened(l.client, 1));
	r.urgent = r.no_retry = true;
	r.deadline_ms = clock_ms() + ATTEMPT_MS;
	fault_call(l.client, &r, &urgent);
	T_INT(urgent.rc, 0);
	T_INT(fault_count("h2_opened", NULL), 2);
}

/* That a Lease is not written in time is no reason to begin watches anew. */
static void what_is_urgent_leaves_its_own_dead_connection_alone(void)
{
	_cleanup_got_ struct got g = {0};
	_cleanup_link_ struct fault_link l = {0};
	struct kube_request r = {
		.method = "GET", .path = PODS "/p", .urgent = true};
	struct stream s = {0};

	fault_script("'h2':{'conns':[{'ticks':100000},{'answers':1}]}");
	l = h2_link();
	start_stream(l.client, &s, WAIT_MS);
	T_NEED(fault_await(l.client, &s.open));
	for (int i = 0; i < 2; i++) {
		r.deadline_ms = clock_ms() + 20 * ATTEMPT_MS;
		fault_call(l.client, &r, &g);
		T_INT(g.rc, 0);
		T_INT(g.attempts, i + 1);
		T_INT(fault_count("h2_opened", NULL), i + 2);
	}
	T_OK(!s.end.done);
	got_clear(&s.end);
}

/* --- what no call is on: by Linux */

static int option(int fd, int level, int name)
{
	socklen_t len = sizeof(int);
	int value = -1;

	getsockopt(fd, level, name, &value, &len);
	return value;
}

static bool is_to(int fd, int port)
{
	struct sockaddr_in a = {0};
	socklen_t len = sizeof(a);

	return !getpeername(fd, (struct sockaddr *)&a, &len) &&
	       a.sin_family == AF_INET && ntohs(a.sin_port) == port;
}

static void an_idle_connection_is_probed(void)
{
	_cleanup_got_ struct got g = {0};
	_cleanup_link_ struct fault_link l = {0};
	int found = 0;

	fault_script("'h2':{}");
	l = h2_link();
	call(l.client, &g);
	T_NEED(T_INT(g.rc, 0));
	for (int fd = 0; fd < 1024; fd++) {
		if (!is_to(fd, fault()->h2_port))
			continue;
		found++;
		T_INT(option(fd, SOL_SOCKET, SO_KEEPALIVE), 1);
		T_INT(option(fd, IPPROTO_TCP, TCP_KEEPIDLE), 10);
		T_INT(option(fd, IPPROTO_TCP, TCP_KEEPINTVL), 5);
		T_INT(option(fd, IPPROTO_TCP, TCP_USER_TIMEOUT), 20000);
	}
	T_INT(found, 1);
}

T_MAIN("fault_dead", T(a_request_without_an_answer_leaves_a_quiet_watch_alone),
       T(calls_leave_a_dead_connection_while_a_watch_lives_on_another),
       T(a_watch_leaves_a_dead_connection_while_calls_live_on_another),
       T(what_is_urgent_does_not_wait_for_a_connection_that_stalls),
       T(what_is_urgent_leaves_its_own_dead_connection_alone),
       T(an_idle_connection_is_probed))
