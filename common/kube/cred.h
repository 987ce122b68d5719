/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The credentials of the moment: a constant token or certificate, a token
 * file that is read again when it changes, or what a credential plugin
 * prints. Belongs to the thread of its client.
 */
#ifndef SLURMK8S_KUBE_CRED_H
#define SLURMK8S_KUBE_CRED_H

#include <stdint.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "kube/kubeconfig.h"

struct kube_cred;

/* What to send now. Borrowed until the next kube_cred call. */
struct kube_secret {
	const char *token; /* NULL: none */
	const char *cert_pem;
	const char *key_pem;
	unsigned int generation; /* grows with each change */
};

/* `config` is borrowed and must outlive it. NULL when out of memory. */
struct kube_cred *kube_cred_new(const struct kube_config *config);
void kube_cred_free(struct kube_cred *c);
DEFINE_CLEANUP(struct kube_cred, kube_cred_freep, kube_cred_free)

/*
 * May read a file or run the plugin (bounded: 30 s, 64 KiB). While what it
 * printed before may serve the plugin is not waited for: a later call has what
 * it prints. After a failure
 * an answer that has not expired is used on; the plugin is not run again for 2
 * s at most at first, doubling up to a minute, and calls end with its last
 * words meanwhile.
 */
int kube_cred_get(struct kube_cred *c, struct kube_secret *out,
		  struct err *err);

/* Once in a while, at least each second: looks after a plugin that runs. */
void kube_cred_step(struct kube_cred *c);

/*
 * After a plugin's first failure in a row: how long until it is run again; else
 * 0. (A network that was away for a moment: calls that can wait do. One that
 * fails again is not waited for.)
 */
int64_t kube_cred_rest_ms(const struct kube_cred *c);

/*
 * The server said 401: the next kube_cred_get fetches anew, unless that was
 * done a second ago; for a plugin whose answers stay refused that second grows
 * to a minute. False if it can not help (a constant credential).
 */
bool kube_cred_refused(struct kube_cred *c);

/*
 * Parse what a plugin printed (an ExecCredential). *expires_ms: epoch, or
 * INT64_MAX. Texts are the caller's to free. For tests and fuzzing too.
 */
int kube_cred_parse_exec(const char *text, size_t len, const char *api_version,
			 char **token, char **cert, char **key,
			 int64_t *expires_ms, struct err *err);

#endif
