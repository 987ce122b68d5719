/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One error value for the whole tree. Any thread, each with its own struct.
 *
 * Functions return 0, or a negative errno value. Where a person will read the
 * error the last argument is a struct err, a fixed-size value that never
 * allocates. It may be NULL. On success it is left alone.
 */
#ifndef SLURMK8S_BASE_ERR_H
#define SLURMK8S_BASE_ERR_H

#include <errno.h>
#include <stdarg.h>

#define ERR_MSG_MAX 1024

struct err {
	int code;	       /* negative errno value; 0: no error */
	int http;	       /* HTTP status, 0 where there was none */
	char reason[64];       /* Kubernetes' machine-readable reason or "" */
	char words[512];       /* Kubernetes' own message or "" */
	char msg[ERR_MSG_MAX]; /* the whole text, for people */
};

/*
 * Set `e` and return `code`, so that a caller can write `return err_set(err,
 * -EINVAL, "...")`. `http`, `reason` and `words` are emptied. Control
 * characters in the formatted text are replaced: foreign words cannot forge log
 * lines.
 */
int err_set(struct err *e, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Put "text: " in front of the message. Returns `code`. */
int err_wrap(struct err *e, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Write all of `from` into `e`, which may be NULL. Returns its code. */
int err_copy(struct err *e, const struct err *from);

/*
 * Say -ENOMEM with its usual words. Inline, so that static analysis sees that
 * the result is never 0.
 */
static inline int err_oom(struct err *e)
{
	err_set(e, -ENOMEM, "out of memory");
	return -ENOMEM;
}

#endif
