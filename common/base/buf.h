/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A byte buffer that grows up to a limit. One thread at a time. */
#ifndef SLURMK8S_BASE_BUF_H
#define SLURMK8S_BASE_BUF_H

#include <stdbool.h>
#include <stddef.h>

struct buf {
	char *data; /* always ends with NUL when not NULL */
	size_t len;
	size_t size;
	size_t max;  /* bytes it may hold */
	bool secret; /* memory is wiped before it is given back */
};

#define BUF_INIT(limit)                                                        \
	{                                                                      \
		.max = (limit)                                                 \
	}

#define BUF_SECRET(limit)                                                      \
	{                                                                      \
		.max = (limit), .secret = true                                 \
	}

/* Set how many bytes the buffer may hold; bytes that it holds already stay. */
void buf_limit(struct buf *b, size_t max);

/*
 * Append. 0; -EMSGSIZE: over the limit; -ENOMEM. On an error nothing is
 * appended.
 */
int buf_add(struct buf *b, const void *data, size_t len);
int buf_addf(struct buf *b, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * Append to a comma-separated list, with a comma if it has an item already.
 * Result as of buf_add().
 */
int buf_add_item(struct buf *b, const char *item);

/* Drop n bytes, or all that there are, from the front. Keeps the memory. */
void buf_consume(struct buf *b, size_t n);

/* Cut the buffer to its first `len` bytes, of which it has at least so many. */
void buf_cut(struct buf *b, size_t len);
void buf_reset(struct buf *b); /* empty it, keep the memory */
void buf_free(struct buf *b);  /* give its memory back; it may be used again */

/* The text, never NULL. Borrowed until the buffer's next change. */
const char *buf_str(const struct buf *b);

#define _cleanup_buf_ __attribute__((cleanup(buf_free)))

#endif
