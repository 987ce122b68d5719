/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * libcurl's connections are libcurl's: what slurmctld has open beside them is
 * not touched, whatever becomes of a connect.
 */
#include "kube/connections.h"

#include <dlfcn.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/str.h"
#include "fault.h"

#define PAIRS 64
#define FULL_AT_MOST 8

/* A port whose queue of connects is full: Linux drops further SYNs. */
struct full_port {
	int listener, clients[FULL_AT_MOST], n, port;
};

static bool is_connected(int fd)
{
	struct pollfd p = {.fd = fd, .events = POLLOUT};

	return poll(&p, 1, 500) == 1;
}

static struct full_port full_port(void)
{
	struct sockaddr_in a = {.sin_family = AF_INET,
				.sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	struct full_port f = {.listener = socket(AF_INET, SOCK_STREAM, 0)};
	socklen_t len = sizeof(a);
	bool full = false;

	if (bind(f.listener, (struct sockaddr *)&a, len) ||
	    listen(f.listener, 0) ||
	    getsockname(f.listener, (struct sockaddr *)&a, &len))
		abort();
	f.port = ntohs(a.sin_port);
	while (!full && f.n < FULL_AT_MOST) {
		int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);

		if (connect(fd, (struct sockaddr *)&a, len) &&
		    errno != EINPROGRESS)
			abort();
		f.clients[f.n++] = fd;
		full = !is_connected(fd);
	}
	T_OK(full);
	return f;
}

static void full_port_close(struct full_port *f)
{
	for (int i = 0; i < f->n; i++)
		close(f->clients[i]);
	close(f->listener);
}

/* fault_unlink() ends it. */
static struct fault_link link_to(const struct full_port *f)
{
	struct fault_link l = {.config = fault_config()};

	free(l.config->server);
	l.config->server = str_printf("https://127.0.0.1:%d", f->port);
	l.client = fault_client(l.config, NULL);
	return l;
}

/* One try, that ends when libcurl gives up the connect. */
static void call_in_vain(struct kube_client *c)
{
	_cleanup_got_ struct got g = {0};
	const struct kube_request r = {
		.method = "GET",
		.path = PODS,
		.no_retry = true,
		.deadline_ms = clock_ms() + WAIT_MS,
	};

	fault_call(c, &r, &g);
	T_ERR(g.rc, &g.err, -ETIMEDOUT, "no answer");
}

/* (within libcurl it waits for the connection that another one opens) */
static void a_call_without_a_connection_ends_in_time(void)
{
	struct full_port f = full_port();
	struct fault_link l = link_to(&f);
	_cleanup_got_ struct got first = {0}, second = {0};
	struct kube_request r = {.method = "GET",
				 .path = PODS,
				 .no_retry = true,
				 .deadline_ms = clock_ms() + WAIT_MS};
	const int64_t began = clock_ms();

	fault_start(l.client, &r, &first);
	kube_client_step(l.client, 50);
	r.deadline_ms = clock_ms() + 1000;
	fault_start(l.client, &r, &second);
	fault_await(l.client, &second.done);
	T_INT(second.rc, -ETIMEDOUT);
	T_OK(!first.done);
	T_OK(clock_ms() - began < 4000);
	fault_unlink(&l);
	full_port_close(&f);
}

/* (it is known that nobody can have taken it) */
static void a_write_without_a_connection_is_not_undecided(void)
{
	struct full_port f = full_port();
	struct fault_link l = link_to(&f);
	_cleanup_got_ struct got g = {0};
	const struct kube_request r = {.method = "POST",
				       .path = PODS,
				       .body = "{}",
				       .no_retry = true,
				       .deadline_ms = clock_ms() + 1000};

	fault_call(l.client, &r, &g);
	T_INT(g.rc, -ETIMEDOUT);
	T_OK(!g.undecided);
	fault_unlink(&l);
	full_port_close(&f);
}

/* (an API server that has died, whose successor is not there yet) */
static void what_libcurl_could_not_send_again_is_undecided(void)
{
	const struct kube_request r = {
		.method = "POST", .path = PODS, .body = "{}", .no_retry = true};
	const struct kube_request list = {.method = "GET", .path = PODS};
	_cleanup_link_ struct fault_link l = fault_link(NULL);
	_cleanup_got_ struct got g = {0};

	fault_script("'looks':0,'rules':[{'do':'died','method':'POST',"
		     "'conns':1}]");
	fault_call(l.client, &list, &g);
	T_INT(g.rc, 0);
	got_clear(&g);
	fault_call(l.client, &r, &g);
	T_OK(g.rc < 0);
	T_INT(g.http, 0);
	T_INT(fault_requests("POST", PODS), 1);
	T_OK(g.undecided);
}

static bool passes(int from, int to)
{
	char c = 'x';

	return send(from, &c, 1, MSG_NOSIGNAL) == 1 &&
	       recv(to, &c, 1, MSG_DONTWAIT) == 1;
}

static void a_connect_that_times_out_leaves_other_sockets_alone(void)
{
	struct full_port f = full_port();
	struct fault_link l = link_to(&f);
	int pairs[PAIRS][2];

	call_in_vain(l.client);
	/* (these get the numbers that the connect has had) */
	for (int i = 0; i < PAIRS; i++)
		if (socketpair(AF_UNIX, SOCK_STREAM, 0, pairs[i]))
			abort();
	call_in_vain(l.client);
	for (int i = 0; i < PAIRS; i++) {
		T_OK(passes(pairs[i][0], pairs[i][1]));
		T_OK(passes(pairs[i][1], pairs[i][0]));
		close(pairs[i][0]);
		close(pairs[i][1]);
	}
	fault_unlink(&l);
	full_port_close(&f);
}

