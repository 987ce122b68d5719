/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "json/yaml_plain.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"

#define NUMBER_MAX 512 /* letters of a number; a longer one is not read */
#define DOUBLE_MAX 64
#define SHORT_FLOAT_MAX 7 /* letters of a number whose digits a float holds */

static bool is_word(const char *text, const char *const words[])
{
	for (size_t i = 0; words[i]; i++)
		if (!strcmp(text, words[i]))
			return true;
	return false;
}

static bool is_special(const char *text, struct yaml_plain *out)
{
	static const char *const yes[] = {"y",	 "Y",	 "yes",	 "Yes",
					  "YES", "true", "True", "TRUE",
					  "on",	 "On",	 "ON",	 NULL};
	static const char *const no[] = {"n",	"N",	 "no",	  "No",
					 "NO",	"false", "False", "FALSE",
					 "off", "Off",	 "OFF",	  NULL};
	static const char *const null[] = {"",	   "~",	   "null",
					   "Null", "NULL", NULL};
	static const char *const none[] = {
		".nan",	 ".NaN",  ".NAN",  ".inf",  ".Inf",  ".INF", "+.inf",
		"+.Inf", "+.INF", "-.inf", "-.Inf", "-.INF", NULL};

	out->yes = is_word(text, yes);
	if (out->yes || is_word(text, no))
		out->kind = YAML_IS_BOOL;
	else if (is_word(text, null))
		out->kind = YAML_IS_NULL;
	else if (is_word(text, none))
		out->kind = YAML_IS_NO_JSON;
	return out->kind != YAML_IS_TEXT;
}

/* The base of a whole number, and *digits after what says it. */
static unsigned int base_of(const char **digits)
{
	const char *s = *digits;

	if (s[0] != '0' || !s[1])
		return 10;
	*digits = s + 2;
	switch (tolower((unsigned char)s[1])) {
	case 'x':
		return 16;
	case 'o':
		return 8;
	case 'b':
		return 2;
	}
	*digits = s + 1;
	return 8;
}

static bool read_digits(const char *s, unsigned int base, uint64_t *out)
{
	if (!*s)
		return false;
	for (*out = 0; *s; s++) {
		const unsigned char c =
			(unsigned char)tolower((unsigned char)*s);
		unsigned int v = isdigit(c)    ? (unsigned int)(c - '0')
				 : isxdigit(c) ? (unsigned int)(c - 'a') + 10
					       : base;

		if (v >= base || __builtin_mul_overflow(*out, base, out) ||
		    __builtin_add_overflow(*out, v, out))
			return false;
	}
	return true;
}

/*
 * Read a whole number; above INT64_MAX it has no sign, not even "+", as in
 * go-yaml.
 */
static bool is_whole(const char *s, struct yaml_plain *out)
{
	const char *digits = s + (*s == '-' || *s == '+');
	const unsigned int base = base_of(&digits);
	uint64_t u;

	if (!read_digits(digits, base, &u))
		return false;
	if (*s == '-' && u <= (uint64_t)INT64_MAX + 1)
		*out = (struct yaml_plain){YAML_IS_INT, .i = (int64_t)(0 - u)};
	else if (u <= INT64_MAX)
		*out = (struct yaml_plain){YAML_IS_INT, .i = (int64_t)u};
	else if (isdigit((unsigned char)*s))
		*out = (struct yaml_plain){YAML_IS_UINT, .u = u};
	else
		return false;
	return true;
}

static size_t digits_at(const char *s)
{
	return strspn(s, "0123456789");
}

/* True for 1, 1., .5 or 1.5, with e+3 behind it or not. */
static bool is_decimal(const char *s)
{
	size_t before, after = 0;

	s += *s == '-' || *s == '+';
	before = digits_at(s);
	s += before;
	if (*s == '.') {
		after = digits_at(++s);
		s += after;
	}
	if (!before && !after)
		return false;
	if (*s == 'e' || *s == 'E') {
		s++;
		s += *s == '-' || *s == '+';
		if (!digits_at(s))
			return false;
		s += digits_at(s);
	}
	return !*s;
}

/* Read a float; a number too large for a double is a text. */
static bool is_float(const char *s, struct yaml_plain *out)
{
	double d;

	if (!is_decimal(s))
		return false;
	d = strtod(s, NULL);
	if (!isfinite(d))
		return false;
	*out = (struct yaml_plain){YAML_IS_FLOAT, .d = d};
	return true;
}

