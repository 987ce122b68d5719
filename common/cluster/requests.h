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
#define REQUEST_LANES 64 /* of a kind; namespaces may share one */

/*
 * A room's own struct begins with it; all zero at first. kind, max and call are
 * the room's, the other members the queue's.
 */
struct request {
	UT_hash_handle hh; /* by key, in the order in which they were added */
	int failed;
	unsigned int
		kind; /* index of the room's table; set before it is added */
	size_t max;   /* not with so many of its kind; 0: as the kind's */
	unsigned int lane;
	bool begun;		/* under way */
	struct kube_call *call; /* of one that is, but for kinds with cancel */
	uint64_t number;	/* the key of one without another */
	struct request *prev, *next; /* waiting in its lane, or under way */
};

struct request_kind {
	size_t max;  /* waiting and under way; 0: no bound of its own */
	bool yields; /* while it waits a later one takes its place */
	/*
	 * One with the same key is there, which does not yield: this is told
	 * what the later one asks for, which is freed then. False: it cannot
	 * be. NULL: never.
	 */
	bool (*merge)(struct request *there, struct request *later);
	/* Ends one that is under way without its callback; NULL: its call is
	 * cancelled */
	void (*cancel)(struct request *r);
};

struct requests_table {
	const struct request_kind *kinds; /* the most important first */
	unsigned int n_kinds;		  /* at most REQUEST_KINDS_MAX */
	size_t max; /* of all kinds, waiting and under way; 0: no bound */
	/*
	 * True if one more of a kind may be under way now. The room is that of
	 * requests_new().
	 */
	bool (*may_begin)(const void *room, unsigned int kind);
	void (*free)(struct request *r);
};

/* Both are borrowed. NULL: no memory. */
struct requests;
struct requests *requests_new(const struct requests_table *table,
			      const void *room);

/* With all requests. After the client of those under way has been freed. */
void requests_free(struct requests *q);

enum request_added {
	REQUEST_REFUSED, /* as one is there already, no room, or no memory */
	REQUEST_MERGED,	 /* into the one that is there */
	REQUEST_ADDED,
};

/*
 * Owns r, which is freed unless it was added. key: there is one of this at a
 * time; lives as long as r; NULL: no other is like it. ns: its namespace. One
 * of its own kind that yields gives it its turn, too, and needs no room.
 */
enum request_added requests_add(struct requests *q, struct request *r,
				const char *key, const char *ns);

/* The one with this key; NULL: there is none. */
void *requests_find(const struct requests *q, const char *key);

/* The oldest one; hh.next: the following. NULL: there is none. */
void *requests_first(const struct requests *q);

/* How many are there of a kind; and how many of `first` to `last` under way. */
size_t requests_count(const struct requests *q, unsigned int kind);
size_t requests_begun(const struct requests *q, unsigned int first,
		      unsigned int last);

/* The next one is under way from now on. NULL: there is none, or not now. */
void *requests_next(struct requests *q);

/* One that was under way waits again: before the others, or behind them. */
void requests_again(struct requests *q, struct request *r, bool before);

/* It is forgotten, and freed. */
void requests_end(struct requests *q, struct request *r);

/*
 * Ends those of a kind that wait and of which `is` says so; it is asked of
 * those under way, too, which go on. Returns how many have ended.
 */
size_t requests_withdraw(struct requests *q, unsigned int kind,
			 bool (*is)(struct request *r, uint32_t id),
			 uint32_t id);

/*
 * All end; those under way without their callbacks. In the thread of the
 * client, which is theirs.
 */
void requests_drop(struct requests *q, struct kube_client *client);

#endif
