/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of bridge_requests.h share. The link's thread, but for what is
 * under the lock. */
#ifndef SLURMK8S_BRIDGE_REQUESTS_BRIDGE_REQUESTS_INTERNAL_H
#define SLURMK8S_BRIDGE_REQUESTS_BRIDGE_REQUESTS_INTERNAL_H

#include <pthread.h>

#include "bridge/requests/bridge_requests.h"
#include "cluster/requests.h"

#define FAILURES_MAX 256
#define NOTE_FAILURES_MAX 128 /* that one of a note is added to */
#define KINDS 5		      /* of enum bridge_request_what */
#define FORBIDDEN_MAX 64      /* namespaces that are remembered */

struct bridge_request {
	struct request base;
	struct bridge_requests *work;
	bool look;  /* what is under way, or to be sent first, is a GET */
	char *mark; /* of a binding: its job, on the pod; NULL: it is there */
	bool recalled; /* of a binding: its job ended meanwhile */
	char *api;     /* of a PodGroup: where it is */
	char *body;    /* not of a deletion */
	char *newer;   /* of a note: asked for while one is sent */
	int64_t grace_s;
	int64_t created_ms; /* of a binding: its pod; epoch; <= 0: unknown */
	uint32_t job_id;    /* of a binding, or by which it was bound */
	char *node;	    /* of a binding, or where it was bound; "": any */
	const char *reason; /* of a deletion: for its Event, static; or NULL */
	char *words;	    /* of a deletion: for its Event; or NULL */
	char *ns, *name, *uid; /* in `text` */
	char key[80];	       /* what, and the uid */
	char text[];
};

/*
 * A kind of thing that may not be done in a namespace, for now: the right to
 * do it may be missing, or the namespace may just be going.
 */
struct forbidden {
	enum bridge_request_what what;
	char ns[64];
	int64_t until;	/* monotonic; 0: it is free */
	unsigned int n; /* in a row */
};

/* Bindings that nobody answers; stall.c. All times are monotonic. */
struct binding_stall {
	int64_t answered_at; /* one was last, or the first was asked for */
	int64_t look_at;     /* it is not looked into before */
	unsigned int told;   /* how often it was since then */
	int64_t bind_at;     /* when one was asked for last */
	int64_t idle_at;     /* since when there is none */
};

struct bridge_requests {
	struct bridge_requests_options opt;
	/* these: the link's thread only */
	struct kube_client *client; /* the last one that it was given */
	int64_t bind_until; /* monotonic: no binding later; 0: no bound */
	/*
	 * monotonic: that there is no right to look is told again, and that a
	 * kind is forbidden
	 */
	int64_t tell_look_at;
	int64_t told_forbidden[KINDS];
	pthread_mutex_t lock; /* of what follows */
	struct requests *queue;
	struct sent_binding *sent_bindings;
	struct binding_stall stall;
	struct bridge_request_failure failures[FAILURES_MAX]; /* a ring */
	size_t n_failures, n_taken;			      /* ever */
	struct forbidden forbidden[FORBIDDEN_MAX];
	struct workload_logs *says; /* the link's thread only */
};

/* --- bridge_requests.c */

/* Write the key that a request has in the queue; Events have none. */
void bridge_request_key(enum bridge_request_what what, const char *uid,
			char out[80]);

/* Start the request that is next for it. Under the lock. False: no memory. */
bool bridge_request_send(struct bridge_request *d, struct kube_client *client);

/*
 * End a request that was answered: its slot gets free, and it is freed, unless
 * there is a newer note to be sent. `answer` is noted of a binding that was
 * sent. A failure (NULL: there is none) is kept for bridge_requests_take(), and
 * opt.failed is called. Takes the lock.
 */
void bridge_request_end(struct bridge_request *d, enum sent_answer answer,
			const struct bridge_request_failure *failure);

/* The failure of this request, with copies of all texts. */
struct bridge_request_failure
bridge_request_failure_of(const struct bridge_request *d, int http,
			  enum pod_read look, const char *words);

/* --- kinds.c */

extern const struct requests_table bridge_request_table;

/* Free a request that is not in the queue. */
void bridge_request_free(struct request *r);

/*
 * Give a note or a patch another body, which it owns: it is sent next, after
 * one that is under way. Under the lock.
 */
void bridge_request_renew(struct bridge_request *d, char *body);

/* --- answers.c */

/*
 * Log what the API server answered to the last request of it. What was
 * forbidden is not asked for in that namespace for 5 s, doubling to ten
 * minutes. Takes the lock.
 */
void bridge_request_tell(const struct bridge_request *d,
			 const struct kube_result *res);

/*
 * True if a request cannot matter any more: its pod is gone (404), or has its
 * node already (409).
 */
bool bridge_request_is_past(const struct kube_result *res);

/* Log that the API server did not say how the pod of a request is. */
void bridge_request_tell_unread(struct bridge_request *d,
				const struct kube_result *res);

/* True if that kind is forbidden in that namespace for now. Takes the lock. */
bool request_is_forbidden(struct bridge_requests *w,
			  enum bridge_request_what what, const char *ns);

/* --- in_flight.c */

/* Note a binding as sent, by sent_binding_note(). Under the lock. */
void in_flight_note(struct bridge_requests *w, const char *uid,
		    const char *node, uint32_t job_id);

/* --- stall.c: bindings that nobody answers */

/* Note that one more binding is asked for. Under the lock. */
void stall_asked(struct bridge_requests *w);

/* Note that `n` bindings are no more in the queue. Under the lock. */
void stall_gone(struct bridge_requests *w, size_t n);

/*
 * Note that a binding was answered, in whatever way; after a stall the log says
 * so. Takes the lock.
 */
void stall_answered(struct bridge_requests *w);

/*
 * If there are bindings and none was answered for BRIDGE_STALL_MS, say so in
 * the log, and what waits; if some are under way go on by new connections. A
 * stall that lasts is looked into again after a growing time. Takes the lock.
 */
void stall_look(struct bridge_requests *w, struct kube_client *client);

/* True if what is known of the pods is new enough to bind by. */
bool may_bind(const struct bridge_requests *w);

/* --- read_first.c */

/*
 * Read the pod of a binding that was answered with 409: a GET takes the place
 * of the binding. False: it was not sent, as we may not act or memory is short.
 * Takes the lock.
 */
bool bridge_request_look(struct bridge_request *d);

/*
 * Go on by the answer to the GET of a pod: a binding ends, a deletion is sent
 * or ends. Takes the lock.
 */
void bridge_request_looked(struct bridge_request *d,
			   const struct kube_result *res);

/*
 * Have an Event say why the pod was deleted, if there are words for it. Takes
 * the lock.
 */
void bridge_request_tell_ended(const struct bridge_request *d);

#endif
