/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kube/conn_activity.h"

static size_t find(struct conn_activity *h, long port)
{
	size_t at = 0;

	for (size_t i = 0; i < h->n; i++)
		if (h->conns[i].port == port)
			return i;
	if (h->n < CONN_ACTIVITY_MAX)
		at = h->n++;
	else
		for (size_t i = 1; i < h->n; i++)
			if (h->conns[i].heard_ms < h->conns[at].heard_ms)
				at = i;
	h->conns[at].port = port;
	h->conns[at].heard_ms = h->conns[at].unheard_ms = 0;
	return at;
}

void conn_activity_note(struct conn_activity *h, long port, int64_t now_ms)
{
	h->conns[find(h, port)].heard_ms = now_ms;
}

void conn_activity_miss(struct conn_activity *h, long port, int64_t since_ms)
{
	const size_t at = find(h, port);

	if (since_ms > h->conns[at].unheard_ms)
		h->conns[at].unheard_ms = since_ms;
}

bool conn_activity_since(const struct conn_activity *h, long port,
			 int64_t since_ms)
{
	for (size_t i = 0; i < h->n; i++)
		if (h->conns[i].port == port)
			return h->conns[i].heard_ms > since_ms;
	return false;
}

bool conn_activity_dead(const struct conn_activity *h)
{
	for (size_t i = 0; i < h->n; i++)
		if (h->conns[i].unheard_ms &&
		    h->conns[i].unheard_ms >= h->conns[i].heard_ms)
			return true;
	return false;
}