/* Copy the number without underlines. False: it has too many letters. */
static bool strip(const char *text, char out[NUMBER_MAX])
{
	size_t n = 0;

	for (; *text; text++) {
		if (*text == '_')
			continue;
		if (n + 1 == NUMBER_MAX)
			return false;
		out[n++] = *text;
	}
	out[n] = '\0';
	return true;
}

/*
 * True for what go-yaml takes for a number by oversight: 0b-1, and .5_0 but not
 * ._5. `number`: the text without underlines.
 */
static bool is_odd(const char *text, const char *number)
{
	uint64_t u;

	if (*text == '.')
		return strchr(text, '_') && is_decimal(number);
	return (str_starts(number, "0b+") || str_starts(number, "0b-")) &&
	       read_digits(number + 3, 2, &u);
}

struct yaml_plain yaml_plain_of(const char *text)
{
	struct yaml_plain out = {.kind = YAML_IS_TEXT};
	char number[NUMBER_MAX] = "";

	if (is_special(text, &out) || !*text || !strchr("+-.0123456789", *text))
		return out;
	if (!strip(text, number)) {
		if (strspn(text, "+-._0123456789eE") == strlen(text))
			out.kind = YAML_IS_NO_JSON;
		return out;
	}
	if (*text != '.' && is_whole(number, &out))
		return out;
	if (is_odd(text, number))
		out.kind = YAML_IS_NO_JSON;
	else
		is_float(number, &out);
	return out;
}

/* Write 1.5e+20 as 150000000000000000000 into `out`, which has room. */
static void write_whole(const char *text, int exponent, char *out)
{
	for (; *text != 'e'; text++) {
		if (*text != '.')
			*out++ = *text;
		exponent -= isdigit((unsigned char)*text) != 0;
	}
	for (; exponent >= 0; exponent--)
		*out++ = '0';
	*out = '\0';
}

/*
 * Write a number with the fewest digits, for 0.1 of a CPU is not
 * 0.10000000000000001, and without an exponent where Go has none:
 * 1000000000000000, not 1e+15.
 */
static void write_double(double d, char out[DOUBLE_MAX])
{
	int digits = 0, exponent = 0;
	char text[32];

	do {
		snprintf(text, sizeof(text), "%.*e", digits, d);
	} while ((strtod(text, NULL) < d || strtod(text, NULL) > d) &&
		 ++digits < 17);
	exponent = (int)strtol(strchr(text, 'e') + 1, NULL, 10);
	if (exponent < -6 || exponent > 20)
		snprintf(out, DOUBLE_MAX, "%s", text);
	else if (exponent >= digits)
		write_whole(text, exponent, out);
	else
		snprintf(out, DOUBLE_MAX, "%.*f", digits - exponent, d);
}

json_object *yaml_plain_json(const struct yaml_plain *p)
{
	char text[DOUBLE_MAX];

	switch (p->kind) {
	case YAML_IS_BOOL:
		return json_object_new_boolean(p->yes);
	case YAML_IS_INT:
		return json_object_new_int64(p->i);
	case YAML_IS_UINT:
		return json_object_new_uint64(p->u);
	case YAML_IS_FLOAT:
		write_double(p->d, text);
		return json_object_new_double_s(p->d, text);
	case YAML_IS_TEXT:
	case YAML_IS_NULL:
	case YAML_IS_NO_JSON:
		break;
	}
	return NULL;
}

bool yaml_plain_is_text(const char *text)
{
	const struct yaml_plain p = yaml_plain_of(text);
	char same[DOUBLE_MAX];

	switch (p.kind) {
	case YAML_IS_TEXT:
		return true;
	case YAML_IS_INT:
		snprintf(same, sizeof(same), "%lld", (long long)p.i);
		return !strcmp(same, text);
	case YAML_IS_FLOAT:
		write_double(p.d, same);
		return strlen(text) <= SHORT_FLOAT_MAX && !strchr(text, 'e') &&
		       !strcmp(same, text);
	case YAML_IS_NULL:
	case YAML_IS_BOOL:
	case YAML_IS_UINT:
	case YAML_IS_NO_JSON:
		break;
	}
	return false;
}
