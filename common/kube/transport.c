/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kube/transport.h"

#include <string.h>

#include "kube/ca.h"

bool transport_retriable(CURLcode code, int refusal)
{
	if (refusal)
		return refusal == 429 || refusal >= 500;
	switch ((int)code) {
	case CURLE_COULDNT_RESOLVE_PROXY:
	case CURLE_COULDNT_RESOLVE_HOST:
	case CURLE_COULDNT_CONNECT:
	case CURLE_PROXY: /* a socks5 proxy could not reach the server */
	case CURLE_PARTIAL_FILE:
	case CURLE_OPERATION_TIMEDOUT:
	case CURLE_SSL_CONNECT_ERROR:
	case CURLE_GOT_NOTHING:
	case CURLE_SEND_ERROR:
	case CURLE_RECV_ERROR:
	case CURLE_HTTP2:
	case CURLE_HTTP2_STREAM:
		return true;
	default:
		return false;
	}
}

bool transport_unsent(CURLcode code, int refusal)
{
	return refusal || code == CURLE_COULDNT_RESOLVE_PROXY ||
	       code == CURLE_COULDNT_RESOLVE_HOST ||
	       code == CURLE_COULDNT_CONNECT || code == CURLE_PROXY ||
	       code == CURLE_SSL_CONNECT_ERROR ||
	       code == CURLE_PEER_FAILED_VERIFICATION;
}

bool transport_distrusts(CURLcode code)
{
	return code == CURLE_PEER_FAILED_VERIFICATION ||
	       code == CURLE_SSL_CACERT_BADFILE ||
	       code == CURLE_SSL_CERTPROBLEM;
}

static void set_blob(CURL *e, CURLoption opt, const char *pem)
{
	struct curl_blob blob = {
		.data = (void *)pem,
		.len = pem ? strlen(pem) : 0,
		.flags = CURL_BLOB_COPY,
	};

	if (pem)
		curl_easy_setopt(e, opt, &blob);
}

void transport_set_tls(CURL *e, const char *ca_pem, const struct kube_secret *s)
{
	curl_easy_setopt(e, CURLOPT_SSL_VERIFYPEER, 1L);
	curl_easy_setopt(e, CURLOPT_SSL_VERIFYHOST, 2L);
	curl_easy_setopt(e, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
	if (ca_pem)
		ca_trust_only(e, ca_pem);
	if (s->cert_pem) {
		curl_easy_setopt(e, CURLOPT_SSLCERTTYPE, "PEM");
		curl_easy_setopt(e, CURLOPT_SSLKEYTYPE, "PEM");
		set_blob(e, CURLOPT_SSLCERT_BLOB, s->cert_pem);
		set_blob(e, CURLOPT_SSLKEY_BLOB, s->key_pem);
		/* OpenSSL would ask the terminal for that of a locked key. */
		curl_easy_setopt(e, CURLOPT_KEYPASSWD, "");
	}
}
