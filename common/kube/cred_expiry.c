/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kube/cred_expiry.h"

#include <openssl/evp.h>
#include <string.h>

#include "base/fs.h"
#include "base/openssl.h"
#include "kube/certificate.h"
#include "json/json.h"

#define TOKEN_MAX 65536

/* base64url (RFC 4648) without padding; the caller frees. NULL: it is none. */
static char *decoded(const char *text, size_t len)
{
	size_t padded = (len + 3) / 4 * 4;
	char *in = malloc(padded + 1);
	unsigned char *out = malloc(padded + 1);
	int n = -1;

	if (in && out) {
		memcpy(in, text, len);
		memset(in + len, '=', padded - len);
		for (size_t i = 0; i < len; i++)
			in[i] = (char)(in[i] == '-'   ? '+'
				       : in[i] == '_' ? '/'
						      : in[i]);
		n = EVP_DecodeBlock(out, (unsigned char *)in, (int)padded);
	}
	free(in);
	if (n < 0) {
		free(out);
		return NULL;
	}
	out[n] = '\0'; /* the bytes that padding stands for are NUL, too */
	return (char *)out;
}

int64_t kube_token_expires_ms(const char *token)
{
	const char *claims = strchr(token, '.');
	const char *end = claims ? strchr(claims + 1, '.') : NULL;
	_cleanup_json_secret_ json_object *o = NULL;
	_cleanup_free_ char *text = NULL;
	int64_t at;

	if (!end || strlen(token) > TOKEN_MAX)
		return INT64_MAX;
	text = decoded(claims + 1, (size_t)(end - claims - 1));
	if (!text || jx_parse_secret(text, strlen(text), &o, NULL))
		return INT64_MAX;
	at = jx_int(jx_get(o, "exp"), 0);
	return at > 0 && at < INT64_MAX / 1000 ? at * 1000 : INT64_MAX;
}

int64_t kube_cred_expires_ms(const struct kube_config *c)
{
	_cleanup_free_ char *file = NULL;
	int64_t at = INT64_MAX, other;
	size_t len;

	openssl_use();
	if (c->cert_pem)
		at = kube_validity_first(c->cert_pem).to_ms;
	if (c->token_file)
		fs_read_file(c->token_file, TOKEN_MAX, &file, &len, NULL);
	if (!file && !c->token)
		return at;
	other = kube_token_expires_ms(file ? file : c->token);
	if (file)
		OPENSSL_cleanse(file, len);
	return other < at ? other : at;
}
