/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "syntax/hostlist.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
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

/* "8-11" in brackets; "7" is from 7 to 7. */
struct range {
	const char *text; /* where the range begins */
	unsigned long from, to;
	size_t width; /* digits of each number, filled up with zeros */
};

/* The number of digits at `at`, before `end`. */
static size_t digits_at(const char *at, const char *end)
{
	size_t n = 0;

	while (at + n < end && isdigit((unsigned char)at[n]))
		n++;
	return n;
}

#define NUMBER_DIGITS_MAX 18 /* digits that a long holds */

/* A number of so many digits; -1: there are none, or too many. */
static long number_at(const char *at, size_t digits)
{
	char text[NUMBER_DIGITS_MAX + 1] = "";

	if (!digits || digits > NUMBER_DIGITS_MAX)
		return -1;
	memcpy(text, at, digits);
	return strtol(text, NULL, 10);
}

/*
 * Read the range at *at, in brackets that end at `close`; *at is moved behind
 * it and the comma or bracket that ends it.
 */
static int read_range(struct parser *p, const char **at, const char *close,
		      struct range *out)
{
	const char *lo = *at, *hi = lo;
	size_t lo_len = digits_at(lo, close), hi_len = lo_len;
	long from, to;

	*at += lo_len;
	if (**at == '-') {
		hi = ++*at;
		hi_len = digits_at(hi, close);
		*at += hi_len;
	}
	if (**at != ',' && *at != close)
		return bad(p, *at, "expected a digit, ',', '-' or ']'");
	++*at;
	from = number_at(lo, lo_len);
	to = number_at(hi, hi_len);
	if (from < 0 || to < 0)
		return bad(p, lo, "expected a number of 1 to 18 digits");
	if (from > to)
		return bad(p, lo, "a range runs backwards");
	if (to - from >= HOSTLIST_MAX)
		return bad(p, lo, "a range is too long");
	*out = (struct range){lo, (unsigned long)from, (unsigned long)to,
			      lo_len};
	return 0;
}

/* Expand each number of a range, and for each what follows the bracket. */
static int expand_range(struct parser *p, char *name, size_t len,
			const struct range *r, const char *rest,
			const char *end)
{
	int rc = 0;

	for (unsigned long i = r->from; !rc && i <= r->to; i++) {
		int w = snprintf(name + len, HOSTLIST_NAME_MAX + 1 - len,
				 "%0*lu", (int)r->width, i);

		if (w < 0 || len + (size_t)w > HOSTLIST_NAME_MAX)
			return bad(p, r->text, "a name is too long");
		rc = expand_from(p, name, len + (size_t)w, rest, end);
	}
	return rc;
}

static int expand_bracket(struct parser *p, char *name, size_t len,
			  const char *at, const char *end)
{
	const char *close = memchr(at, ']', (size_t)(end - at));
	struct range r;
	int rc = 0;

	if (!close)
		return bad(p, at, "'[' without ']'");
	while (!rc && at <= close) {
		rc = read_range(p, &at, close, &r);
		if (!rc)
			rc = expand_range(p, name, len, &r, close + 1, end);
	}
	return rc;
}

/*
 * Expand the expression from `at` to `end` behind the first `len` bytes of
 * `name`, which are fixed.
 */
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

/* --- count */

/* What is known of the names of one expression, as far as it is read. */
struct counted {
	size_t max;
	size_t names; /* their number, no more than max + 1 */
	size_t len;   /* length of the longest name */
};

/* The product of two numbers, each of which is max + 1 at most. */
static size_t times(const struct counted *c, size_t a, size_t b)
{
	return a * b > c->max ? c->max + 1 : a * b;
}

static size_t width_of(const struct range *r)
{
	const int digits = snprintf(NULL, 0, "%lu", r->to);

	return digits > 0 && (size_t)digits > r->width ? (size_t)digits
						       : r->width;
}

/*
 * Count the numbers of the bracket whose ranges begin at *at, which is moved to
 * its end.
 */
static int count_bracket(struct parser *p, const char **at, const char *end,
			 struct counted *c)
{
	const char *close = memchr(*at, ']', (size_t)(end - *at));
	size_t numbers = 0, width = 0;
	struct range r = {0};

	if (!close)
		return bad(p, *at, "'[' without ']'");
	while (*at <= close) {
		int rc = read_range(p, at, close, &r);

		if (rc)
			return rc;
		if (width_of(&r) > width)
			width = width_of(&r);
		if (c->len + width > HOSTLIST_NAME_MAX)
			return bad(p, r.text, "a name is too long");
		numbers += r.to - r.from + 1;
		if (numbers > c->max)
			numbers = c->max + 1;
	}
	*at = close;
	c->len += width;
	c->names = times(c, c->names, numbers);
	return 0;
}

