/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who may read a kubeconfig's credential. I/O. Main thread, as SlurmUser. */
#ifndef SLURMK8S_TOOL_CRED_MODES_H
#define SLURMK8S_TOOL_CRED_MODES_H

#include <stddef.h>

#include "kube/kubeconfig.h"

/*
 * The first file with a credential that all users may read, by its own mode:
 * the kubeconfig at `path`, if a token or key stands in it; its tokenFile; the
 * file of its client-key. Borrowed from the arguments. NULL: there is none, or
 * it cannot be looked at.
 */
const char *cred_everybodys(const struct kube_config *c, const char *path);

/*
 * Write how to take the file `path` from all other users, but not from this
 * process' user, who may have no other right on it than theirs (root's file of
 * mode 644).
 */
void cred_modes_fix(const char *path, char *out, size_t size);

#endif
