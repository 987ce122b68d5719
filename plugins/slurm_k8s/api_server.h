/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One API server, asked one thing after the other: the caller waits for each
 * answer. Main thread of a program, as SlurmUser: a kubeconfig may name a
 * program that is run.
 */
#ifndef SLURMK8S_TOOL_API_SERVER_H
#define SLURMK8S_TOOL_API_SERVER_H

#include "config/config.h"
#include "kube/verbs.h"
#include "json/json.h"

#define API_WAIT_MS 10000 /* longest wait for one answer */

struct api_server {
	const struct cluster_config *k;
	struct kube_config *config;
	struct kube_client *client;
	int http; /* status of the last answer; 0: none came */
};

/*
 * Prepare for cluster `k`, which is borrowed: no request yet. The caller calls
 * api_close(), also after an error. 0; errors with words of
 * kube_config_load(), kube_config_in_cluster() and kube_client_new().
 */
int api_open(struct api_server *s, const struct cluster_config *k,
	     struct err *err);
void api_close(struct api_server *s);
#define _cleanup_api_ _cleanup_(api_close)

/* The answer to one request. */
struct api_answer {
	struct err err; /* code 0: the answer is good */
	int http;	/* status of the answer; 0: there was none */
	/* an error after which the request may have had its effect */
	bool undecided;
	char *body; /* the caller frees */
	int64_t took_ms;
	struct kube_peer peer; /* if the request asked, and `http` is not 0 */
};

/* A request without body, whose answer `a` gets; it waits for API_WAIT_MS. */
struct kube_request api_request(const char *method, const char *path,
				struct api_answer *a);

/* Wait until all requests that were started have ended. */
void api_wait(struct api_server *s);

/* Send `req`, with its retries, and wait for the answer. */
void api_ask(struct api_server *s, const struct kube_request *req,
	     struct api_answer *a);

/*
 * Read an object. The caller frees *out. 0; -ENOENT: there is none; else the
 * error, with words.
 */
int api_get(struct api_server *s, const struct kube_ref *ref, json_object **out,
	    struct err *err);

/* Columns of a table, by their names, at most. */
#define API_COLUMNS_MAX 8

/*
 * What is wanted of a list. Kubernetes makes a table of it, as for `kubectl get
 * -o wide`, which is a few per cent of the objects' size (kubernetes.io "API
 * concepts", Receiving resources as Tables).
 */
struct api_table {
	struct kube_ref ref; /* a collection */
	const char *labels;  /* a selector; NULL: all */
	const char *fields;  /* a field selector; NULL: all */
	const char *columns[API_COLUMNS_MAX + 1]; /* ends with NULL */
	bool metadata; /* each row comes with its object's metadata */
	/*
	 * A row: the cells of these columns, as texts, "" where there is none;
	 * and the metadata, or NULL. Borrowed. Non-zero ends the listing.
	 */
	int (*on_row)(void *arg, const char *const cells[],
		      const json_object *metadata);
	void *arg;
};

/*
 * List `table->ref`, in pages. 0; what on_row gave; -EBADMSG: the answer is no
 * table; else the error, with words. Rows may have been called for then.
 */
int api_list(struct api_server *s, const struct api_table *table,
	     struct err *err);

#endif
