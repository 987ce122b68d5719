/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/metrics_listener.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/str.h"
#include "engine/metrics_server.h"
#include "engine/metrics_socket.h"
#include "metrics/metrics.h"

static int open_at(struct metrics_listener *l, const char *listen,
		   struct err *err)
{
	int fd, rc;

	if (!l->at && !(l->at = strdup(listen)))
		return err_oom(err);
	fd = metrics_socket_open(listen, &l->ours, err);
	if (fd < 0)
		return fd;
	rc = metrics_server_start(fd, &l->server, err);
	if (rc)
		metrics_socket_remove(listen, &l->ours);
	return rc;
}

static void close_server(struct metrics_listener *l)
{
	/*
	 * The path goes before the socket is closed: who comes next finds no
	 * socket then.
	 */
	metrics_socket_remove(l->at, &l->ours);
	metrics_server_stop(l->server);
	l->server = NULL;
}

static int render(struct metrics_listener *l, struct err *err)
{
	_cleanup_buf_ struct buf text = BUF_INIT(METRICS_TEXT_MAX);
	int rc = metrics_render(&text);

	return rc ? err_set(err, rc, "they are too many")
		  : metrics_server_tell(l->server, text.data, text.len, err);
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
	/* Somebody may have cleaned that folder. */
	if (l->server && (!metrics_server_works() ||
			  !metrics_socket_is_there(l->at, &l->ours)))
		close_server(l);
	if (!l->server)
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
	if (l->server)
		close_server(l);
	free(l->at);
	*l = (struct metrics_listener){0};
}
