/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/hostlist.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "base/str.h"

struct parser {
	const char *text;
	struct hostlist *out;
	struct err *err;
};

static int bad(struct parser *p, const char *at, const char *what)
{
	return err_set(p->err, -EINVAL, "hostlist '%.100s': %s at position %zu",
		       p->text, what, (size_t)(at - p->text) + 1);
}

static int push(struct parser *p, const char *name)
{
	struct hostlist *h = p->out;

	if (h->n >= HOSTLIST_MAX)
		return err_set(p->err, -E2BIG,
			       "hostlist '%.100s': more than %d names", p->text,
			       HOSTLIST_MAX);
	if (h->n == h->size) {
		size_t size = h->size ? h->size * 2 : 16;
		char **v = realloc(h->names, size * sizeof(*v));

		if (!v)
			return err_oom(p->err);
		h->names = v;
		h->size = size;
	}
	h->names[h->n] = strdup(name);
	if (!h->names[h->n])
		return err_oom(p->err);
	h->n++;
	return 0;
}

static bool is_name_char(char c)
{
	return isalnum((unsigned char)c) || (c && strchr("-_.", c));
}

static int expand_from(struct parser *p, char *name, size_t len, const char *at,
		       const char *end);

/* One range "a" or "a-b" inside brackets, then what follows the bracket. */
static int expand_range(struct parser *p, char *name, size_t len,
			const char *lo, size_t lo_len, const char *hi,
			size_t hi_len, const char *rest, const char *end)
{
	char a[16] = "", b[16] = "";
	unsigned long from, to;
	int rc;

	if (!lo_len || lo_len > 9 || !hi_len || hi_len > 9)
		return bad(p, lo, "expected a number of 1 to 9 digits");
	memcpy(a, lo, lo_len);
	memcpy(b, hi, hi_len);
	from = strtoul(a, NULL, 10);
	to = strtoul(b, NULL, 10);
	if (from > to)
		return bad(p, lo, "a range runs backwards");
	if (to - from >= HOSTLIST_MAX)
		return bad(p, lo, "a range is too long");
	for (unsigned long i = from; i <= to; i++) {
		int w = snprintf(name + len, HOSTLIST_NAME_MAX + 1 - len,
				 "%0*lu", (int)lo_len, i);

		if (w < 0 || len + (size_t)w > HOSTLIST_NAME_MAX)
			return bad(p, lo, "a name is too long");
		rc = expand_from(p, name, len + (size_t)w, rest, end);
		if (rc)
			return rc;
	}
	return 0;
}

static int expand_bracket(struct parser *p, char *name, size_t len,
			  const char *at, const char *end)
{
	const char *close = memchr(at, ']', (size_t)(end - at));
	int rc;

	if (!close)
		return bad(p, at, "'[' without ']'");
	while (at <= close) {
		const char *lo = at, *hi;
		size_t lo_len, hi_len;

		while (at < close && isdigit((unsigned char)*at))
			at++;
		lo_len = hi_len = (size_t)(at - lo);
		hi = lo;
		if (*at == '-') {
			hi = ++at;
			while (at < close && isdigit((unsigned char)*at))
				at++;
			hi_len = (size_t)(at - hi);
		}
		if (*at != ',' && at != close)
			return bad(p, at, "expected a digit, ',', '-' or ']'");
		rc = expand_range(p, name, len, lo, lo_len, hi, hi_len,
				  close + 1, end);
		if (rc)
			return rc;
		at++;
	}
	return 0;
}

/* `name` holds what is fixed so far; `at` to `end` is still to be read. */
static int expand_from(struct parser *p, char *name, size_t len, const char *at,
		       const char *end)
{
	for (; at < end; at++) {
		if (*at == '[')
			return expand_bracket(p, name, len, at + 1, end);
		if (!is_name_char(*at))
			return bad(p, at, "unexpected character");
		if (len >= HOSTLIST_NAME_MAX)
			return bad(p, at, "a name is too long");
		name[len++] = *at;
	}
	name[len] = '\0';
	return len ? push(p, name) : bad(p, at, "an empty name");
}

/* The end of the expression at s: a comma outside of brackets, or NUL. */
static const char *expression_end(const char *s)
{
	int depth = 0;

	for (; *s; s++) {
		if (*s == '[')
			depth++;
		else if (*s == ']')
			depth--;
		else if (*s == ',' && depth <= 0)
			break;
	}
	return s;
}

int hostlist_expand(const char *text, struct hostlist *out, struct err *err)
{
	struct parser p = {.text = text, .out = out, .err = err};
	char name[HOSTLIST_NAME_MAX + 1];

	for (const char *at = text;;) {
		const char *end = expression_end(at);
		int rc = expand_from(&p, name, 0, at, end);

		if (rc)
			return rc;
		if (!*end)
			return 0;
		at = end + 1;
	}
}

void hostlist_clear(struct hostlist *h)
{
	for (size_t i = 0; i < h->n; i++)
		free(h->names[i]);
	free(h->names);
	memset(h, 0, sizeof(*h));
}
