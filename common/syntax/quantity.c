/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "syntax/quantity.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#define MILLI 3 /* decimal places that we keep */
#define EXPONENT_MAX 100000
#define SHOWN 40 /* bytes of a wrong text in messages */

__extension__ typedef unsigned __int128 u128;

/* A number: mantissa * 10^tens * 2^twos. */
struct number {
	u128 mantissa;
	long tens;
	unsigned int twos;
	bool negative;
};

static int not_one(const char *text, struct err *err)
{
	return err_set(err, -EINVAL, "'%.*s' is no quantity", SHOWN, text);
}

static int too_big(const char *text, struct err *err)
{
	return err_set(err, -ERANGE, "quantity '%.*s' is out of range", SHOWN,
		       text);
}

static bool times(u128 *n, unsigned int by)
{
	return !__builtin_mul_overflow(*n, (u128)by, n);
}

/*
 * Read digits with a point, "12.50": zeros at the end of a fraction say
 * nothing. 0; -EINVAL: there are none; -ERANGE: too many.
 */
static int read_digits(const char **at, struct number *n)
{
	const char *p = *at;
	long zeros = 0;
	bool point = false, any = false;

	for (; isdigit((unsigned char)*p) || (*p == '.' && !point); p++) {
		if (*p == '.') {
			point = true;
			continue;
		}
		any = true;
		if (point && *p == '0') {
			zeros++;
			continue;
		}
		for (; zeros >= 0; zeros--, n->tens -= point)
			if (!times(&n->mantissa, 10))
				return -ERANGE;
		zeros = 0;
		if (__builtin_add_overflow(n->mantissa, (u128)(*p - '0'),
					   &n->mantissa))
			return -ERANGE;
	}
	*at = p;
	return any ? 0 : -EINVAL;
}

/*
 * Read what follows the e of "e3" or "E-3"; a number far out of range stays out
 * of range.
 */
static bool read_exponent(const char *p, struct number *n)
{
	bool minus = *p == '-';
	long e = 0;

	p += *p == '-' || *p == '+';
	if (!*p)
		return false;
	for (; isdigit((unsigned char)*p); p++)
		if (e < EXPONENT_MAX)
			e = e * 10 + (*p - '0');
	n->tens += minus ? -e : e;
	return !*p;
}

static bool read_suffix(const char *p, struct number *n)
{
	static const struct {
		const char *text;
		int tens;
		unsigned int twos;
	} known[] = {
		{"", 0, 0},    {"n", -9, 0},  {"u", -6, 0},  {"m", -3, 0},
		{"k", 3, 0},   {"M", 6, 0},   {"G", 9, 0},   {"T", 12, 0},
		{"P", 15, 0},  {"E", 18, 0},  {"Ki", 0, 10}, {"Mi", 0, 20},
		{"Gi", 0, 30}, {"Ti", 0, 40}, {"Pi", 0, 50}, {"Ei", 0, 60},
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (!strcmp(p, known[i].text)) {
			n->tens += known[i].tens;
			n->twos = known[i].twos;
			return true;
		}
	return (*p == 'e' || *p == 'E') && read_exponent(p + 1, n);
}

/* Reckon the number in thousandths. 0; -ERANGE. */
static int settle(struct number *n, quantity_milli *milli)
{
	bool rest = false;

	if (!n->mantissa) {
		*milli = 0;
		return 0;
	}
	for (unsigned int i = 0; i < n->twos; i++)
		if (!times(&n->mantissa, 2))
			return -ERANGE;
	for (n->tens += MILLI; n->tens > 0; n->tens--)
		if (!times(&n->mantissa, 10))
			return -ERANGE;
	for (; n->tens < 0 && n->mantissa; n->tens++) {
		rest = rest || n->mantissa % 10;
		n->mantissa /= 10;
	}
	n->mantissa += rest;
	if (n->mantissa > (u128)QUANTITY_MAX)
		return -ERANGE;
	*milli = (quantity_milli)n->mantissa;
	if (n->negative)
		*milli = -*milli;
	return 0;
}

int quantity_parse(const char *text, quantity_milli *milli, struct err *err)
{
	struct number n = {.negative = *text == '-'};
	const char *p = text + (*text == '-' || *text == '+');
	int rc;

	if (strnlen(text, QUANTITY_TEXT_MAX + 1) > QUANTITY_TEXT_MAX)
		return not_one(text, err);
	rc = read_digits(&p, &n);
	if (rc == -EINVAL || (!rc && !read_suffix(p, &n)))
		return not_one(text, err);
	if (rc || settle(&n, milli))
		return too_big(text, err);
	return 0;
}

int quantity_of(const json_object *o, quantity_milli *milli, struct err *err)
{
	/* For a number json-c gives the text from which it was read. */
	const char *text = jx_is(o, json_type_string) ||
					   jx_is(o, json_type_int) ||
					   jx_is(o, json_type_double)
				   ? json_object_get_string((json_object *)o)
				   : NULL;

	return text ? quantity_parse(text, milli, err)
		    : err_set(err, -EINVAL, "a quantity must be a text");
}

int64_t quantity_units(quantity_milli milli)
{
	const quantity_milli rest = milli % 1000;

	return (int64_t)(milli / 1000) + (rest > 0) - (rest < 0);
}
