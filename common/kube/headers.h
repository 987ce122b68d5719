/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The header lines of a request to Kubernetes. Pure; any thread. */
#ifndef SLURMK8S_KUBE_HEADERS_H
#define SLURMK8S_KUBE_HEADERS_H

#include <curl/curl.h>

#include "kube/client.h"
#include "kube/cred.h"

/*
 * The list for CURLOPT_HTTPHEADER, with the bearer token if the secret has one.
 * The caller frees, by headers_free(). NULL: out of memory. No copy of the
 * token is left in freed memory.
 */
struct curl_slist *headers_make(const struct kube_request *r,
				const struct kube_secret *s);

/* Wipe the lines, and free them. NULL: nothing. */
void headers_free(struct curl_slist *l);

#endif
