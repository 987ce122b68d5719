/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/metrics_listener.h"

#include <errno.h>
#include <microhttpd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/str.h"
#include "engine/metrics_socket.h"
#include "metrics/metrics.h"

#define CONNECTIONS_MAX 8U
#define SILENT_S 10U	     /* after that a connection is closed */
#define REQUEST_MAX 8192U    /* bytes of memory for each */
#define LIBRARY_LINE_MAX 400 /* of the library's own words */

/* --- the library's thread */

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
	struct metrics_listener *l = arg;
	enum MHD_Result rc = MHD_NO;
	bool there;

	(void)version, (void)body, (void)body_len, (void)state;
	if (!str_eq(method, MHD_HTTP_METHOD_GET) &&
	    !str_eq(method, MHD_HTTP_METHOD_HEAD))
		return tell(to, MHD_HTTP_METHOD_NOT_ALLOWED,
			    "metrics can be read only\n");
	if (!str_eq(url, "/metrics"))
		return tell(to, MHD_HTTP_NOT_FOUND,
			    "there is nothing but /metrics here\n");
	pthread_mutex_lock(&l->lock);
	there = l->page != NULL;
	if (there)
		rc = MHD_queue_response(to, MHD_HTTP_OK, l->page);
	pthread_mutex_unlock(&l->lock);
	return there ? rc
		     : tell(to, MHD_HTTP_SERVICE_UNAVAILABLE,
			    "there are no metrics yet\n");
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

/*
 * The library has found itself broken, and would abort slurmctld: the thread,
 * which is its own or the engine's, stays here for ever instead.
 */
static void stay(void *arg, const char *file, unsigned int line,
		 const char *why)
{
	(void)arg;
	log_error("metrics: libmicrohttpd is broken at %s:%u: %s; restart "
		  "slurmctld",
		  file, line, why ? why : "it does not say why");
	for (;;)
		pause();
}

/* --- the engine's thread */

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

static int serve(struct metrics_listener *l, int fd, struct err *err)
{
	struct stat socket;

	if (fstat(fd, &socket) || pthread_mutex_init(&l->lock, NULL)) {
		close(fd);
		return err_oom(err);
	}
	MHD_set_panic_func(stay, NULL);
	/* By poll(2): slurmctld may have more than FD_SETSIZE files open. */
	l->daemon = MHD_start_daemon(
		MHD_USE_POLL_INTERNAL_THREAD | MHD_USE_ITC | MHD_USE_ERROR_LOG,
		0, NULL, NULL, answer, l, MHD_OPTION_EXTERNAL_LOGGER,
		log_library, NULL, MHD_OPTION_LISTEN_SOCKET, fd,
		MHD_OPTION_CONNECTION_LIMIT, CONNECTIONS_MAX,
		MHD_OPTION_CONNECTION_TIMEOUT, SILENT_S,
		MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)REQUEST_MAX,
		MHD_OPTION_END);
	if (l->daemon)
		return 0;
	pthread_mutex_destroy(&l->lock);
	close_if_still(fd, &socket);
	return err_set(err, -ENOMEM, "libmicrohttpd has no memory or thread");
}

static int open_at(struct metrics_listener *l, const char *listen,
		   struct err *err)
{
	int fd, rc;

	l->at = strdup(listen);
	if (!l->at)
		return err_oom(err);
	fd = metrics_socket_open(listen, &l->ours, err);
	rc = fd < 0 ? fd : serve(l, fd, err);
	if (rc) {
		if (fd >= 0)
			metrics_socket_remove(listen, &l->ours);
		free(l->at);
		l->at = NULL;
	}
	return rc;
}

static void replace_page(struct metrics_listener *l, struct MHD_Response *page)
{
	struct MHD_Response *old;

	pthread_mutex_lock(&l->lock);
	old = l->page;
	l->page = page;
	pthread_mutex_unlock(&l->lock);
	if (old)
		MHD_destroy_response(old); /* when it is told to the last one */
}

static int render(struct metrics_listener *l, struct err *err)
{
	_cleanup_buf_ struct buf text = BUF_INIT(METRICS_TEXT_MAX);
	struct MHD_Response *page;
	int rc = metrics_render(&text);

	if (rc)
		return err_set(err, rc, "they are too many");
	page = MHD_create_response_from_buffer(text.len, text.data,
					       MHD_RESPMEM_MUST_COPY);
	if (!page)
		return err_oom(err);
	MHD_add_response_header(page, MHD_HTTP_HEADER_CONTENT_TYPE,
				"text/plain; version=0.0.4; charset=utf-8");
	replace_page(l, page);
	return 0;
}

bool metrics_listener_is_due(const struct metrics_listener *l,
			     const struct metrics_config *c)
{
	return c->listen && clock_ms() >= l->next;
}

bool metrics_listener_step(struct metrics_listener *l,
			   const struct metrics_config *c, bool active)
{
	struct err err = {0};
	int rc = 0;

	if (l->at && (!active || !str_eq(l->at, c->listen)))
		metrics_listener_end(l);
	if (!active || !c->listen || !clock_due(&l->next, c->interval_ms))
		return false;
	if (!l->daemon)
		rc = open_at(l, c->listen, &err);
	if (!rc)
		rc = render(l, &err);
	if (rc && !l->failed)
		log_error("no metrics are served: %s", err.msg);
	else if (!rc && l->failed)
		log_info("metrics are served again");
	l->failed = rc != 0;
	return true;
}

void metrics_listener_end(struct metrics_listener *l)
{
	/* Before the library closes it: who comes next finds no socket then. */
	if (l->at)
		metrics_socket_remove(l->at, &l->ours);
	if (l->daemon) {
		MHD_stop_daemon(l->daemon);
		replace_page(l, NULL);
		pthread_mutex_destroy(&l->lock);
	}
	free(l->at);
	*l = (struct metrics_listener){0};
}
