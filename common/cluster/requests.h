/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A queue of requests to one Kubernetes cluster. A request waits, then is under
 * way, and is freed when it has ended. Which one is next: that of the most
 * important kind that may have one more under way; of a kind by namespace, the
 * one with the fewest under way, by turns, so that what hangs in one does not
 * keep the others waiting; of a namespace the one that was asked for first.
 * What a kind is a room says in a static table.
 *
 * The queue has neither a lock nor a thread: the caller holds the lock of its
 * room in each call. Callbacks are called inside, and do not change the queue.
 * No function here blocks or sends anything.
 */
#ifndef SLURMK8S_CLUSTER_REQUESTS_H
#define SLURMK8S_CLUSTER_REQUESTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"
#include "kube/client.h"

#define REQUEST_KINDS_MAX 5
#define REQUEST_LANES 64 /* lanes of a kind; namespaces may share one */

/*
 * A room's own struct begins with it; all zero at first. kind, max and call are
 * the room's, the other members the queue's.
 */
struct request {
	UT_hash_handle hh; /* by key, in the order in which they were added */
	int failed;
	unsigned int
		kind; /* index of the room's table; set before it is added */
	size_t max;   /* bound instead of its kind's `max`; 0: none */
	unsigned int lane;
	bool begun;		/* the request is under way */
	struct kube_call *call; /* the call under way; not with cancel */
	uint64_t number; /* key of a request that was added without one */
	struct request *prev, *next; /* waiting in its lane, or under way */
};

struct request_kind {
	size_t max;  /* waiting and under way; 0: no bound of its own */
	bool yields; /* a later one takes its place while it waits */
	/*
	 * Called when a request with this key is there already that does not
	 * yield: it takes over what the later one asks for, which is freed
	 * then. False: it cannot. NULL: never.
	 */
	bool (*merge)(struct request *there, struct request *later);
	/*
	 * Ends a request that is under way without its callback; NULL: its call
	 * is cancelled.
	 */
	void (*cancel)(struct request *r);
};

struct requests_table {
	const struct request_kind *kinds; /* the most important first */
	unsigned int n_kinds;		  /* at most REQUEST_KINDS_MAX */
	size_t max; /* bound of all kinds, waiting and under way; 0: none */
	/*
	 * True if one more of a kind may be under way now. The room is that of
	 * requests_new().
	 */
	bool (*may_begin)(const void *room, unsigned int kind);
	void (*free)(struct request *r);
};

/* Make a queue; both are borrowed. The caller frees. NULL: no memory. */
struct requests;
struct requests *requests_new(const struct requests_table *table,
			      const void *room);

/*
 * Free the queue with all requests, after the client of those under way has
 * been freed.
 */
void requests_free(struct requests *q);

enum request_added {
	REQUEST_REFUSED, /* one is there already, no room, or no memory */
	REQUEST_MERGED,	 /* taken over by the one that is there */
	REQUEST_ADDED,
};

/*
 * Add r, which is owned, and freed unless it was added. key: there is one
 * request of a key at a time; lives as long as r; NULL: a key of its own. ns:
 * its namespace. A request of its own kind that yields gives it its place, so
 * that it needs no room.
 */
enum request_added requests_add(struct requests *q, struct request *r,
				const char *key, const char *ns);

/* The request with this key; NULL: there is none. */
void *requests_find(const struct requests *q, const char *key);

/* The oldest request; hh.next: the one after it. NULL: there is none. */
void *requests_first(const struct requests *q);

/*
 * How many requests of a kind there are; and how many of the kinds `first` to
 * `last` are under way.
 */
size_t requests_count(const struct requests *q, unsigned int kind);
size_t requests_begun(const struct requests *q, unsigned int first,
		      unsigned int last);

/*
 * Take the next request, which is under way from now on. NULL: there is none,
 * or none may begin now.
 */
void *requests_next(struct requests *q);

/*
 * Let a request that was under way wait again: before the others of its lane,
 * or behind them.
 */
void requests_again(struct requests *q, struct request *r, bool before);

/* Forget a request, and free it. */
void requests_end(struct requests *q, struct request *r);

/*
 * End the requests of a kind that wait and of which `is` says so; it is asked
 * of those under way, too, which go on. Returns how many have ended.
 */
size_t requests_withdraw(struct requests *q, unsigned int kind,
			 bool (*is)(struct request *r, uint32_t id),
			 uint32_t id);

/*
 * End all requests; those under way without their callbacks. The client's
 * thread only.
 */
void requests_drop(struct requests *q, struct kube_client *client);

#endif
