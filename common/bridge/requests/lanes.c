/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which request is next: by its kind, and of a kind by its namespace. One whose
 * webhook fails, or hangs, keeps what is under way there until its deadline.
 * (Namespaces that share a lane only share their turns.)
 */
#include <string.h>

#include "base/clock.h"
#include "bridge/requests/bridge_requests_internal.h"

#define SLOW_AT_ONCE 1 /* notes and the like under way beside bindings */
#define BURST_MS 300   /* after one was asked for more may come */

void lane_choose(struct bridge_request *d)
{
	d->lane = hash_bytes(d->ns, strlen(d->ns)) % LANES;
}

static struct lane *lane_of(struct bridge_requests *w,
			    const struct bridge_request *d)
{
	return &w->lanes[d->what][d->lane];
}

static void append(struct lane *l, struct bridge_request *d)
{
	d->next = NULL;
	if (l->last)
		l->last->next = d;
	else
		l->first = d;
	l->last = d;
}

void lane_append(struct bridge_requests *w, struct bridge_request *d)
{
	append(lane_of(w, d), d);
}

void lane_prepend(struct bridge_requests *w, struct bridge_request *d)
{
	struct lane *l = lane_of(w, d);

	d->next = l->first;
	l->first = d;
	if (!l->last)
		l->last = d;
}

void lane_count(struct bridge_requests *w, const struct bridge_request *d,
		int more)
{
	w->n_begun += (size_t)more;
	w->begun[d->what] += (size_t)more;
	lane_of(w, d)->begun += (size_t)more;
}

/* The one with the fewest under way, by turns. NULL: there is nothing to do. */
static struct lane *next_lane(struct bridge_requests *w,
			      enum bridge_request_what what)
{
	struct lane *l, *least = NULL;

	for (unsigned int i = 1; i <= LANES; i++) {
		l = &w->lanes[what][(w->turn[what] + i) % LANES];
		if (l->first && (!least || l->begun < least->begun))
			least = l;
	}
	return least;
}

/*
 * Deletions go before bindings, but those that nobody answers must not have all
 * slots: then no job's pods would start. (Nor while no binding waits: one may
 * come, and a deletion may hang for 15 s.)
 */
static bool leave_room(const struct bridge_requests *w)
{
	const size_t most = w->opt.at_once, quarter = most / 4;

	return most > 1 &&
	       w->begun[BRIDGE_REQUEST_DELETE] + (quarter ? quarter : 1) >=
		       most;
}

/*
 * Pods wait for bindings, nobody for what is told of them. (One is always under
 * way: when it is done the next is looked for.)
 */
static bool must_wait(const struct bridge_requests *w,
		      enum bridge_request_what what)
{
	return what > BRIDGE_REQUEST_BIND &&
	       w->begun[BRIDGE_REQUEST_NOTE] + w->begun[BRIDGE_REQUEST_GROUP] +
			       w->begun[BRIDGE_REQUEST_EVENT] >=
		       SLOW_AT_ONCE &&
	       (w->begun[BRIDGE_REQUEST_BIND] ||
		clock_ms() < w->bind_at + BURST_MS);
}

/* The lane of the most important kind that may have one more under way. */
static struct lane *best_lane(struct bridge_requests *w)
{
	struct lane *bind = may_bind(w) ? next_lane(w, BRIDGE_REQUEST_BIND)
					: NULL,
		    *l;

	l = leave_room(w) ? NULL : next_lane(w, BRIDGE_REQUEST_DELETE);
	if (!l)
		l = bind;
	for (int what = BRIDGE_REQUEST_BIND + 1; !l && what < KINDS; what++)
		l = next_lane(w, what);
	return l;
}

struct bridge_request *lanes_next(struct bridge_requests *w)
{
	struct lane *l = w->n_begun < w->opt.at_once ? best_lane(w) : NULL;
	struct bridge_request *d = l ? l->first : NULL;

	if (!d || must_wait(w, d->what))
		return NULL;
	l->first = d->next;
	if (!l->first)
		l->last = NULL;
	w->turn[d->what] = d->lane;
	lane_count(w, d, 1);
	return d;
}

struct bridge_request *lanes_recall(struct bridge_requests *w, uint32_t job_id)
{
	struct bridge_request *found = NULL, *d, *next;

	for (struct lane *l = w->lanes[BRIDGE_REQUEST_BIND];
	     l < w->lanes[BRIDGE_REQUEST_BIND] + LANES; l++) {
		d = l->first;
		l->first = l->last = NULL;
		for (; d; d = next) {
			next = d->next;
			if (d->job_id != job_id) {
				append(l, d);
				continue;
			}
			d->next = found;
			found = d;
		}
	}
	return found;
}

void lanes_clear(struct bridge_requests *w)
{
	memset(w->lanes, 0, sizeof(w->lanes));
	memset(w->begun, 0, sizeof(w->begun));
	w->n_begun = 0;
}
