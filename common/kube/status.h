/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What an answer means: metav1.Status to words, and whether to try again. Pure.
 * Any thread.
 */
#ifndef SLURMK8S_KUBE_STATUS_H
#define SLURMK8S_KUBE_STATUS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

/*
 * Fill err from an answer that is not 2xx: HTTP status, Kubernetes' reason
 * and message, in "METHOD path: 403 Forbidden: pods ... is forbidden". The
 * body may be anything. Returns the code set: -EACCES (401, 403), -ENOENT,
 * -EEXIST (409 AlreadyExists), -ESTALE (409 else, 410, 412), -EINVAL (400,
 * 413, 422), -EAGAIN (429), -EIO.
 */
int kube_status_err(struct err *err, const char *method, const char *path,
		    int http, const char *body, size_t len);

/*
 * True for a 403 of the authorizer (RBAC, or another one: "User ... cannot
 * patch resource ...", k8s.io/apiserver, responsewriters.Forbidden), and not of
 * an admission webhook or policy, which may refuse this object only.
 */
bool kube_status_no_right(const struct err *err);

/*
 * True if the same request may succeed later as it is: for 408, 429, 500, 502,
 * 503, 504 and for a POST that met 409 Conflict (quota bookkeeping, not
 * AlreadyExists).
 */
bool kube_status_retriable(const char *method, int http, const char *reason);

#endif
