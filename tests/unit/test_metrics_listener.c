/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who is answered at metrics.listen, when, and with what; and by whom asked. */
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "base/str.h"
#include "config/listen_address.h"
#include "engine/metrics_listener.h"
#include "last_pass.h"
#include "metrics/metrics.h"
#include "served_metrics.h"
#include "t.h"

#define MANY 20 /* more connections than it has room for */

static int64_t now_ms = 1000000;

int64_t __wrap_clock_ms(void);
int64_t __wrap_clock_ms(void)
{
	return now_ms;
}

static char logged[4000];

static void keep_line(enum log_level level, const char *line)
{
	(void)level;
	str_copy(logged, line, sizeof(logged));
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
		struct metrics_config c;

		t_row("%s", rows[i].host);
		if (!at) {
			T_INT(rows[i].family, AF_INET6); /* a host without it */
			continue;
		}
		c = config_of(at);
		T_OK(metrics_listener_step(&l, &c, true));
		T_INT(served(at), 0);
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

/* Those who come first and say nothing are no reason to wait at the end. */
static void connections_are_bounded_and_none_is_waited_for(void)
{
	struct metrics_config c = config_of(unix_at("a.sock"));
	struct metrics_listener l = {0};
	_cleanup_free_ char *long_one = malloc(100001), *all = NULL;
	int fds[MANY];
	int closed = 0;

	T_OK(metrics_listener_step(&l, &c, true));
	memset(long_one, 'a', 100000);
	long_one[100000] = '\0';
	memcpy(long_one, "GET /metrics?", 13);
	all = answer_to(c.listen, long_one);
	T_LACKS(all, " 200 ");
	for (int i = 0; i < MANY; i++)
		T_OK((fds[i] = connected(c.listen)) >= 0);
	metrics_listener_end(&l);
	for (int i = 0; i < MANY; i++) {
		char one;

		closed += recv(fds[i], &one, 1, 0) <= 0;
		close(fds[i]);
	}
	T_INT(closed, MANY);
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

T_MAIN("metrics_listener", T(who_acts_is_asked_by_a_socket),
       T(what_is_told_is_as_of_the_last_interval), T(it_is_asked_by_a_port),
       T(other_requests_are_answered_with_words),
       T(connections_are_bounded_and_none_is_waited_for),
       T(what_is_there_is_replaced_only_if_nobody_listens),
       T(another_address_is_taken_at_once),
       T(what_somebody_put_in_its_place_stays))
