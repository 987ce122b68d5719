/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who is answered at metrics.listen, when, and with what; and by whom asked. */
#include <errno.h>
#include <fcntl.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/str.h"
#include "config/listen_address.h"
#include "engine/metrics_listener.h"
#include "last_pass.h"
#include "metrics/metrics.h"
#include "served_metrics.h"
#include "t.h"

#define MOST 8 /* connections that it has room for */

static _Atomic int64_t now_ms = 1000000;

int64_t __wrap_clock_ms(void);
int64_t __wrap_clock_ms(void)
{
	return now_ms;
}

/* The library starts, or fails in one of its two ways. */
static enum { NEVER, CLOSES, KEEPS } fails;
static int given, others; /* descriptors */

struct MHD_Daemon *__real_MHD_start_daemon(unsigned int how, uint16_t port,
					   MHD_AcceptPolicyCallback may,
					   void *may_arg,
					   MHD_AccessHandlerCallback answer,
					   void *arg, ...);
struct MHD_Daemon *__wrap_MHD_start_daemon(unsigned int how, uint16_t port,
					   MHD_AcceptPolicyCallback may,
					   void *may_arg,
					   MHD_AccessHandlerCallback answer,
					   void *arg, ...);
struct MHD_Daemon *__wrap_MHD_start_daemon(unsigned int how, uint16_t port,
					   MHD_AcceptPolicyCallback may,
					   void *may_arg,
					   MHD_AccessHandlerCallback answer,
					   void *arg, ...)
{
	struct MHD_OptionItem all[8];
	va_list more;
	int n = 0, option;

	va_start(more, arg);
	while ((option = va_arg(more, int)) != MHD_OPTION_END) {
		struct MHD_OptionItem *o = &all[n++];

		o->option = (enum MHD_OPTION)option;
		o->value = 0;
		o->ptr_value = NULL;
		if (option == MHD_OPTION_EXTERNAL_LOGGER) {
			o->value = (intptr_t)va_arg(more, void *);
			o->ptr_value = va_arg(more, void *);
		} else if (option == MHD_OPTION_CONNECTION_MEMORY_LIMIT) {
			o->value = (intptr_t)va_arg(more, size_t);
		} else {
			o->value = va_arg(more, int);
		}
		if (option == MHD_OPTION_LISTEN_SOCKET)
			given = (int)o->value;
	}
	va_end(more);
	all[n] = (struct MHD_OptionItem){MHD_OPTION_END, 0, NULL};
	if (fails == NEVER)
		return __real_MHD_start_daemon(how, port, may, may_arg, answer,
					       arg, MHD_OPTION_ARRAY, all,
					       MHD_OPTION_END);
	if (fails == CLOSES) {
		close(given);
		others = open("/dev/null", O_RDONLY | O_CLOEXEC);
	}
	return NULL;
}

static MHD_PanicCallback panic;
static atomic_bool breaks; /* the library, at its thread's next step */

enum MHD_Result __real_MHD_run(struct MHD_Daemon *d);
enum MHD_Result __wrap_MHD_run(struct MHD_Daemon *d);
enum MHD_Result __wrap_MHD_run(struct MHD_Daemon *d)
{
	if (atomic_load(&breaks))
		panic(NULL, "daemon.c", 1, "Failed to lock mutex");
	return __real_MHD_run(d);
}

void __real_MHD_set_panic_func(MHD_PanicCallback call, void *arg);
void __wrap_MHD_set_panic_func(MHD_PanicCallback call, void *arg);
void __wrap_MHD_set_panic_func(MHD_PanicCallback call, void *arg)
{
	panic = call;
	__real_MHD_set_panic_func(call, arg);
}

static char logged[4000];
static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int n_logged;

static void keep_line(enum log_level level, const char *line)
{
	(void)level;
	atomic_fetch_add(&n_logged, 1);
	pthread_mutex_lock(&log_lock);
	str_copy(logged, line, sizeof(logged));
	pthread_mutex_unlock(&log_lock);
}

static const char *unix_at(const char *name)
{
	static char at[500];

	snprintf(at, sizeof(at), "unix:%s", t_path(name));
	return at;
}

static struct metrics_config config_of(const char *listen)
{
	return (struct metrics_config){.listen = (char *)listen,
				       .interval_ms = 15000};
}