static int no_data(void *arg, const char *data, size_t len)
{
	(void)arg;
	(void)data;
	(void)len;
	return 0;
}

/* A server of HTTP/1.1, as this one is, has a connection for each of them. */
static void beside_all_watches_there_is_room_for_requests(void)
{
	enum { WATCHES = 14 }; /* the bridge's, with all kinds of groups */
	_cleanup_link_ struct fault_link l = fault_link(NULL);
	_cleanup_got_ struct got g = {0};
	struct got watches[WATCHES] = {0};
	const struct kube_request watch = {
		.method = "GET", .path = PODS "?watch=1", .on_data = no_data};
	struct kube_request list = {
		.method = "GET", .path = PODS, .no_retry = true};
	const int64_t end = clock_ms() + 30000;

	fault_script("'rules':[{'path':'watch=1','do':'hang','s':60,"
		     "'times':%d}]",
		     WATCHES);
	for (int i = 0; i < WATCHES; i++)
		fault_start(l.client, &watch, &watches[i]);
	while (clock_ms() < end && fault_requests("GET", "watch=1") < WATCHES)
		kube_client_step(l.client, 10);
	T_INT(fault_requests("GET", "watch=1"), WATCHES);
	list.deadline_ms = clock_ms() + 10000;
	fault_call(l.client, &list, &g);
	T_INT(g.rc, 0);
}

static atomic_bool over;

static void *wake(void *arg)
{
	while (!atomic_load(&over))
		connections_wakeup(arg);
	return NULL;
}

/* (ThreadSanitizer looks on) */
static void who_wakes_meets_no_connections_that_are_gone(void)
{
	struct connections c;
	pthread_t thread;

	T_NEED(T_INT(connections_init(&c, 8), 0));
	T_INT(pthread_create(&thread, NULL, wake, &c), 0);
	for (int i = 0; i < 500; i++)
		T_INT(connections_renew(&c), 0);
	atomic_store(&over, true);
	pthread_join(thread, NULL);
	connections_free(&c);
}

/* A look whether all has been read takes the wakeup from libcurl. */
static void a_wakeup_ends_the_next_wait_whoever_looks_before(void)
{
	const int64_t began = clock_ms();
	struct connections c;

	T_NEED(T_INT(connections_init(&c, 8), 0));
	connections_wakeup(&c);
	T_OK(connections_are_drained(&c));
	connections_wait(&c, WAIT_MS);
	T_OK(clock_ms() - began < WAIT_MS);
	T_INT(connections_renew(&c), 0);
	T_OK(connections_are_drained(&c));
	connections_wait(&c, WAIT_MS);
	T_OK(clock_ms() - began < WAIT_MS);
	connections_free(&c);
}

/* --- a name server that hangs */

#define NAMELESS "hangs.invalid"
#define HANG_MS 5000

static atomic_bool looking, looked;

/* (libcurl's, too: this one comes before the C library's) */
__attribute__((visibility("default"))) int
getaddrinfo(const char *name, const char *service, const struct addrinfo *like,
	    struct addrinfo **out)
{
	int (*real)(const char *, const char *, const struct addrinfo *,
		    struct addrinfo **);

	if (name && !strcmp(name, NAMELESS)) {
		atomic_store(&looking, true);
		clock_nap(HANG_MS);
		atomic_store(&looked, true);
		return EAI_AGAIN;
	}
	*(void **)&real = dlsym(RTLD_NEXT, "getaddrinfo");
	return real ? real(name, service, like, out) : EAI_FAIL;
}

static void a_client_ends_while_a_name_server_hangs(void)
{
	const struct kube_request r = {
		.method = "GET",
		.path = PODS "/p",
		.deadline_ms = clock_ms() + WAIT_MS,
	};
	struct fault_link l = {.config = fault_config()};
	_cleanup_got_ struct got g = {0};
	const int64_t end = clock_ms() + WAIT_MS;
	int64_t began;

	free(l.config->server);
	l.config->server = str_printf("https://" NAMELESS ":6443");
	l.client = fault_client(l.config, NULL);
	fault_start(l.client, &r, &g);
	while (!atomic_load(&looking) && clock_ms() < end)
		kube_client_step(l.client, 20);
	T_OK(atomic_load(&looking));
	began = clock_ms();
	fault_unlink(&l);
	/* See libcurl_quick_exit(). */
	if (curl_version_info(CURLVERSION_NOW)->version_num >= 0x075700)
		T_OK(clock_ms() - began < HANG_MS / 2);
	/* (its thread is not left behind in what follows) */
	while (!atomic_load(&looked) && clock_ms() < end)
		clock_nap(20);
	clock_nap(200);
}

T_MAIN("fault_connections",
       T(a_connect_that_times_out_leaves_other_sockets_alone),
       T(beside_all_watches_there_is_room_for_requests),
       T(a_call_without_a_connection_ends_in_time),
       T(a_write_without_a_connection_is_not_undecided),
       T(what_libcurl_could_not_send_again_is_undecided),
       T(who_wakes_meets_no_connections_that_are_gone),
       T(a_wakeup_ends_the_next_wait_whoever_looks_before),
       T(a_client_ends_while_a_name_server_hangs))
