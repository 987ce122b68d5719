/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of bridge_requests.h share. The link's thread, but for what is
 * under the lock. */
#ifndef SLURMK8S_BRIDGE_REQUESTS_BRIDGE_REQUESTS_INTERNAL_H
#define SLURMK8S_BRIDGE_REQUESTS_BRIDGE_REQUESTS_INTERNAL_H

#include <pthread.h>

#include "bridge/requests/bridge_requests.h"
#include "cluster/requests.h"

#define FAILURES_MAX 256
/* with so many untaken failures none of a note is kept */
#define NOTE_FAILURES_MAX 128
#define KINDS 5		 /* values of enum bridge_request_what */
#define FORBIDDEN_MAX 64 /* namespaces that are remembered */

struct bridge_request {
	struct request base;
	struct bridge_requests *work;
	bool look; /* a GET of the pod is under way, or to be sent first */
	/*
	 * binding: the patch that writes its job on the pod; deletion: the one
	 * that writes a disruption; NULL: that was done, or there is none
	 */
	char *mark;
	bool recalled; /* binding: its job has ended while `mark` was sent */
	char *api;     /* PodGroup: its API, "apis/scheduling.k8s.io/v1beta1" */
	char *body;    /* JSON to be sent; NULL for a deletion */
	char *newer;   /* note: its next body, given while one was sent */
	int64_t grace_s;
	/* binding: creation of its pod; epoch; <= 0: unknown */
	int64_t created_ms;
	/* job of a binding, or by which a pod to be deleted was bound */
	uint32_t job_id;
	/* node of a binding, or where a pod to be deleted is bound; "": any */
	char *node;
	/* deletion: reason of its Event, static; NULL: none */
	const char *reason;
	char *words;	       /* deletion: words of its Event; NULL: none */
	char *ns, *name, *uid; /* in `text` */
	char key[80];	       /* by bridge_request_key() */
	char text[];
};

/*
 * A kind of thing that may not be done in a namespace, for now: the right to
 * do it may be missing, or the namespace may just be going.
 */
struct forbidden {
	enum bridge_request_what what;
	char ns[64];
	int64_t until;	/* monotonic; 0: the entry is free */
	unsigned int n; /* how often in a row it was forbidden */
};

/* Bindings that nobody answers; stall.c. All times are monotonic. */
struct binding_stall {
	/* when one was answered last, or the first asked for */
	int64_t answered_at;
	int64_t look_at;   /* when it is looked into next */
	unsigned int told; /* how often the log was told since answered_at */
	int64_t bind_at;   /* when a binding was asked for last */
	int64_t idle_at;   /* since when there is no binding */
};

struct bridge_requests {
	struct bridge_requests_options opt;
	/* The members up to told_forbidden[] are the link's thread's only. */
	/* given by the last bridge_requests_begin() */
	struct kube_client *client;
	int64_t bind_until; /* monotonic: no binding later; 0: no bound */
	/*
	 * Monotonic: when the log is told next that there is no right to read
	 * pods, and that a kind is forbidden.
	 */
	int64_t tell_look_at;
	int64_t told_forbidden[KINDS];
	pthread_mutex_t lock; /* guards the members below but `says` */
	struct requests *queue;
	struct sent_binding *sent_bindings;
	struct binding_stall stall;
	struct bridge_request_failure failures[FAILURES_MAX]; /* a ring */
	size_t n_failures, n_taken; /* numbers since the start */
	struct forbidden forbidden[FORBIDDEN_MAX];
	struct workload_logs *says; /* the link's thread only */
};

/* --- bridge_requests.c */

/* Write the key that a request has in the queue; Events have none. */
void bridge_request_key(enum bridge_request_what what, const char *uid,
			char out[80]);

/* Start the next request of `d`. Under the lock. False: no memory. */
bool bridge_request_send(struct bridge_request *d, struct kube_client *client);

/*
 * End a request that was answered: its slot gets free, and it is freed, unless
 * there is a newer note to be sent. For a binding that was sent `answer` is
 * noted. A failure (NULL: there is none) is kept for bridge_requests_take(),
 * and opt.failed is called. Takes the lock.
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
 * Log what the API server answered to the last request of `d`. What was
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

/*
 * True if what is known of the pods is new enough to bind by. See
 * bridge_requests_bind_until().
 */
bool bridge_requests_may_bind(const struct bridge_requests *w);

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
