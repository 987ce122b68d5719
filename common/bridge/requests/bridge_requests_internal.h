/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of bridge_requests.h share. The link's thread, but for what is
 * under the lock. */
#ifndef SLURMK8S_BRIDGE_REQUESTS_BRIDGE_REQUESTS_INTERNAL_H
#define SLURMK8S_BRIDGE_REQUESTS_BRIDGE_REQUESTS_INTERNAL_H

#include <pthread.h>

#include "base/hash.h"
#include "bridge/requests/bridge_requests.h"

#define FAILURES_MAX 256
#define KINDS 5		 /* of enum bridge_request_what */
#define FORBIDDEN_MAX 64 /* namespaces that are remembered */
#define LANES 64	 /* of a kind; a namespace has one of them */

struct bridge_request {
	UT_hash_handle hh;
	int failed;
	struct bridge_request *next; /* not begun; or of `marking` */
	struct bridge_requests *work;
	enum bridge_request_what what;
	unsigned int lane;	/* below LANES */
	struct kube_call *call; /* begun */
	bool look;  /* what is under way, or to be sent first, is a GET */
	char *mark; /* of a binding: its job, on the pod; NULL: it is there */
	bool recalled; /* likewise: its job ended while that was written */
	char *api;     /* of a PodGroup: where it is */
	char *body;    /* not of a deletion */
	char *newer;   /* of a note: asked for while one is sent */
	int64_t grace_s;
	uint32_t job_id;    /* of a binding, or by which it was bound */
	char *node;	    /* likewise; "": any */
	const char *reason; /* of a deletion: for its Event, static; or NULL */
	char *words;	    /* the same; or NULL */
	char *ns, *name, *uid; /* in `text` */
	char key[80];	       /* what, and the uid; Events: a number */
	char text[];
};

/* What is to be done of a kind in a namespace, or in some that share it. */
struct lane {
	struct bridge_request *first, *last; /* not begun */
	size_t begun;
};

/*
 * A kind of thing that may not be done in a namespace, for now: the right to
 * do it may be missing, or the namespace may just be going.
 */
struct forbidden {
	enum bridge_request_what what;
	char ns[64];
	int64_t until; /* monotonic; 0: it is free */
};

struct bridge_requests {
	struct bridge_requests_options opt;
	/* these two: the link's thread only */
	struct kube_client *client; /* the last one that it was given */
	int64_t bind_until;   /* monotonic: no binding later; 0: no bound */
	int64_t tell_look_at; /* likewise: no right to look, told again */
	pthread_mutex_t lock; /* of what follows */
	struct bridge_request *requests; /* all, by key */
	struct sent_binding *sent_bindings;
	struct bridge_request
		*marking; /* bindings of which the mark is under way */
	struct lane lanes[KINDS][LANES]; /* in order of importance */
	unsigned int turn[KINDS];	 /* the lane that was taken from last */
	size_t n, n_events, n_begun;
	size_t begun[KINDS]; /* of n_begun */
	size_t n_bind;	     /* bindings, under way or not */
	/* monotonic: one was answered last, or the first one was asked for */
	int64_t answered_at;
	int64_t stall_at;    /* the same: not looked into before */
	unsigned int stalls; /* that were told since then */
	int64_t bind_at;     /* monotonic: when one was asked for last */
	int64_t idle_at;     /* likewise: since when there is none */
	unsigned int next_event;
	struct bridge_request_failure failures[FAILURES_MAX]; /* a ring */
	size_t first_failure, n_failures;
	struct forbidden forbidden[FORBIDDEN_MAX];
	int64_t told_forbidden[KINDS]; /* monotonic; not again before */
	struct workload_logs *says;    /* the link's thread only */
};

/* --- bridge_requests.c */

/* As it is in `deeds`, but for Events. */
void bridge_request_key(enum bridge_request_what what, const char *uid,
			char out[80]);

/* Under the lock: start its request, or NULL: no memory. */
struct kube_call *bridge_request_send(struct bridge_request *d,
				      struct kube_client *client);

/*
 * It has ended: its slot is free, and it is freed unless there is a newer note.
 * A failure with words: kept for bridge_requests_take().
 */
void bridge_request_end(struct bridge_request *d, enum sent_answer answer,
			const struct bridge_request_failure *failure);

/* --- lanes.c: which one is next; all under the lock */

/* By its namespace; once, and without the lock. */
void lane_choose(struct bridge_request *d);
/* To be done: behind, or before, the others of its kind and lane. */
void lane_append(struct bridge_requests *w, struct bridge_request *d);
void lane_prepend(struct bridge_requests *w, struct bridge_request *d);
/* So many more (or less) like it are under way. */
void lane_count(struct bridge_requests *w, const struct bridge_request *d,
		int more);
/*
 * The one to begin, which is counted as begun and in no lane any more. NULL:
 * none may be now.
 */
struct bridge_request *lanes_next(struct bridge_requests *w);
/* The job's bindings that are not begun, by `next`: in no lane any more. */
struct bridge_request *lanes_recall(struct bridge_requests *w, uint32_t job_id);
/* All lanes are empty, and nothing is under way. */
void lanes_clear(struct bridge_requests *w);

/* --- answers.c */

/* What it answered to this. Who forbids something is not asked for a while. */
void bridge_request_tell(const struct bridge_request *d,
			 const struct kube_result *res);
/* What cannot matter any more: the pod is gone, or has its node already. */
bool bridge_request_is_past(const struct kube_result *res);
bool request_is_forbidden(struct bridge_requests *w,
			  enum bridge_request_what what, const char *ns);

/* --- stall.c: bindings that nobody answers */

/* Under the lock: one more is asked for. */
void stall_asked(struct bridge_requests *w);
/* Under the lock: so many are no more. */
void stall_gone(struct bridge_requests *w, size_t n);
/* One was answered, whatever the answer. */
void stall_answered(struct bridge_requests *w);
/*
 * If none was for STALL_MS: says so, and what waits; then goes on by new
 * connections. Again after a growing time.
 */
void stall_look(struct bridge_requests *w, struct kube_client *client);

/* (what is known of the pods is new enough) */
bool may_bind(const struct bridge_requests *w);

/* --- read_first.c */

/* A binding was answered with 409. False: no memory for a look. */
bool bridge_request_look(struct bridge_request *d);
/* The pod was answered, or not: then what is to become of it? */
void bridge_request_looked(struct bridge_request *d,
			   const struct kube_result *res);
/* It was deleted; an Event says why. */
void bridge_request_tell_ended(const struct bridge_request *d);

#endif
