/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How a connection is to be, and what it means that no HTTP answer came. No
 * state: any thread, but transport_set_tls() only the handle's.
 */
#ifndef SLURMK8S_KUBE_TRANSPORT_H
#define SLURMK8S_KUBE_TRANSPORT_H

#include <curl/curl.h>
#include <stdbool.h>

#include "kube/cred.h"

/*
 * True if the next try may fare better. `refusal`: what the proxy answered to
 * CONNECT, see kube_proxy_refusal(); 0: nothing.
 */
bool transport_retriable(CURLcode code, int refusal);

/* True if no byte of the request was on its way, so that it had no effect. */
bool transport_unsent(CURLcode code, int refusal);

/*
 * True if the CA that we have does not vouch for the server, or if that CA, or
 * our certificate, cannot be read, as when its file was just being written.
 */
bool transport_distrusts(CURLcode code);

/*
 * Demand TLS 1.2 or later, and verify the server always: by `ca_pem` alone, or
 * (NULL) by what the system trusts; an https proxy, too. `ca_pem` has to
 * outlive the transfer's try; the certificate, if the secret has one, is
 * copied.
 */
void transport_set_tls(CURL *e, const char *ca_pem,
		       const struct kube_secret *s);

#endif
