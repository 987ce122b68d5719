/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Bindings are asked for, and none is answered: a connection that hangs while
 * others answer, an API server that does not get to them, or a mistake of ours.
 * It is said within BRIDGE_STALL_MS, and new connections are tried: a binding
 * may be sent twice, for the second is answered with 409, and then the pod is
 * read.
 */
#include <inttypes.h>
#include <stdio.h>

#include "base/backoff.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/str.h"
#include "bridge/requests/bridge_requests_internal.h"

#define STALL_PAST_MS 60000
#define STALL_MAX_MS                                                           \
	300000 /* a stall that lasts is looked into so often at least */

/*
 * A binding that gets no answer is asked for again within seconds: if none was
 * for long, what stalled then is past.
 */
void stall_asked(struct bridge_requests *w)
{
	const int64_t now = clock_ms();

	w->stall.bind_at = now;
	if (requests_count(w->queue, BRIDGE_REQUEST_BIND) == 1 &&
	    (!w->stall.told || now - w->stall.idle_at >= STALL_PAST_MS)) {
		w->stall.told = 0;
		w->stall.answered_at = now;
		w->stall.look_at = now + BRIDGE_STALL_MS;
	}
}

void stall_gone(struct bridge_requests *w, size_t n)
{
	if (n && !requests_count(w->queue, BRIDGE_REQUEST_BIND))
		w->stall.idle_at = clock_ms();
}

void stall_answered(struct bridge_requests *w)
{
	const int64_t now = clock_ms();
	int64_t after = 0;

	pthread_mutex_lock(&w->lock);
	if (w->stall.told)
		after = now - w->stall.answered_at;
	w->stall.told = 0;
	w->stall.answered_at = now;
	w->stall.look_at = now + BRIDGE_STALL_MS;
	pthread_mutex_unlock(&w->lock);
	if (after)
		log_info("cluster %s: bindings are answered again, after "
			 "%" PRId64 " s",
			 w->opt.cluster, after / 1000);
}

/* Under the lock. The binding that was asked for first. NULL: there is none. */
static const struct bridge_request *oldest(const struct bridge_requests *w)
{
	const struct bridge_request *d = requests_first(w->queue);

	while (d && d->base.kind != BRIDGE_REQUEST_BIND)
		d = d->base.hh.next;
	return d;
}

/* Under the lock. Write what the log is told of a stall. */
static void describe(const struct bridge_requests *w, char *out, size_t max)
{
	const struct bridge_request *d = oldest(w);
	const size_t bind = requests_begun(w->queue, BRIDGE_REQUEST_BIND,
					   BRIDGE_REQUEST_BIND);

	snprintf(out, max,
		 "no binding was answered for %" PRId64 " s: %zu are to be, of "
		 "which %zu are under way, beside %zu other requests; the "
		 "oldest is of pod %s/%s, %s",
		 (clock_ms() - w->stall.answered_at) / 1000,
		 requests_count(w->queue, BRIDGE_REQUEST_BIND), bind,
		 requests_begun(w->queue, 0, BRIDGE_REQUEST_EVENT) - bind,
		 d ? d->ns : "", d ? d->name : "",
		 d && d->base.call ? kube_call_state(d->base.call)
				   : "not begun");
}

void stall_look(struct bridge_requests *w, struct kube_client *client)
{
	const int64_t now = clock_ms();
	char words[1024] = "";
	bool sent = false;

	pthread_mutex_lock(&w->lock);
	if (!bridge_requests_may_bind(w)) { /* no binding may be sent now */
		w->stall.look_at = now + BRIDGE_STALL_MS;
	} else if (requests_count(w->queue, BRIDGE_REQUEST_BIND) &&
		   now >= w->stall.look_at) {
		describe(w, words, sizeof(words));
		sent = requests_begun(w->queue, BRIDGE_REQUEST_BIND,
				      BRIDGE_REQUEST_BIND) > 0;
		w->stall.look_at =
			now + backoff_doubled(BRIDGE_STALL_MS * 2,
					      w->stall.told++, STALL_MAX_MS);
	}
	pthread_mutex_unlock(&w->lock);
	if (!*words)
		return;
	log_error("cluster %s: %s%s", w->opt.cluster, words,
		  sent ? "; going on by new connections" : "");
	/*
	 * If none was sent it is not the connection: others would have to begin
	 * anew.
	 */
	if (sent)
		kube_client_reconnect(client, KUBE_SILENT);
}
