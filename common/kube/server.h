/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A kubeconfig's `server`: where an API server is. Pure. Any thread. */
#ifndef SLURMK8S_KUBE_SERVER_H
#define SLURMK8S_KUBE_SERVER_H

#include <stddef.h>

#include "base/err.h"

/*
 * Check that it is https://HOST[:PORT][/PREFIX], and nothing else: client-go
 * would send a user and password in it as Basic authentication, which API
 * servers do not know, and a '?' or '#' would swallow the paths that are
 * appended. *host, borrowed: HOST[:PORT] in it, of *len bytes. Both may be
 * NULL. 0; -EINVAL with words that hold nothing of `server`, for it may have a
 * password.
 */
int kube_server_parse(const char *server, const char **host, size_t *len,
		      struct err *err);

#endif
