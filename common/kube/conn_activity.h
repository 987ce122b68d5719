/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * When something came last on each connection of a client, so that a dead one
 * is known beside others that are not. A connection is named by its local port
 * (CURLINFO_LOCAL_PORT; libcurl tells its own number from 8.2 on only). Pure;
 * times are of clock_ms(). One thread at a time.
 */
#ifndef SLURMK8S_KUBE_CONN_ACTIVITY_H
#define SLURMK8S_KUBE_CONN_ACTIVITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CONN_ACTIVITY_ANY                                                      \
	0L /* the port that stands for all connections together */
#define CONN_ACTIVITY_MAX                                                      \
	16 /* connections; the one heard longest ago makes room */

struct conn_activity {
	struct {
		long port;
		int64_t heard_ms; /* clock_ms() when something came last */
		/* clock_ms() when the last unanswered try began; 0: none */
		int64_t unheard_ms;
	} conns[CONN_ACTIVITY_MAX];
	size_t n;
};

/* Note that something came by this connection. */
void conn_activity_note(struct conn_activity *h, long port, int64_t now_ms);

/*
 * Note that a try that began at `since_ms` on this connection had no answer in
 * time.
 */
void conn_activity_miss(struct conn_activity *h, long port, int64_t since_ms);

/* True if something has come by that connection since then. */
bool conn_activity_since(const struct conn_activity *h, long port,
			 int64_t since_ms);

/*
 * True if there is a connection by which nothing at all has come after the
 * millisecond in which a try began that had no answer. A server that is slow to
 * answer one request, but answers others, is not dead.
 */
bool conn_activity_dead(const struct conn_activity *h);

#endif
