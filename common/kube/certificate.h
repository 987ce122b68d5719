/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For how long certificates are good (RFC 5280, Validity). Any thread. */
#ifndef SLURMK8S_KUBE_CERTIFICATE_H
#define SLURMK8S_KUBE_CERTIFICATE_H

#include <stdint.h>

/* In ms since the epoch; to_ms INT64_MAX: not known, and from_ms 0 then. */
struct kube_validity {
	int64_t from_ms, to_ms;
};

/*
 * That of the first certificate in a text with PEM blocks. NULL, and a text
 * without one that can be read, is not known.
 */
struct kube_validity kube_validity_first(const char *pem);

/*
 * That of the certificate which ends last: as a bundle of CAs may have an old
 * one beside its successor, nothing is verified by it only after that. Not
 * known: as of kube_validity_first().
 */
struct kube_validity kube_validity_last(const char *pem);

#endif
