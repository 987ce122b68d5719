/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A client's calls, for client.c and call.c only: the lists that a call is on,
 * and its transfer as libcurl gets it. The client's thread only.
 */
#ifndef SLURMK8S_KUBE_CALL_H
#define SLURMK8S_KUBE_CALL_H

#include <curl/curl.h>

#include "base/backoff.h"
#include "base/buf.h"
#include "kube/client.h"
#include "kube/conn_activity.h"
#include "kube/connections.h"
#include "kube/cred.h"
#include "kube/proxy.h"

#define IDLE_EASY_MAX 128
/* bytes of all answers that have begun */
#define ANSWERS_MAX (64u * 1024 * 1024)

/* The list that a call is on: to be sent, on the wire, to be sent again. */
enum where { READY, ACTIVE, WAITING };

struct kube_call {
	struct kube_call *prev, *next;
	enum where where;
	struct kube_client *client;
	struct kube_request req; /* path and body owned */
	CURL *easy;
	struct curl_slist *headers;
	struct buf answer;
	struct backoff backoff;
	struct err err; /* error of the last try */
	unsigned int attempts;
	int http;
	struct kube_peer peer; /* what on_done is told if req.peer is set */
	int stop;	       /* code that ends a try from a callback */
	bool refreshed;	       /* credentials were fetched anew once */
	bool sent; /* libcurl has begun to send this try; never of a GET */
	bool undecided;
	bool dead; /* cancelled inside a callback of libcurl */
	/* number of the last try, counted by the client */
	uint64_t nr;
	long reused_port;     /* see kube_call_port(); 0: not known */
	int64_t start_at;     /* clock_ms() when a WAITING call goes on */
	int64_t last_data_at; /* clock_ms() of the last bytes of a stream */
	int64_t sent_at;
};

/* A ring of calls; `head` is its anchor, and no call itself. */
struct list {
	struct kube_call head;
	size_t n;
};

struct kube_client {
	const struct kube_config *config;
	struct kube_client_options opt;
	char *base;    /* server without a trailing slash */
	char *connect; /* CURLOPT_CONNECT_TO, for tls-server-name */
	char *whom;    /* the server, and the proxy on the way, for people */
	struct kube_proxy proxy;
	struct connections conns;
	struct curl_slist *connect_to;
	struct kube_cred *cred;
	CURL *idle[IDLE_EASY_MAX];
	size_t n_idle;
	struct list lists[3];
	/*
	 * `beside`: active calls sent beside max_calls; `dead`: active calls
	 * that were cancelled inside a callback, and are still to be freed
	 */
	size_t beside, dead;
	bool performing;
	bool multiplexed; /* the last answer came by HTTP/2 */
	bool told_http1;
	bool distrusted; /* see kube_client_distrusted() */
	size_t held;	 /* bytes of all answers that have begun */
	struct conn_activity activity;
	int64_t drained_at; /* see kube_client_drained_at() */
	bool apart_unheard; /* an urgent call's connection may be dead */
	/*
	 * a result was handed on in this step: its receiver may have more to
	 * send
	 */
	bool told;
	/* probe under way (kube/probe.c); NULL: none */
	struct kube_call *probe;
	int64_t probed_at;
	unsigned int window, good;
	uint64_t narrowed; /* the last try sent before the window shrank */
	uint64_t seed;
	struct kube_counters count;
};

/*
 * A call is on one list at most. call_list_put() adds it at the end, or at the
 * front if it is sent before all others; call_list_move() takes it from its
 * list first.
 */
void call_list_init(struct list *l);
void call_list_del(struct kube_client *c, struct kube_call *k);
void call_list_put(struct kube_client *c, struct kube_call *k, enum where to);
void call_list_move(struct kube_client *c, struct kube_call *k, enum where to);

/*
 * A transfer for the call's next try, owned by the call. NULL: out of memory.
 */
CURL *kube_call_easy(struct kube_client *c, struct kube_call *k,
		     const struct kube_secret *s);

/*
 * Take the transfer from the call, and keep it for another one. Without a
 * transfer: nothing.
 */
void kube_call_release(struct kube_client *c, struct kube_call *k);

/*
 * True if the call is sent before all others: see `urgent` of struct
 * kube_request.
 */
bool kube_call_beside(const struct kube_call *k);

/* Note the server's certificate, if the request asks for its peer. */
void kube_call_note_peer(struct kube_call *k);

/* Drop what has come of the answer. */
void kube_call_forget(struct kube_call *k);

/*
 * The local port of the connection that its transfer has, which tells it from
 * others; 0 or less: none yet. libcurl before 7.79 does not know the port of a
 * connection that had been idle (Curl_updateconninfo()), so it is noted.
 */
long kube_call_port(const struct kube_call *k);

/* Note that something came for this call, on its connection. */
void kube_call_heard(struct kube_call *k);

/*
 * In probe.c: ask for a sign by the connection of a call that has waited for
 * half of its time, where nothing has come since. One GET /version at a time.
 */
void probe_quiet_connections(struct kube_client *c);

/*
 * In count.c: count that a try has ended with this HTTP status, and how long it
 * took; 0: without an answer.
 */
void kube_call_count(const struct kube_call *k, int http);

/* Free a call that is on no list and has no transfer. */
void kube_call_free(struct kube_call *k);

#endif
