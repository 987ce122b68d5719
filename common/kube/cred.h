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

/* What to send now. Borrowed until the next call of any function here. */
struct kube_secret {
	const char *token; /* NULL: none */
	const char *cert_pem;
	const char *key_pem;
	unsigned int generation; /* grows with each change */
};

/* `config` is borrowed and must outlive it. NULL: out of memory. */
struct kube_cred *kube_cred_new(const struct kube_config *config);
/* Free it, wipe its secrets, and kill a plugin that runs. NULL: nothing. */
void kube_cred_free(struct kube_cred *c);
DEFINE_CLEANUP(struct kube_cred, kube_cred_freep, kube_cred_free)

/*
 * The credential to send now. May read a file, or run the plugin and wait for
 * it (bounded: 30 s, 64 KiB); while what the plugin printed before may serve it
 * is not waited for: a later call has what it prints. After a failure an answer
 * that has not expired is used on; the plugin is not run again for 2 s at most
 * at first, doubling up to a minute, and in that time calls fail with its last
 * words. 0; with words: -EINVAL: the file or the plugin's output is no
 * credential; -ENOENT: there is no such plugin; -ENOMEM; or what
 * fs_read_file(), spawn_begin() and spawn_poll() give.
 */
int kube_cred_get(struct kube_cred *c, struct kube_secret *out,
		  struct err *err);

/* Look after a plugin that runs. To be called at least each second. */
void kube_cred_step(struct kube_cred *c);

/*
 * The time in ms until a plugin that has failed for the first time in a row is
 * run again; else 0. Calls that can wait do so for a network that was away for
 * a moment; a plugin that fails again is not waited for.
 */
int64_t kube_cred_rest_ms(const struct kube_cred *c);

/*
 * To be called when the server said 401: the next kube_cred_get() fetches anew,
 * unless that was done a second ago; for a plugin whose answers stay refused
 * that second grows to a minute. False: the credential is constant, so that a
 * retry is of no use.
 */
bool kube_cred_refused(struct kube_cred *c);

/*
 * Parse what a plugin printed, an ExecCredential of this api_version.
 * *expires_ms: since the epoch, or INT64_MAX. Texts are the caller's to free,
 * after wiping; NULL where absent. 0; -EINVAL with words; -EBADMSG; -ENOMEM.
 * Pure. For cred.c, tests and fuzzing.
 */
int kube_cred_parse_exec(const char *text, size_t len, const char *api_version,
			 char **token, char **cert, char **key,
			 int64_t *expires_ms, struct err *err);

#endif
