/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The header lines of a request to Kubernetes. Pure; any thread. */
#ifndef SLURMK8S_KUBE_HEADERS_H
#define SLURMK8S_KUBE_HEADERS_H

#include <curl/curl.h>

#include "kube/client.h"
#include "kube/cred.h"

/*
 * For CURLOPT_HTTPHEADER; with the bearer token if the secret has one, and what
 * it was put together in is wiped. NULL: out of memory. The caller frees, by
 * headers_free().
 */
struct curl_slist *headers_make(const struct kube_request *r,
				const struct kube_secret *s);

/* Wipes them, too. NULL: nothing. */
void headers_free(struct curl_slist *l);

#endif