/* A socket that is connected to the address; -1: it is not. */
static int connected(const char *listen)
{
	struct sockaddr_storage at;
	socklen_t len;
	int fd;

	if (listen_address(listen, &at, &len))
		return -1;
	fd = socket(at.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd >= 0 && connect(fd, (struct sockaddr *)&at, len)) {
		close(fd);
		fd = -1;
	}
	return fd;
}

/* What it answers until it closes. The caller frees. */
static char *answer_to(const char *listen, const char *request)
{
	_cleanup_close_ int fd = connected(listen);
	_cleanup_buf_ struct buf all = BUF_INIT(METRICS_TEXT_MAX * 2);
	char part[4096];
	ssize_t n;

	if (fd < 0 || send(fd, request, strlen(request), MSG_NOSIGNAL) < 0)
		return strdup("no connection");
	while ((n = read(fd, part, sizeof(part))) > 0)
		buf_add(&all, part, (size_t)n);
	return strdup(buf_str(&all));
}

static int served(const char *listen)
{
	_cleanup_free_ char *text = NULL;
	struct err err = {0};
	int rc = served_metrics_read(listen, &text, &err);

	if (!rc)
		T_HAS(text, "\nslurm_k8s_bridge_refusals_total{");
	return rc;
}

static void who_acts_is_asked_by_a_socket(void)
{
	struct metrics_config c = config_of(unix_at("a.sock"));
	struct metrics_listener l = {0};
	struct stat st;

	T_OK(!metrics_listener_step(&l, &c, false));
	T_INT(served(c.listen), -ECONNREFUSED);
	T_OK(metrics_listener_is_due(&l, &c));
	T_OK(metrics_listener_step(&l, &c, true));
	T_OK(!metrics_listener_is_due(&l, &c));
	T_INT(served(c.listen), 0);
	T_INT(stat(t_path("a.sock"), &st), 0);
	T_INT(st.st_mode & 07777, 0666);
	T_OK(!metrics_listener_step(&l, &c, true));
	/* Who may not act any more is not asked, and begins at once again. */
	T_OK(!metrics_listener_step(&l, &c, false));
	T_INT(served(c.listen), -ECONNREFUSED);
	T_INT(lstat(t_path("a.sock"), &st), -1);
	T_OK(metrics_listener_step(&l, &c, true));
	T_INT(served(c.listen), 0);
	metrics_listener_end(&l);
	T_INT(served(c.listen), -ECONNREFUSED);
}

static void what_is_told_is_as_of_the_last_interval(void)
{
	struct metrics_config c = config_of(unix_at("a.sock"));
	struct metrics_listener l = {0};
	char words[LAST_PASS_WORDS_MAX];

	metrics_set(METRIC_LAST_PASS, METRICS_ENGINE, 0, 0);
	T_OK(metrics_listener_step(&l, &c, true));
	metrics_set(METRIC_LAST_PASS, METRICS_ENGINE, 0, 5000000000000000);
	T_OK(last_pass_read(&c, words) > 1000);
	T_HAS(words, " s ago, as unix:");
	now_ms += c.interval_ms;
	T_OK(metrics_listener_step(&l, &c, true));
	T_INT(last_pass_read(&c, words),
	      -1); /* (more than the tool believes) */
	metrics_set(METRIC_LAST_PASS, METRICS_ENGINE, 0, METRICS_UNSET);
	metrics_listener_end(&l);
	T_INT(last_pass_read(&c, words), -1);
	T_HAS(words, "no engine of this host acts: nobody listens at unix:");
	/* A file that is there beside it is of an engine that acts. */
	c.file = (char *)t_write("a.prom",
				 "slurm_k8s_last_pass_timestamp_seconds{thread="
				 "\"engine\"} 1\n");
	T_OK(last_pass_read(&c, words) > 1000);
	T_HAS(words, "a.prom has it");
	c.file = (char *)t_path("none.prom");
	T_INT(last_pass_read(&c, words), -1);
	T_HAS(words, "no engine of this host acts: nobody listens at unix:");
}

