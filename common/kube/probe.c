/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A request that waits for a webhook is not answered for long, and a watch of
 * what does not change is silent: neither means that its connection is dead. So
 * in the middle of its time something is asked by that connection which an API
 * server answers at once, if only that it is not allowed.
 */
#include "kube/call.h"

#include "base/clock.h"

#define PROBE_EACH_MS 1000 /* least time between two probes */

static int on_data(void *arg, const char *data, size_t n)
{
	(void)arg, (void)data, (void)n;
	return 0;
}

static void on_done(void *arg, const struct kube_result *res)
{
	struct kube_client *c = arg;

	(void)res;
	c->probe = NULL;
}

/*
 * How long a call may be without an answer, or a stream without a sign, in ms;
 * 0: no bound.
 */
static int64_t limit_of(const struct kube_client *c, const struct kube_call *k)
{
	const int64_t most = k->req.deadline_ms - k->sent_at;

	if (k->req.on_data)
		return k->req.idle_ms;
	return most > c->opt.attempt_ms ? c->opt.attempt_ms : most;
}

/* How much of limit_of() is left, in ms, if a sign is to be asked for; or 0. */
static int64_t left_of(const struct kube_client *c, const struct kube_call *k,
		       int64_t now)
{
	const int64_t begin = k->req.on_data ? k->last_data_at : k->sent_at;
	const int64_t limit = limit_of(c, k);
	long port = CONN_ACTIVITY_ANY;

	if (limit <= 0 || now - begin < limit / 2)
		return 0;
	/* An urgent call has a connection of its own: see note_unheard(). */
	if (!k->req.urgent) {
		port = kube_call_port(k);
		if (port <= 0)
			return 0;
	}
	if (conn_activity_since(&c->activity, port, begin))
		return 0;
	return begin + limit - now;
}

void probe_quiet_connections(struct kube_client *c)
{
	const int64_t now = clock_ms();
	int64_t left = 0;

	if (c->probe || !c->multiplexed || now - c->probed_at < PROBE_EACH_MS)
		return;
	for (struct kube_call *k = c->lists[ACTIVE].head.next;
	     left <= 0 && k != &c->lists[ACTIVE].head; k = k->next)
		left = left_of(c, k, now);
	if (left <= 0)
		return;
	/*
	 * The probe is a stream, so it is sent beside max_calls, and not tried
	 * again.
	 */
	c->probe =
		kube_client_start(c, &(struct kube_request){.method = "GET",
							    .path = "/version",
							    .on_data = on_data,
							    .idle_ms = left,
							    .on_done = on_done,
							    .arg = c});
	c->probed_at = now;
}
