/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the tests against a real API server share: a namespace of this run,
 * ServiceAccounts in it, and verbs that are waited for. The kubeconfig is an
 * administrator's, named by SLURM_K8S_LIVE_KUBECONFIG. JSON in formats may
 * use ' for " so that it can be read. When the ground itself gives way (no
 * server, no namespace) the process ends with words: that is no finding.
 */
#ifndef SLURMK8S_TESTS_LIVE_LIVE_H
#define SLURMK8S_TESTS_LIVE_LIVE_H

#include "kube/verbs.h"
#include "t.h"
#include "json/json.h"

#define WAIT_MS 60000 /* the longest that anything is waited for */

/* The cases of each file, ended by a NULL name. */
extern const struct t_case live_auth[], live_objects[], live_watch[],
	live_pods[];

/* Make the namespace and the ServiceAccounts; they go at exit. */
void live_begin(const char *kubeconfig);
const char *live_ns(void);

/* Tokens: "reader" may read the namespace, "nobody" may do nothing. */
enum live_account { LIVE_READER, LIVE_NOBODY, LIVE_ACCOUNTS };
const char *live_token(enum live_account who);

struct live_link {
	struct kube_config *config;
	struct kube_client *client;
};
/* As the administrator. */
struct live_link live_link(const struct kube_client_options *options);
/* By a kubeconfig; `context` NULL: its current one. */
struct live_link live_link_of(const char *path, const char *context);
void live_unlink(struct live_link *l);
#define _cleanup_link_ __attribute__((cleanup(live_unlink)))

/*
 * Write a kubeconfig for this server and return its path: contexts "main" and
 * (if `other` is not NULL) "other", whose users have these members.
 */
const char *live_kubeconfig(const char *name, const char *user,
			    const char *other);

/* How a call ended. */
struct got {
	bool done;
	int rc, http;
	unsigned int attempts;
	struct err err;
	json_object *o; /* the answer, NULL if it is not JSON */
};
void got_clear(struct got *g);
#define _cleanup_got_ __attribute__((cleanup(got_clear)))

void got_done(void *got, const struct kube_result *res); /* a kube_done_fn */

/* A reply that ends in *g, which is cleared. */
struct kube_reply live_reply(struct got *g);

/* Objects of the namespace: `resource` of the core group, `name` or NULL. */
struct kube_ref live_ref(const char *resource, const char *name);

/* Verbs, waited for; each returns the rc. Bodies are formats. */
int live_get(struct kube_client *c, const struct kube_ref *ref, struct got *g);
int live_create(struct kube_client *c, const struct kube_ref *ref,
		struct got *g, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
int live_delete(struct kube_client *c, const struct kube_ref *ref,
		const char *uid, int64_t grace_s, struct got *g);
int live_merge(struct kube_client *c, const struct kube_ref *ref, struct got *g,
	       const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/* GET again and again until it answers and `member` is there, if any. */
void live_until(struct kube_client *c, const struct kube_ref *ref,
		const char *member, const char *of, struct got *g);

/* Step until *flag; false (and a failed check) when it takes too long. */
bool live_await(struct kube_client *c, const bool *flag);

/* printf, then ' to ". The caller frees. */
char *live_json(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Let etcd forget all that is not current; what comes next is newer. */
void live_compact(struct kube_client *c);

#endif