/* Count the names of one expression, from `at` to `end`. */
static int count_names(struct parser *p, const char *at, const char *end,
		       struct counted *c)
{
	for (; at < end; at++) {
		int rc = 0;

		if (*at == '[') {
			at++;
			rc = count_bracket(p, &at, end, c);
		} else if (!is_name_char(*at)) {
			rc = bad(p, at, "unexpected character");
		} else if (c->len++ >= HOSTLIST_NAME_MAX) {
			rc = bad(p, at, "a name is too long");
		}
		if (rc)
			return rc;
	}
	return c->len ? 0 : bad(p, at, "an empty name");
}

int hostlist_count(const char *text, size_t max, size_t *n, struct err *err)
{
	struct parser p = {.text = text, .err = err};

	*n = 0;
	for (const char *at = text;;) {
		const char *end = expression_end(at);
		struct counted c = {.max = max, .names = 1};
		int rc = count_names(&p, at, end, &c);

		if (rc)
			return rc;
		*n += c.names;
		if (*n > max)
			return err_set(err, -E2BIG,
				       "hostlist '%.100s': more than %zu names",
				       text, max);
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

/* --- compress */

/*
 * digits of the number at the end of a name; further ones belong to the prefix
 */
#define DIGITS_MAX 9
#define RANGE_MAX 60000 /* Slurm takes 65536 names in a range. */

struct numbered {
	size_t prefix; /* letters before the number */
	size_t digits; /* 0: the name ends with no number */
	uint64_t n;
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static struct numbered number_of(const char *name)
{
	struct numbered x = {.prefix = strlen(name)};

	while (x.prefix && x.digits < DIGITS_MAX &&
	       is_digit(name[x.prefix - 1])) {
		x.prefix--;
		x.digits++;
	}
	for (size_t i = 0; i < x.digits; i++)
		x.n = x.n * 10 + (uint64_t)(name[x.prefix + i] - '0');
	return x;
}

static int compare(const char *a, const char *b)
{
	const struct numbered x = number_of(a), y = number_of(b);
	const size_t least = x.prefix < y.prefix ? x.prefix : y.prefix;
	int c = memcmp(a, b, least);

	if (!c && x.prefix != y.prefix)
		return x.prefix < y.prefix ? -1 : 1;
	if (!c && x.n != y.n)
		return x.n < y.n ? -1 : 1;
	if (!c && x.digits != y.digits)
		return x.digits < y.digits ? -1 : 1;
	return c;
}

static int by_number(const void *a, const void *b)
{
	return compare(*(const char *const *)a, *(const char *const *)b);
}

static bool is_padded(const char *name, const struct numbered *x)
{
	return x->digits > 1 && name[x->prefix] == '0';
}

/* True if b is what a range that ends with a would name next. */
static bool follows(const char *a, const char *b)
{
	const struct numbered x = number_of(a), y = number_of(b);

	return x.digits && y.n == x.n + 1 &&
	       (x.digits == y.digits ||
		(!is_padded(a, &x) && !is_padded(b, &y)));
}

static bool is_akin(const char *a, const char *b)
{
	const struct numbered x = number_of(a), y = number_of(b);

	return x.digits && y.digits && x.prefix == y.prefix &&
	       !memcmp(a, b, x.prefix);
}

/* The number of names, from names[i] on, that one range can hold. */
static size_t range_at(const char **names, size_t n, size_t i)
{
	size_t len = 1;

	while (i + len < n && len < RANGE_MAX &&
	       is_akin(names[i], names[i + len]) &&
	       follows(names[i + len - 1], names[i + len]))
		len++;
	return len;
}

/* Write the names that have the prefix of the first one. */
static int add_akin(const char **names, size_t n, struct buf *out)
{
	const size_t prefix = number_of(*names).prefix;
	size_t len;
	int rc;

	rc = buf_addf(out, "%s%.*s%s", out->len ? "," : "",
		      (int)(n > 1 ? prefix : strlen(*names)), *names,
		      n > 1 ? "[" : "");
	for (size_t i = 0; n > 1 && !rc && i < n; i += len) {
		len = range_at(names, n, i);
		rc = buf_addf(out, "%s%s%s%s", i ? "," : "", names[i] + prefix,
			      len > 1 ? "-" : "",
			      len > 1 ? names[i + len - 1] + prefix : "");
	}
	return !rc && n > 1 ? buf_add(out, "]", 1) : rc;
}

static int by_bytes(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

void hostlist_sort(struct hostlist *h)
{
	if (h->n)
		qsort(h->names, h->n, sizeof(*h->names), by_bytes);
}

bool hostlist_has(const struct hostlist *h, const char *name)
{
	return h->n &&
	       bsearch(&name, h->names, h->n, sizeof(*h->names), by_bytes);
}

int hostlist_compress(const char **names, size_t n, struct buf *out)
{
	size_t kept = 0, akin;
	int rc = 0;

	if (n)
		qsort(names, n, sizeof(*names), by_number);
	for (size_t i = 0; i < n; i++)
		if (!kept || strcmp(names[kept - 1], names[i]) != 0)
			names[kept++] = names[i];
	for (size_t i = 0; !rc && i < kept; i += akin) {
		akin = 1;
		while (i + akin < kept && is_akin(names[i], names[i + akin]))
			akin++;
		rc = add_akin(names + i, akin, out);
	}
	return rc;
}
