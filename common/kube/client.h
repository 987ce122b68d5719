/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One connection to one Kubernetes API server: HTTP/2 multiplexed by libcurl,
 * bounded in calls at once, answer size, time and retries.
 *
 * A client belongs to one thread, which calls kube_client_step() in a loop;
 * callbacks run inside it. They may start and cancel calls, but not free the
 * client. Only kube_client_wakeup() may come from other threads. Never from
 * a callback of slurmctld: this is I/O.
 */
#ifndef SLURMK8S_KUBE_CLIENT_H
#define SLURMK8S_KUBE_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "kube/certificate.h"
#include "kube/kubeconfig.h"

struct kube_client;
struct kube_call; /* one request under way */

struct kube_client_options {
	const char *user_agent; /* NULL: slurm-k8s */
	unsigned int max_calls; /* requests on the wire at once; 0: 100 */
	/*
	 * Bytes of the answer to a page, and up to 16 MiB of any other; 0: 32
	 * MiB.
	 */
	size_t max_answer;
	/* Time for one try; for a page between two pieces of it; 0: 30 s. */
	int64_t attempt_ms;
	bool compressed; /* ask for gzip; bounds count bytes as unpacked */
	int64_t retry_base_ms; /* 0: 100 ms */
	int64_t retry_max_ms;  /* 0: 5 s */
	/*
	 * Asked before each try of a request that is neither a GET nor urgent,
	 * and about those under way whenever there was a pause. False: the call
	 * ends with -ECANCELED, undecided if it may have been sent. NULL:
	 * always true.
	 */
	bool (*may_write)(void *arg);
	void *may_arg;
};

/* What an answer tells of the server that it came from. */
struct kube_peer {
	/* the server's clock, epoch, in whole seconds; -1: not known */
	int64_t date_ms;
	/*
	 * validity of the server's certificate; not known, too, if the
	 * connection was there before the call
	 */
	struct kube_validity cert;
};

/* How a call ended. Borrowed: valid only inside the callback. */
struct kube_result {
	int rc;		  /* 0, or err->code */
	int http;	  /* last HTTP status, 0 if none came */
	const char *body; /* ends with NUL */
	size_t len;
	unsigned int attempts;
	const struct err *err; /* set when rc is not 0 */
	struct kube_peer peer; /* set if the request asked for it */
	/*
	 * rc is not 0, and a try may have had its effect unseen: this answer
	 * (409, 404) may be about that. True, too, when libcurl has sent the
	 * request again within one try.
	 */
	bool undecided;
};

typedef void (*kube_done_fn)(void *arg, const struct kube_result *res);

/* The answer to a streaming request begins, with status 200. */
typedef void (*kube_open_fn)(void *arg);

/* Bytes of a streaming answer; non-zero ends the call with that code. */
typedef int (*kube_data_fn)(void *arg, const char *data, size_t len);

struct kube_request {
	const char *method;
	const char *path; /* with query, percent-encoded; copied */
	const void *body; /* copied; NULL: none */
	size_t body_len;
	const char *content_type; /* static text; NULL: application/json */
	const char *accept;	  /* static text; NULL: application/json */
	int64_t not_before_ms;	  /* monotonic: when to send it; 0: now */
	int64_t deadline_ms;	  /* monotonic, see clock_ms(); 0: 60 s */
	bool no_retry;
	bool conflict_is_final; /* 409 is an answer, also to a POST */
	bool failure_is_final;	/* 500 and above are an answer, too */
	/*
	 * True: this request, and any with on_data, is sent before all others,
	 * beside max_calls and, where the server has no HTTP/2, on connections
	 * that others do not take. An urgent request has a connection of its
	 * own with HTTP/2, too, so that its answer does not wait behind the
	 * events of watches.
	 */
	bool urgent;
	bool page; /* the answer is a page of a list */
	bool peer; /* on_done is to be told of the server: kube_result.peer */
	/*
	 * A stream (watch): no retry, no deadline; ended when nothing comes for
	 * idle_ms.
	 */
	kube_data_fn on_data;
	kube_open_fn on_open; /* may be NULL */
	int64_t idle_ms;
	/* called exactly once, or never after kube_client_cancel() */
	kube_done_fn on_done;
	void *arg;
};

/*
 * `config` is borrowed and must outlive the client; `options` (NULL: all
 * defaults) is copied. The caller frees *out. 0; -EINVAL with words: the
 * kubeconfig's server or proxy is none; -ENOMEM.
 */
int kube_client_new(const struct kube_config *config,
		    const struct kube_client_options *options,
		    struct kube_client **out, struct err *err);

/*
 * True if, since the client was made or kube_client_use() was called, the
 * server has refused the credential, where no file or plugin has another one,
 * or has had a certificate that the CA has not signed: then what the kubeconfig
 * says may be old.
 */
bool kube_client_distrusted(const struct kube_client *c);

/*
 * From now on go by this config, which is borrowed like that of
 * kube_client_new(): the tries that are under way end as by
 * kube_client_reconnect(). Errors as of kube_client_new(); after one all is as
 * before. Not inside a callback.
 */
int kube_client_use(struct kube_client *c, const struct kube_config *config,
		    struct err *err);

/*
 * End all calls without their callbacks, and free it. NULL: nothing. Not inside
 * a callback.
 */
void kube_client_free(struct kube_client *c);
DEFINE_CLEANUP(struct kube_client, kube_client_freep, kube_client_free)

/*
 * Start a call, which kube_client_step() sends. Borrowed until on_done or
 * kube_client_cancel(). NULL: out of memory, and on_done is not called.
 */
struct kube_call *kube_client_start(struct kube_client *c,
				    const struct kube_request *req);

/*
 * End a call without its callback; the server may have got the request. Not
 * from the call's own on_data.
 */
void kube_client_cancel(struct kube_client *c, struct kube_call *call);

/*
 * Do what can be done, waiting at most timeout_ms for something to happen, but
 * not after an answer, for its receiver may have more to send. Returns the
 * number of calls that are not done yet.
 */
size_t kube_client_step(struct kube_client *c, int timeout_ms);

/*
 * Wait for kube_client_wakeup(), or for timeout_ms, when no call is under way.
 */
void kube_client_rest(struct kube_client *c, int timeout_ms);

/*
 * When (clock_boot_ms()) the client last had read all that had come by its
 * connections, and handed it on; 0: never. What is on its way, or waits in the
 * server, is not known.
 */
int64_t kube_client_drained_at(const struct kube_client *c);

/*
 * Make a kube_client_step() or kube_client_rest() that waits return; if none
 * waits, the next one returns at once. Any thread.
 */
void kube_client_wakeup(struct kube_client *c);

/* What a call is doing: static words for the log. */
const char *kube_call_state(const struct kube_call *call);

/*
 * End the tries that are under way, and go on by new connections. Calls that
 * may be retried are; streams end with -EIO, and words that have `why`. Not
 * inside a callback.
 */
#define KUBE_SILENT "nothing comes from it any more"
void kube_client_reconnect(struct kube_client *c, const char *why);

/* Counters since the client was made. */
struct kube_counters {
	uint64_t requests; /* tries sent */
	uint64_t retries;
	uint64_t connections;
};
/* A copy of the counters. */
void kube_client_counters(const struct kube_client *c,
			  struct kube_counters *out);

#endif
