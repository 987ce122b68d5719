/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/metrics_server.h"

#include <errno.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/str.h"
#include "runtime/thread.h"

#define CONNECTIONS_MAX 8U
#define SILENT_S 10U	     /* a silent connection is closed after it */
#define REQUEST_MAX 8192U    /* bytes of memory for each connection */
#define LIBRARY_LINE_MAX 400 /* bytes of a line of the library's own words */
#define STEP_MIN_MS 50
#define STEP_MAX_MS 1000
#define STOP_MS 500

struct metrics_server {
	pthread_t thread;
	atomic_int
		owners; /* the thread, and who stops it: the last one frees */
	atomic_bool ends;
	int waker; /* an eventfd, for `ends` */
	pthread_mutex_t lock;
	struct MHD_Response *page; /* the text; NULL: none yet */
	struct MHD_Daemon *daemon; /* the thread's own, once it runs */
};

/* --- the thread */

static enum MHD_Result tell(struct MHD_Connection *to, unsigned int code,
			    const char *text)
{
	enum MHD_Result rc = MHD_NO;
	struct MHD_Response *r = MHD_create_response_from_buffer(
		strlen(text), (void *)text, MHD_RESPMEM_PERSISTENT);

	if (r) {
		if (code == MHD_HTTP_METHOD_NOT_ALLOWED)
			MHD_add_response_header(r, MHD_HTTP_HEADER_ALLOW,
						"GET, HEAD");
		rc = MHD_queue_response(to, code, r);
		MHD_destroy_response(r);
	}
	return rc;
}

static enum MHD_Result answer(void *arg, struct MHD_Connection *to,
			      const char *url, const char *method,
			      const char *version, const char *body,
			      size_t *body_len, void **state)
{
	struct metrics_server *s = arg;
	enum MHD_Result rc = MHD_NO;
	bool there;

	(void)version, (void)body, (void)state;
	*body_len = 0; /* whatever comes with it is of no use */
	if (!str_eq(method, MHD_HTTP_METHOD_GET) &&
	    !str_eq(method, MHD_HTTP_METHOD_HEAD))
		return tell(to, MHD_HTTP_METHOD_NOT_ALLOWED,
			    "metrics can be read only\n");
	if (!str_eq(url, "/metrics"))
		return tell(to, MHD_HTTP_NOT_FOUND,
			    "there is nothing but /metrics here\n");
	pthread_mutex_lock(&s->lock);
	there = s->page != NULL;
	if (there)
		rc = MHD_queue_response(to, MHD_HTTP_OK, s->page);
	pthread_mutex_unlock(&s->lock);
	return there ? rc
		     : tell(to, MHD_HTTP_SERVICE_UNAVAILABLE,
			    "there are no metrics yet\n");
}

/*
 * Before 1.0 the library has room for the address of a TCP client only, but
 * copies as much as accept(2) says, which is more for a unix socket that was
 * bound to a long path. (Who binds none has a length of 2.)
 */
static enum MHD_Result has_short_address(void *arg, const struct sockaddr *from,
					 socklen_t len)
{
	(void)arg, (void)from;
	return len <= sizeof(struct sockaddr_in6) ? MHD_YES : MHD_NO;
}

static void log_library(void *arg, const char *fmt, va_list args)
{
	char line[LIBRARY_LINE_MAX];

	(void)arg;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	vsnprintf(line, sizeof(line), fmt, args);
#pragma GCC diagnostic pop
	line[strcspn(line, "\n")] = '\0';
	log_debug("metrics: libmicrohttpd: %s", line);
}

static atomic_bool broken; /* libmicrohttpd is, until the process ends */

/*
 * The library has found itself broken, and would abort slurmctld: the thread,
 * which is ours or the engine's, stays here for ever instead.
 */
static void stay(void *arg, const char *file, unsigned int line,
		 const char *why)
{
	(void)arg;
	atomic_store(&broken, true);
	log_error("metrics: libmicrohttpd is broken at %s:%u: %s; restart "
		  "slurmctld",
		  file, line, why ? why : "it does not say why");
	for (;;)
		pause();
}

static void let_go(struct metrics_server *s)
{
	if (atomic_fetch_sub(&s->owners, 1) != 1)
		return;
	if (s->page)
		MHD_destroy_response(s->page);
	pthread_mutex_destroy(&s->lock);
	close(s->waker);
	free(s);
}

/* Wait until something is to be done for a connection. */
static void wait_for_events(struct metrics_server *s)
{
	const union MHD_DaemonInfo *info =
		MHD_get_daemon_info(s->daemon, MHD_DAEMON_INFO_EPOLL_FD);
	MHD_UNSIGNED_LONG_LONG most = STEP_MAX_MS;
	struct pollfd of[2] = {{.fd = s->waker, .events = POLLIN},
			       {.fd = info->epoll_fd, .events = POLLIN}};

	if (!MHD_get_timeout(s->daemon, &most) || most > STEP_MAX_MS)
		most = STEP_MAX_MS;
	poll(of, 2, (int)most);
}

