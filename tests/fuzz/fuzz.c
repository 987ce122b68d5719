/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fuzz.h"

#include <errno.h>
#include <string.h>

#include "base/fs.h"
#include "base/str.h"

int __wrap_fs_read_file(const char *path, size_t max, char **out, size_t *len,
			struct err *err);

int __wrap_fs_read_file(const char *path, size_t max, char **out, size_t *len,
			struct err *err)
{
	(void)max, (void)out, (void)len;
	return err_set(err, -ENOENT, "%s: %s", path, strerror(ENOENT));
}

void promise_clean(const char *text)
{
	char *copy = strdup(text);

	PROMISE(copy != NULL);
	str_sanitize(copy);
	PROMISE(!strcmp(copy, text));
	free(copy);
}

void promise_err(int rc, const struct err *err)
{
	PROMISE(rc <= 0 && err->code == rc);
	PROMISE(!rc == !*err->msg);
	promise_clean(err->msg);
}

char *text_of(const uint8_t *data, size_t len)
{
	char *s = malloc(len + 1);

	PROMISE(s != NULL);
	if (len)
		memcpy(s, data, len);
	s[len] = '\0';
	return s;
}
