/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kube/ca.h"

#include <errno.h>
#include <openssl/opensslv.h>
#if LIBCURL_VERSION_NUM < 0x074d00 /* 7.77 */
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#endif
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"

/*
 * A folder of CAs that does not exist, in place of the one that libcurl was
 * built with. An empty option switches CAs off up to 8.20 only; from 8.21 on it
 * stands for the folder of the build.
 */
#define NO_CA_PATH "/dev/null/no-folder"

int ca_backend_fits(const char *tls, struct err *err)
{
	_cleanup_free_ char *ours =
		str_printf("OpenSSL/%d.", OPENSSL_VERSION_MAJOR);

	if (!ours)
		return err_oom(err);
	if (tls && !strncmp(tls, ours, strlen(ours)))
		return 0;
	return err_set(err, -ENOTSUP,
		       "libcurl uses %.64s for TLS: it must be one that uses "
		       "OpenSSL %d, with which slurm-k8s was built",
		       tls ? tls : "nothing", OPENSSL_VERSION_MAJOR);
}

/* Keep libcurl from verifying by the CAs that it was built with. */
static void trust_no_other(CURL *easy)
{
	curl_easy_setopt(easy, CURLOPT_CAINFO, NULL);
	curl_easy_setopt(easy, CURLOPT_CAPATH, NO_CA_PATH);
	curl_easy_setopt(easy, CURLOPT_PROXY_CAINFO, NULL);
	curl_easy_setopt(easy, CURLOPT_PROXY_CAPATH, NO_CA_PATH);
}

#if LIBCURL_VERSION_NUM >= 0x074d00 /* 7.77 */

void ca_trust_only(CURL *easy, const char *ca_pem)
{
	/* OpenSSL would ask the terminal for the password of such a block. */
	const bool locked = strstr(ca_pem, "ENCRYPTED") != NULL;
	struct curl_blob ca = {.data = (void *)ca_pem,
			       .len = locked ? 0 : strlen(ca_pem),
			       .flags = CURL_BLOB_NOCOPY};

	trust_no_other(easy);
	curl_easy_setopt(easy, CURLOPT_CAINFO_BLOB, &ca);
	curl_easy_setopt(easy, CURLOPT_PROXY_CAINFO_BLOB, &ca);
}

#else

/* OpenSSL would ask the terminal for the password of an encrypted block. */
static int no_password(char *buf, int size, int writing, void *arg)
{
	(void)buf;
	(void)size;
	(void)writing;
	(void)arg;
	return -1;
}

static void free_infos(STACK_OF(X509_INFO) * *infos)
{
	sk_X509_INFO_pop_free(*infos, X509_INFO_free);
}

/*
 * Add all certificates of the text. False: it has none, or one was not added.
 */
static bool add_certificates(X509_STORE *store, const char *pem)
{
	_cleanup_(free_infos) STACK_OF(X509_INFO) *infos = NULL;
	BIO *in = BIO_new_mem_buf(pem, -1);
	int added = 0;

	if (in)
		infos = PEM_X509_INFO_read_bio(in, NULL, no_password, NULL);
	BIO_free(in);
	for (int i = 0; i < sk_X509_INFO_num(infos); i++) {
		const X509_INFO *info = sk_X509_INFO_value(infos, i);

		if (!info->x509)
			continue;
		if (!X509_STORE_add_cert(store, info->x509))
			return false;
		added++;
	}
	return added > 0;
}

/* libcurl calls this before each handshake. */
static CURLcode on_context(CURL *easy, void *context, void *arg)
{
	X509_STORE *store = X509_STORE_new();

	(void)easy;
	if (!store)
		return CURLE_OUT_OF_MEMORY;
	if (!X509_STORE_set_flags(store, X509_V_FLAG_PARTIAL_CHAIN) ||
	    !add_certificates(store, arg)) {
		X509_STORE_free(store);
		ERR_clear_error();
		return CURLE_SSL_CACERT_BADFILE;
	}
	SSL_CTX_set_cert_store(context, store);
	return CURLE_OK;
}

/* libcurl's cache of sessions does not know of the CA. */
void ca_trust_only(CURL *easy, const char *ca_pem)
{
	trust_no_other(easy);
	curl_easy_setopt(easy, CURLOPT_SSL_SESSIONID_CACHE, 0L);
	curl_easy_setopt(easy, CURLOPT_SSL_CTX_FUNCTION, on_context);
	curl_easy_setopt(easy, CURLOPT_SSL_CTX_DATA, ca_pem);
}

#endif