/* A port that was free a moment ago. */
static const char *free_port(const char *host, int family)
{
	static char listen_at[40];
	struct sockaddr_in6 at = {.sin6_family = AF_INET6,
				  .sin6_addr = IN6ADDR_LOOPBACK_INIT};
	struct sockaddr_in v4 = {.sin_family = AF_INET,
				 .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	struct sockaddr *any = family == AF_INET ? (void *)&v4 : (void *)&at;
	socklen_t len = family == AF_INET ? sizeof(v4) : sizeof(at);
	_cleanup_close_ int fd = socket(family, SOCK_STREAM, 0);

	if (fd < 0 || bind(fd, any, len) || getsockname(fd, any, &len))
		return NULL;
	snprintf(listen_at, sizeof(listen_at), "%s:%u", host,
		 ntohs(family == AF_INET ? v4.sin_port : at.sin6_port));
	return listen_at;
}

static void it_is_asked_by_a_port(void)
{
	static const struct {
		const char *host;
		int family;
	} rows[] = {{"127.0.0.1", AF_INET}, {"[::1]", AF_INET6}};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		const char *at = free_port(rows[i].host, rows[i].family);
		struct metrics_listener l = {0};
		char words[LAST_PASS_WORDS_MAX];
		struct metrics_config c;

		t_row("%s", rows[i].host);
		if (!at) {
			T_INT(rows[i].family, AF_INET6); /* a host without it */
			continue;
		}
		c = config_of(at);
		metrics_set(METRIC_LAST_PASS, METRICS_ENGINE, 0, 1000);
		T_OK(metrics_listener_step(&l, &c, true));
		T_INT(served(at), 0);
		T_OK(last_pass_read(&c, words) > 1000);
		T_HAS(words, " s ago, as whoever listens at ");
		metrics_set(METRIC_LAST_PASS, METRICS_ENGINE, 0, METRICS_UNSET);
		/* At once the next one has it, as after a reconfiguration. */
		metrics_listener_end(&l);
		T_INT(served(at), -ECONNREFUSED);
		T_OK(metrics_listener_step(&l, &c, true));
		T_INT(served(at), 0);
		metrics_listener_end(&l);
	}
}

static void other_requests_are_answered_with_words(void)
{
	static const struct {
		const char *request, *status, *words;
	} rows[] = {
		{"GET /metrics HTTP/1.0\r\n\r\n", " 200 OK",
		 "Content-Type: text/plain; version=0.0.4; charset=utf-8"},
		{"GET / HTTP/1.0\r\n\r\n", " 404 Not Found",
		 "there is nothing but /metrics here"},
		{"GET /metrics/../x HTTP/1.0\r\n\r\n", " 404 Not Found", ""},
		{"POST /metrics HTTP/1.0\r\nContent-Length: 3\r\n\r\nabc",
		 " 405 Method Not Allowed", "Allow: GET, HEAD"},
		{"DELETE /metrics HTTP/1.0\r\n\r\n", " 405 ",
		 "metrics can be read only"},
	};
	struct metrics_config c = config_of(unix_at("a.sock"));
	struct metrics_listener l = {0};
	_cleanup_free_ char *head = NULL;

	T_OK(metrics_listener_step(&l, &c, true));
	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_free_ char *all = answer_to(c.listen, rows[i].request);

		t_row("%s", rows[i].request);
		T_HAS(all, rows[i].status);
		T_HAS(all, rows[i].words);
	}
	head = answer_to(c.listen, "HEAD /metrics HTTP/1.0\r\n\r\n");
	T_HAS(head, " 200 OK");
	T_LACKS(head, "slurm_k8s_");
	metrics_listener_end(&l);
}

/* Does it answer within so many ms? */
static bool answers(int fd, int ms)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};

	return poll(&p, 1, ms) == 1;
}

#define SHORT "GET / HTTP/1.1\r\nHost: a\r\n\r\n"

/* Those who come first and say nothing are no reason to wait at the end. */
static void connections_are_bounded_and_none_is_waited_for(void)
{
	struct metrics_config c = config_of(unix_at("a.sock"));
	struct metrics_listener l = {0};
	int fds[MOST + 1];

	T_OK(metrics_listener_step(&l, &c, true));
	for (int i = 0; i <= MOST; i++)
		T_OK((fds[i] = connected(c.listen)) >= 0);
	T_INT(send(fds[MOST], SHORT, strlen(SHORT), MSG_NOSIGNAL),
	      strlen(SHORT));
	T_OK(!answers(fds[MOST], 300));
	close(fds[0]);
	T_OK(answers(fds[MOST], 8000));
	metrics_listener_end(&l);
	for (int i = 1; i <= MOST; i++) {
		char part[1000];
		ssize_t n = recv(fds[i], part, sizeof(part), 0);

		while (n > 0)
			n = recv(fds[i], part, sizeof(part), 0);
		T_OK(n == 0 || errno == ECONNRESET);
		close(fds[i]);
	}
}

