/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How a connection is to be, and what it means that no HTTP answer came. */
#ifndef SLURMK8S_KUBE_TRANSPORT_H
#define SLURMK8S_KUBE_TRANSPORT_H

#include <curl/curl.h>
#include <stdbool.h>

#include "kube/cred.h"

/*
 * A folder of CAs that cannot be. libcurl adds the folder that it was built
 * with to CAs that are given as a text: an empty option switches it off up
 * to 8.20 only, from 8.21 on it stands for that folder.
 */
#define TRANSPORT_NO_CA_PATH "/dev/null/no-folder"

/*
 * May the next try fare better? `refusal`: what the proxy answered to CONNECT,
 * see kube_proxy_refusal(); 0: nothing.
 */
bool transport_retriable(CURLcode code, int refusal);

/* Before a byte of the request was on its way nothing can have happened. */
bool transport_unsent(CURLcode code, int refusal);

/*
 * Is it that the server is not trusted by the CA that we have, or that this, or
 * our certificate, cannot be read (its file was just being written)?
 */
bool transport_distrusts(CURLcode code);

/*
 * TLS 1.2 or later, and the server is always verified: by `ca_pem`, or (NULL)
 * by what the system trusts. The certificate, if the secret has one, is copied.
 * The handle's thread.
 */
void transport_set_tls(CURL *e, const char *ca_pem,
		       const struct kube_secret *s);

#endif
