/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For how long certificates are good (RFC 5280, Validity). Pure. Any thread. */
#ifndef SLURMK8S_KUBE_CERTIFICATE_H
#define SLURMK8S_KUBE_CERTIFICATE_H

#include <stdint.h>

/*
 * A validity, in ms since the epoch; to_ms INT64_MAX and from_ms 0: not known.
 */
struct kube_validity {
	int64_t from_ms, to_ms;
};

/*
 * The validity of the first certificate in a text with PEM blocks. It is not
 * known for NULL, and for a text without a certificate that can be read.
 */
struct kube_validity kube_validity_first(const char *pem);

/*
 * The validity of the certificate that ends last in a text with PEM blocks: as
 * a bundle of CAs may have an old one beside its successor, only after that end
 * does it verify nothing. Not known: as in kube_validity_first().
 */
struct kube_validity kube_validity_last(const char *pem);

#endif