/* More than it has memory for, and less than the library has by itself. */
static void a_long_request_is_refused(void)
{
	struct metrics_config c = config_of(unix_at("a.sock"));
	struct metrics_listener l = {0};
	char request[12001];
	_cleanup_free_ char *all = NULL;

	memset(request, 'a', sizeof(request) - 1);
	request[sizeof(request) - 1] = '\0';
	memcpy(request, "GET /metrics?", 13);
	memcpy(request + sizeof(request) - 14, " HTTP/1.0\r\n\r\n", 13);
	T_OK(metrics_listener_step(&l, &c, true));
	all = answer_to(c.listen, request);
	T_LACKS(all, " 200 ");
	T_LACKS(all, "no connection");
	metrics_listener_end(&l);
}

/* The library would read beyond what it has of such an address. */
static void who_comes_from_a_long_path_is_sent_away(void)
{
	struct metrics_config c = config_of(unix_at("a.sock"));
	struct metrics_listener l = {0};
	struct sockaddr_un from = {.sun_family = AF_UNIX};
	struct sockaddr_storage to;
	socklen_t len;
	_cleanup_close_ int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	str_copy(from.sun_path, t_path("a-client-with-a-long-path-of-its-own"),
		 sizeof(from.sun_path));
	T_OK(strlen(from.sun_path) > sizeof(struct sockaddr_in6));
	T_OK(metrics_listener_step(&l, &c, true));
	T_INT(listen_address(c.listen, &to, &len), 0);
	T_INT(bind(fd, (struct sockaddr *)&from, sizeof(from)), 0);
	T_INT(connect(fd, (struct sockaddr *)&to, len), 0);
	send(fd, SHORT, strlen(SHORT), MSG_NOSIGNAL);
	if (T_OK(answers(fd, 8000))) {
		char one;

		T_OK(recv(fd, &one, 1, 0) <= 0);
	}
	T_INT(served(c.listen), 0);
	metrics_listener_end(&l);
	unlink(from.sun_path);
}

/* slurmctld has none left: it says so now and then, and heals. */
static void without_descriptors_it_rests(void)
{
	struct metrics_config c = config_of(unix_at("a.sock"));
	struct metrics_listener l = {0};
	const int64_t deadline = clock_real_ms() + 20000;
	struct sockaddr_storage at;
	struct rlimit all, few;
	int fd, used[100], n = 0;
	int64_t since;
	socklen_t len;

	log_set_sink(keep_line);
	log_set_level(LOG_LEVEL_DEBUG);
	T_OK(metrics_listener_step(&l, &c, true));
	T_INT(listen_address(c.listen, &at, &len), 0);
	T_INT(getrlimit(RLIMIT_NOFILE, &all), 0);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	few = all;
	few.rlim_cur = (rlim_t)fd + 10;
	T_INT(setrlimit(RLIMIT_NOFILE, &few), 0);
	while (n < (int)T_COUNT(used) && (used[n] = dup(fd)) >= 0)
		n++;
	T_INT(errno, EMFILE);
	atomic_store(&n_logged, 0);
	since = clock_real_ms();
	T_INT(connect(fd, (struct sockaddr *)&at, len), 0);
	while (atomic_load(&n_logged) < 10 && clock_real_ms() < deadline)
		poll(NULL, 0, 10);
	T_OK(atomic_load(&n_logged) >= 10);
	/* two lines each 50 ms */
	T_OK((atomic_load(&n_logged) - 2) * 25 <=
	     clock_real_ms() - since + 100);
	while (n--)
		close(used[n]);
	T_INT(setrlimit(RLIMIT_NOFILE, &all), 0);
	send(fd, SHORT, strlen(SHORT), MSG_NOSIGNAL);
	T_OK(answers(fd, 8000));
	close(fd);
	metrics_listener_end(&l);
	T_HAS(logged, "libmicrohttpd: ");
	log_set_level(LOG_LEVEL_INFO);
	log_set_sink(NULL);
}