/*
 * The library would have a thread of its own. But when that one refuses a
 * request just as MHD_stop_daemon() is called, 0.9.75 reads a response that
 * is not there: so it is one thread that runs and stops it. Without a free
 * descriptor the library does not wait: so each step takes its time.
 */
static void run(void *arg)
{
	struct metrics_server *s = arg;

	while (!atomic_load(&s->ends)) {
		wait_for_events(s);
		MHD_run(s->daemon);
		clock_nap(STEP_MIN_MS);
	}
	MHD_stop_daemon(s->daemon);
	let_go(s);
}

/* --- whoever starts it */

/*
 * The library may have closed it, or not, when it has failed, and by now it may
 * be a number of slurmctld's.
 */
static void close_if_still(int fd, const struct stat *socket)
{
	struct stat st;

	if (!fstat(fd, &st) && st.st_dev == socket->st_dev &&
	    st.st_ino == socket->st_ino)
		close(fd);
}

static struct MHD_Daemon *daemon_at(int fd, sa_family_t family,
				    struct metrics_server *s)
{
	const unsigned int how =
		MHD_USE_EPOLL | MHD_USE_ERROR_LOG |
		(family == AF_INET6 ? (unsigned int)MHD_USE_IPv6 : 0);

	MHD_set_panic_func(stay, NULL);
	return MHD_start_daemon(how, 0, has_short_address, NULL, answer, s,
				MHD_OPTION_EXTERNAL_LOGGER, log_library, NULL,
				MHD_OPTION_LISTEN_SOCKET, fd,
				MHD_OPTION_CONNECTION_LIMIT, CONNECTIONS_MAX,
				MHD_OPTION_CONNECTION_TIMEOUT, SILENT_S,
				MHD_OPTION_CONNECTION_MEMORY_LIMIT,
				(size_t)REQUEST_MAX, MHD_OPTION_END);
}

static int start_thread(struct metrics_server *s, int fd, struct err *err)
{
	struct sockaddr_storage at = {0};
	socklen_t len = sizeof(at);
	struct stat socket;
	int rc;

	if (fstat(fd, &socket) ||
	    getsockname(fd, (struct sockaddr *)&at, &len)) {
		rc = err_set(err, -errno, "%s", strerror(errno));
		close(fd);
		return rc;
	}
	s->daemon = daemon_at(fd, at.ss_family, s);
	if (!s->daemon) {
		close_if_still(fd, &socket);
		return err_set(err, -ENOMEM, "libmicrohttpd has no memory");
	}
	rc = thread_start(&s->thread, "k8s-metrics", run, s, err);
	if (rc)
		MHD_stop_daemon(s->daemon); /* which closes fd */
	return rc;
}

int metrics_server_start(int fd, struct metrics_server **out, struct err *err)
{
	struct metrics_server *s = calloc(1, sizeof(*s));
	int rc;

	if (!s || !metrics_server_works()) {
		free(s);
		close(fd);
		return s ? err_set(err, -ENOTRECOVERABLE,
				   "libmicrohttpd is broken; restart slurmctld")
			 : err_oom(err);
	}
	s->waker = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (s->waker < 0) {
		rc = err_set(err, -errno, "no eventfd: %s", strerror(errno));
		free(s);
		close(fd);
		return rc;
	}
	pthread_mutex_init(&s->lock, NULL);
	atomic_init(&s->owners, 2);
	rc = start_thread(s, fd, err);
	if (rc) {
		atomic_store(&s->owners, 1);
		let_go(s);
		return rc;
	}
	*out = s;
	return 0;
}

bool metrics_server_works(void)
{
	return !atomic_load(&broken);
}

int metrics_server_tell(struct metrics_server *s, const char *text, size_t len,
			struct err *err)
{
	struct MHD_Response *old,
		*page = MHD_create_response_from_buffer(len, (void *)text,
							MHD_RESPMEM_MUST_COPY);

	if (!page)
		return err_oom(err);
	MHD_add_response_header(page, MHD_HTTP_HEADER_CONTENT_TYPE,
				"text/plain; version=0.0.4; charset=utf-8");
	/* A library that is broken may have the lock for ever. */
	while (pthread_mutex_trylock(&s->lock)) {
		if (!metrics_server_works())
			return 0;
		clock_nap(1);
	}
	old = s->page;
	s->page = page;
	pthread_mutex_unlock(&s->lock);
	/* The library frees the page when its last reader has it. */
	if (old)
		MHD_destroy_response(old);
	return 0;
}

void metrics_server_stop(struct metrics_server *s)
{
	const uint64_t one = 1;

	atomic_store(&s->ends, true);
	if (write(s->waker, &one, sizeof(one)) < 0)
		log_debug("metrics: eventfd: %s", strerror(errno));
	if (!thread_join(s->thread, STOP_MS))
		log_warn("metrics: the thread that serves them does not end");
	let_go(s);
}
