/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of bridge_requests.h share. The link's thread, but for what is
 * under the lock. */
#ifndef SLURMK8S_BRIDGE_REQUESTS_BRIDGE_REQUESTS_INTERNAL_H
#define SLURMK8S_BRIDGE_REQUESTS_BRIDGE_REQUESTS_INTERNAL_H

#include <pthread.h>

#include "bridge/requests/bridge_requests.h"
#include "cluster/requests.h"

#define FAILURES_MAX 256
#define KINDS 5		 /* of enum bridge_request_what */
#define FORBIDDEN_MAX 64 /* namespaces that are remembered */

struct bridge_request {
	struct request base;
	struct bridge_requests *work;
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
	int64_t until; /* monotonic; 0: it is free */
};

struct bridge_requests {
	struct bridge_requests_options opt;
	/* these: the link's thread only */
	struct kube_client *client; /* the last one that it was given */
	int64_t bind_until;   /* monotonic: no binding later; 0: no bound */
	int64_t tell_look_at; /* likewise: no right to look, told again */
	int64_t told_forbidden[KINDS]; /* likewise: not again before */
	pthread_mutex_t lock;	       /* of what follows */
	struct requests *queue;
	struct sent_binding *sent_bindings;
	/* monotonic: one was answered last, or the first one was asked for */
	int64_t answered_at;
	int64_t stall_at;    /* the same: not looked into before */
	unsigned int stalls; /* that were told since then */
	int64_t bind_at;     /* monotonic: when one was asked for last */
	int64_t idle_at;     /* likewise: since when there is none */
	struct bridge_request_failure failures[FAILURES_MAX]; /* a ring */
	size_t n_failures, n_taken;			      /* ever */
	struct forbidden forbidden[FORBIDDEN_MAX];
	struct workload_logs *says; /* the link's thread only */
};

/* --- bridge_requests.c */

/* As it is in the queue, but for Events. */
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

struct bridge_request_failure
bridge_request_failure_of(const struct bridge_request *d, int http,
			  enum pod_read look, const char *words);

/* --- kinds.c */

extern const struct requests_table bridge_request_table;
void bridge_request_free(struct request *r);
/* Under the lock. Another body, of a note; owns it. */
void bridge_request_renew(struct bridge_request *d, char *body);

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