/* Just as it is stopped it refuses what somebody has sent. */
static void nonsense_at_the_end_harms_nothing(void)
{
	static const char bad[] = "POST /metrics HTTP/1.1\r\nHost: a\r\n"
				  "Content-Length: x\r\n\r\n";
	struct metrics_config c = config_of(unix_at("a.sock"));
	struct metrics_listener l = {0};

	for (int round = 0; round < 10; round++) {
		int fds[MOST];

		T_OK(metrics_listener_step(&l, &c, true));
		for (int i = 0; i < MOST; i++) {
			T_OK((fds[i] = connected(c.listen)) >= 0);
			send(fds[i], bad, strlen(bad), MSG_NOSIGNAL);
		}
		if (round % 2)
			answers(fds[0], 8000);
		metrics_listener_end(&l);
		for (int i = 0; i < MOST; i++)
			close(fds[i]);
	}
}

/* The library fails, and has closed what it was given, or not. */
static void a_library_that_fails_closes_nothing_of_others(void)
{
	struct metrics_config c = config_of(unix_at("a.sock"));
	struct metrics_listener l = {0};
	struct stat st;

	for (fails = CLOSES; fails <= KEEPS; fails++) {
		t_row("%d", (int)fails);
		others = -1;
		T_OK(metrics_listener_step(&l, &c, true));
		T_OK(!l.server);
		T_INT(lstat(t_path("a.sock"), &st), -1);
		if (fails == CLOSES) {
			T_INT(others,
			      given); /* a number that others have now */
			T_INT(fcntl(others, F_GETFD), FD_CLOEXEC);
			close(others);
		} else {
			T_INT(fcntl(given, F_GETFD), -1);
		}
		now_ms += c.interval_ms;
	}
	fails = NEVER;
	T_OK(metrics_listener_step(&l, &c, true));
	T_INT(served(c.listen), 0);
	metrics_listener_end(&l);
}

static void what_is_there_is_replaced_only_if_nobody_listens(void)
{
	struct metrics_config c = config_of(unix_at("a.sock"));
	struct metrics_listener one = {0}, two = {0};
	struct sockaddr_storage at;
	struct stat st;
	socklen_t len;
	int fd;

	log_set_sink(keep_line);
	*logged = '\0';
	T_OK(metrics_listener_step(&one, &c, true));
	T_OK(metrics_listener_step(&two, &c, true));
	T_HAS(logged, "no metrics are served: unix:");
	T_HAS(logged, "a.sock: Address already in use");
	*logged = '\0';
	now_ms += c.interval_ms;
	T_OK(metrics_listener_step(&two, &c, true));
	T_STR(logged, ""); /* once */
	T_INT(served(c.listen), 0);
	metrics_listener_end(&one);
	now_ms += c.interval_ms;
	T_OK(metrics_listener_step(&two, &c, true));
	T_HAS(logged, "metrics are served again");
	T_INT(served(c.listen), 0);
	metrics_listener_end(&two);
	/* What one that was killed has left. */
	T_INT(listen_address(c.listen, &at, &len), 0);
	fd = socket(AF_UNIX, SOCK_STREAM, 0);
	T_INT(bind(fd, (struct sockaddr *)&at, len), 0);
	close(fd);
	T_INT(served(c.listen), -ECONNREFUSED);
	T_OK(metrics_listener_step(&one, &c, true));
	T_INT(served(c.listen), 0);
	metrics_listener_end(&one);
	/* Somebody's file, or link, stays. */
	t_write("a.sock", "mine");
	T_OK(metrics_listener_step(&one, &c, true));
	T_HAS(logged, "something is there that is no socket");
	T_INT(stat(t_path("a.sock"), &st), 0);
	T_INT(st.st_size, 4);
	metrics_listener_end(&one);
	T_INT(stat(t_path("a.sock"), &st), 0);
	T_INT(unlink(t_path("a.sock")), 0);
	c = config_of(unix_at("none/a.sock"));
	T_OK(metrics_listener_step(&one, &c, true));
	T_HAS(logged, "No such file or directory");
	metrics_listener_end(&one);
	log_set_sink(NULL);
}

static void another_address_is_taken_at_once(void)
{
	_cleanup_free_ char *first = strdup(unix_at("a.sock"));
	struct metrics_config c = config_of(first);
	struct metrics_listener l = {0};

	T_OK(metrics_listener_step(&l, &c, true));
	c.listen = (char *)unix_at("b.sock");
	T_OK(metrics_listener_step(&l, &c, true));
	T_INT(served(first), -ECONNREFUSED);
	T_INT(served(c.listen), 0);
	c.listen = NULL;
	T_OK(!metrics_listener_step(&l, &c, true));
	T_INT(served(unix_at("b.sock")), -ECONNREFUSED);
	metrics_listener_end(&l);
}

