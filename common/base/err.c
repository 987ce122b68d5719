/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/err.h"

#include <stdio.h>
#include <string.h>

#include "base/str.h"

int err_set(struct err *e, int code, const char *fmt, ...)
{
	va_list ap;

	if (!e)
		return code;
	memset(e, 0, sizeof(*e));
	e->code = code;
	va_start(ap, fmt);
	vsnprintf(e->msg, sizeof(e->msg), fmt, ap);
	va_end(ap);
	str_sanitize(e->msg);
	return code;
}

int err_copy(struct err *e, const struct err *from)
{
	if (e)
		*e = *from;
	return from->code;
}

int err_wrap(struct err *e, int code, const char *fmt, ...)
{
	char text[ERR_MSG_MAX];
	va_list ap;
	size_t n;

	if (!e)
		return code;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	n = strlen(text);
	if (n + 2 < sizeof(text)) {
		memcpy(text + n, ": ", 3);
		n += 2;
	}
	str_copy(text + n, e->msg, sizeof(text) - n);
	str_copy(e->msg, text, sizeof(e->msg));
	str_sanitize(e->msg);
	return code;
}
