/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/digest.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/openssl.h"

static const char b64_digits[] =
	"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

int b64_decode(const char *text, char **out, size_t *len)
{
	_cleanup_free_ char *packed = malloc(strlen(text) + 1);
	_cleanup_free_ unsigned char *bytes = NULL;
	size_t n = 0, pad = 0;
	int got;

	if (!packed)
		return -ENOMEM;
	for (const char *p = text; *p; p++)
		if (!isspace((unsigned char)*p))
			packed[n++] = *p;
	packed[n] = '\0';
	if (n % 4 || n > INT_MAX)
		return -EINVAL;
	while (pad < 2 && pad < n && packed[n - 1 - pad] == '=')
		pad++;
	/* OpenSSL takes '=' anywhere, and '-' for an end. */
	if (strspn(packed, b64_digits) != n - pad)
		return -EINVAL;
	bytes = malloc(n / 4 * 3 + 1);
	if (!bytes)
		return -ENOMEM;
	got = n ? EVP_DecodeBlock(bytes, (unsigned char *)packed, (int)n) : 0;
	if (got < 0)
		return -EINVAL;
	*len = (size_t)got - pad;
	bytes[*len] = '\0';
	*out = (char *)steal_ptr(bytes);
	return 0;
}

char *b64_encode(const void *data, size_t len)
{
	char *text = len <= 1u << 30 ? malloc((len + 2) / 3 * 4 + 1) : NULL;

	if (text)
		text[EVP_EncodeBlock((unsigned char *)text, data, (int)len)] =
			'\0';
	return text;
}

int sha256_hex(const void *data, size_t len, char out[65])
{
	unsigned char md[EVP_MAX_MD_SIZE];
	unsigned int n = 0;

	openssl_use();
	if (!EVP_Digest(data, len, md, &n, EVP_sha256(), NULL) || n != 32)
		return -EIO;
	for (unsigned int i = 0; i < n; i++)
		snprintf(out + 2 * i, 3, "%02x", md[i]);
	return 0;
}