/* And what is wrong with the next one is said, too. */
static void another_address_than_a_bad_one_is_taken_at_once(void)
{
	_cleanup_free_ char *bad = strdup(unix_at("none/a.sock"));
	_cleanup_free_ char *worse = strdup(unix_at("file"));
	struct metrics_config c = config_of(bad);
	struct metrics_listener l = {0};

	log_set_sink(keep_line);
	t_write("file", "");
	*logged = '\0';
	T_OK(metrics_listener_step(&l, &c, true));
	T_HAS(logged, "No such file or directory");
	c.listen = worse;
	T_OK(metrics_listener_step(&l, &c, true));
	T_HAS(logged, "something is there that is no socket");
	c.listen = (char *)unix_at("b.sock");
	T_OK(metrics_listener_step(&l, &c, true));
	T_INT(served(c.listen), 0);
	metrics_listener_end(&l);
	log_set_sink(NULL);
}

/* Somebody has cleaned its folder. */
static void a_socket_that_is_gone_is_made_anew(void)
{
	struct metrics_config c = config_of(unix_at("a.sock"));
	struct metrics_listener l = {0};

	T_OK(metrics_listener_step(&l, &c, true));
	T_INT(unlink(t_path("a.sock")), 0);
	T_INT(served(c.listen), -ECONNREFUSED);
	now_ms += c.interval_ms;
	T_OK(metrics_listener_step(&l, &c, true));
	T_INT(served(c.listen), 0);
	metrics_listener_end(&l);
}

/* Another's is not removed when we end. */
static void what_somebody_put_in_its_place_stays(void)
{
	struct metrics_config c = config_of(unix_at("a.sock"));
	struct metrics_listener l = {0};
	struct stat st;

	T_OK(metrics_listener_step(&l, &c, true));
	T_INT(unlink(t_path("a.sock")), 0);
	t_write("a.sock", "mine");
	metrics_listener_end(&l);
	T_INT(stat(t_path("a.sock"), &st), 0);
	unlink(t_path("a.sock"));
}

static bool said(const char *words)
{
	const int64_t deadline = clock_real_ms() + 20000;
	bool there = false;

	while (!there && clock_real_ms() < deadline) {
		pthread_mutex_lock(&log_lock);
		there = strstr(logged, words);
		pthread_mutex_unlock(&log_lock);
		poll(NULL, 0, 10);
	}
	return there;
}

/* The last test, for it is broken until the process ends. */
static void a_library_that_is_broken_costs_metrics_only(void)
{
	struct metrics_config c = config_of(unix_at("a.sock"));
	struct metrics_listener l = {0};

	T_OK(metrics_listener_step(&l, &c, true));
	log_set_sink(keep_line);
	*logged = '\0';
	atomic_store(&breaks, true);
	T_OK(said(
		"libmicrohttpd is broken at daemon.c:1: Failed to lock mutex; "
		"restart slurmctld"));
	now_ms += c.interval_ms;
	T_OK(metrics_listener_step(&l, &c, true));
	T_STR(logged, "no metrics are served: libmicrohttpd is broken; restart "
		      "slurmctld");
	T_INT(served(c.listen), -ECONNREFUSED);
	metrics_listener_end(&l);
	T_OK(metrics_listener_step(&l, &c, true));
	T_OK(!l.server);
	metrics_listener_end(&l);
	log_set_sink(NULL);
}

T_MAIN("metrics_listener", T(who_acts_is_asked_by_a_socket),
       T(what_is_told_is_as_of_the_last_interval), T(it_is_asked_by_a_port),
       T(other_requests_are_answered_with_words),
       T(connections_are_bounded_and_none_is_waited_for),
       T(a_long_request_is_refused), T(who_comes_from_a_long_path_is_sent_away),
       T(without_descriptors_it_rests), T(nonsense_at_the_end_harms_nothing),
       T(a_library_that_fails_closes_nothing_of_others),
       T(what_is_there_is_replaced_only_if_nobody_listens),
       T(another_address_is_taken_at_once),
       T(another_address_than_a_bad_one_is_taken_at_once),
       T(a_socket_that_is_gone_is_made_anew),
       T(what_somebody_put_in_its_place_stays),
       T(a_library_that_is_broken_costs_metrics_only))
