/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Bindings on their way: to be sent, or sent and not in view yet. */
#include "base/clock.h"
#include "base/str.h"
#include "bridge/requests/bridge_requests_internal.h"

void in_flight_note(struct bridge_requests *w, const char *uid,
		    const char *node, uint32_t job_id)
{
	sent_binding_note(&w->sent_bindings, uid, node, job_id);
}

void bridge_requests_each_sent(struct bridge_requests *w,
			       bool (*keep)(void *arg,
					    const struct sent_binding *one),
			       void *arg)
{
	pthread_mutex_lock(&w->lock);
	sent_binding_each(&w->sent_bindings, keep, arg);
	pthread_mutex_unlock(&w->lock);
}

void bridge_requests_each_way(struct bridge_requests *w,
			      void (*look)(void *arg,
					   const struct sent_binding *one),
			      void *arg)
{
	const int64_t now = clock_ms();
	const struct sent_binding *s;

	pthread_mutex_lock(&w->lock);
	for (s = w->sent_bindings; s; s = s->hh.next)
		if (now < s->until)
			look(arg, s);
	for (const struct bridge_request *d = requests_first(w->queue); d;
	     d = d->base.hh.next) {
		if (d->base.kind != BRIDGE_REQUEST_BIND)
			continue;
		HASH_FIND_STR(w->sent_bindings, d->uid, s);
		if (!s || now >= s->until)
			look(arg, &(struct sent_binding){.uid = d->uid,
							 .node = d->node,
							 .job_id = d->job_id});
	}
	pthread_mutex_unlock(&w->lock);
}

/*
 * Under the lock. The node to which the pod is on its way; valid as long as the
 * lock is held. NULL: none.
 */
static const char *way_of(struct bridge_requests *w, const char *uid,
			  uint32_t job_id)
{
	const struct sent_binding *s;
	const struct bridge_request *d;
	char key[80];

	bridge_request_key(BRIDGE_REQUEST_BIND, uid, key);
	d = requests_find(w->queue, key);
	if (d && d->job_id == job_id && !d->recalled)
		return d->node;
	HASH_FIND_STR(w->sent_bindings, uid, s);
	return s && s->job_id == job_id && clock_ms() < s->until ? s->node
								 : NULL;
}

bool bridge_requests_way(struct bridge_requests *w, const char *uid,
			 uint32_t job_id, char *node, size_t size)
{
	const char *to;

	pthread_mutex_lock(&w->lock);
	to = way_of(w, uid, job_id);
	if (to && node)
		str_copy(node, to, size);
	pthread_mutex_unlock(&w->lock);
	return to != NULL;
}
