/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kube/certificate.h"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <time.h>

#include "base/openssl.h"

/* in one text; a bundle of all public CAs has 150 */
#define CERTIFICATES_MAX 1000

static const struct kube_validity unknown = {.to_ms = INT64_MAX};

/* OpenSSL would ask the terminal for the password of an encrypted block. */
/* NOLINTNEXTLINE(readability-non-const-parameter): these are OpenSSL's types */
static int no_password(char *buf, int size, int writing, void *arg)
{
	(void)buf, (void)size, (void)writing, (void)arg;
	return -1;
}

static int64_t ms_of(const ASN1_TIME *at)
{
	struct tm tm;

	return ASN1_TIME_to_tm(at, &tm) ? (int64_t)timegm(&tm) * 1000 : -1;
}

static struct kube_validity validity_of(const X509 *cert)
{
	const struct kube_validity v = {
		.from_ms = ms_of(X509_get0_notBefore(cert)),
		.to_ms = ms_of(X509_get0_notAfter(cert))};

	return v.from_ms < 0 || v.to_ms < 0 ? unknown : v;
}

/* The validity of the certificate that ends last among the first `n`. */
static struct kube_validity read_last(const char *pem, int n)
{
	struct kube_validity last = unknown;
	BIO *in = NULL;
	X509 *cert;

	openssl_use();
	if (pem)
		in = BIO_new_mem_buf(pem, -1);
	while (in && n-- > 0 &&
	       (cert = PEM_read_bio_X509(in, NULL, no_password, NULL))) {
		const struct kube_validity v = validity_of(cert);

		if (v.to_ms != INT64_MAX &&
		    (last.to_ms == INT64_MAX || v.to_ms > last.to_ms))
			last = v;
		X509_free(cert);
	}
	BIO_free(in);
	ERR_clear_error(); /* the end of the text is no error here */
	return last;
}

struct kube_validity kube_validity_first(const char *pem)
{
	return read_last(pem, 1);
}

struct kube_validity kube_validity_last(const char *pem)
{
	return read_last(pem, CERTIFICATES_MAX);
}
