/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kinds of requests: when one may begin, and what a second one becomes. */
#include "base/clock.h"
#include "base/str.h"
#include "bridge/requests/bridge_requests_internal.h"

#define SLOW_AT_ONCE 1 /* notes and the like under way beside bindings */
#define BURST_MS 300   /* notes wait so long: more bindings may be asked for */

void bridge_request_free(struct request *r)
{
	struct bridge_request *d = (struct bridge_request *)r;

	free(d->mark);
	free(d->body);
	free(d->newer);
	free(d->node);
	free(d->api);
	free(d->words);
	free(d);
}

/*
 * Deletions go before bindings, but those that nobody answers must not have all
 * slots: then no job's pods would start. (Nor while no binding waits: one may
 * come, and a deletion may hang for 15 s.)
 */
static bool may_delete(const struct bridge_requests *w)
{
	const size_t most = w->opt.at_once, quarter = most / 4;

	return most <= 1 || requests_begun(w->queue, BRIDGE_REQUEST_DELETE,
					   BRIDGE_REQUEST_DELETE) +
					    (quarter ? quarter : 1) <
				    most;
}

/*
 * Pods wait for bindings, nobody for what is told of them. (One is always under
 * way: when it is done the next is looked for.)
 */
static bool may_tell(const struct bridge_requests *w)
{
	return requests_begun(w->queue, BRIDGE_REQUEST_NOTE,
			      BRIDGE_REQUEST_EVENT) < SLOW_AT_ONCE ||
	       (!requests_begun(w->queue, BRIDGE_REQUEST_BIND,
				BRIDGE_REQUEST_BIND) &&
		clock_ms() >= w->stall.bind_at + BURST_MS);
}

static bool may_begin(const void *room, unsigned int kind)
{
	const struct bridge_requests *w = room;

	if (requests_begun(w->queue, 0, BRIDGE_REQUEST_EVENT) >= w->opt.at_once)
		return false;
	if (kind == BRIDGE_REQUEST_DELETE)
		return may_delete(w);
	return kind == BRIDGE_REQUEST_BIND ? bridge_requests_may_bind(w)
					   : may_tell(w);
}

/*
 * A deletion that is under way is not changed: the link's thread reads it
 * without the lock.
 */
static bool merge_delete(struct request *there, struct request *later)
{
	struct bridge_request *d = (struct bridge_request *)there;
	struct bridge_request *other = (struct bridge_request *)later;

	if (there->begun)
		return true;
	d->look = d->look && other->look;
	if (!d->mark)
		d->mark = steal_ptr(other->mark);
	if (other->grace_s < d->grace_s)
		d->grace_s = other->grace_s;
	return true;
}

/*
 * False: the later one is for another job, or to another node, and it is not
 * known yet what becomes of the one that is there.
 */
static bool merge_binding(struct request *there, struct request *later)
{
	const struct bridge_request *d = (struct bridge_request *)there;
	const struct bridge_request *other = (struct bridge_request *)later;

	return other->job_id == d->job_id && str_eq(other->node, d->node) &&
	       !d->recalled;
}

void bridge_request_renew(struct bridge_request *d, char *body)
{
	char **old = d->base.begun ? &d->newer : &d->body;

	free(*old);
	*old = body;
}

static bool merge_body(struct request *there, struct request *later)
{
	struct bridge_request *other = (struct bridge_request *)later;

	bridge_request_renew((struct bridge_request *)there,
			     steal_ptr(other->body));
	return true;
}

/*
 * Whoever makes pods that are only to be told something leaves room for
 * bindings and deletions.
 */
#define NOTES_MAX 40000
#define GROUPS_MAX 5000

static const struct request_kind kinds[KINDS] = {
	[BRIDGE_REQUEST_DELETE] = {.merge = merge_delete},
	[BRIDGE_REQUEST_BIND] = {.merge = merge_binding},
	[BRIDGE_REQUEST_NOTE] = {.merge = merge_body, .max = NOTES_MAX},
	[BRIDGE_REQUEST_GROUP] = {.merge = merge_body, .max = GROUPS_MAX},
	[BRIDGE_REQUEST_EVENT] = {.max = BRIDGE_EVENTS_MAX},
};

const struct requests_table bridge_request_table = {
	.kinds = kinds,
	.n_kinds = KINDS,
	.max = BRIDGE_WORK_MAX,
	.may_begin = may_begin,
	.free = bridge_request_free};
