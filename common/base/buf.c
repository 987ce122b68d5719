/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/buf.h"

#include <errno.h>
#include <openssl/crypto.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void buf_limit(struct buf *b, size_t max)
{
	b->max = max;
}

static int buf_grow(struct buf *b, size_t extra)
{
	size_t need, size = b->size ? b->size : 32;
	char *p;

	if (extra > b->max || b->len > b->max - extra)
		return -EMSGSIZE;
	need = b->len + extra + 1;
	if (need <= b->size)
		return 0;
	while (size < need)
		size *= 2;
	p = b->secret ? malloc(size) : realloc(b->data, size);
	if (!p)
		return -ENOMEM;
	/* realloc() would leave the old copy unwiped. */
	if (b->secret && b->data) {
		memcpy(p, b->data, b->len);
		OPENSSL_cleanse(b->data, b->size);
		free(b->data);
	}
	b->data = p;
	b->size = size;
	return 0;
}

int buf_add(struct buf *b, const void *data, size_t len)
{
	int rc = buf_grow(b, len);

	if (rc)
		return rc;
	if (len)
		memcpy(b->data + b->len, data, len);
	b->len += len;
	b->data[b->len] = '\0';
	return 0;
}

int buf_addf(struct buf *b, const char *fmt, ...)
{
	va_list ap;
	char *s;
	int n, rc;

	va_start(ap, fmt);
	n = vasprintf(&s, fmt, ap);
	va_end(ap);
	if (n < 0)
		return -ENOMEM;
	rc = buf_add(b, s, (size_t)n);
	free(s);
	return rc;
}

int buf_add_item(struct buf *b, const char *item)
{
	return buf_addf(b, "%s%s", b->len ? "," : "", item);
}

void buf_consume(struct buf *b, size_t n)
{
	if (n > b->len)
		n = b->len;
	if (!n)
		return;
	memmove(b->data, b->data + n, b->len - n);
	b->len -= n;
	b->data[b->len] = '\0';
}

void buf_cut(struct buf *b, size_t len)
{
	if (len >= b->len)
		return;
	b->len = len;
	b->data[len] = '\0';
}

void buf_reset(struct buf *b)
{
	b->len = 0;
	if (b->data)
		b->data[0] = '\0';
}

void buf_free(struct buf *b)
{
	if (b->secret && b->data)
		OPENSSL_cleanse(b->data, b->size);
	free(b->data);
	b->data = NULL;
	b->len = b->size = 0;
}

const char *buf_str(const struct buf *b)
{
	return b->data ? b->data : "";
}
