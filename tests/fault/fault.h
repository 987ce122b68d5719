/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the tests against tests/fault/faultserver.py share: the server's life,
 * its script, and calls that are waited for. Aborts when the server itself
 * fails: that is no finding about our code. JSON in arguments may use ' for "
 * so that it can be read.
 */
#ifndef SLURMK8S_TESTS_FAULT_FAULT_H
#define SLURMK8S_TESTS_FAULT_FAULT_H

#include "kube/client.h"
#include "t.h"
#include "json/json.h"

#define PODS "/api/v1/namespaces/ns/pods"
#define WAIT_MS 180000 /* the longest that anything is waited for */

struct fault_server {
	char ca[256], other_ca[256], kubeconfig[256], dir[256];
	int port, h2_port;
};

/* The server of this run; started by the first call. */
const struct fault_server *fault(void);

/* Forget all pods, counters and rules; then take these members of /_control. */
void fault_script(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* The same without forgetting. */
void fault_change(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* The counters now. The caller puts. */
json_object *fault_stats(void);

/* One number of the counters: fault_count("creates", "n1"); 0 if missing. */
int64_t fault_count(const char *what, const char *of);

/* Requests of a method (NULL: any) whose path holds `part`. */
size_t fault_requests(const char *method, const char *part);

/* When the n-th of these came (monotonic ms, our clock_ms()); -1: it did not */
int64_t fault_when(const char *method, const char *part, size_t n);

/* The kubeconfig of the server. Aborts. The caller frees. */
struct kube_config *fault_config(void);

/* A client of it with short back-off. Aborts. The caller frees. */
struct kube_client *fault_client(const struct kube_config *config,
				 const struct kube_client_options *options);

/* Both at once, for most tests. */
struct fault_link {
	struct kube_config *config;
	struct kube_client *client;
};
struct fault_link fault_link(const struct kube_client_options *options);
void fault_unlink(struct fault_link *l);
#define _cleanup_link_ __attribute__((cleanup(fault_unlink)))

/* How a call ended; everything copied. */
struct got {
	bool done;
	int rc, http;
	unsigned int attempts;
	bool undecided;
	struct err err;
	char *body;
};
void got_clear(struct got *g);
#define _cleanup_got_ __attribute__((cleanup(got_clear)))

void got_done(void *got, const struct kube_result *res); /* a kube_done_fn */

/* Start a call with this request's method, path, body and deadline. */
void fault_start(struct kube_client *c, const struct kube_request *like,
		 struct got *g);
/* Start and wait for the end. */
void fault_call(struct kube_client *c, const struct kube_request *like,
		struct got *g);

/* Step until *flag; false (and a failed check) when it takes too long. */
bool fault_await(struct kube_client *c, const bool *flag);

#endif
