/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The CA of a kubeconfig, for libcurl with OpenSSL: by CURLOPT_CAINFO_BLOB,
 * which exists from 7.77 on; with an older one (RHEL 9 has 7.76.1) in a store
 * of OpenSSL's, as a file would have to be written first. A later libcurl does
 * not come to its callback on a host without the CAs that it was built with. No
 * state; any thread, each with its own handles.
 */
#ifndef SLURMK8S_KUBE_CA_H
#define SLURMK8S_KUBE_CA_H

#include <curl/curl.h>

#include "base/err.h"

/*
 * Refuse a libcurl whose TLS library, as it names it itself ("OpenSSL/3.0.19";
 * NULL: none), is not the OpenSSL that we were built with, by its major
 * version: before 7.77 ca_trust_only() gives libcurl an object of ours. 0;
 * -ENOTSUP, with words.
 */
int ca_backend_fits(const char *tls, struct err *err);

/*
 * Let a transfer trust these certificates and no other, for the server and for
 * an https proxy on the way, whatever the system trusts. Each of them is
 * trusted as it is, also one that another one has signed, as in client-go. No
 * session of another CA is resumed: its server would not be verified again.
 * Where `ca_pem` has no certificate, or one that cannot be read, the connection
 * fails with CURLE_SSL_CACERT_BADFILE. `ca_pem` has to outlive the transfer's
 * try. The handle's thread only.
 */
void ca_trust_only(CURL *easy, const char *ca_pem);

#endif
