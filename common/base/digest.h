/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Base64 (RFC 4648) and SHA-256, through OpenSSL. Any thread. */
#ifndef SLURMK8S_BASE_DIGEST_H
#define SLURMK8S_BASE_DIGEST_H

#include <stddef.h>

/*
 * Decode; white space is allowed around and between. *out ends with NUL (not
 * counted in *len) and is the caller's to free. 0; -EINVAL: no base64; -ENOMEM.
 */
int b64_decode(const char *text, char **out, size_t *len);

/*
 * Encode, without line ends. The caller frees. NULL: out of memory, or over 1
 * GiB.
 */
char *b64_encode(const void *data, size_t len);

/*
 * SHA-256 of data as lower-case hex, 64 digits and NUL. 0; -EIO: OpenSSL has
 * none.
 */
int sha256_hex(const void *data, size_t len, char out[65]);

#endif
