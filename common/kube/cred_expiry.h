/* SPDX-License-Identifier: GPL-2.0-or-later */
/* When credentials expire. Any thread; reads files. */
#ifndef SLURMK8S_KUBE_CRED_EXPIRY_H
#define SLURMK8S_KUBE_CRED_EXPIRY_H

#include <stdint.h>

#include "kube/kubeconfig.h"

/*
 * When the credential of a kubeconfig expires, in ms since the epoch: its
 * client certificate's notAfter, or the "exp" of its token, if that is a JSON
 * Web Token (RFC 7519), whichever is first. INT64_MAX: not known. Reads its
 * tokenFile; a credential plugin is not asked.
 */
int64_t kube_cred_expires_ms(const struct kube_config *c);

/*
 * When a token expires, in ms since the epoch; INT64_MAX: it does not say.
 * Pure. For cred_expiry.c, tests and fuzzing.
 */
int64_t kube_token_expires_ms(const char *token);

#endif
